import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Connection } from '@temporalio/client';
import { seeded } from '../support/durations.ts';
import { API_VERSION } from '../../src/api/constants.ts';
import { Foray, type Settings } from '../../src/client/index.ts';
import { CloudClient } from '../../src/cloud/index.ts';
import { ownPort } from '../support/own-port.ts';
import { findTemporalCli, serverSettings } from '../../src/dev/temporal-cli.ts';
import { cleanEnv, MAIN } from '../support/cli.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { type Proxy, startProxy } from '../support/proxy.ts';
import { environmentOf } from '../support/worker.ts';
import { KeptProcess } from './processes.ts';
import type { KeptName, Schedule } from './schedule.ts';
import type { Tools } from './tools.ts';

/** Arguments of Node for processes that tell what their heap holds. */
const COLLECTS = ['--expose-gc', '--import', resolve(import.meta.dirname, '../support/heap-hook.ts')];
const DISK_SIZE = '192m';
const EXECUTORS = 2;
/** The time limit of a run, s. Only runs without an end reach it, also while processes are frozen. */
const RUN_TIMEOUT = '30';

export interface World {
  folder: string;
  logs: string;
  settings: Settings;
  foray: Foray;
  /** A client that sends its requests directly to the service, not to the proxy. */
  service: CloudClient;
  /** The key of the service. No file and no log may contain it. */
  key: string;
  processes: Map<KeptName, KeptProcess>;
  postgres: Postgres | undefined;
  proxy: Proxy;
  /** The folder of models, and the path to which a fault moves it. */
  models: { here: string; away: string };
  /** Folders on separate small disks, if these can be mounted. */
  disks: { service: string; store: string };
  /** The file from which libfaketime reads the offset of the service's clock. */
  clockFile: string;
  /** The folder for temporary files of foray's processes. */
  temporary: string;
  close(): Promise<void>;
}

export async function startWorld({ seed, store }: Schedule, tools: Tools): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'foray-soak-'));
  const disks = { service: join(folder, 'service'), store: join(folder, 'store') };
  const mounted: string[] = [];
  const [temporary, logs] = [join(folder, 'tmp'), join(folder, 'logs')];
  for (const path of [...Object.values(disks), temporary, logs]) mkdirSync(path);
  const models = { here: join(folder, 'models'), away: join(folder, 'models-away') };
  const clockFile = join(folder, 'clock');
  const random = seeded(seed + 2_000_000);
  const key = Array.from({ length: 48 }, () => LETTERS[Math.floor(random() * LETTERS.length)]).join('');
  const processes: World['processes'] = new Map();
  let postgres: Postgres | undefined;
  let proxy: Proxy | undefined;
  let foray: Foray | undefined;
  const remove = (): void => {
    for (const disk of mounted) execFileSync('umount', ['--lazy', disk]);
    for (const pid of processes.get('service')?.pids ?? []) removeFaketime(pid);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  // `destroy` ends the processes and removes the folders if the soak ends early
  const destroy = (): void => {
    for (const each of processes.values()) each.destroy();
    postgres?.destroy();
    remove();
  };
  process.once('exit', destroy);
  try {
    if (!tools.missing.has('disk')) {
      for (const disk of Object.values(disks)) {
        execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_SIZE}`, 'tmpfs', disk]);
        mounted.push(disk);
      }
    }
    cpSync(resolve(import.meta.dirname, 'models'), models.here, { recursive: true });
    writeFileSync(clockFile, '+0s');

    const temporalPort = await ownPort();
    const address = `127.0.0.1:${temporalPort}`;
    const temporal = new KeptProcess({
      name: 'Temporal',
      command: await findTemporalCli(() => undefined),
      args: [
        ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(temporalPort), '--headless'],
        ...['--db-filename', join(folder, 'temporal.db'), '--log-level', 'error', ...serverSettings],
      ],
      env: cleanEnv(),
      log: join(logs, 'temporal.log'),
      isReady: () => isServing(address),
    });
    processes.set('temporal', temporal);

    const servicePort = await ownPort();
    const service = new KeptProcess({
      name: 'the service',
      command: process.execPath,
      args: [
        ...COLLECTS,
        ...[MAIN, 'service', '--home', join(folder, 'home'), '--port', String(servicePort)],
        ...['--data', disks.service, '--models', models.here, '--executors', String(EXECUTORS)],
        ...['--run-timeout', RUN_TIMEOUT],
      ],
      env: {
        ...cleanEnv(),
        FORAY_API_KEY: key,
        TMPDIR: temporary,
        ...(!tools.missing.has('clock') && {
          LD_PRELOAD: tools.faketime,
          FAKETIME_TIMESTAMP_FILE: clockFile,
          FAKETIME_DONT_FAKE_MONOTONIC: '1',
          FAKETIME_CACHE_DURATION: '1',
        }),
      },
      tellsHeap: true,
      log: join(logs, 'service.log'),
    });
    processes.set('service', service);

    if (store === 'postgres') postgres = await startPostgres();
    await Promise.all([temporal.start(), service.start()]);
    proxy = await startProxy(servicePort, seeded(seed + 3_000_000));
    const settings: Settings = {
      service: { url: rootOf(proxy.port), key },
      store: postgres ? await postgres.database() : `sqlite:${join(disks.store, 'store.db')}`,
      taskQueue: 'soak',
      owner: 'soak',
      temporal: { connectionOptions: { address }, namespace: 'default' },
      webUi: 'http://127.0.0.1:8233',
    };
    foray = await Foray.open(settings);
    for (const name of ['worker-1', 'worker-2'] as const) {
      processes.set(
        name,
        new KeptProcess({
          name,
          command: process.execPath,
          args: [...COLLECTS, MAIN, 'worker'],
          tellsHeap: true,
          env: { ...environmentOf(settings), TMPDIR: temporary },
          log: join(logs, `${name}.log`),
        }),
      );
    }
    await Promise.all([processes.get('worker-1')!.start(), processes.get('worker-2')!.start()]);

    const [client, front, database] = [foray, proxy, postgres];
    return {
      folder,
      logs,
      settings,
      key,
      processes,
      models,
      disks,
      clockFile,
      temporary,
      foray: client,
      service: new CloudClient({ url: rootOf(servicePort), key }),
      postgres: database,
      proxy: front,
      async close() {
        await client.close();
        await Promise.all([...processes.values()].map((each) => each.close()));
        await front.close();
        await database?.remove();
        process.off('exit', destroy);
        remove();
      },
    };
  } catch (error) {
    process.off('exit', destroy);
    destroy();
    throw error;
  }
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=&%#-_~';

/** Removes the files that libfaketime leaves behind when a process is killed. */
function removeFaketime(pid: number): void {
  for (const name of ['faketime_shm', 'sem.faketime_sem']) rmSync(`/dev/shm/${name}_${pid}`, { force: true });
}

function rootOf(port: number): string {
  return `http://127.0.0.1:${port}/api/open/${API_VERSION}`;
}

async function isServing(address: string): Promise<boolean> {
  const connection = await Connection.connect({ address, connectTimeout: 1_000 });
  try {
    await connection.workflowService.describeNamespace({ namespace: 'default' });
    return true;
  } finally {
    await connection.close();
  }
}

/** The paths of all files in a folder. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
