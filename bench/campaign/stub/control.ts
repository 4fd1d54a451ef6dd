import { API_VERSION } from '../../../src/api/index.ts';
import type { Behaviour } from './runs.ts';

/** What the stub has counted since its last reset. Times are ms since the epoch, 0 when it has not happened. */
export interface Stats {
  requests: number;
  byEndpoint: Record<string, number>;
  runs: number;
  /** When a run was first asked for. */
  firstAskedAt: number;
  /** When the last of the runs that were requested ends. */
  lastEndsAt: number;
}

/** The bench's side of the stub. */
export class Stub {
  /** Root address of the interface. */
  readonly url: string;
  private readonly origin: string;

  constructor(origin: string) {
    this.origin = origin;
    this.url = `${origin}/api/open/${API_VERSION}`;
  }

  /** Forgets everything, and behaves from now on as is said; what is not said is none. */
  async reset(wanted: Partial<Behaviour>): Promise<Behaviour> {
    const none: Behaviour = { executors: 1, seconds: 0, cv: 0, there: false, latencyMs: 0 };
    const body = JSON.stringify({ ...none, ...wanted });
    const response = await fetch(`${this.origin}/control/reset`, { method: 'POST', body });
    return (await response.json()) as Behaviour;
  }

  async stats(): Promise<Stats> {
    return (await (await fetch(`${this.origin}/control/stats`)).json()) as Stats;
  }
}
