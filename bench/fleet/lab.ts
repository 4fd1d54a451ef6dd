import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { RunRequest } from '../../src/api/index.ts';
import { CloudClient } from '../../src/cloud/index.ts';
import { findTemporalCli } from '../../src/dev/temporal-cli.ts';
import { addKey } from '../../src/keys/edit.ts';
import { type Postgres, startPostgres } from '../../test/support/postgres.ts';
import { Temporal } from '../campaign/temporal.ts';
import { KEY, MAIN, startModelService } from '../model-service.ts';
import { ownEnvironment, Process } from '../process.ts';
import type { Part } from '../report.ts';
import { usageOf } from '../usage.ts';

export const SLOTS = 4;
/** How long an executor may be silent before another executor gets its runs, ms (src/cli/service.ts). */
export const HEARTBEAT = 15_000;
/** Delay between checks of the service's database, ms. */
const LOOK_EVERY = 20;

export interface Row {
  what: string;
  figure: number;
  unit: string;
}

export const columns: Part<Row>['columns'] = [
  { title: '', of: ({ what }) => what },
  { title: 'figure', of: ({ figure }) => figure, digits: 3 },
  { title: '', of: ({ unit }) => unit },
];

export const unfinished = `SELECT count(*) FROM runs WHERE status IN ('FRESH', 'RUNNING')`;

/** The processes whose CPU time is measured. */
export type Who = 'services' | 'Temporal' | 'PostgreSQL' | 'executors';

/** Services without their own executors, their Temporal server, and a way to start executors. */
export interface Lab {
  folder: string;
  services: Process[];
  executors: Process[];
  /** The addresses of the replicas of the service. */
  urls: string[];
  temporal: Temporal;
  /** The key of an executor. */
  key: string;
  client: CloudClient;
  /** The version of the model Rehearsal, whose runs sleep. */
  version: string;
  startExecutor(name: string): Promise<Process>;
  /** Registers a process of the bench, so that the bench always ends it. */
  own(started: Process): Process;
  /** Requests sleeping runs, with at most 20 open requests at a time. Returns the ids of the runs. */
  request(runs: number, seconds: number): Promise<string[]>;
  /** Stops the run that was requested last. `seconds` is its duration, the same as in the request. */
  stopLastRun(seconds: number): Promise<void>;
  /** Queries the service's database, and returns the first value of the first row. */
  ask(sql: string): Promise<number>;
  /** The number of requests that the services have answered. */
  requests(): Promise<number>;
  /** The number of transactions in PostgreSQL so far; 0 with SQLite. */
  transactions(): Promise<number>;
  /** CPU time so far, ms. */
  cpu(): Record<Who, number>;
}

/** Starts one service on SQLite, or two replicas on PostgreSQL. */
export async function startLab(
  folder: string,
  processes: { end(): Promise<void> }[],
  { isShared }: { isShared: boolean },
): Promise<Lab> {
  const own = (started: Process): Process => (processes.push(started), started);
  const dataDir = join(folder, 'service');
  const key = await addKey(join(dataDir, 'keys.yaml'), 'bench', 'executor');
  const temporal = await Temporal.start(await findTemporalCli(console.error), folder, own);
  await temporal.close();
  let postgres: Postgres | undefined;
  if (isShared) {
    const started = (postgres = await startPostgres());
    processes.unshift({ end: () => started.remove() });
  }
  const database = await postgres?.database();
  const to = ['--temporal', temporal.address];
  const services: Process[] = [];
  const [urls, metrics]: string[][] = [[], []];
  for (let replica = 0; replica < (isShared ? 2 : 1); replica += 1) {
    const flags = ['--data', dataDir, '--executors', '0', '--metrics', '0', ...to];
    const env = ownEnvironment(database === undefined ? {} : { FORAY_SERVICE_DATABASE: database });
    const service = await startModelService({ args: flags, env }, own);
    const [, address] = await service.process.says(/^Metrics\s+(\S+)/);
    services.push(service.process);
    urls!.push(service.url);
    metrics!.push(address!);
  }
  const client = new CloudClient({ url: urls![0]!, key: KEY });
  const { modelVersions } = await client.getModelByName('Rehearsal');
  const version = modelVersions.at(-1)!;
  const executors: Process[] = [];
  const limit = pLimit(20);
  let value = 0;
  const cpuOf = (...pids: readonly number[]): number =>
    pids.reduce((sum, pid) => sum + usageOf(pid).cpuMs, 0);
  const ask = async (sql: string): Promise<number> => {
    if (postgres) return Number(Object.values((await postgres.query(database!, sql))[0]!)[0]);
    const db = new DatabaseSync(join(dataDir, 'service.db'), { readOnly: true });
    try {
      return Number(Object.values(db.prepare(sql).get()!)[0]);
    } finally {
      db.close();
    }
  };
  const committed = 'SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()';
  return {
    folder,
    services,
    executors,
    urls: urls!,
    temporal,
    key,
    client,
    version,
    own,
    async startExecutor(name) {
      const url = urls![executors.length % urls!.length]!;
      const settings = ['--service-url', url, '--name', name, '--cache', join(folder, name)];
      const args = [MAIN, 'executor', ...settings, ...to, '--slots', String(SLOTS)];
      const env = ownEnvironment({ FORAY_EXECUTOR_KEY: key });
      const executor = own(new Process({ name, args, env }));
      executors.push(executor);
      await executor.says(/^Executor \S+ works/);
      return executor;
    },
    request: (runs, seconds) =>
      limit.map(Array.from({ length: runs }), async () => {
        value += 1;
        return (await client.requestRun(version, requestOf(seconds, value))).id;
      }),
    stopLastRun: (seconds) => client.stopRun(version, requestOf(seconds, value)),
    ask,
    async requests() {
      const texts = await Promise.all(metrics!.map(async (address) => (await fetch(address)).text()));
      const counts = texts.join('\n').matchAll(/^foray_http_request_duration_seconds_count\S* (\d+)/gm);
      return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
    },
    transactions: () => (postgres ? ask(committed) : Promise.resolve(0)),
    cpu: () => ({
      services: cpuOf(...services.map(({ pid }) => pid)),
      Temporal: cpuOf(temporal.process.pid),
      PostgreSQL: postgres ? cpuOf(postgres.pid()!) : 0,
      executors: cpuOf(...executors.map(({ pid }) => pid)),
    }),
  };
}

/** Makes the request for a sleeping run with a unique value. */
export function requestOf(seconds: number, value: number): RunRequest {
  const inputs = [
    { name: 'Seconds', value: String(seconds) },
    { name: 'Value', value: String(value) },
  ];
  return { experimentType: 'SIMULATION', inputs };
}

export async function until(isSo: () => Promise<boolean>, every = LOOK_EVERY): Promise<void> {
  while (!(await isSo())) await delay(every);
}
