import { lstatSync, mkdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Context } from '@temporalio/activity';
import type { DataConverter } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import { ForayError, messageOf } from '../../errors.ts';
import type { Needs } from '../../http/health.ts';
import { dataConverter } from '../../payload-codec.ts';
import { requireNamespace, untilCutOff } from '../../temporal-connection.ts';
import { connectError } from '../../temporal-errors.ts';
import { ExecutorPool } from '../executors/pool.ts';
import { memoryShare } from '../executors/process.ts';
import { type OwnFolder, takeFolder } from '../files/own-folder.ts';
import { type ExecutorActivities, laneOf, SERVED } from '../fleet/lane.ts';
import { BEAT_EVERY } from '../fleet/protocol.ts';
import { RepeatedCheck } from '../repeated-check.ts';
import { FleetClient, ServiceFault } from './fleet-client.ts';
import { greetFirst, keepGreeting } from './greeting.ts';
import { LaneWork, type LaneParts } from './lane-work.ts';
import { filesIn, RemoteMaterials } from './materials.ts';
import { ExecutorState, type StateOptions } from './executor-state.ts';

/**
 * For each slot, the outputs of this many runs may wait to be sent to the service. While so many outputs wait, no more
 * runs begin.
 */
const MOST_UPLOADS = 4;
/** After this time without Temporal, an executor that has nothing to do ends, in milliseconds. */
const CUT_OFF = 2_000;
/** The interval between two questions to Temporal, and the time limit of a question, in milliseconds. */
const ASK_EVERY = 3_000;

export interface RemoteExecutorOptions extends StateOptions {
  url: string;
  /** The key of an executor, not of a user. */
  key: string;
  temporal: {
    connectionOptions: { address?: string | undefined };
    namespace: string;
    /** The module with the codecs of payloads. @default no codec */
    payloadCodec?: string | undefined;
  };
  /** The name of the executor in lists. @default the name of the machine, with a number from its second executor on */
  name?: string | undefined;
  /** The folder of code and files. @default a folder of this user among temporary files */
  cache?: string | undefined;
  /** Called with a line for the operator. */
  onLine: (line: string) => void;
}

export interface RemoteExecutor {
  name: string;
  /** Resolves when the executor has left. */
  left: Promise<void>;
  /** Begins no more runs, and leaves when the executing runs have ended. */
  drain(): void;
  /** Leaves immediately. Executing runs are given back. */
  leave(): void;
  /** What the executor needs to execute runs. */
  needs: Needs;
}

/**
 * Starts an executor on another machine than the service. It takes lanes from Temporal. In a lane, it executes runs of
 * the service. It connects to the service and to Temporal, and nothing connects to it.
 *
 * @throws ForayError KEY_REFUSED, EXECUTOR_REFUSED, SERVICE_UNREACHABLE, TEMPORAL_UNREACHABLE,
 *   TEMPORAL_REFUSED, CACHE_UNUSABLE, CODEC_UNUSABLE
 */
export async function startRemoteExecutor(options: RemoteExecutorOptions): Promise<RemoteExecutor> {
  const { url, key, temporal, slots, has, onLine } = options;
  const converter = await dataConverter(temporal.payloadCodec);
  const cache = takeCache(options.cache);
  const name = options.name ?? `${os.hostname()}${cache.index === 0 ? '' : `-${cache.index + 1}`}`;
  let pool: ExecutorPool | undefined;
  try {
    const client = new FleetClient(url, key);
    const materials = new RemoteMaterials(client, cache.folder, MOST_UPLOADS * slots);
    const state = new ExecutorState(options, materials);
    const welcome = await greetFirst({ client, name, state }, { url, namespace: temporal.namespace });
    usingCache(cache.folder, () => materials.prepare());
    const executors = (pool = new ExecutorPool({
      filesDir: filesIn(cache.folder),
      memory: memoryShare(slots),
      onLine: (line, _number, run) => onLine(`${run}: ${line}`),
      size: slots,
      timeout: welcome.runTimeout ?? undefined,
      onLeaky: (versionId, difference) => state.noteLeak(versionId, difference),
    }));
    const { onFault, onAnswer, lastFault } = oncePerFault(url, onLine);
    const { connection, worker } = await takeLanes(options, {
      name,
      taskQueue: welcome.taskQueue,
      converter,
      state,
      lane: { client, has, pool: executors, materials, faults: state.faults, onFault },
    });
    const endAsking = keepAsking(connection, (unreached) => {
      state.unreached = unreached;
    });
    const endGreeting = keepGreeting({ client, name, state, onLine, onFault, onAnswer });
    state.draining.signal.addEventListener('abort', () => worker.shutdown());
    const work = async (): Promise<void> => {
      let isCutOff = false;
      try {
        const ended = worker.run().then(() => false);
        const isLost = (): boolean =>
          state.draining.signal.aborted && !state.hasLane() && state.unreached !== null;
        isCutOff = await Promise.race([ended, untilCutOff(isLost, CUT_OFF)]);
      } finally {
        await endAsking();
        await endGreeting();
        await executors.close();
        // the worker still tries to tell Temporal of its end, and uses the connection
        if (!isCutOff) await connection.close();
        cache.release();
      }
    };
    return {
      name,
      left: work(),
      drain: () => state.draining.abort(),
      leave: () => state.leaving.abort(),
      needs: {
        Temporal: () => answer(state.unreached !== null, 'It does not answer.'),
        'model service': () => answer(lastFault() !== undefined, 'Its last request failed.'),
        executor: () =>
          answer(state.problem() !== null, 'It takes no runs: "foray executors" shows the reason.'),
      },
    };
  } catch (error) {
    await pool?.close();
    cache.release();
    throw error;
  }
}

