import { setImmediate as breath } from 'node:timers/promises';
import type { Stream } from '../../campaign/sampling/stream.ts';
import type { Population } from './population.ts';

/**
 * Each variance is increased by this fraction of itself. Otherwise the covariance of points on a line would have no
 * Cholesky factor.
 */
const JITTER = 1e-9;
/** The smallest variance. Otherwise equal points would have no Cholesky factor. */
const LEAST_VARIANCE = 1e-30;
/** The degrees of freedom of the kernel. */
const FREEDOM = 3;
/** After this number of densities, the event loop can do other work. */
const DENSITIES_AT_ONCE = 100;

/**
 * The kernel that moves the points of the previous generation. It is a t distribution around each point, with twice the
 * weighted covariance of all points as its scale. Its tails are heavier than those of a normal distribution, so that no
 * point in the tail of the posterior gets a very large weight: M. West, "Approximating posterior distributions by
 * mixtures", Journal of the Royal Statistical Society B 55 (1993) 409-422, section 2. M. A. Beaumont, J.-M. Cornuet,
 * J.-M. Marin and C. P. Robert, "Adaptive approximate Bayesian computation", Biometrika 96 (2009) 983-990, section 3,
 * use the variances only. The whole covariance is from S. Filippi, C. P. Barnes, J. Cornebise and M. P. H. Stumpf, "On
 * optimality of kernels for approximate Bayesian computation using sequential Monte Carlo", Statistical Applications in
 * Genetics and Molecular Biology 12 (2013) 87-107, section 2.
 */
export class Kernel {
  readonly #points: readonly (readonly number[])[];
  readonly #size: number;
  /** The lower Cholesky factor of the covariance, in rows. */
  readonly #factor: Float64Array;
  /** The points in the coordinates in which the covariance is the identity. */
  readonly #whitened: Float64Array[];
  /** For each point, the probability that it is the one that moves. At first it is the weight of the point. */
  #shares: readonly number[];
  /** The sums of the shares of each point and all points before it. */
  readonly #cumulative: Float64Array;

  private constructor({ points, weights }: Population) {
    this.#points = points;
    this.#size = points[0]!.length;
    this.#factor = cholesky(twiceCovariance(points, weights), this.#size);
    this.#whitened = points.map((point) => this.#whiten(point));
    this.#shares = weights;
    this.#cumulative = new Float64Array(weights.length);
  }

  /**
   * The points in the tails of the population move more often than their weights say. The accepted points otherwise lie
   * where the likelihood is high twice over, and a few points of the tail get most of the weight. The best distribution
   * of the proposals is the geometric mean of the prior and the posterior: J. Alsing, B. D. Wandelt and S. M. Feeney,
   * "Optimal proposals for approximate Bayesian computation", arXiv:1808.06040 (2018), section 2. So each weight is
   * divided by the root of the posterior's density, because the prior's density is 1. The density comes from the
   * population, smoothed by its own covariance.
   */
  static async of(population: Population): Promise<Kernel> {
    const kernel = new Kernel(population);
    const logShares: number[] = [];
    for (const [at, weight] of population.weights.entries()) {
      const density = kernel.#density(kernel.#whitened[at]!, 2);
      logShares.push(Math.log(weight) - Math.log(density) / 2);
      if (logShares.length % DENSITIES_AT_ONCE === 0) await breath();
    }
    kernel.#shares = normalized(logShares);
    let sum = 0;
    for (const [at, share] of kernel.#shares.entries()) {
      sum += share;
      kernel.#cumulative[at] = sum;
    }
    return kernel;
  }

