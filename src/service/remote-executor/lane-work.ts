import { setTimeout as pause } from 'node:timers/promises';
import { BEAT_EVERY } from '../fleet/protocol.ts';
import { Dispatcher, type DispatcherListener, type Executed, type Pool } from '../runs/dispatcher.ts';
import { HolderClosed } from '../runs/feed.ts';
import { Recorder, type RecorderListener } from '../runs/recorder.ts';
import { type FleetClient, ServiceFault } from './fleet-client.ts';
import type { Faults } from './faults.ts';
import { HttpFeed } from './feed.ts';
import type { RemoteMaterials } from './materials.ts';

/** How long a lane may be without work before it ends, in milliseconds. */
const IDLE = 5_000;
/**
 * How long a lane of an executor with a fault may be without work, in milliseconds. The time is longer than `IDLE`,
 * because a faulty executor could also get the next lane.
 */
const FAULTY_IDLE = 60_000;
/**
 * The period in which completed executions are counted, in milliseconds. Their number determines how many runs are
 * claimed ahead.
 */
const RECENT = 500;
/** The shortest time between the starts of two reports with fewer than 200 runs, in milliseconds. */
const REPORT_EVERY = 100;
/** The maximum number of runs that are claimed ahead, that is before a slot is free for them. */
const MOST_AHEAD = 200;

export interface LaneParts {
  client: FleetClient;
  holder: string;
  has: readonly string[];
  pool: Pool;
  materials: RemoteMaterials;
  faults: Faults;
  /** Aborted when no more runs may begin. Executing runs continue to their end. */
  draining: AbortSignal;
  /** Aborted when runs must not continue here. */
  leaving: AbortSignal;
  /** Aborted when the lane was taken from this executor. */
  cancelled: AbortSignal;
  /** How long Temporal waits for a heartbeat of this executor, in milliseconds. */
  heartbeat: number;
  /** Whether a service works for the lane, according to Temporal. */
  isServed: () => Promise<boolean>;
  /** Whether a run that begins now can probably end before the machine is taken away. */
  hasTime: () => boolean;
  /** Called with the number of runs that are held. */
  onHeld: (runs: number) => void;
  /** Called with the duration of each completed execution, in milliseconds. */
  onExecuted: (ms: number) => void;
  onFault: (error: unknown) => void;
}

/**
 * The work of one lane: it claims runs, executes them and reports how they end. It ends when it has had no run for some
 * seconds, or when one of the signals or the service ends it. It also ends when the service works, but this executor has
 * not reached it for as long as Temporal waits for a heartbeat. While no service works, the runs continue.
 */
export class LaneWork implements DispatcherListener, RecorderListener {
  readonly #parts: LaneParts;
  readonly #feed: HttpFeed;
  readonly #recorder: Recorder;
  readonly #dispatcher: Dispatcher;
  /** The times when recent executions completed. */
  #ends: number[] = [];
  #busyAt = performance.now();
  #isClosed = false;
  /** Aborted when another executor, which reaches the service, should have the runs. */
  readonly #cutOff = new AbortController();
  /** Since when the service works but does not answer this executor; undefined if it answers or does not work. */
  #unheardAt: number | undefined;

  constructor(parts: LaneParts) {
    this.#parts = parts;
    const { client, holder, has, pool, materials, faults, onFault } = parts;
    this.#feed = new HttpFeed({ client, holder, has });
    this.#recorder = new Recorder(this.#feed, this, REPORT_EVERY);
    this.#dispatcher = new Dispatcher({
      feed: this.#feed,
      materials,
      pool: {
        size: pool.size,
        // no slot counts as free while too many outputs wait, because the outputs of a new run would have to wait, too
        room: () => (materials.isFull() ? 0 : pool.room()),
        execute: (job, onProgress) => pool.execute(job, onProgress),
        stop: (runId) => pool.stop(runId),
        whenRoom: (callback) => pool.whenRoom(callback),
      },
      recorder: this.#recorder,
      listener: this,
      kept: undefined,
      ahead: () => this.#ahead(),
      mayClaim: () => parts.hasTime() && faults.problem() === undefined,
      onFault,
    });
  }

  /** Resolves when the runs of the lane have ended here, or must not continue here. */
  async run(): Promise<void> {
    const { draining, cancelled, pool } = this.#parts;
    const leaving = AbortSignal.any([this.#parts.leaving, this.#cutOff.signal]);
    const isOver = AbortSignal.any([draining, leaving, cancelled]);
    while (!isOver.aborted && !this.#isClosed && !this.#isIdle()) {
      this.#dispatcher.wake();
      await this.#beat(isOver);
    }
    this.#dispatcher.close();
    while (!leaving.aborted && this.#dispatcher.claimedRuns().length > 0) await this.#beat(leaving);
    // the end of the lane gives the runs back
    if (leaving.aborted) for (const runId of this.#dispatcher.claimedRuns()) void pool.stop(runId);
    this.#recorder.close();
  }

  claimed(): void {}

  claimFailed(error: unknown): void {
    if (error instanceof HolderClosed) this.#isClosed = true;
    else this.#parts.onFault(error);
  }

  ended(versionId: string, outcome: Executed, ms: number): void {
    const { materials, faults } = this.#parts;
    if (!materials.refuses(versionId)) {
      faults.note(outcome);
      if (outcome.kind === 'deferred') materials.recheck();
    }
    if (outcome.kind !== 'completed') return;
    this.#ends.push(performance.now());
    this.#parts.onExecuted(ms);
  }

  refused(_endings: readonly unknown[], error: unknown): void {
    this.#parts.onFault(error);
  }

  written(): void {}

  /** Reports the finished shares of the runs, and waits until the next report. */
  async #beat(until: AbortSignal): Promise<void> {
    const held = this.#dispatcher.claimedRuns();
    this.#parts.onHeld(held.length);
    if (held.length > 0) {
      this.#busyAt = performance.now();
      try {
        // the answer also tells a closed holder which runs it has lost
        await this.#feed.beat(held);
        this.#unheardAt = undefined;
      } catch (error) {
        await this.#noteUnheard(error);
      }
    }
    // without runs, the lane soon looks for new ones, or ends
    const hasRuns = this.#dispatcher.claimedRuns().length > 0;
    await pause(hasRuns ? BEAT_EVERY : BEAT_EVERY / 10, undefined, { signal: until }).catch(() => {});
  }

  /** Ends the lane if this executor, and not the service, has been cut off for long. */
  async #noteUnheard(error: unknown): Promise<void> {
    const { heartbeat, isServed, onFault } = this.#parts;
    onFault(error);
    const hasAnswered = error instanceof ServiceFault && error.code !== undefined;
    const isCutOff = !hasAnswered && (await isServed());
    this.#unheardAt = isCutOff ? (this.#unheardAt ?? performance.now()) : undefined;
    if (this.#unheardAt !== undefined && performance.now() - this.#unheardAt > heartbeat)
      this.#cutOff.abort();
  }

  #isIdle(): boolean {
    const limit = this.#parts.faults.problem() === undefined ? IDLE : FAULTY_IDLE;
    return this.#dispatcher.claimedRuns().length === 0 && performance.now() - this.#busyAt > limit;
  }

  /** The number of executions that completed in the last half second, minus the number of slots; 0 to `MOST_AHEAD`. */
  #ahead(): number {
    const since = performance.now() - RECENT;
    this.#ends = this.#ends.filter((at) => at > since);
    return Math.min(MOST_AHEAD, Math.max(0, this.#ends.length - this.#parts.pool.size));
  }
}
