import {
  Empirical,
  exponential,
  randomStream,
  resetAt,
  Simulation,
  TimeSeries,
  TimeWeighted,
  uniform,
} from '../kernel/index.ts';
import { Counts } from './counts.ts';

/** Times are in months, the rate is per month. Costs are per order, per ordered item, or per item and month. */
export interface Settings {
  reorderPoint: number;
  orderUpToLevel: number;
  reviewPeriod: number;
  initialInventory: number;
  demandRate: number;
  /** The weights of the demand sizes 1, 2, 3, … */
  demandSizes: readonly number[];
  deliveryLag: { min: number; max: number };
  costs: { setup: number; item: number; holding: number; shortage: number };
  warmUp: number;
  start: number;
  stop: number;
  seed: bigint;
}

export interface Order {
  items: number;
  placed: number;
  due: number;
}

/** The mean costs per month. */
export interface Costs {
  ordering: number;
  holding: number;
  shortage: number;
  total: number;
}

/** Number of samples in the chart. The first is at the start of the run, and the last at its end. */
const SAMPLES = 501;
/** All random streams have this replication number, because the service gives each replication its own seed. */
const REPLICATION = 1;

/**
 * An (s, S) policy with periodic review and backorders. At each review, if the inventory position (on hand and on
 * order, minus backorders) is below s, an order brings it up to S. A demand takes the items on hand. The rest is
 * backordered and gets the next delivered items first.
 */
export class InventorySystem {
  readonly simulation: Simulation;
  /** Items on hand minus backorders. */
  readonly level: TimeWeighted;
  readonly onHand: TimeWeighted;
  readonly backorders: TimeWeighted;
  /** Open orders. */
  readonly orders = new Set<Order>();
  readonly counts: Counts;
  readonly levels: TimeSeries;
  readonly onOrders: TimeSeries;
  readonly #prices: Settings['costs'];

  constructor(settings: Settings) {
    const { reorderPoint, orderUpToLevel, reviewPeriod, initialInventory, demandRate } = settings;
    const { deliveryLag, costs, warmUp, start, stop, seed } = settings;
    const simulation = new Simulation(start);
    this.simulation = simulation;
    this.level = new TimeWeighted(simulation, initialInventory);
    this.onHand = new TimeWeighted(simulation, initialInventory);
    this.backorders = new TimeWeighted(simulation);
    this.counts = new Counts(simulation);
    this.#prices = costs;
    const times = randomStream(seed, REPLICATION, 'demand times');
    const sizes = randomStream(seed, REPLICATION, 'demand sizes');
    const lags = randomStream(seed, REPLICATION, 'delivery lags');
    const size = new Empirical(
      settings.demandSizes.map((_, i) => i + 1),
      settings.demandSizes,
    );

    const demand = (): void => {
      simulation.schedule(exponential(times, 1 / demandRate), demand);
      const items = size.draw(sizes);
      this.counts.demanded += items;
      this.counts.filled += Math.min(items, this.onHand.value);
      this.#change(-items);
    };
    const review = (n: number): void => {
      // the lag is drawn at each review, even without an order. So with the same seed, a review has the same lag under
      // any policy
      const lag = uniform(lags, deliveryLag.min, deliveryLag.max);
      const position = this.level.value + this.onOrder;
      if (position < reorderPoint) order(orderUpToLevel - position, lag);
      // the time is computed from the start, so that rounding errors do not add up. A review at the stop would belong
      // to the time after the run
      const next = start + (n + 1) * reviewPeriod;
      if (next < stop) simulation.scheduleAt(next, review, n + 1);
    };
    const order = (items: number, lag: number): void => {
      const made = { items, placed: simulation.now, due: simulation.now + lag };
      this.orders.add(made);
      this.counts.orders++;
      this.counts.ordered += items;
      simulation.schedule(lag, deliver, made);
    };
    const deliver = (made: Order): void => {
      this.orders.delete(made);
      this.#change(made.items);
    };

    simulation.schedule(0, review, 0);
    if (demandRate > 0) simulation.schedule(exponential(times, 1 / demandRate), demand);
    resetAt(simulation, start + warmUp, [this.level, this.onHand, this.backorders, this.counts]);
    this.levels = new TimeSeries(simulation, stop, SAMPLES, () => this.level.value);
    this.onOrders = new TimeSeries(simulation, stop, SAMPLES, () => this.onOrder);
  }

  /** Items on their way. */
  get onOrder(): number {
    let items = 0;
    for (const order of this.orders) items += order.items;
    return items;
  }

  /** The mean costs so far; null before any time has passed. */
  get costs(): Costs | null {
    const { onHand, backorders, counts, simulation } = this;
    const prices = this.#prices;
    const months = simulation.now - counts.since;
    if (months === 0) return null;
    const ordering = (prices.setup * counts.orders + prices.item * counts.ordered) / months;
    const holding = prices.holding * onHand.mean!;
    const shortage = prices.shortage * backorders.mean!;
    return { ordering, holding, shortage, total: ordering + holding + shortage };
  }

  /** Share of the demanded items that were in stock; null without demand. */
  get serviceLevel(): number | null {
    const { filled, demanded } = this.counts;
    return demanded > 0 ? filled / demanded : null;
  }

  #change(items: number): void {
    const level = this.level.value + items;
    this.level.set(level);
    this.onHand.set(Math.max(level, 0));
    this.backorders.set(Math.max(-level, 0));
  }
}
