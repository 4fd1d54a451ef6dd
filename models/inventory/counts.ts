import type { Simulation } from '../kernel/index.ts';

/** Orders and demand since a time. */
export class Counts {
  since: number;
  orders = 0;
  /** The number of ordered items. All numbers below count items, too. */
  ordered = 0;
  demanded = 0;
  /** The number of demanded items that were in stock. */
  filled = 0;
  readonly #simulation: Simulation;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    this.since = simulation.now;
  }

  /** Starts again from zero. */
  reset(): void {
    this.since = this.#simulation.now;
    this.orders = 0;
    this.ordered = 0;
    this.demanded = 0;
    this.filled = 0;
  }
}
