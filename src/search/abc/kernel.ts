import type { Stream } from '../methods/stream.ts';
import type { Population } from './population.ts';

/**
 * Each variance is increased by this fraction of 1 plus the variance. Otherwise the covariance of points on a line
 * would have no Cholesky factor.
 */
const JITTER = 1e-9;

/**
 * The kernel that moves the points of the previous generation. It is a normal distribution around each point, with
 * twice the weighted covariance of all points. M. A. Beaumont, J.-M. Cornuet, J.-M. Marin and C. P. Robert, "Adaptive
 * approximate Bayesian computation", Biometrika 96 (2009) 983-990, section 3, use the variances only. The whole
 * covariance is from S. Filippi, C. P. Barnes, J. Cornebise and M. P. H. Stumpf, "On optimality of kernels for
 * approximate Bayesian computation using sequential Monte Carlo", Statistical Applications in Genetics and Molecular
 * Biology 12 (2013) 87-107, section 2.
 */
export class Kernel {
  private readonly population: Population;
  private readonly size: number;
  /** The lower Cholesky factor of the covariance, in rows. */
  private readonly factor: Float64Array;
  private readonly cumulative: Float64Array;
  /** The points in the coordinates in which the covariance is the identity. */
  private readonly whitened: Float64Array[];

  constructor(population: Population) {
    const { scores, weights } = population;
    this.population = population;
    this.size = scores[0]!.length;
    this.factor = cholesky(twiceCovariance(scores, weights), this.size);
    this.cumulative = new Float64Array(weights.length);
    let sum = 0;
    for (const [at, weight] of weights.entries()) this.cumulative[at] = sum += weight;
    this.whitened = scores.map((score) => this.whiten(score));
  }

  /** Draws a point near a point of the population. */
  draw(stream: Stream): number[] {
    const { size, factor, cumulative, population } = this;
    const target = stream.uniform() * cumulative.at(-1)!;
    let [low, high] = [0, cumulative.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cumulative[middle]! < target) low = middle + 1;
      else high = middle;
    }
    const steps = Array.from({ length: size }, () => stream.normal());
    return population.scores[low]!.map((score, i) => {
      let moved = score;
      for (let j = 0; j <= i; j += 1) moved += factor[i * size + j]! * steps[j]!;
      return moved;
    });
  }

  /**
   * The logarithm of the weight of a drawn point: its density in the prior divided by the density of drawing it
   * (Beaumont et al. 2009, algorithm "ABC-PMC"). Constant terms are left out, because they are the same for all points.
   */
  logWeight(score: readonly number[]): number {
    const own = this.whiten(score);
    const { weights } = this.population;
    let density = 0;
    for (const [at, other] of this.whitened.entries()) {
      let square = 0;
      for (let i = 0; i < own.length; i += 1) square += (own[i]! - other[i]!) ** 2;
      density += weights[at]! * Math.exp(-square / 2);
    }
    const prior = score.reduce((sum, each) => sum - (each * each) / 2, 0);
    return prior - Math.log(Math.max(density, Number.MIN_VALUE));
  }

  private whiten(score: readonly number[]): Float64Array {
    const { size, factor } = this;
    const solved = new Float64Array(size);
    for (let i = 0; i < size; i += 1) {
      let rest = score[i]!;
      for (let j = 0; j < i; j += 1) rest -= factor[i * size + j]! * solved[j]!;
      solved[i] = rest / factor[i * size + i]!;
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
  for (let i = 0; i < size; i += 1) covariance[i * size + i]! += JITTER * (1 + covariance[i * size + i]!);
  return covariance;
}

/** The lower Cholesky factor of a positive definite matrix. The matrix is given by its lower half. */
function cholesky(matrix: Float64Array, size: number): Float64Array {
  const factor = new Float64Array(size * size);
  for (let i = 0; i < size; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      let rest = matrix[i * size + j]!;
      for (let k = 0; k < j; k += 1) rest -= factor[i * size + k]! * factor[j * size + k]!;
      factor[i * size + j] = i === j ? Math.sqrt(Math.max(rest, JITTER)) : rest / factor[j * size + j]!;
    }
  }
  return factor;
}
