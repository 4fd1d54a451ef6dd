import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll } from '@jest/globals';
import type { ListedExecutor } from '../../src/api/extensions.ts';
import type { Run } from '../../src/api/resources.ts';
import { addKey } from '../../src/keys/edit.ts';
import type { ServiceOptions } from '../../src/service/service-options.ts';
import { startService } from '../../src/service/service.ts';
import {
  clientOf,
  KEY,
  onCleanup,
  requestRun,
  SHIPPED_MODELS,
  type TestService,
} from '../service/support.ts';
import { MAIN } from '../support/program.ts';
import { type TemporalProcess, temporalProcess } from '../support/temporal.ts';
import { until } from '../support/until.ts';
import { builtWorkflowBundle } from '../support/built-workflow-bundle.ts';
import '../support/quiet-runtime.ts';

/** How long an executor may be silent in tests before it counts as lost, in milliseconds. */
export const HEARTBEAT = 5_000;

const endings: (() => Promise<unknown> | void)[] = [];

afterAll(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** An executor in a separate process. It ends with its test. */
export interface TestExecutor {
  name: string;
  child: ChildProcess;
  cache: string;
  /** The lines that the process has written to standard error so far. */
  lines: string[];
  /** Resolves with the exit code of the process, when all its lines have been read. */
  exit: Promise<number | null>;
  kill(): Promise<void>;
}

export interface StartOptions {
  flags?: readonly string[];
  env?: NodeJS.ProcessEnv;
  /** @default a new folder */
  cache?: string;
  /** Options of Node and the program. @default the bundled program of this checkout */
  program?: readonly string[];
}

/**
 * A service for executors on other machines, with its own Temporal server. Service and server end after the tests of
 * the file.
 */
export interface TestFleet {
  service: TestService;
  temporal: TemporalProcess;
  key: string;
  keyFile: string;
  /** The folder of the tests' models. The service watches it. */
  models: string;
  /** The problems that the service has reported. */
  problems: string[];
  /** Starts an executor. Resolves when the executor has printed that it works. */
  start(name: string, options?: StartOptions): Promise<TestExecutor>;
  /** Starts an executor, and does not wait until the executor works. */
  spawn(name: string, options?: StartOptions): TestExecutor;
  executors(): Promise<ListedExecutor[]>;
  /** The entry of an executor in the list. */
  listed(name: string): Promise<ListedExecutor | undefined>;
}

/** A folder that is removed after the tests of the file. */
export function folderOfFile(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'foray-fleet-'));
  endings.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Requests runs of the model "Gated" at the service of a fleet. Returns the runs, and a function that opens their gate.
 * At the end of the test the gate opens anyway, so that no run keeps the executors of the next tests.
 */
export async function gatedRuns({ service }: TestFleet, count: number) {
  const Gate = path.join(folderOfFile(), 'gate');
  const open = () => writeFileSync(Gate, '');
  onCleanup(open);
  const version = await service.latest('Gated');
  const runs: Run[] = [];
  for (let N = 0; N < count; N += 1) runs.push((await requestRun(service, version, { N, Gate })).body);
  return { runs, open };
}

/** The clock of an executor. */
export interface TestClock {
  /** The environment of an executor that has this clock. */
  env: NodeJS.ProcessEnv;
  /** Moves the clock forward. Only the first call has an effect. */
  jump: (ms: number) => void;
}

/** Makes a clock that jumps forward during a test, so that the test does not wait, and no run is in a race with it. */
export function jumpingClock(): TestClock {
  const folder = folderOfFile();
  const [file, jumped] = ['clock.mjs', 'jumped'].map((name) => path.join(folder, name));
  writeFileSync(
    file!,
    `import { existsSync, readFileSync } from 'node:fs';
     const file = ${JSON.stringify(jumped)};
     let ahead = 0;
     const jump = () => (ahead ||= existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0);
     for (const clock of [Date, performance]) {
       const now = clock.now.bind(clock);
       clock.now = () => now() + jump();
     }`,
  );
  return {
    env: { NODE_OPTIONS: `--import=${file}` },
    jump(ms) {
      // the file appears with its content
      writeFileSync(`${jumped}.new`, String(ms));
      renameSync(`${jumped}.new`, jumped!);
    },
  };
}

/** Gives a function that starts executors of a service, each in a separate process. */
export function executorsOf({
  url,
  address,
  key,
}: {
  url: string;
  /** The address of Temporal. */
  address: string;
  key: string;
}): TestFleet['spawn'] {
  return (name, options = {}) => {
    const { flags = [], env = {}, cache = folderOfFile(), program = [MAIN] } = options;
    const settings = ['--service-url', url, '--temporal', address];
    const child = spawn(
      process.execPath,
      [...program, 'executor', ...settings, '--name', name, '--cache', cache, ...flags],
      { env: { ...process.env, FORAY_EXECUTOR_KEY: key, ...env }, stdio: ['ignore', 'inherit', 'pipe'] },
    );
    const lines: string[] = [];
    createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
    const ended = once(child, 'exit');
    // the last lines may arrive after the end of the process
    const exit = once(child, 'close').then(([code]) => code as number | null);
    const kill = async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    };
    onCleanup(kill);
    return { name, child, cache, lines, exit, kill };
  };
}

/**
 * Starts a service for executors on other machines.
 *
 * @param write - writes the test's models into a folder
 */
export async function startFleet(
  write: (folder: string) => void = () => {},
  { heartbeat = HEARTBEAT, ...options }: Partial<ServiceOptions> & { heartbeat?: number } = {},
): Promise<TestFleet> {
  const temporal = await temporalProcess(path.join(folderOfFile(), 'temporal.db'));
  endings.push(() => temporal.kill());
  await temporal.start();
  const [dataDir, models] = [folderOfFile(), folderOfFile()];
  write(models);
  const keyFile = path.join(dataDir, 'keys.yaml');
  const key = await addKey(keyFile, 'node', 'executor');
  const problems: string[] = [];
  const running = await startService({
    modelDirs: [SHIPPED_MODELS, models],
    executors: 0,
    apiKey: KEY,
    dataDir,
    onProblem: (line) => problems.push(line),
    lanes: {
      connectionOptions: { address: temporal.address },
      namespace: 'default',
      workflowBundle: builtWorkflowBundle('lanes'),
      heartbeat,
    },
    ...options,
  });
  endings.push(() => running.close());
  const service = { ...clientOf(running.url), running, dataDir, close: () => running.close() };

  const spawnExecutor = executorsOf({ url: running.url, address: temporal.address, key });
  const executors = async () => (await service.get<ListedExecutor[]>('/executors')).body;
  return {
    service,
    temporal,
    key,
    keyFile,
    models,
    problems,
    executors,
    spawn: spawnExecutor,
    async start(name, options) {
      const executor = spawnExecutor(name, options);
      await until(`the executor ${name} works`, () => {
        if (executor.child.exitCode !== null) throw new Error(executor.lines.join('\n'));
        return executor.lines.some((line) => line.includes(`Executor ${name} works`));
      });
      return executor;
    },
    listed: async (name) => (await executors()).find((executor) => executor.name === name),
  };
}
