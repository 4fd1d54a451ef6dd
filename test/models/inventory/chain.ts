/** What the Markov chain of an (s, S) system comes to in the long run, without chance. */

export interface System {
  reorderPoint: number;
  orderUpToLevel: number;
  reviewPeriod: number;
  demandRate: number;
  /** Of the sizes 1, 2, 3, … of a demand. */
  weights: readonly number[];
  /** Uniform; the greatest at most a review period above the least, so that no order overtakes another. */
  lag: { min: number; max: number };
  costs: { setup: number; item: number; holding: number; shortage: number };
}

/**
 * The inventory position after each review is a Markov chain on s to S: what demand leaves, or S when that is below s. The
 * level at a time is the position after the last review whose order has come, less the demand since that review; a
 * review that orders nothing counts as one whose order of nothing has a lag as well. The review a time v before is that one
 * with the probability F(v) (1 - F(v - T)), F the distribution of the lag and T the review period.
 */
export function inTheLongRun({ reorderPoint, orderUpToLevel, reviewPeriod, lag, costs, ...demand }: System) {
  const { demandRate, weights } = demand;
  const sum = weights.reduce((sum, weight) => sum + weight, 0);
  const sizes = [0, ...weights.map((weight) => weight / sum)];
  const meanSize = sizes.reduce((mean, share, size) => mean + size * share, 0);
  const most = Math.max(orderUpToLevel, orderUpToLevel - reorderPoint);
  const demandIn = (time: number) => compoundPoisson(demandRate * time, sizes, most);

  const inPeriod = demandIn(reviewPeriod);
  const positions = stationary(reorderPoint, orderUpToLevel, inPeriod);
  let ordersNothing = 0;
  for (const [position, share] of positions) {
    for (let d = 0; d <= position - reorderPoint; d++) ordersNothing += share * inPeriod[d]!;
  }

  const meanOver = (value: (time: number) => number): number => {
    const ends = [lag.min, lag.max, lag.min + reviewPeriod, lag.max + reviewPeriod].sort((a, b) => a - b);
    const has = (time: number) =>
      time >= lag.max ? 1 : time <= lag.min ? 0 : (time - lag.min) / (lag.max - lag.min);
    const weighted = (time: number) => value(time) * has(time) * (1 - has(time - reviewPeriod));
    const parts = ends.slice(1).map((end, i) => integral(weighted, ends[i]!, end));
    return parts.reduce((sum, part) => sum + part, 0) / reviewPeriod;
  };
  /** Of what is on hand a time after a review, the mean of a function that is 0 where nothing is. */
  const ofOnHand = (of: (items: number) => number) => (time: number) => {
    const demanded = demandIn(time);
    let mean = 0;
    for (const [position, share] of positions) {
      for (let d = 0; d < position; d++) mean += share * demanded[d]! * of(position - d);
    }
    return mean;
  };
  const meanPosition = [...positions].reduce((mean, [position, share]) => mean + position * share, 0);
  const inventory = meanOver(ofOnHand((items) => items));
  const level = meanOver((time) => meanPosition - demandRate * meanSize * time);
  const filled = meanOver(
    ofOnHand((items) => sizes.reduce((mean, share, size) => mean + share * Math.min(size, items), 0)),
  );

  const orders = (1 - ordersNothing) / reviewPeriod;
  const ordering = costs.setup * orders + costs.item * demandRate * meanSize;
  const holding = costs.holding * inventory;
  const shortage = costs.shortage * (inventory - level);
  return {
    'Mean total cost': ordering + holding + shortage,
    'Mean ordering cost': ordering,
    'Mean holding cost': holding,
    'Mean shortage cost': shortage,
    'Fill rate': filled / meanSize,
    'Mean inventory': inventory,
    'Mean backorders': inventory - level,
  };
}

/**
 * The chances of totals from 0 to `most` of a Poisson number of demands, by H. H. Panjer, "Recursive evaluation of a family of
 * compound distributions", ASTIN Bulletin 12 (1981) 22-26.
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

/** The share of reviews after which the position is each from s to S. */
function stationary(s: number, S: number, demand: readonly number[]): Map<number, number> {
  // visits between two orders: one at S, and where demand leads down from those above
  const visits = new Map<number, number>();
  for (let position = S; position >= s; position--) {
    let count = position === S ? 1 : 0;
    for (const [above, times] of visits) count += times * demand[above - position]!;
    visits.set(position, count / (1 - demand[0]!));
  }
  const all = [...visits.values()].reduce((sum, count) => sum + count, 0);
  return new Map([...visits].map(([position, count]) => [position, count / all]));
}

/** By Gauss and Legendre, with three points in each of some panels. */
function integral(of: (x: number) => number, from: number, to: number): number {
  const panels = 8;
  const half = (to - from) / panels / 2;
  let sum = 0;
  for (let panel = 0; panel < panels && half > 0; panel++) {
    const middle = from + (2 * panel + 1) * half;
    const aside = half * Math.sqrt(0.6);
    sum += (5 * of(middle - aside) + 8 * of(middle) + 5 * of(middle + aside)) / 9;
  }
  return sum * half;
}
