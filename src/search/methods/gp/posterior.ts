import { Cholesky, dot } from './cholesky.ts';
import type { Covariance } from './covariance.ts';

export interface Normal {
  mean: number;
  variance: number;
}

/** The derivatives of a mean and a variance with respect to the coordinates. */
export interface Slopes extends Normal {
  meanSlope: Float64Array;
  varianceSlope: Float64Array;
}

/**
 * A Gaussian process with the prior mean 0, given values at points: C. E. Rasmussen and C. K. I. Williams, "Gaussian
 * Processes for Machine Learning" (2006), algorithm 2.1. Its variances do not include the noise of a value.
 */
export class GaussianPosterior {
  readonly covariance: Covariance;
  readonly points: (readonly number[])[] = [];
  readonly values: number[] = [];
  readonly noise: number[] = [];
  #factor: Cholesky;
  /** K⁻¹ times the values. */
  #weights: Float64Array = new Float64Array(0);

  private constructor(covariance: Covariance, factor: Cholesky) {
    this.covariance = covariance;
    this.#factor = factor;
  }

  /** @param noise - the variance of each value about the process */
  static of(
    covariance: Covariance,
    points: readonly (readonly number[])[],
    values: ArrayLike<number>,
    noise: ArrayLike<number>,
  ): GaussianPosterior {
    const posterior = new GaussianPosterior(covariance, new Cholesky(points.length));
    points.forEach((point, i) => posterior.#append(point, values[i]!, noise[i]!));
    posterior.#solve();
    return posterior;
  }

  get size(): number {
    return this.points.length;
  }

  /** @param extra - how many points will be added */
  copy(extra: number): GaussianPosterior {
    const copy = new GaussianPosterior(this.covariance, this.#factor.copy(extra));
    copy.points.push(...this.points);
    copy.values.push(...this.values);
    copy.noise.push(...this.noise);
    copy.#weights = this.#weights;
    return copy;
  }

  /** Adds a point in place. The result equals a new posterior of all points, but the addition takes only O(n²) time. */
  add(point: readonly number[], value: number, noise: number): void {
    this.#append(point, value, noise);
    this.#solve();
  }

  /** The mean at a point. @param index - the number of the point, counted from 0 */
  meanOf(index: number): number {
    return this.values[index]! - this.noise[index]! * this.#weights[index]!;
  }

  /** K⁻¹ times the given values, which are in the order of the points. */
  solved(values: Float64Array): Float64Array {
    const weights = values.slice();
    this.#factor.solveLower(weights);
    this.#factor.solveUpper(weights);
    return weights;
  }

  /** The logarithm of the density of the values: C. E. Rasmussen and C. K. I. Williams (2006), equation 2.30. */
  logLikelihood(): number {
    const fitted = dot(Float64Array.from(this.values), 0, this.#weights, 0, this.size);
    return -0.5 * (fitted + this.#factor.logDeterminant() + this.size * Math.log(2 * Math.PI));
  }

  /**
   * The mean at each point, predicted from all other points: C. E. Rasmussen and C. K. I. Williams (2006), equation
   * 5.12.
   */
  leaveOneOut(): Float64Array {
    const { size } = this;
    const inverse = this.#factor.inverse();
    return Float64Array.from(this.values, (value, i) => value - this.#weights[i]! / inverse[i * size + i]!);
  }

  predict(x: readonly number[]): Normal {
    const k = this.#covariances(x);
    const mean = dot(k, 0, this.#weights, 0, this.size);
    this.#factor.solveLower(k);
    return { mean, variance: this.#varianceFrom(k) };
  }

  slopes(x: readonly number[]): Slopes {
    const { covariance, size } = this;
    const weights = this.#weights;
    const k = this.#covariances(x);
    const mean = dot(k, 0, weights, 0, size);
    this.#factor.solveLower(k);
    const variance = this.#varianceFrom(k);
    this.#factor.solveUpper(k);
    const meanSlope = new Float64Array(covariance.size);
    const varianceSlope = new Float64Array(covariance.size);
    const slope = new Float64Array(covariance.size);
    for (let i = 0; i < size; i += 1) {
      slope.fill(0);
      covariance.addGradient(x, this.points[i]!, slope);
      for (let j = 0; j < slope.length; j += 1) {
        meanSlope[j]! += weights[i]! * slope[j]!;
        varianceSlope[j]! -= 2 * k[i]! * slope[j]!;
      }
    }
    return { mean, variance, meanSlope, varianceSlope };
  }

  /**
   * The variance at a place, which rounding must not make negative.
   *
   * @param solved - L⁻¹ times the covariances of the place
   */
  #varianceFrom(solved: Float64Array): number {
    const { variance } = this.covariance;
    return Math.max(variance - dot(solved, 0, solved, 0, this.size), variance * 1e-14);
  }

  /** The covariances of a place with the points. */
  #covariances(x: readonly number[]): Float64Array {
    // a loop, because `Float64Array.from` with a function takes several times as long
    const values = new Float64Array(this.size);
    for (let i = 0; i < values.length; i += 1) values[i] = this.covariance.between(x, this.points[i]!);
    return values;
  }

  #append(point: readonly number[], value: number, noise: number): void {
    const row = new Float64Array(this.size + 1);
    row.set(this.#covariances(point));
    // rounding may make the matrix singular if a point is close to another point. More noise then separates the two
    // points
    let jitter = noise;
    for (;;) {
      row[this.size] = this.covariance.variance + jitter;
      if (this.#factor.append(row)) break;
      jitter = Math.max(10 * jitter, 1e-12 * this.covariance.variance);
    }
    this.points.push(point);
    this.values.push(value);
    this.noise.push(jitter);
  }

  #solve(): void {
    this.#weights = this.solved(Float64Array.from(this.values));
  }
}
