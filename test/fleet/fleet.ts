import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { workflowBundle } from '../../src/dev/workflow-bundle.ts';
import type { S3Place } from '../../src/service/files/open.ts';
import { addKey } from '../../src/service/keys/edit.ts';
import { onCleanup, startTestService, temporaryFolder, type TestService } from '../service/support.ts';
import { type TemporalProcess, temporalProcess } from '../support/temporal.ts';
import { until } from '../support/until.ts';

const MAIN = path.resolve(import.meta.dirname, '../../src/cli/main.ts');
/** How long an executor may be silent in tests, in milliseconds. */
export const HEARTBEAT = 5_000;

Runtime.install({ logger: new DefaultLogger('ERROR') });

/** An executor in a process of its own. */
export interface TestExecutor {
  name: string;
  child: ChildProcess;
  cache: string;
  /** What it has said so far. */
  lines: string[];
  /** Resolves with its exit code. */
  exit: Promise<number | null>;
  kill(): Promise<void>;
}

/** A service that takes executors on other machines, with a Temporal of its own. */
export interface TestFleet {
  service: TestService;
  temporal: TemporalProcess;
  key: string;
  /** Starts an executor; resolves when it works for the service. */
  start(name: string, flags?: readonly string[], env?: NodeJS.ProcessEnv): Promise<TestExecutor>;
  /** The same, without waiting for that. */
  spawn(name: string, flags?: readonly string[], env?: NodeJS.ProcessEnv): TestExecutor;
  executors(): Promise<{ name: string; problem: string | null; running: number; isThere: boolean }[]>;
}

export async function startFleet(options: {
  modelDirs: string[];
  executors?: number;
  heartbeat?: number;
  s3?: S3Place;
}): Promise<TestFleet> {
  const temporal = await temporalProcess(path.join(temporaryFolder(), 'temporal.db'));
  onCleanup(() => temporal.kill());
  await temporal.start();
  const dataDir = temporaryFolder();
  const key = await addKey(path.join(dataDir, 'keys.yaml'), 'node', 'executors');
  const { heartbeat = HEARTBEAT, ...others } = options;
  const service = await startTestService({
    executors: 0,
    ...others,
    dataDir,
    lanes: {
      connectionOptions: { address: temporal.address },
      namespace: 'default',
      workflowBundle: await workflowBundle('lanes'),
      heartbeat,
    },
  });

  const spawnExecutor: TestFleet['spawn'] = (name, flags = [], env = {}) => {
    const cache = temporaryFolder();
    const settings = ['--service-url', service.running.url, '--temporal', temporal.address];
    const child = spawn(
      process.execPath,
      [MAIN, 'executor', ...settings, '--name', name, '--cache', cache, ...flags],
      {
        env: { ...process.env, FORAY_EXECUTOR_KEY: key, ...env },
        stdio: ['ignore', 'inherit', 'pipe'],
      },
    );
    const lines: string[] = [];
    createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
    const exit = once(child, 'exit').then(([code]) => code as number | null);
    const kill = async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await exit;
    };
    onCleanup(kill);
    return { name, child, cache, lines, exit, kill };
  };
  return {
    ...{ service, temporal, key },
    spawn: spawnExecutor,
    async start(name, flags, env) {
      const executor = spawnExecutor(name, flags, env);
      await until(`the executor ${name} works`, () => {
        if (executor.child.exitCode !== null) throw new Error(executor.lines.join('\n'));
        return executor.lines.some((line) => line.includes(`Executor ${name} works`));
      });
      return executor;
    },
    async executors() {
      return (await service.get<Awaited<ReturnType<TestFleet['executors']>>>('/executors')).body;
    },
  };
}
