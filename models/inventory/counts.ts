import type { Simulation } from '../kernel/index.ts';

/** What was ordered and demanded since a time. */
export class Counts {
  since: number;
  orders = 0;
  /** Items, as all that follows. */
  ordered = 0;
  demanded = 0;
  /** Of those demanded, those that were on hand. */
  filled = 0;
  private readonly simulation: Simulation;

  constructor(simulation: Simulation) {
    this.simulation = simulation;
    this.since = simulation.now;
  }

  /** Begins anew. */
  reset(): void {
    this.since = this.simulation.now;
    this.orders = 0;
    this.ordered = 0;
    this.demanded = 0;
    this.filled = 0;
  }
}