/**
 * Asks Temporal at an interval whether it answers. The SDK itself waits for a frozen server without a word.
 *
 * @param note - called with the reason after each answer; null if Temporal answers
 * @returns a function that ends the questions
 */
function keepAsking(
  connection: NativeConnection,
  note: (unreached: string | null) => void,
): () => Promise<void> {
  const checks = new RepeatedCheck({
    every: ASK_EVERY,
    async check() {
      try {
        await connection.withDeadline(Date.now() + ASK_EVERY, () =>
          connection.workflowService.getSystemInfo({}),
        );
        note(null);
      } catch {
        note('Temporal does not answer');
      }
    },
  });
  return () => checks.close();
}

/** The answer about a need. Anybody may read it, so it has no text from elsewhere. */
function answer(isFailed: boolean, why: string): Promise<string | undefined> {
  return Promise.resolve(isFailed ? why : undefined);
}

/**
 * Makes `onFault`, which reports a fault once while it repeats at each attempt, and `onAnswer`, which is called when the
 * service has answered. After that, the same fault is reported again. `lastFault` returns the fault that is not over.
 */
function oncePerFault(url: string, onLine: (line: string) => void) {
  let lastFault = '';
  return {
    onFault: (error: unknown) => {
      const why = messageOf(error);
      const line = error instanceof ServiceFault ? `A request to ${url} failed: ${why}` : why;
      if (line !== lastFault) onLine(line);
      lastFault = line;
    },
    onAnswer: () => {
      lastFault = '';
    },
    lastFault: () => lastFault || undefined,
  };
}

interface LaneTaking {
  name: string;
  taskQueue: string;
  converter: DataConverter;
  state: ExecutorState;
  lane: Pick<LaneParts, 'client' | 'has' | 'pool' | 'materials' | 'faults' | 'onFault'>;
}

/**
 * The worker that takes lanes from Temporal, one at a time.
 *
 * @throws ForayError TEMPORAL_UNREACHABLE, TEMPORAL_REFUSED
 */
async function takeLanes(
  { temporal }: RemoteExecutorOptions,
  { name, taskQueue, converter, state, lane }: LaneTaking,
): Promise<{ connection: NativeConnection; worker: Worker }> {
  const activities: ExecutorActivities = {
    async work(holder) {
      const context = Context.current();
      const beat = setInterval(() => context.heartbeat(), BEAT_EVERY);
      state.noteLane(true);
      const work = new LaneWork({
        ...lane,
        holder,
        draining: state.draining.signal,
        leaving: state.leaving.signal,
        cancelled: context.cancellationSignal,
        heartbeat: context.info.heartbeatTimeoutMs!,
        isServed: () => isServed(connection, temporal.namespace, holder),
        hasTime: () => state.hasTime(),
        onHeld: (runs) => state.noteHeld(runs),
        onExecuted: (ms) => state.noteExecuted(ms),
      });
      try {
        await work.run();
      } finally {
        clearInterval(beat);
        state.noteLane(false);
      }
    },
  };
  const connection = await NativeConnection.connect(temporal.connectionOptions).catch((error: unknown) => {
    throw connectError({ temporal }, error, 'Name it with --temporal or TEMPORAL_ADDRESS.');
  });
  await requireNamespace(connection, temporal).catch(async (error: unknown) => {
    await connection.close();
    throw error;
  });
  const worker = await Worker.create({
    connection,
    namespace: temporal.namespace,
    taskQueue,
    dataConverter: converter,
    activities: { ...activities },
    identity: name,
    // one lane fills all slots with runs
    maxConcurrentActivityTaskExecutions: 1,
    maxHeartbeatThrottleInterval: '3s',
    defaultHeartbeatThrottleInterval: '3s',
    // draining takes as long as the executing runs
    shutdownGraceTime: '30 days',
  });
  return { connection, worker };
}

/** Whether a service works for the lane of a holder. Temporal passes the question on to any replica of the service. */
function isServed(connection: NativeConnection, namespace: string, holder: string): Promise<boolean> {
  const query = { namespace, execution: laneOf(holder), query: { queryType: SERVED } };
  return connection
    .withDeadline(Date.now() + ASK_EVERY, () => connection.workflowService.queryWorkflow(query))
    .then(Boolean, () => false);
}

/**
 * Takes a folder in which an executor keeps code and files. It is a subfolder of `base` that no other executor uses.
 * The default of `base` is in the folder for temporary files, because that folder is usually not on a network.
 *
 * @throws ForayError CACHE_UNUSABLE
 */
function takeCache(base = path.join(os.tmpdir(), `foray-executor-${os.userInfo().uid}`)): OwnFolder {
  return usingCache(base, () => {
    mkdirSync(base, { recursive: true, mode: 0o700 });
    // another user may have made this folder, because anybody can write in the folder for temporary files
    if (lstatSync(base).uid !== os.userInfo().uid && os.userInfo().uid !== -1)
      throw new Error('it belongs to somebody else');
    return takeFolder(base);
  });
}

/** @throws ForayError CACHE_UNUSABLE if `use` throws */
function usingCache<T>(folder: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    throw new ForayError('CACHE_UNUSABLE', `The cache ${folder} cannot be used: ${messageOf(error)}.`, {
      hint: 'Name another folder with --cache.',
    });
  }
}