  /** Draws a point near a point of the population. It may be outside the unit cube. */
  draw(stream: Stream): number[] {
    const cumulative = this.#cumulative;
    const target = stream.uniform() * cumulative.at(-1)!;
    let [low, high] = [0, cumulative.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cumulative[middle]! < target) low = middle + 1;
      else high = middle;
    }
    const steps = Array.from({ length: this.#size }, () => stream.normal());
    const chiSquare = Array.from({ length: FREEDOM }, () => stream.normal() ** 2).reduce((a, b) => a + b);
    const stretch = Math.sqrt(FREEDOM / chiSquare);
    return this.#points[low]!.map((coordinate, i) => {
      let moved = coordinate;
      for (let j = 0; j <= i; j += 1) moved += stretch * this.#factor[i * this.#size + j]! * steps[j]!;
      return moved;
    });
  }

  /**
   * The logarithm of the weight of a drawn point: its density in the prior, which is 1, divided by the density of
   * drawing it (Beaumont et al. 2009, algorithm "ABC-PMC"). A constant term is left out, because it is the same for all
   * points: points outside the unit cube, or outside the condition of the calibration, are drawn again as a whole.
   */
  logWeight(point: readonly number[]): number {
    return -Math.log(Math.max(this.#density(this.#whiten(point), 1), Number.MIN_VALUE));
  }

  /**
   * The density of the moved points at a whitened point, without a constant factor.
   *
   * @param narrowness - 1 for the scale of the kernel, and 2 for half of it
   */
  #density(whitened: Float64Array, narrowness: number): number {
    const power = -(FREEDOM + whitened.length) / 2;
    let density = 0;
    for (const [at, other] of this.#whitened.entries()) {
      let square = 0;
      for (let i = 0; i < whitened.length; i += 1) square += (whitened[i]! - other[i]!) ** 2;
      density += this.#shares[at]! * (1 + (narrowness * square) / FREEDOM) ** power;
    }
    return density;
  }

  /** Converts a point to the coordinates in which the covariance is the identity. */
  #whiten(point: readonly number[]): Float64Array {
    const size = this.#size;
    const solved = new Float64Array(size);
    for (let i = 0; i < size; i += 1) {
      let rest = point[i]!;
      for (let j = 0; j < i; j += 1) rest -= this.#factor[i * size + j]! * solved[j]!;
      solved[i] = rest / this.#factor[i * size + i]!;
    }
    return solved;
  }
}

/** Weights with the sum 1, from their logarithms. */
export function normalized(logWeights: readonly number[]): number[] {
  const largest = logWeights.reduce((a, b) => Math.max(a, b), -Infinity);
  const weights = logWeights.map((each) => Math.exp(each - largest));
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}

/** The lower half of twice the weighted covariance, with a variance above 0 in each direction. */
function twiceCovariance(points: readonly (readonly number[])[], weights: readonly number[]): Float64Array {
  const size = points[0]!.length;
  const means = points[0]!.map((_, i) =>
    points.reduce((sum, point, at) => sum + weights[at]! * point[i]!, 0),
  );
  const covariance = new Float64Array(size * size);
  for (const [at, point] of points.entries())
    for (let i = 0; i < size; i += 1)
      for (let j = 0; j <= i; j += 1)
        covariance[i * size + j]! += 2 * weights[at]! * (point[i]! - means[i]!) * (point[j]! - means[j]!);
  for (let i = 0; i < size; i += 1)
    covariance[i * size + i] = LEAST_VARIANCE + (1 + JITTER) * covariance[i * size + i]!;
  return covariance;
}

/** The lower Cholesky factor of a positive definite matrix. The matrix is given by its lower half. */
function cholesky(matrix: Float64Array, size: number): Float64Array {
  const factor = new Float64Array(size * size);
  for (let i = 0; i < size; i += 1) {
    const least = Math.max(LEAST_VARIANCE, JITTER * matrix[i * size + i]!);
    for (let j = 0; j <= i; j += 1) {
      let rest = matrix[i * size + j]!;
      for (let k = 0; k < j; k += 1) rest -= factor[i * size + k]! * factor[j * size + k]!;
      factor[i * size + j] = i === j ? Math.sqrt(Math.max(rest, least)) : rest / factor[j * size + j]!;
    }
  }
  return factor;
}
