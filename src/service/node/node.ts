import os from 'node:os';
import { Context } from '@temporalio/activity';
import { NativeConnection, Worker } from '@temporalio/worker';
import { ForayError, messageOf } from '../../errors.ts';
import { version } from '../../package/own-version.ts';
import { ExecutorPool } from '../executors/pool.ts';
import { memoryShare } from '../executors/process.ts';
import type { ExecutorActivities } from '../fleet/lane.ts';
import { BEAT_EVERY, type Hello, HELLO_EVERY } from '../fleet/protocol.ts';
import { takeCache } from './cache.ts';
import { NodeClient, ServiceFault } from './client.ts';
import { Faults } from './faults.ts';
import { LaneWork } from './lane-work.ts';
import { filesIn, NodeMaterials } from './materials.ts';

/** An executor gives back what executes so long before its end, in milliseconds. */
const LAST_MOMENT = 5_000;
/** How often an executor looks whether it should leave, in milliseconds. */
const LOOK_EVERY = 250;

export interface NodeOptions {
  /** The address of the service. */
  url: string;
  /** The key of an executor. */
  key: string;
  temporal: { connectionOptions: { address?: string | undefined }; namespace: string };
  /** How many runs execute at once. */
  slots: number;
  /** Its name in lists. @default the name of the machine */
  name?: string | undefined;
  /** The folder of code and files. @default a folder of this user among temporary files */
  cache?: string | undefined;
  /** What it has, for models that need it. */
  has: readonly string[];
  /** It leaves when it has had no run for so long, in milliseconds. */
  leaveWhenIdle?: number | undefined;
  /** When the machine is taken from it, in milliseconds since 1970. */
  ends?: number | undefined;
  /** Called with a line for its operator. */
  onLine: (line: string) => void;
}

/** A running executor. */
export interface ExecutorNode {
  name: string;
  /** Resolves when it has left. */
  left: Promise<void>;
  /** Begins no more runs, and leaves when those that execute have ended. */
  drain(): void;
  /** Leaves at once: runs that execute are given back. */
  leave(): void;
}

/**
 * Starts an executor on a machine of its own. It works for a service while lanes are given to it. It only makes connections,
 * to the service and to Temporal.
 *
 * @throws ForayError KEY_REFUSED, EXECUTOR_REFUSED, SERVICE_UNREACHABLE, TEMPORAL_UNREACHABLE, OUTPUT_UNWRITABLE
 */
