import type { S3Place } from './files/open.ts';
import type { LaneOptions } from './fleet/lane-keeper.ts';
import type { Limits } from './http/limits.ts';
import type { ProxyOptions } from './http/public-address.ts';
import type { After } from './timers.ts';

export interface ServiceOptions extends ProxyOptions {
  /** Address to listen on. @default '127.0.0.1' */
  host?: string;
  /** Port to listen on; 0 for any free port. @default 0 */
  port?: number;
  /**
   * Folder of the database and the files, unless `database` and `s3` name other places. It is made if it is missing.
   */
  dataDir: string;
  /**
   * Address of a database in PostgreSQL, which several services may use. They share a data folder or a bucket.
   * @default a database in SQLite in the data folder, which only this service uses
   */
  database?: string | undefined;
  /** A bucket for the files of clients and runs. @default the folder `files` in the data folder */
  s3?: S3Place | undefined;
  /** Folders of models. Each folder is a model, or its subfolders are models. */
  modelDirs: readonly string[];
  /** How many runs this service itself executes at once; 0 for none. @default the number of available cores */
  executors?: number;
  /**
   * The connection to Temporal, through which executors on other machines work. Each of them has a workflow, its lane.
   * @default only this service executes runs
   */
  lanes?: LaneOptions | undefined;
  /** Time limit of a run, in seconds. @default no limit */
  runTimeout?: number;
  /**
   * A key of the local user while this service runs, in addition to the keys of the key file. If there is neither
   * `apiKey` nor `keyFile`, and the data folder has no key file with users, the service makes a new key.
   */
  apiKey?: string;
  /** The key file, which must exist. @default keys.yaml in the data folder, which need not exist */
  keyFile?: string;
  /** Limits of requests. @default 16 MiB of JSON, 2 GiB of a file, any number of requests */
  limits?: Partial<Limits>;
  /** Folder for failed runs, so that they can be repeated. It is made if it does not exist. @default nothing is kept */
  keepFailed?: string;
  /** Stream for JSON lines: requests, faults, warnings, and the output of models. @default nothing is logged */
  log?: NodeJS.WritableStream;
  /**
   * `info` logs warnings and requests, but no requests to draw or steer animated runs. Both levels log faults of the
   * service and the output of models.
   *
   * @default 'info'
   */
  logLevel?: 'info' | 'error';
  /** Where metrics are served. @default nowhere */
  metrics?: { host: string; port: number } | undefined;
  /** Called with a line for each new version, and for each model that becomes invalid, while the service runs. */
  onModels?: (line: string) => void;
  /** Called with a line when a problem of the service (`/health`) begins or ends, and for warnings about models. */
  onProblem?: (line: string) => void;
  /** The time in milliseconds since 1970. @default Date.now */
  now?: () => number;
  /** Runs a callback after some milliseconds. @default setTimeout */
  after?: After;
}
