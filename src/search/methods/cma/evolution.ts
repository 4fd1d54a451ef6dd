import { EigenvalueDecomposition, Matrix } from 'ml-matrix';
import type { Stream } from '../../../campaign/sampling/stream.ts';
import { sumOf } from '../../../statistics/sample.ts';
import { constantsOf, type Constants } from './constants.ts';

/** A point of a generation, in a space without bounds. */
export interface Sample {
  x: number[];
  /** The standard normal numbers from which the point was made. */
  z: number[];
  /** Its step from the mean, in units of the step size, before the factors of `Evolution.scale`. */
  step: number[];
}

/**
 * The normal distribution of CMA-ES. The points of a generation are drawn from it, and their ranks move its mean, step
 * size and covariance. It uses weighted recombination, active (negative) weights and cumulative step-size adaptation.
 * N. Hansen, "The CMA evolution strategy: a tutorial", arXiv:1604.00772, Figure 6 and equations 38 to 47.
 */
export class Evolution {
  readonly mean: number[];
  sigma: number;
  readonly population: number;
  /**
   * A factor for the standard deviation of each coordinate. It is 1 unless a margin raises it (A of Hamano et al.,
   * 2022).
   */
  readonly scale: number[];
  generation = 0;
  readonly #constants: Constants;
  readonly #covariance: number[][];
  readonly #sigmaPath: number[];
  readonly #covariancePath: number[];
  /** The eigenvectors of the covariance, in columns. */
  #axes: number[][];
  /** The square roots of the eigenvalues of the covariance. */
  #roots: number[];
  #decomposedAt = 0;

  /** @param covariance - the first covariance; the same in all directions by default */
  constructor(mean: readonly number[], sigma: number, population: number, covariance?: number[][]) {
    const identity = (): number[][] => mean.map((_, i) => mean.map((_, j) => Number(i === j)));
    this.mean = [...mean];
    this.sigma = sigma;
    this.population = population;
    this.scale = mean.map(() => 1);
    this.#constants = constantsOf(mean.length, population);
    this.#covariance = covariance?.map((row) => [...row]) ?? identity();
    this.#sigmaPath = mean.map(() => 0);
    this.#covariancePath = mean.map(() => 0);
    this.#axes = identity();
    this.#roots = mean.map(() => 1);
    if (covariance) this.#findAxes();
  }

  sample(stream: Stream): Sample {
    const z = this.mean.map(() => stream.normal());
    const step = this.#turned(z.map((value, i) => this.#roots[i]! * value));
    return { x: this.#after(step), z, step };
  }

  /** The sample with a part of its step from the mean. */
  shortened({ z, step }: Sample, share: number): Sample {
    const shorter = step.map((value) => share * value);
    return { x: this.#after(shorter), z: z.map((value) => share * value), step: shorter };
  }

  /** Updates the distribution with a generation, best first. */
  update(ranked: readonly Sample[]): void {
    const { weights, effective, sigmaPath, damping, covariancePath, length } = this.#constants;
    const dimension = this.mean.length;
    const positive = weights.filter((weight) => weight > 0).length;
    const mixed = (of: (sample: Sample) => number[]): number[] =>
      this.mean.map((_, i) => {
        let sum = 0;
        for (let k = 0; k < positive; k += 1) sum += weights[k]! * of(ranked[k]!)[i]!;
        return sum;
      });
    const step = mixed((sample) => sample.step);
    const whitened = this.#turned(mixed((sample) => sample.z));
    this.generation += 1;
    for (const [i, value] of this.#after(step).entries()) this.mean[i] = value;

    follow(this.#sigmaPath, sigmaPath, effective, whitened);
    const pathLength = Math.hypot(...this.#sigmaPath);
    const unbiased = pathLength / Math.sqrt(1 - (1 - sigmaPath) ** (2 * this.generation));
    // while the step size grows fast, the path of the covariance gets no steps (h_sigma)
    const isSteady = unbiased < (1.4 + 2 / (dimension + 1)) * length;
    follow(this.#covariancePath, covariancePath, isSteady ? effective : 0, step);
    this.#adapt(ranked, isSteady);
    this.sigma *= Math.exp(Math.min(1, (sigmaPath / damping) * (pathLength / length - 1)));
    this.#decompose();
  }

  /** The standard deviation of each coordinate. */
  deviations(): number[] {
    return this.scale.map((scale, i) => this.sigma * scale * Math.sqrt(this.#covariance[i]![i]!));
  }

  /** The ratio of the longest axis of the distribution to the shortest. */
  elongation(): number {
    return Math.max(...this.#roots) / Math.min(...this.#roots);
  }

  /** The point at a step from the mean. */
  #after(step: readonly number[]): number[] {
    return this.mean.map((mean, i) => mean + this.sigma * this.scale[i]! * step[i]!);
  }

  /** Updates the covariance with its path and with the steps of the generation: equation 47. */
  #adapt(ranked: readonly Sample[], isSteady: boolean): void {
    const { weights, covariancePath, rankOne, rankMu } = this.#constants;
    const dimension = this.mean.length;
    const factors = weights.map(
      (weight, k) => rankMu * weight * (weight >= 0 ? 1 : dimension / (squaredLength(ranked[k]!.z) + 1e-300)),
    );
    // replaces the variance that the path lacks while no step is added to it
    const lack = isSteady ? 0 : covariancePath * (2 - covariancePath);
    const kept = 1 + rankOne * lack - rankOne - rankMu * sumOf(weights);
    for (let i = 0; i < dimension; i += 1) {
      for (let j = 0; j <= i; j += 1) {
        let value = kept * this.#covariance[i]![j]!;
        value += rankOne * this.#covariancePath[i]! * this.#covariancePath[j]!;
        for (let k = 0; k < factors.length; k += 1) {
          value += factors[k]! * ranked[k]!.step[i]! * ranked[k]!.step[j]!;
        }
        this.#covariance[i]![j] = value;
        this.#covariance[j]![i] = value;
      }
    }
  }

  /**
   * Updates the axes. If the covariance changes slowly, some generations do not update the axes: appendix B.2 of the
   * source.
   */
  #decompose(): void {
    const { rankOne, rankMu } = this.#constants;
    const every = 1 / ((rankOne + rankMu) * this.mean.length * 10);
    if (this.generation - this.#decomposedAt < every) return;
    this.#decomposedAt = this.generation;
    this.#findAxes();
  }

  #findAxes(): void {
    const found = new EigenvalueDecomposition(new Matrix(this.#covariance), { assumeSymmetric: true });
    this.#axes = found.eigenvectorMatrix.to2DArray();
    // rounding may leave an eigenvalue a little below 0
    const least = 1e-30 * Math.max(...found.realEigenvalues);
    this.#roots = found.realEigenvalues.map((value) => Math.sqrt(Math.max(least, value)));
  }

  /** Converts a vector from the axes of the distribution to the coordinates. */
  #turned(vector: readonly number[]): number[] {
    return this.#axes.map((row) => {
      let sum = 0;
      for (let j = 0; j < row.length; j += 1) sum += row[j]! * vector[j]!;
      return sum;
    });
  }
}

/**
 * Moves a path towards a step that is the mean of `effective` points, so that the variance of the path stays 1 under
 * random ranks.
 */
function follow(path: number[], rate: number, effective: number, step: readonly number[]): void {
  const share = Math.sqrt(rate * (2 - rate) * effective);
  for (let i = 0; i < path.length; i += 1) path[i] = (1 - rate) * path[i]! + share * step[i]!;
}

function squaredLength(vector: readonly number[]): number {
  return vector.reduce((sum, value) => sum + value * value, 0);
}
