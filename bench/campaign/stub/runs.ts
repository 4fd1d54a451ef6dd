import type { RunStatus } from '../../../src/api/index.ts';
import { draw, seeded } from '../../scheduler/durations.ts';
import { valueIn } from './model.ts';

/** How the stub is to behave from now on; every reset forgets all runs and counts. */
export interface Behaviour {
  executors: number;
  /** The mean duration of a run. */
  seconds: number;
  /** Coefficient of variation of the durations; 0 when all are equal. */
  cv: number;
  /** Every run that one can ask for has been performed already. */
  there: boolean;
  /** Every answer comes this much later. */
  latencyMs: number;
}

/** How long the run of a Value takes, ms: the same in every process that asks. */
export function durationOf(value: number, { seconds, cv }: Pick<Behaviour, 'seconds' | 'cv'>): number {
  return cv === 0 ? seconds * 1_000 : draw(1, seconds, cv, seeded(Math.round(value * 1_000)))[0]!;
}

interface StubRun {
  startsAt: number;
  endsAt: number;
  isStopped: boolean;
}

/**
 * The runs of the stub. When one starts and ends is known as soon as it is requested, as runs start in the order of request
 * on the executor that is free first; so there are no timers. A stopped run leaves the others where they are.
 */
export class StubRuns {
  lastEndsAt = 0;
  private readonly behaviour: Behaviour;
  private readonly runs = new Map<string, StubRun>();
  /** When each executor is free. */
  private readonly freeAt: number[];

  constructor(behaviour: Behaviour) {
    this.behaviour = behaviour;
    this.freeAt = new Array<number>(behaviour.executors).fill(0);
  }

  get started(): number {
    return this.runs.size;
  }

  /** The state of a run after it was requested: a new one is never finished at once, however short it is. */
  request(id: string, now: number): RunStatus {
    const known = this.stateOf(id, now);
    if (known) return known;
    let first = 0;
    for (let at = 1; at < this.freeAt.length; at += 1) if (this.freeAt[at]! < this.freeAt[first]!) first = at;
    const startsAt = Math.max(now, this.freeAt[first]!);
    const endsAt = startsAt + durationOf(valueIn(id), this.behaviour);
    this.freeAt[first] = endsAt;
    this.lastEndsAt = Math.max(this.lastEndsAt, endsAt);
    this.runs.set(id, { startsAt, endsAt, isStopped: false });
    return startsAt > now ? 'FRESH' : 'RUNNING';
  }

  /** Undefined when the run was never requested. */
  stateOf(id: string, now: number): RunStatus | undefined {
    if (this.behaviour.there) return 'COMPLETED';
    const run = this.runs.get(id);
    if (!run) return undefined;
    if (run.isStopped) return 'STOPPED';
    return now < run.startsAt ? 'FRESH' : now < run.endsAt ? 'RUNNING' : 'COMPLETED';
  }

  stop(id: string, now: number): void {
    const state = this.stateOf(id, now);
    if (state === 'FRESH' || state === 'RUNNING') this.runs.get(id)!.isStopped = true;
  }
}
