import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { ForayError } from '../errors.ts';
import { openDatabase } from './database.ts';
import { ExecutorPool } from './executors/pool.ts';
import { ContentFiles } from './files/content.ts';
import { Presigner } from './files/presign.ts';
import { API_ROOT, buildApp } from './http/app.ts';
import { ensureLocalKey, Keys, signingSecret } from './keys.ts';
import { ModelRegistry } from './models/registry.ts';
import { Dispatcher } from './runs/dispatcher.ts';
import { RunRepository } from './runs/repository.ts';
import { Runs } from './runs/runs.ts';

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
  /** The local user's key. @default the one that the data folder knows, or a new one */
  apiKey?: string;
  /** Takes JSON lines. @default nothing is logged */
  log?: NodeJS.WritableStream;
  /** The time in milliseconds since 1970. @default Date.now */
  now?: () => number;
}

export interface RunningService {
  /** Root of the interface, with its version. */
  url: string;
  host: string;
  port: number;
  /** The local user's key when it was made just now; it is not kept anywhere. */
  newKey: string | undefined;
  /** Lets requests finish. Runs that execute are executed anew at the next start. */
  close(): Promise<void>;
}

/**
 * Starts the model service.
 *
 * @throws ForayError STORE_UNUSABLE, STORE_NEWER, MODEL_INVALID, PORT_IN_USE
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { host = '127.0.0.1', now = Date.now, dataDir } = options;
  const database = openDatabase(dataDir);
  const filesDir = path.join(dataDir, 'files');
  const files = new ContentFiles(filesDir);
  let app: FastifyInstance | undefined;
  // what models print goes to the log, if there is one, once that is made
  const pool = new ExecutorPool({
    size: options.executors ?? os.availableParallelism(),
    filesDir,
    onPrint: (text) => app?.log.info({ model: text }),
  });
  try {
    files.prepare();
    const newKey = ensureLocalKey(database.db, options.apiKey);
    const registry = await ModelRegistry.open(database.db, options.modelDirs);
    const repository = new RunRepository(database.db, now);
    const dispatcher = new Dispatcher(repository, registry, pool, (error) => app?.log.error(error));
    app = await buildApp({
      registry,
      runs: new Runs(repository, registry, dispatcher, files),
      files,
      presigner: new Presigner(signingSecret(database.db), now),
      keys: new Keys(database.db),
      log: options.log,
    });
    repository.requeueRunning();
    const port = await listen(app, host, options.port ?? 0);
    dispatcher.wake();

    const listening = app;
    const end = async (): Promise<void> => {
      dispatcher.close();
      await listening.close();
      await pool.close();
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
