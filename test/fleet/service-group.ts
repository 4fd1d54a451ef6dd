import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ContentFiles } from '../../src/service/files/content.ts';
import type { ServiceOptions } from '../../src/service/service-options.ts';
import { onCleanup, rows } from '../service/support.ts';
import { lastingPort } from '../support/lasting-port.ts';
import { startPostgres } from '../support/postgres.ts';
import { startRoundRobin } from '../support/round-robin.ts';
import { startS3 } from '../support/s3.ts';

/** The duration of an outage of the bucket, in milliseconds. */
const OUTAGE = 5_000;

/** The options of a service's process, as JSON. */
export interface EntryOptions extends Pick<
  ServiceOptions,
  'port' | 'dataDir' | 'modelDirs' | 'database' | 's3' | 'apiKey'
> {
  /** The address of Temporal. */
  address: string;
  heartbeat: number;
}

/** Services in separate processes, with their database and files. */
export interface ServiceGroup {
  /** The address that clients and executors use. */
  url: string;
  /** The addresses of the services. */
  urls: string[];
  /** Kills one of the services, and starts it again. */
  killService(at: number): Promise<void>;
  /** Kills the database and starts it again. */
  killDatabase?(): Promise<void>;
  /** Kills the server of the bucket, and starts it again after five seconds. */
  interruptFiles?(): Promise<void>;
  query(sql: string): Promise<Record<string, unknown>[]>;
  contentOf(hash: string): string;
}

type Given = Omit<EntryOptions, 'port' | 'database' | 's3'>;

/** Starts one service, with its database and its files in its data folder. */
export async function oneService(given: Given): Promise<ServiceGroup> {
  const service = await startService(given);
  return {
    url: service.url,
    urls: [service.url],
    killService: () => service.killAndRestart(),
    query: (sql) => Promise.resolve(rows(given.dataDir, sql)),
    contentOf: (hash) =>
      new TextDecoder().decode(new ContentFiles(path.join(given.dataDir, 'files')).read(hash)),
  };
}

/** Starts two replicas behind a proxy, with PostgreSQL and an S3-compatible store. */
export async function replicas(given: Given): Promise<ServiceGroup> {
  const postgres = await startPostgres();
  onCleanup(() => postgres.remove());
  const database = await postgres.database();
  const files = await startS3();
  onCleanup(() => files.remove());
  const services: Awaited<ReturnType<typeof startService>>[] = [];
  for (let replica = 0; replica < 2; replica += 1)
    services.push(await startService({ ...given, database, s3: files.place }));
  const proxy = await startRoundRobin(services.map(({ url }) => url));
  onCleanup(() => proxy.close());
  let outage = Promise.resolve();
  return {
    url: proxy.url,
    urls: services.map(({ url }) => url),
    async killService(at) {
      // a service does not start without its bucket
      await outage;
      await services[at % services.length]!.killAndRestart();
    },
    async killDatabase() {
      await postgres.kill();
      await postgres.start();
    },
    async interruptFiles() {
      await (outage = (async () => {
        await files.kill();
        await pause(OUTAGE);
        await files.start();
      })());
    },
    query: (sql) => postgres.query(database, sql),
    contentOf: (hash) => readFileSync(files.pathOf(hash), 'utf8'),
  };
}

async function startService(given: Omit<EntryOptions, 'port'>) {
  const options: EntryOptions = { ...given, port: await lastingPort() };
  let { child, url } = await startProcess(options);
  onCleanup(() => kill(child));
  return {
    url,
    async killAndRestart() {
      await kill(child);
      ({ child, url } = await startProcess(options));
    },
  };
}

async function startProcess(options: EntryOptions): Promise<{ child: ChildProcess; url: string }> {
  const entry = path.join(import.meta.dirname, 'service-entry.ts');
  const child = spawn(process.execPath, [entry, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = once(child.stdout, 'data').then(([line]) => (line as Buffer).toString().trim());
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the service ended with ${code}`);
  });
  ended.catch(() => {});
  return { child, url: await Promise.race([said, ended]) };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
