import { sumOf } from '../../../statistics/sample.ts';
import type { Normal } from './posterior.ts';

/** Sums over a normal distribution go up to this number of standard deviations. */
const REACH = 7;
/** The number of steps of a sum over a normal distribution. */
const STEPS = 56;

/**
 * A monotone function of the minimized values that makes them more like values of a Gaussian process. Let u be the
 * distance of a value from the least value. Below the least value the function is linear. Above it the function is
 * c·log(1 + u / c), which shortens a tail of large values. With a large c, the function is nearly linear. The
 * likelihood of such functions: E. Snelson, C. E. Rasmussen and Z. Ghahramani, "Warped Gaussian processes", NIPS 16
 * (2004).
 *
 * The warped values have the mean 0. They are scaled so that the slopes of the function at the values have the
 * geometric mean 1 / scale, where the scale is the standard deviation of the values. Then the likelihoods of two
 * functions can be compared without their Jacobians (G. E. P. Box and D. R. Cox, "An analysis of transformations",
 * Journal of the Royal Statistical Society B 26 (1964), equation 9).
 */
export class Warp {
  readonly #least: number;
  /** The standard deviation of the values. */
  readonly #scale: number;
  readonly #bend: number;
  /** The geometric mean of the slopes, by which the bent values are divided. */
  readonly #unit: number;
  /** The mean of the bent and divided values. */
  readonly #centre: number;

  /** @param bend - c, in standard deviations of the values */
  constructor(values: readonly number[], bend: number) {
    this.#least = Math.min(...values);
    // squares of the values themselves may be too large for a double
    const span = Math.max(...values) - this.#least || 1;
    const shares = values.map((value) => (value - this.#least) / span);
    const mean = sumOf(shares) / values.length;
    const spread = Math.sqrt(sumOf(shares.map((share) => (share - mean) ** 2)) / values.length);
    this.#scale = spread > 0 ? spread * span : 1;
    this.#bend = bend;
    const bent = values.map((value) => this.#bent(this.#above(value)));
    const logs = values.map((value) => Math.log1p(this.#above(value) / bend));
    this.#unit = Math.exp(-sumOf(logs) / values.length);
    this.#centre = sumOf(bent) / values.length / this.#unit;
  }

  warped(value: number): number {
    return this.#bent(this.#above(value)) / this.#unit - this.#centre;
  }

  /** The derivative of the warped value with respect to the value. */
  slope(value: number): number {
    const u = this.#above(value);
    return 1 / (u <= 0 ? 1 : 1 + u / this.#bend) / this.#unit / this.#scale;
  }

  /** The derivatives of the warped values and of the logarithms of their slopes, with respect to the logarithm of c. */
  byBend(values: readonly number[]): { warped: Float64Array; logSlopes: Float64Array } {
    const count = values.length;
    const shares = Float64Array.from(values, (value) => {
      const u = this.#above(value) / this.#bend;
      return u / (1 + u);
    });
    const meanShare = shares.reduce((sum, share) => sum + share, 0) / count;
    // before the mean of the warped values is subtracted
    const raw = Float64Array.from(values, (value, i) => {
      const bent = this.#bent(this.#above(value));
      return (bent - this.#bend * shares[i]! - bent * meanShare) / this.#unit;
    });
    const centre = raw.reduce((sum, value) => sum + value, 0) / count;
    return {
      warped: raw.map((value) => value - centre),
      logSlopes: shares.map((share) => share - meanShare),
    };
  }

  /** The value with a warped value. */
  value(warped: number): number {
    const bent = (warped + this.#centre) * this.#unit;
    return this.#least + this.#scale * (bent <= 0 ? bent : this.#bend * Math.expm1(bent / this.#bend));
  }

  /** The mean and the variance of a value whose warped value is normally distributed, by the trapezoidal rule. */
  moments({ mean, variance }: Normal): Normal {
    const sd = Math.sqrt(variance);
    const nodes = Array.from({ length: STEPS + 1 }, (_, i) => (REACH * (2 * i - STEPS)) / STEPS);
    const densities = nodes.map((z) => Math.exp((-z * z) / 2));
    const values = nodes.map((z) => this.value(mean + sd * z));
    const total = densities.reduce((sum, density) => sum + density, 0);
    const first = values.reduce((sum, value, i) => sum + densities[i]! * value, 0) / total;
    const second = values.reduce((sum, value, i) => sum + densities[i]! * (value - first) ** 2, 0) / total;
    return { mean: first, variance: second };
  }

  /** The distance of a value from the least value, in standard deviations of the values. */
  #above(value: number): number {
    return (value - this.#least) / this.#scale;
  }

  /** The function without its scale. */
  #bent(u: number): number {
    return u <= 0 ? u : this.#bend * Math.log1p(u / this.#bend);
  }
}

/** A c so large that the function is nearly linear. */
export const STRAIGHT = 1e6;
