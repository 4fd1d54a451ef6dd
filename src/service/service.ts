import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { ForayError } from '../errors.ts';
import { Sessions } from './animation/sessions.ts';
import { openDatabase } from './database.ts';
import { ExecutorPool } from './executors/pool.ts';
import { memoryShare } from './executors/process.ts';
import { ContentFiles } from './files/content.ts';
import { Presigner, signingSecret } from './files/presign.ts';
import { API_ROOT, buildApp } from './http/app.ts';
import { defaultLimits, type Limits } from './http/limits.ts';
import { Access } from './keys/access.ts';
import { ensureKeyFile } from './keys/edit.ts';
import { keyFileIn } from './keys/file.ts';
import { ModelReader } from './models/reader.ts';
import { ModelRegistry } from './models/registry.ts';
import { watchModels } from './models/watch.ts';
import { Problems } from './problems.ts';
import { Dispatcher } from './runs/dispatcher.ts';
import { watchForLostRuns } from './runs/lost-runs.ts';
import { Recorder } from './runs/recorder.ts';
import { RunRepository } from './runs/repository.ts';
import { Runs } from './runs/runs.ts';
import { type After, after as afterRealTime } from './timers.ts';

export interface ServiceOptions {
  /** Address to listen on. @default '127.0.0.1' */
  host?: string;
  /** 0 for a free one. @default 0 */
  port?: number;
  /** Folder of the database and the files; made if need be. */
  dataDir: string;
  /** Folders whose folders are models. */
  modelDirs: readonly string[];
  /** How many runs execute at once. @default as many as the machine has cores */
  executors?: number;
  /** Longest that a run may execute, in seconds. @default no limit */
  runTimeout?: number;
  /**
   * A key of the local user's while this service runs, besides those of the key file. Without it a data folder that
   * has no key file gets one, with a new key.
   */
  apiKey?: string;
  /** The key file, which must be there. @default keys.yaml in the data folder, made if need be */
  keyFile?: string;
  /** @default 16 MiB of JSON, 2 GiB of a file, any number of requests */
  limits?: Partial<Limits>;
  /** Takes JSON lines. @default nothing is logged */
  log?: NodeJS.WritableStream;
  /** Each request, or only faults of the service. @default 'info' */
  logLevel?: 'info' | 'error';
  /** Told of what becomes of models whose files change while the service runs, a line each. */
  onModels?: (line: string) => void;
  /** Told when the service cannot do a part of its work (`/health`), and when it can again, a line each. */
  onProblem?: (line: string) => void;
  /** The time in milliseconds since 1970. @default Date.now */
  now?: () => number;
  /** Runs a callback after so many milliseconds. @default setTimeout */
  after?: After;
}

export interface RunningService {
  /** Root of the interface, with its version. */
  url: string;
  host: string;
  port: number;
  /** The local user's key when it was made just now; only its hash is kept. */
  newKey: string | undefined;
  /** Lets requests finish. Runs that execute are executed anew at the next start; animated ones are stopped. */
  close(): Promise<void>;
}

/** The time as it was when the process started, and what has passed since: setting the clock does not move it. */
const steadyNow = (): number => Math.round(performance.timeOrigin + performance.now());

/**
 * Starts the model service.
 *
 * @throws ForayError STORE_UNUSABLE, STORE_NEWER, MODEL_INVALID, MODEL_UNREADABLE, KEYS_INVALID, PORT_IN_USE
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { host = '127.0.0.1', now = Date.now, after = afterRealTime, dataDir } = options;
  const database = openDatabase(dataDir);
  const filesDir = path.join(dataDir, 'files');
  const files = new ContentFiles(filesDir);
  let app: FastifyInstance | undefined;
  // what models print goes to the log, if there is one, once that is made
  const onPrint = (text: string) => app?.log.info({ model: text });
  const onFault = (error: unknown) => app?.log.error(error);
  const problems = new Problems(now, (line) => {
    app?.log.warn(line);
    options.onProblem?.(line);
  });
  const size = options.executors ?? os.availableParallelism();
  const processes = { filesDir, memory: memoryShare(size), onPrint };
  const pool = new ExecutorPool({ ...processes, size, timeout: options.runTimeout });
  try {
    files.prepare();
    const keyFile = options.keyFile ?? keyFileIn(dataDir);
    const makesKey = options.keyFile === undefined && options.apiKey === undefined;
    const newKey = makesKey ? await ensureKeyFile(keyFile) : undefined;
    const clock = options.now ?? steadyNow;
    const reader = new ModelReader(options.modelDirs, clock);
    const registry = await ModelRegistry.open(database.db, reader, problems);
    const repository = new RunRepository(database.db, now);
    const recorder = new Recorder(repository, problems);
    const dispatcher = new Dispatcher({
      runs: repository,
      registry,
      pool,
      recorder,
      problems,
      onFault,
      onDoubt: () => modelWatch.readSoon(),
    });
    const runs = new Runs(repository, registry, dispatcher, files);
    const sessions = new Sessions({
      runs,
      registry,
      recorder,
      dispatcher,
      processes,
      after,
    });
    app = await buildApp({
      registry,
      runs,
      sessions,
      files,
      presigner: new Presigner(signingSecret(database.db), clock),
      access: new Access({
        file: keyFile,
        required: options.keyFile !== undefined,
        localKey: options.apiKey,
        models: () => registry.models().map(({ name }) => name),
        onFault: (error) => app?.log.error(error),
      }),
      health: () => problems.health(),
      limits: { ...defaultLimits, ...options.limits },
      log: options.log,
      logLevel: options.logLevel ?? 'info',
    });
    let reading = Promise.resolve(true);
    const reload = async (): Promise<boolean> => {
      try {
        const { lines, hasChanged, isComplete } = await registry.reload();
        if (hasChanged) pool.renew();
        dispatcher.wake();
        for (const line of lines) options.onModels?.(line);
        return isComplete;
      } catch (error) {
        onFault(error);
        return false;
      }
    };
    repository.stopAnimated('the model service was restarted');
    repository.requeueRunning();
    const port = await listen(app, host, options.port ?? 0);
    dispatcher.wake();
    const modelWatch = watchModels(options.modelDirs, () => (reading = reload()));
    const endLostRuns = watchForLostRuns({
      runs: repository,
      isHeld: (id) => dispatcher.has(id) || sessions.executes(id) || recorder.isPending(id),
      onRequeued: () => dispatcher.wake(),
      onFault,
    });

    const listening = app;
    const end = async (): Promise<void> => {
      modelWatch.end();
      endLostRuns();
      dispatcher.close();
      await reading;
      await sessions.close();
      await listening.close();
      await pool.close();
      recorder.close();
      database.close();
    };
    let ended: Promise<void> | undefined;
    return {
      url: `http://${reachable(host)}:${port}${API_ROOT}`,
      host,
      port,
      newKey,
      close: () => (ended ??= end()),
    };
  } catch (error) {
    await app?.close();
    await pool.close();
    database.close();
    throw error;
  }
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<number> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new ForayError('PORT_IN_USE', `Something else listens on ${host}:${port} already.`, {
      hint: 'Choose another port, or 0 for a free one.',
    });
  }
  return (app.server.address() as AddressInfo).port;
}

/** The host part of an address under which this machine reaches what listens on `host`. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
