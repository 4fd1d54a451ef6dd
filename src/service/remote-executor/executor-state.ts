import { version } from '../../package/own-version.ts';
import type { Hello } from '../fleet/protocol.ts';
import { Faults } from './faults.ts';
import type { RemoteMaterials } from './materials.ts';

/** An executor gives its executing runs back this long before its machine is taken away, in milliseconds. */
const LAST_MOMENT = 5_000;

export interface StateOptions {
  /** How many runs execute at once. */
  slots: number;
  /** The labels of the executor, for models that need them. */
  has: readonly string[];
  /** How long the executor may be without a run before it leaves, in milliseconds. */
  leaveWhenIdle?: number | undefined;
  /** The time when the machine will be taken away, in milliseconds since 1970. */
  ends?: number | undefined;
}

/** The state of an executor: the number of its runs, the reason if it claims no runs, and the time when it leaves. */
export class ExecutorState {
  readonly faults = new Faults(() => performance.now());
  /** Aborted when no more runs may begin. */
  readonly draining = new AbortController();
  /** Aborted when runs must not continue here. */
  readonly leaving = new AbortController();
  /** Why Temporal gives this executor no lanes; null when Temporal answers. */
  unreached: string | null = null;
  readonly #options: StateOptions;
  readonly #materials: RemoteMaterials;
  readonly #since = new Date().toISOString();
  readonly #leaks: Hello['leaks'] = [];
  #hasLane = false;
  #running = 0;
  #busyAt = performance.now();
  /** The duration of the longest completed execution so far, in milliseconds. */
  #longest = 0;

  constructor(options: StateOptions, materials: RemoteMaterials) {
    this.#options = options;
    this.#materials = materials;
    this.leaving.signal.addEventListener('abort', () => this.draining.abort());
  }

  noteLane(hasLane: boolean): void {
    this.#hasLane = hasLane;
    if (!hasLane) this.noteHeld(0);
  }

  hasLane(): boolean {
    return this.#hasLane;
  }

  /** Notes that outputs of a version have depended on earlier runs. */
  noteLeak(versionId: string, difference: string): void {
    this.#leaks.push({ versionId, difference });
  }

  noteHeld(runs: number): void {
    this.#running = runs;
    if (runs > 0) this.#busyAt = performance.now();
  }

  /** Notes the duration of a completed execution, in milliseconds. */
  noteExecuted(ms: number): void {
    this.#longest = Math.max(this.#longest, ms);
  }

  /** Whether a run that begins now can probably end before the machine is taken away. */
  hasTime(): boolean {
    const { ends } = this.#options;
    return ends === undefined || Date.now() + this.#longest < ends - LAST_MOMENT;
  }

  /** Why the executor claims no runs; null when it claims runs. */
  problem(): string | null {
    if (this.draining.signal.aborted) return 'it drains';
    if (!this.hasTime()) return 'its time ends before a run could end';
    // an executor with a lane claims runs without Temporal
    const unreached = this.#hasLane ? null : this.unreached;
    return this.faults.problem() ?? this.#materials.whyFull() ?? unreached;
  }

  hello(): Hello {
    const { slots, has } = this.#options;
    return {
      build: version,
      slots,
      has: [...has],
      running: this.#running,
      since: this.#since,
      problem: this.problem(),
      refusals: this.#materials.refusals(),
      leaks: this.#leaks,
    };
  }

  /** Drains after more than `leaveWhenIdle` ms without runs, and leaves shortly before the machine is taken away. */
  leaveInTime(): void {
    const { leaveWhenIdle = Infinity, ends } = this.#options;
    if (this.#running === 0 && performance.now() - this.#busyAt > leaveWhenIdle) this.draining.abort();
    if (ends !== undefined && Date.now() > ends - LAST_MOMENT) this.leaving.abort();
  }
}
