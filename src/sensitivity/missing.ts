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
export function partOf(replication: number, { parts }: PointRows): number {
  return (replication - 1) % parts;
}

/** Counts the finished runs without a value, also the failed ones. */
export class MissingValues {
  runs = 0;
  readonly byPoint = new LackingRuns();
  /** For each row, the share of its finished runs that have no value. Only the first `#counted` replications count. */
  readonly #shares: GrowingArray;
  /**
   * With common random numbers, these are the replications that all points have (`#first`): further ones may fail by
   * chance at all points that have them. Otherwise all replications count.
   */
  readonly #counted: number;
  /** The number of replications that all points have. */
  readonly #first: number;
  #rows = ONE_ROW;
  /** The number of finished runs of the current point, and of those without a value, by part. */
  #ownRuns: number[] = [];
  #ownLacking: number[] = [];
  #replications: number[] = [];

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
    this.#replications = [];
  }

  /** Adds a finished run. */
  add(replication: number, hasValue: boolean): void {
    if (!hasValue && replication <= this.#first) this.#replications.push(replication);
    if (replication <= this.#counted) {
      const part = partOf(replication, this.#rows);
      this.#ownRuns[part]! += 1;
      if (!hasValue) this.#ownLacking[part]! += 1;
    }
    if (!hasValue) this.runs += 1;
  }

  close(): void {
    this.byPoint.addPoint(this.#replications);
    for (const [part, runs] of this.#ownRuns.entries())
      for (let copy = 0; copy < this.#rows.copies; copy += 1)
        this.#shares.push(runs === 0 ? 1 : this.#ownLacking[part]! / runs);
  }
}
