import type { RunStatus } from '../../../src/api/index.ts';
import { draw, seeded } from '../../../test/support/durations.ts';
import { valueIn } from './model.ts';

/** The behaviour of the stub. Every reset deletes all runs and counts. */
export interface Behaviour {
  executors: number;
  /** The mean duration of a run. */
  seconds: number;
  /** Coefficient of variation of the durations; 0 when all are equal. */
  cv: number;
  /** Whether the service has already finished every possible run. */
  there: boolean;
  /** Delay of every answer, ms. */
  latencyMs: number;
}

/** The duration of a run, ms. It depends on the input Value, and is the same in every process. */
export function durationOf(value: number, { seconds, cv }: Pick<Behaviour, 'seconds' | 'cv'>): number {
  return cv === 0 ? seconds * 1_000 : draw(1, seconds, cv, seeded(Math.round(value * 1_000)))[0]!;
}

interface StubRun {
  startsAt: number;
  endsAt: number;
  isStopped: boolean;
}

/**
 * The runs of the stub. Runs start in the order of requests, on the executor that is free first. So the start and the
 * end of a run are known when it is requested, and no timers are needed. When a run is stopped, the others keep their
 * times.
 */
export class StubRuns {
  lastEndsAt = 0;
  readonly #behaviour: Behaviour;
  readonly #runs = new Map<string, StubRun>();
  /** The time when each executor becomes free. */
  readonly #freeAt: number[];

  constructor(behaviour: Behaviour) {
    this.#behaviour = behaviour;
    this.#freeAt = new Array<number>(behaviour.executors).fill(0);
  }

  get started(): number {
    return this.#runs.size;
  }

  /** The state of a run after its request. A new run is never finished at once, even a very short one. */
  request(id: string, now: number): RunStatus {
    const known = this.stateOf(id, now);
    if (known) return known;
    let first = 0;
    for (let at = 1; at < this.#freeAt.length; at += 1)
      if (this.#freeAt[at]! < this.#freeAt[first]!) first = at;
    const startsAt = Math.max(now, this.#freeAt[first]!);
    const endsAt = startsAt + durationOf(valueIn(id), this.#behaviour);
    this.#freeAt[first] = endsAt;
    this.lastEndsAt = Math.max(this.lastEndsAt, endsAt);
    this.#runs.set(id, { startsAt, endsAt, isStopped: false });
    return startsAt > now ? 'FRESH' : 'RUNNING';
  }

  /** The state of a run; undefined when it was never requested. */
  stateOf(id: string, now: number): RunStatus | undefined {
    if (this.#behaviour.there) return 'COMPLETED';
    const run = this.#runs.get(id);
    if (!run) return undefined;
    if (run.isStopped) return 'STOPPED';
    return now < run.startsAt ? 'FRESH' : now < run.endsAt ? 'RUNNING' : 'COMPLETED';
  }

  stop(id: string, now: number): void {
    const state = this.stateOf(id, now);
    if (state === 'FRESH' || state === 'RUNNING') this.#runs.get(id)!.isStopped = true;
  }
}
