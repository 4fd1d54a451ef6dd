import type { Campaign } from '../campaign/types.ts';
import { LackingRuns } from './dependence.ts';
import { GrowingArray } from './growing-array.ts';

/**
 * The rows of a point in the columns. A point that a sample drew several times has as many rows, so that it counts as
 * often. If each draw has runs of its own, they give `parts` rows, and the runs take turns. Otherwise the same row is
 * repeated: it has `copies`.
 */
export interface PointRows {
  parts: number;
  copies: number;
}

export const ONE_ROW: PointRows = { parts: 1, copies: 1 };

/** The part of its point that a run belongs to. */
export function partOfRun(replication: number, { parts }: PointRows): number {
  return (replication - 1) % parts;
}

/** Counts the finished runs without a value, also the failed ones. */
export class MissingValues {
  /** The number of runs without a value. */
  runs = 0;
  readonly byPoint = new LackingRuns();
  /** The number of replications that all points have. */
  readonly #first: number;
  /**
   * How many replications of a point count in the shares. With common random numbers, these are the first ones, which all
   * points have: further ones may fail by chance at all points that have them. Otherwise all replications count.
   */
  readonly #counted: number;
  /** For each row, the share of its finished runs that have no value. */
  readonly #shares: GrowingArray;
  #rows = ONE_ROW;
  /** The number of finished runs of the current point, and of those without a value, by part. */
  #ownRuns: number[] = [];
  #ownLacking: number[] = [];
  /** The replications of the current point without a value, of those that all points have. */
  #lacking: number[] = [];

  constructor(
    { commonRandomNumbers, replications }: Pick<Campaign, 'commonRandomNumbers' | 'replications'>,
    points: number,
  ) {
    this.#first = replications;
    this.#counted = commonRandomNumbers ? replications : Infinity;
    this.#shares = new GrowingArray(points);
  }

  get shares(): Float64Array {
    return this.#shares.values;
  }

  /** Begins a point. */
  open(rows: PointRows): void {
    this.#rows = rows;
    this.#ownRuns = Array.from({ length: rows.parts }, () => 0);
    this.#ownLacking = this.#ownRuns.slice();
    this.#lacking = [];
  }

  /** Adds a finished run. */
  add(replication: number, hasValue: boolean): void {
    if (!hasValue && replication <= this.#first) this.#lacking.push(replication);
    if (replication <= this.#counted) {
      const part = partOfRun(replication, this.#rows);
      this.#ownRuns[part]! += 1;
      if (!hasValue) this.#ownLacking[part]! += 1;
    }
    if (!hasValue) this.runs += 1;
  }

  close(): void {
    this.byPoint.addPoint(this.#lacking);
    for (const [part, runs] of this.#ownRuns.entries())
      for (let copy = 0; copy < this.#rows.copies; copy += 1)
        this.#shares.push(runs === 0 ? 1 : this.#ownLacking[part]! / runs);
  }
}
