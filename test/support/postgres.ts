import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openStore, type Store } from '../../src/store/index.ts';
import type { TestDatabase } from '../store/fixtures.ts';
import { ownPort } from './own-port.ts';
import { until } from './until.ts';

/** The folder with the versions of PostgreSQL on Debian, whose programs are not on the path. */
const DEBIAN = '/usr/lib/postgresql';
export const PASSWORD = 'Pg-s3cret-of-tests';

/** A PostgreSQL server for tests on 127.0.0.1. It sorts texts by English rules. */
export interface Postgres {
  /** The data folder of the server. */
  folder: string;
  /** The id of the server's process, or undefined while it is stopped. */
  pid(): number | undefined;
  /** Creates an empty database, and returns its address as a store. */
  database(): Promise<string>;
  /** Executes a statement in a database as its owner. */
  query(address: string, text: string): Promise<Record<string, unknown>[]>;
  /** Stops the server at once. Connections break. */
  stop(): Promise<void>;
  /** Kills the server with SIGKILL. Resolves when the server has ended. */
  kill(): Promise<void>;
  /** Starts the server again with the same data. */
  start(): Promise<void>;
  remove(): Promise<void>;
  /** Ends the server with SIGQUIT and removes its data, synchronously. */
  destroy(): void;
}

export async function startPostgres(): Promise<Postgres> {
  const bin = programs();
  const folder = mkdtempSync(join(tmpdir(), 'foray-postgres-'));
  const owner = ordinaryUser();
  const data = join(folder, 'data');
  const passwords = join(folder, 'password');
  writeFileSync(passwords, PASSWORD);
  if (owner) for (const path of [folder, passwords]) chownSync(path, owner.uid, owner.gid);
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];
  const access = ['--username=foray', '--auth=scram-sha-256', `--pwfile=${passwords}`];
  execFileSync(join(bin, 'initdb'), ['--no-sync', '-D', data, ...locale, ...access], {
    ...owner,
    cwd: folder,
  });
  const port = await ownPort();
  let child: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  const server: Postgres = {
    folder,
    pid: () => child?.pid,
    async database() {
      const name = `test_${randomBytes(6).toString('hex')}`;
      await server.query(addressOf('postgres'), `create database ${name}`);
      return addressOf(name);
    },
    async query(address, text) {
      const client = new pg.Client({ connectionString: address });
      await client.connect();
      try {
        return (await client.query<Record<string, unknown>>(text)).rows;
      } finally {
        await client.end();
      }
    },
    async start() {
      // the data need not survive a crash of the machine, so no write waits for the disk
      const settings = [
        'fsync=off',
        'deadlock_timeout=50ms',
        'listen_addresses=127.0.0.1',
        'unix_socket_directories=',
        'lc_messages=C',
      ];
      const args = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
      await until('PostgreSQL starts', async () => {
        const started = spawn(join(bin, 'postgres'), args, {
          ...owner,
          cwd: folder,
          stdio: ['ignore', 'ignore', 'pipe'],
        });
        child = started;
        let said = '';
        const isReady = await new Promise<boolean>((resolve) => {
          started.stderr.on('data', (chunk: Buffer) => {
            said += chunk.toString();
            if (said.includes('ready to accept connections')) resolve(true);
          });
          started.once('close', () => resolve(false));
        });
        // after a kill of the server, its other processes end a little later, and until then it does not start again
        if (isReady || said.includes('is still in use')) return isReady;
        throw new Error(`PostgreSQL does not start: ${said}`);
      });
    },
    stop: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
    async remove() {
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
    destroy() {
      child?.kill('SIGQUIT');
      // the server may still write files until it has ended
      for (let tries = 0; tries < 50 && existsSync(folder); tries += 1) {
        rmSync(folder, { recursive: true, force: true });
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
      }
    },
  };
  const addressOf = (name: string): string => `postgres://foray:${PASSWORD}@127.0.0.1:${port}/${name}`;
  await server.start();
  return server;
}

/**
 * A statement that empties every table of a database, except the list of its migrations and the id of a store. It does
 * not check foreign keys, so the order of the tables does not matter. `truncate` would be slower, because it makes new
 * files for each table.
 */
export const EMPTY = `do $$
declare name text;
begin
  set local session_replication_role = replica;
  for name in
    select tablename from pg_tables where schemaname = 'public' and tablename <> 'meta' and tablename not like 'kysely%'
  loop
    execute format('delete from %I', name);
  end loop;
end $$`;

/**
 * A database for the tests that every store must pass. All tests use the same database, which is emptied after each
 * test, because the creation of a database takes almost a second. The tests also share the first handle, unless a test
 * has closed this handle, because each connection costs the server 50 ms of CPU time. The shared handle stays open
 * until the server ends.
 */
export function postgresDatabase(server: () => Postgres): () => TestDatabase {
  let address: string | undefined;
  let first: Store | undefined;
  let sweeper: pg.Client | undefined;
  const openFirst = async (): Promise<Store> => {
    const store = await openStore((address ??= await server().database()));
    const close = async (): Promise<void> => {
      first = undefined;
      await store.close();
    };
    return { ...store, close };
  };
  const sweep = async (): Promise<void> => {
    if (!sweeper) {
      sweeper = new pg.Client({ connectionString: address! });
      sweeper.on('error', () => undefined);
      await sweeper.connect();
    }
    await sweeper.query(EMPTY);
  };
  return () => {
    let hasTakenFirst = false;
    const others: Store[] = [];
    return {
      async open() {
        if (!hasTakenFirst) {
          hasTakenFirst = true;
          return (first ??= await openFirst());
        }
        const store = await openStore(address!);
        others.push(store);
        return store;
      },
      async remove() {
        for (const store of others) await store.close();
        await sweep();
      },
    };
  };
}

export function hasPostgres(): boolean {
  return findPrograms() !== undefined;
}

function programs(): string {
  const found = findPrograms();
  if (found === undefined) throw new Error('There is no PostgreSQL: install the package "postgresql".');
  return found;
}

/** The folder with the programs of the newest installed PostgreSQL. */
function findPrograms(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(DEBIAN, version, 'bin')),
    ...process.env.PATH!.split(':'),
  ];
  return folders.find((path) => existsSync(join(path, 'initdb')) && existsSync(join(path, 'postgres')));
}

/** The user that PostgreSQL's package created, if we are root, because PostgreSQL refuses to run as root. */
function ordinaryUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}