export async function startNode(options: NodeOptions): Promise<ExecutorNode> {
  const { url, key, temporal, slots, has, leaveWhenIdle, ends, onLine } = options;
  const cache = takeCache(options.cache);
  const name = options.name ?? `${os.hostname()}${cache.index === 0 ? '' : `-${cache.index + 1}`}`;
  const client = new NodeClient(url, key);
  const faults = new Faults(() => performance.now());
  const [draining, leaving] = [new AbortController(), new AbortController()];
  const since = new Date().toISOString();
  let running = 0;
  let busyAt = performance.now();
  /** The longest execution so far, in milliseconds. */
  let longest = 0;
  let pool: ExecutorPool | undefined;
  const hasTime = () => ends === undefined || Date.now() + longest < ends - LAST_MOMENT;
  const problem = (): string | null => {
    if (draining.signal.aborted) return 'it drains';
    return faults.problem() ?? (hasTime() ? null : 'its time ends before a run would');
  };
  let lastFault = '';
  /** A service that does not answer is said once, not at each attempt. */
  const onFault = (error: unknown): void => {
    const line = messageOf(error);
    if (line !== lastFault) onLine(line);
    lastFault = line;
  };
  let refusals = (): string[] => [];
  const hello = (): Hello => ({
    ...{ build: version, slots, has: [...has], running, since },
    ...{ problem: problem(), refusals: refusals() },
  });
  try {
    const welcome = await client.hello(name, hello()).catch((error: unknown) => {
      throw refusal(error, url);
    });
    if (welcome.namespace !== temporal.namespace) {
      throw new ForayError(
        'EXECUTOR_REFUSED',
        `The service has its lanes in the namespace "${welcome.namespace}" of Temporal, and this executor is in "${temporal.namespace}".`,
        { hint: 'Set TEMPORAL_NAMESPACE.' },
      );
    }
    const materials = new NodeMaterials(client, cache.folder);
    try {
      materials.prepare();
    } catch (error) {
      throw new ForayError(
        'OUTPUT_UNWRITABLE',
        `The cache ${cache.folder} cannot be used: ${messageOf(error)}.`,
        {
          hint: 'Name another folder with --cache.',
        },
      );
    }
    refusals = () => materials.refusals();
    const executors = (pool = new ExecutorPool({
      filesDir: filesIn(cache.folder),
      memory: memoryShare(slots),
      onLine: (line, _number, run) => onLine(`${run}: ${line}`),
      size: slots,
      timeout: welcome.runTimeout ?? undefined,
    }));
    const activities: ExecutorActivities = {
      async work(holder) {
        const context = Context.current();
        const beat = setInterval(() => context.heartbeat(), BEAT_EVERY);
        const work = new LaneWork({
          ...{ client, holder, has, pool: executors, materials, faults, hasTime },
          draining: draining.signal,
          leaving: leaving.signal,
          cancelled: context.cancellationSignal,
          onHeld: (runs) => {
            running = runs;
            if (runs > 0) busyAt = performance.now();
          },
          onExecuted: (ms) => (longest = Math.max(longest, ms)),
          onFault,
        });
        try {
          await work.run();
        } finally {
          clearInterval(beat);
          running = 0;
        }
      },
    };
    const connection = await NativeConnection.connect(temporal.connectionOptions).catch(() => {
      throw new ForayError(
        'TEMPORAL_UNREACHABLE',
        `The Temporal server at ${temporal.connectionOptions.address ?? 'localhost:7233'} cannot be reached.`,
        { hint: 'Name it with --temporal or TEMPORAL_ADDRESS.' },
      );
    });
    const worker = await Worker.create({
      connection,
      namespace: temporal.namespace,
      taskQueue: welcome.taskQueue,
      activities: { ...activities },
      identity: name,
      // one lane has as many runs as there are slots
      maxConcurrentActivityTaskExecutions: 1,
      maxHeartbeatThrottleInterval: '3s',
      defaultHeartbeatThrottleInterval: '3s',
      // it drains for as long as its runs take
      shutdownGraceTime: '30 days',
    });
    const greet = async (): Promise<void> => {
      try {
        await client.hello(name, hello());
        lastFault = '';
      } catch (error) {
        onFault(error);
        const code = error instanceof ServiceFault ? error.code : undefined;
        // the service was updated meanwhile
        if (code === 'OTHER_BUILD') draining.abort();
        // it takes no report either
        if (code === 'KEY_REFUSED') leaving.abort();
      }
    };
    const greeting = setInterval(() => void greet(), HELLO_EVERY);
    let said = '';
    const looking = setInterval(() => {
      const why = problem();
      const now = [
        ...(why === null ? [] : [`Claims nothing: ${why}`]),
        ...refusals().map((refusal) => `Takes no runs of ${refusal}`),
      ].join('\n');
      if (now !== said) {
        said = now;
        if (now !== '') onLine(now);
        void greet();
      }
      if (running === 0 && performance.now() - busyAt > (leaveWhenIdle ?? Infinity)) draining.abort();
      if (ends !== undefined && Date.now() > ends - LAST_MOMENT) leaving.abort();
    }, LOOK_EVERY);
    leaving.signal.addEventListener('abort', () => draining.abort());
    draining.signal.addEventListener('abort', () => worker.shutdown());
    const left = worker.run().finally(async () => {
      clearInterval(greeting);
      clearInterval(looking);
      await client.leave(name).catch(() => {});
      await executors.close();
      await connection.close();
      cache.release();
    });
    return { name, left, drain: () => draining.abort(), leave: () => leaving.abort() };
  } catch (error) {
    await pool?.close();
    cache.release();
    throw error;
  }
}

/** What somebody who starts an executor is told when the service does not take it. */
function refusal(error: unknown, url: string): unknown {
  if (!(error instanceof ServiceFault)) return error;
  const { code, message } = error;
  if (code === undefined) {
    return new ForayError(
      'SERVICE_UNREACHABLE',
      `The model service at ${url} cannot be reached: ${message}.`,
    );
  }
  if (code === 'KEY_REFUSED') {
    return new ForayError('KEY_REFUSED', `The service refuses the key: ${message}`, {
      hint: 'Make one with foray service keys add NAME --executor, and pass it as FORAY_EXECUTOR_KEY.',
    });
  }
  if (code === 'UNKNOWN_ROUTE') {
    return new ForayError('EXECUTOR_REFUSED', 'The service takes no executors on other machines.', {
      hint: 'Start it with --temporal.',
    });
  }
  return new ForayError('EXECUTOR_REFUSED', message);
}
