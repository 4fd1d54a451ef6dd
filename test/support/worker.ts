import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Settings } from '../../src/client/index.ts';
import { cleanEnv, MAIN } from './cli.ts';

/** A `foray worker` in its own process, so that it can be killed. */
export interface WorkerProcess {
  child: ChildProcess;
  startedAt: number;
  /** Resolves when the worker can get work. Rejects if the worker ends before that. */
  ready: Promise<void>;
  /** The output of the worker so far. */
  said(): string;
  hasEnded(): boolean;
  /** Kills the worker with SIGKILL. Resolves when the worker has ended. */
  kill(): Promise<void>;
}

/** The settings as environment variables, as a person would set them. */
export function environmentOf({ service, store, taskQueue, temporal }: Settings): NodeJS.ProcessEnv {
  return {
    ...cleanEnv(),
    FORAY_SERVICE_URL: service.url,
    FORAY_API_KEY: service.key,
    FORAY_STORE: store,
    FORAY_TASK_QUEUE: taskQueue,
    TEMPORAL_ADDRESS: temporal.connectionOptions.address,
    FORAY_PAYLOAD_CODEC: temporal.payloadCodec,
  };
}

export function startWorkerProcess(
  settings: Settings,
  flags: string[] = [],
  env: NodeJS.ProcessEnv = {},
): WorkerProcess {
  const child = spawn(process.execPath, [MAIN, 'worker', ...flags], {
    env: { ...environmentOf(settings), ...env },
    // the channel reports when the worker is ready, and ends the worker if the tests are killed
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const startedAt = Date.now();
  let said = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  }
  const exited = once(child, 'exit');
  const ready = Promise.race([
    once(child, 'message').then(() => undefined),
    exited.then(() => {
      throw new Error(`the worker ended: ${said}`);
    }),
  ]);
  // a worker may be killed during its start, and then nothing handles the rejection
  ready.catch(() => undefined);
  return {
    child,
    startedAt,
    ready,
    said: () => said,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
