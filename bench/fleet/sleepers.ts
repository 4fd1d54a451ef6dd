/**
 * Many executors in one process, each with one slot. Their runs sleep here and not in separate processes. So the bench
 * measures the cost that the executors cause for the service and for Temporal.
 */
import { Context } from '@temporalio/activity';
import { NativeConnection, Worker } from '@temporalio/worker';
import { version } from '../../src/package/own-version.ts';
import type { Outcome } from '../../src/service/executors/execution.ts';
import type { Job } from '../../src/service/executors/protocol.ts';
import type { ExecutorActivities } from '../../src/service/fleet/lane.ts';
import { BEAT_EVERY, HELLO_EVERY } from '../../src/service/fleet/protocol.ts';
import { FleetClient } from '../../src/service/remote-executor/fleet-client.ts';
import { Faults } from '../../src/service/remote-executor/faults.ts';
import { LaneWork } from '../../src/service/remote-executor/lane-work.ts';
import { RemoteMaterials } from '../../src/service/remote-executor/materials.ts';
import type { Pool } from '../../src/service/runs/dispatcher.ts';

/** The input of the program, as JSON. */
export interface SleeperOptions {
  url: string;
  key: string;
  /** The address of Temporal. */
  address: string;
  /** The prefix of the executors' names. */
  name: string;
  executors: number;
  cache: string;
}

/** The answer to each message. */
export interface Slept {
  /** The total sleep time of all runs so far, in milliseconds. */
  sleptMs: number;
}

const { url, key, address, name, executors, cache } = JSON.parse(process.argv[2]!) as SleeperOptions;
const client = new FleetClient(url, key);
const materials = new RemoteMaterials(client, cache, 4 * executors);
materials.prepare();
const since = new Date().toISOString();
const never = new AbortController().signal;
/** The start times of the runs that sleep now. */
const begun = new Map<string, number>();
const holders = new Set<string>();
let sleptMs = 0;

class SleepingPool implements Pool {
  readonly size = 1;
  #running = 0;

  room(): number {
    return this.size - this.#running;
  }

  execute({ runId, inputs }: Job): Promise<Outcome> {
    this.#running += 1;
    begun.set(runId, performance.now());
    return new Promise((resolve) => {
      setTimeout(
        () => {
          this.#running -= 1;
          sleptMs += performance.now() - begun.get(runId)!;
          begun.delete(runId);
          resolve({ kind: 'completed', outputs: { Echo: inputs['Value']! } });
        },
        Number(inputs['Seconds']) * 1_000,
      );
    });
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  whenRoom(): void {}
}

const names = Array.from({ length: executors }, (_, at) => `${name}-${at}`);
const greet = () =>
  Promise.all(
    names.map((each, at) =>
      client.hello(each, {
        build: version,
        slots: 1,
        has: [],
        running: 0,
        problem: null,
        refusals: [],
        leaks: [],
        since,
        // A holder is the id of an executor's lane. The service does not check which executor a lane belongs to, so
        // an executor may report a holder of any executor in this process.
        holder: [...holders][at] ?? null,
      }),
    ),
  );
const [welcome] = await greet();
setInterval(() => void greet().catch(console.error), HELLO_EVERY);
const activities: ExecutorActivities = {
  async work(holder) {
    const context = Context.current();
    const beat = setInterval(() => context.heartbeat(), BEAT_EVERY);
    holders.add(holder);
    try {
      await new LaneWork({
        client,
        holder,
        has: [],
        pool: new SleepingPool(),
        materials,
        faults: new Faults(() => performance.now()),
        draining: never,
        leaving: never,
        cancelled: context.cancellationSignal,
        hasTime: () => true,
        onHeld: () => {},
        onExecuted: () => {},
        onFault: console.error,
      }).run();
    } finally {
      clearInterval(beat);
      holders.delete(holder);
    }
  },
};
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue: welcome!.taskQueue,
  activities: { ...activities },
  maxConcurrentActivityTaskExecutions: executors,
  maxHeartbeatThrottleInterval: '3s',
  defaultHeartbeatThrottleInterval: '3s',
});
process.on('message', () => {
  const now = performance.now();
  const open = [...begun.values()].reduce((sum, at) => sum + now - at, 0);
  process.send!({ sleptMs: sleptMs + open } satisfies Slept);
});
process.on('SIGTERM', () => process.exit());
console.log('ready');
await worker.run();
