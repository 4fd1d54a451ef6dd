import type { Dimension } from '../method.ts';

/** The parameters of the covariance of a Gaussian process. */
export interface Parameters {
  /** The length scale of each dimension, in units of its coordinate. */
  lengths: readonly number[];
  /** The variance of the process about its mean. */
  signal: number;
  /** The variance of the mean of the process. All values of the process share this mean. */
  constant: number;
}

/**
 * The sum of a constant and the Matérn covariance with ν = 5/2 and a length scale for each dimension: C. E. Rasmussen
 * and C. K. I. Williams, "Gaussian Processes for Machine Learning" (2006), equation 4.17 and section 2.7.
 *
 * Any two different levels of a choice have the same distance as 0 and 1 of a real input. Integers must be given at the
 * middle of their level, as `snapped` in `levels.ts` makes them (E. C. Garrido-Merchán and D. Hernández-Lobato,
 * "Dealing with categorical and integer-valued variables in Bayesian optimization with Gaussian processes",
 * Neurocomputing 380 (2020) 20-35).
 */
export class Covariance {
  readonly parameters: Parameters;
  readonly size: number;
  readonly #isChoice: readonly boolean[];
  /** 1 / length². */
  readonly #weights: Float64Array;

  constructor(dimensions: readonly Dimension[], parameters: Parameters) {
    this.parameters = parameters;
    this.size = dimensions.length;
    this.#isChoice = dimensions.map(({ kind }) => kind === 'choice');
    this.#weights = Float64Array.from(parameters.lengths, (length) => 1 / length ** 2);
  }

  /** The variance of the process at any place. */
  get variance(): number {
    return this.parameters.signal + this.parameters.constant;
  }

  /** The squared difference of two places in a dimension, in units of the squared length scale. */
  squareIn(dimension: number, one: number, other: number): number {
    const difference = one - other;
    if (difference === 0) return 0;
    return (this.#isChoice[dimension] ? 1 : difference * difference) * this.#weights[dimension]!;
  }

  /** The distance of two places, in length scales. */
  distance(one: readonly number[], other: readonly number[]): number {
    let squares = 0;
    for (let j = 0; j < this.size; j += 1) squares += this.squareIn(j, one[j]!, other[j]!);
    return Math.sqrt(squares);
  }

  /** The covariance of the process at two places. */
  between(one: readonly number[], other: readonly number[]): number {
    const root = ROOT_5 * this.distance(one, other);
    return (
      this.parameters.constant + this.parameters.signal * (1 + root + (root * root) / 3) * Math.exp(-root)
    );
  }

  /** The derivative of the covariance with respect to the squared distance. */
  slope(distance: number): number {
    const root = ROOT_5 * distance;
    return (-5 / 6) * this.parameters.signal * (1 + root) * Math.exp(-root);
  }

  /**
   * Adds to `out` the derivatives of the covariance with respect to the coordinates of the first place. Choices have no
   * derivative.
   */
  addGradient(one: readonly number[], other: readonly number[], out: Float64Array): void {
    const slope = 2 * this.slope(this.distance(one, other));
    for (let j = 0; j < this.size; j += 1) {
      if (!this.#isChoice[j]) out[j]! += slope * (one[j]! - other[j]!) * this.#weights[j]!;
    }
  }
}

const ROOT_5 = Math.sqrt(5);
