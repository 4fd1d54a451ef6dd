import { GrowingArray } from './growing-array.ts';
import { areEqual, momentsOf } from './moments.ts';

/** The value of one replication. */
export interface Replicate {
  replication: number;
  value: number;
}

/** The values of all runs, by point. They are stored in a few columns. */
export class Replicates {
  readonly #replications = new GrowingArray();
  readonly #values = new GrowingArray();
  readonly #starts = new GrowingArray();

  /** Begins the next point. Values that are added afterwards belong to it. */
  nextPoint(): void {
    this.#starts.push(this.#values.length);
  }

  add(replication: number, value: number): void {
    this.#replications.push(replication);
    this.#values.push(value);
  }

  of(point: number): Replicate[] {
    const [replications, values, starts] = [
      this.#replications.values,
      this.#values.values,
      this.#starts.values,
    ];
    const from = starts[point]!;
    const to = starts[point + 1] ?? values.length;
    return Array.from({ length: to - from }, (_, at) => ({
      replication: replications[from + at]!,
      value: values[from + at]!,
    }));
  }
}

/** A variance and its degrees of freedom. */
export interface ErrorVariance {
  variance: number;
  freedom: number;
  /** True if the runs of each point are equal, and this variance is what they may hide. */
  isUnseen?: true;
}

/**
 * The variance of chance: the variance of replications within their points, pooled over all points. With common random
 * numbers, the common part of each replication is removed, as in randomized blocks. Then only the replications that all
 * points have are used.
 *
 * @returns undefined if no point has two values. With common random numbers, undefined if there are fewer than two
 * points or fewer than two common replications
 */
export function errorVariance(
  points: readonly (readonly Replicate[])[],
  isPaired: boolean,
): ErrorVariance | undefined {
  if (!isPaired) {
    let [squares, freedom] = [0, 0];
    for (const point of points) {
      if (point.length < 2) continue;
      const own = momentsOf(point.map(({ value }) => value));
      // equal values vary only by rounding
      if (!areEqual(own)) squares += own.variance * (point.length - 1);
      freedom += point.length - 1;
    }
    return freedom > 0 ? { variance: squares / freedom, freedom } : undefined;
  }
  const common = commonReplications(points);
  if (common.length < 2 || points.length < 2) return undefined;
  const table = points.map((point) => valuesAt(point, common));
  const ofPoint = table.map((row) => momentsOf(row).mean);
  const ofReplication = common.map((_, at) => momentsOf(table.map((row) => row[at]!)).mean);
  const { mean } = momentsOf(ofPoint);
  let squares = 0;
  for (const [i, row] of table.entries())
    for (const [r, value] of row.entries()) squares += (value - ofPoint[i]! - ofReplication[r]! + mean) ** 2;
  const freedom = (points.length - 1) * (common.length - 1);
  return { variance: squares / freedom, freedom };
}

/** The numbers of the replications that all points have, ascending. */
export function commonReplications(points: readonly (readonly Replicate[])[]): number[] {
  const [first = [], ...others] = points.map((point) => new Set(point.map(({ replication }) => replication)));
  return [...first].filter((one) => others.every((point) => point.has(one))).sort((a, b) => a - b);
}

export function valuesAt(point: readonly Replicate[], replications: readonly number[]): number[] {
  const byReplication = new Map(point.map(({ replication, value }) => [replication, value]));
  return replications.map((one) => byReplication.get(one)!);
}
