/** Computes the exact long-run values of an (s, S) inventory system from its Markov chain. */

export interface System {
  reorderPoint: number;
  orderUpToLevel: number;
  reviewPeriod: number;
  demandRate: number;
  /** The probabilities of the sizes 1, 2, 3, … of a demand. */
  weights: readonly number[];
  /** The delivery lag is uniform. Its range is at most a review period, so that no order overtakes another. */
  lag: { min: number; max: number };
  costs: { setup: number; item: number; holding: number; shortage: number };
}

/**
 * The inventory position after each review is a Markov chain on s to S. It is the stock that remains after demand, or S
 * if this stock is below s. The level at a time is the position after the last review whose order has arrived, minus
 * the demand since that review. A review without an order counts as an order of 0 items, which also has a lag. A review
 * that was a time v ago is this last review with the probability F(v) (1 - F(v - T)). F is the distribution of the lag,
 * and T is the review period.
 */
export function inTheLongRun({ reorderPoint, orderUpToLevel, reviewPeriod, lag, costs, ...demand }: System) {
  const { demandRate, weights } = demand;
  const sum = weights.reduce((sum, weight) => sum + weight, 0);
  const sizes = [0, ...weights.map((weight) => weight / sum)];
  const meanSize = sizes.reduce((mean, share, size) => mean + size * share, 0);
  const most = Math.max(orderUpToLevel, orderUpToLevel - reorderPoint);
  const demandIn = (time: number) => compoundPoisson(demandRate * time, sizes, most);

  /** The probabilities of the demand since the last review whose order has arrived, averaged over all times. */
  const since = overTime(demandIn, lag, reviewPeriod);
  const inPeriod = demandIn(reviewPeriod);
  const positions = stationary(reorderPoint, orderUpToLevel, inPeriod);
  let ordersNothing = 0;
  for (const [position, share] of positions) {
    for (let d = 0; d <= position - reorderPoint; d++) ordersNothing += share * inPeriod[d]!;
  }

  const meanOf = (of: (items: number) => number): number => {
    let mean = 0;
    for (const [position, share] of positions) {
      for (let d = 0; d < position; d++) mean += share * since[d]! * of(position - d);
    }
    return mean;
  };
  const inventory = meanOf((items) => items);
  const filled = meanOf((items) =>
    sizes.reduce((mean, share, size) => mean + share * Math.min(size, items), 0),
  );
  const meanPosition = [...positions].reduce((mean, [position, share]) => mean + position * share, 0);
  const meanTime = (lag.min + lag.max + reviewPeriod) / 2;
  const level = meanPosition - demandRate * meanSize * meanTime;

  const orders = (1 - ordersNothing) / reviewPeriod;
  const ordering = costs.setup * orders + costs.item * demandRate * meanSize;
  const holding = costs.holding * inventory;
  const shortage = costs.shortage * (inventory - level);
  return {
    'Mean total cost': ordering + holding + shortage,
    'Mean ordering cost': ordering,
    'Mean holding cost': holding,
    'Mean shortage cost': shortage,
    'Service level': filled / meanSize,
    'Mean inventory': inventory,
    'Mean backorders': inventory - level,
  };
}

/**
 * The probabilities of totals from 0 to `most` of a Poisson number of demands, by H. H. Panjer, "Recursive evaluation
 * of a family of compound distributions", ASTIN Bulletin 12 (1981) 22-26.
 */
function compoundPoisson(mean: number, sizes: readonly number[], most: number): number[] {
  const chances = [Math.exp(-mean)];
  for (let total = 1; total <= most; total++) {
    let chance = 0;
    for (let size = 1; size < sizes.length && size <= total; size++) {
      chance += size * sizes[size]! * chances[total - size]!;
    }
    chances.push((mean * chance) / total);
  }
  return chances;
}

/** For each position from s to S, the share of reviews that have this position afterwards. */
function stationary(s: number, S: number, demand: readonly number[]): Map<number, number> {
  // the mean numbers of visits between two orders: one visit to S, and visits to lower positions because of demand
  const visits = new Map<number, number>();
  for (let position = S; position >= s; position--) {
    let count = position === S ? 1 : 0;
    for (const [above, times] of visits) count += times * demand[above - position]!;
    visits.set(position, count / (1 - demand[0]!));
  }
  const all = [...visits.values()].reduce((sum, count) => sum + count, 0);
  return new Map([...visits].map(([position, count]) => [position, count / all]));
}

/**
 * The mean of a function over the time since the last review whose order has arrived. The integral uses Gauss-Legendre
 * quadrature with three points in each panel.
 */
function overTime(of: (time: number) => number[], { min, max }: System['lag'], period: number): number[] {
  const hasCome = (time: number) => (time >= max ? 1 : time <= min ? 0 : (time - min) / (max - min));
  const ends = [min, max, min + period, max + period].sort((a, b) => a - b);
  const panels = 8;
  const mean: number[] = [];
  for (const [i, from] of ends.slice(0, 3).entries()) {
    const half = (ends[i + 1]! - from) / panels / 2;
    for (let panel = 0; panel < panels && half > 0; panel++) {
      for (const [at, weight] of [
        [-1, 5],
        [0, 8],
        [1, 5],
      ] as const) {
        const time = from + (2 * panel + 1 + at * Math.sqrt(0.6)) * half;
        const density = (hasCome(time) * (1 - hasCome(time - period))) / period;
        for (const [d, chance] of of(time).entries()) {
          mean[d] = (mean[d] ?? 0) + (weight / 9) * half * density * chance;
        }
      }
    }
  }
  return mean;
}
