import type { Campaign } from '../campaign/types.ts';
import type { Sample } from '../statistics/sample.ts';
import { studentQuantile } from '../statistics/student.ts';

/** A mean and the confidence interval of it; null where there is none. */
export interface MeanInterval {
  mean: number;
  low: number | null;
  high: number | null;
}

/** The confidence of intervals, where a campaign says nothing of it. */
export const CONFIDENCE = 0.95;

/** Of all intervals of a campaign's results. */
export function confidenceOf({ precision }: Pick<Campaign, 'precision'>): number {
  return precision?.confidence ?? CONFIDENCE;
}

/**
 * The mean over points of their means over replications, in bounded memory, and what chance in the replications leaves open of
 * it. The points are given and not drawn: differences between them are what the mean is over, and no uncertainty.
 */
export class MeanOfPoints {
  count = 0;
  #sum = 0;
  /** Variances of the points' means, summed up, and their squares over the degrees of freedom. */
  #variance = 0;
  #squares = 0;
  /** Degrees of freedom of the points: the least, and all together. */
  #least = Infinity;
  #freedom = 0;

  /** @param sample - the values of a point's replications, one at least */
  add({ count, mean, variance }: Pick<Sample, 'count' | 'mean' | 'variance'>): void {
    this.count += 1;
    this.#sum += mean!;
    this.#least = Math.min(this.#least, count - 1);
    this.#freedom += count - 1;
    if (count < 2) return;
    this.#variance += variance! / count;
    this.#squares += (variance! / count) ** 2 / (count - 1);
  }

  /** Takes in all the points of another. */
  join(other: MeanOfPoints): void {
    this.count += other.count;
    this.#sum += other.#sum;
    this.#variance += other.#variance;
    this.#squares += other.#squares;
    this.#least = Math.min(this.#least, other.#least);
    this.#freedom += other.#freedom;
  }

  get mean(): number {
    return this.#sum / this.count;
  }

  /**
   * The interval by Student's t; of one point it is the classical one. For several the degrees of freedom are those of
   * B. L. Welch, "The generalization of 'Student's' problem when several different population variances are involved",
   * Biometrika 34 (1947) 28-35. There is none if a point has but one replication, or where no number holds its ends.
   *
   * @param isIndependent - false when replications of different points share their seeds: what several of them have in
   *   common does not average out, and no interval is given
   */
  interval(confidence: number, isIndependent: boolean): MeanInterval {
    const { mean } = this;
    if (this.#least < 1 || (this.count > 1 && !isIndependent)) return { mean, low: null, high: null };
    const welch = this.#variance ** 2 / this.#squares;
    // rounding, and squares that no number holds, must not lead beyond what is possible
    const freedom = welch > this.#least ? Math.min(welch, this.#freedom) : this.#least;
    const half = (studentQuantile((1 + confidence) / 2, freedom) * Math.sqrt(this.#variance)) / this.count;
    if (!Number.isFinite(half)) return { mean, low: null, high: null };
    return { mean, low: mean - half, high: mean + half };
  }
}
