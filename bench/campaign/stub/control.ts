import { API_VERSION } from '../../../src/api/index.ts';
import type { Behaviour } from './runs.ts';

/** The counts of the stub since its last reset. Times are ms since the epoch, or 0 when the event has not happened. */
export interface Stats {
  requests: number;
  byEndpoint: Record<string, number>;
  runs: number;
  /** The time of the first request for a run or for its results. */
  firstAskedAt: number;
  /** The latest end of a requested run. */
  lastEndsAt: number;
}

/** Controls the stub. */
export class Stub {
  /** The root address of the interface. */
  readonly url: string;
  readonly #origin: string;

  constructor(origin: string) {
    this.#origin = origin;
    this.url = `${origin}/api/open/${API_VERSION}`;
  }

  /** Resets the stub, and sets its behaviour. Missing settings get their defaults. */
  async reset(wanted: Partial<Behaviour>): Promise<Behaviour> {
    const none: Behaviour = { executors: 1, seconds: 0, cv: 0, there: false, latencyMs: 0 };
    const body = JSON.stringify({ ...none, ...wanted });
    const response = await fetch(`${this.#origin}/control/reset`, { method: 'POST', body });
    return (await response.json()) as Behaviour;
  }

  async stats(): Promise<Stats> {
    return (await (await fetch(`${this.#origin}/control/stats`)).json()) as Stats;
  }
}
