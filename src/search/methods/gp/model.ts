import { Covariance } from './covariance.ts';
import { fit, type Fit, type FitOptions, JITTER, type Observation } from './fit.ts';
import { snapped } from './levels.ts';
import type { Dimension, Told } from '../method.ts';
import { type Normal, GaussianPosterior } from './posterior.ts';

/** A Gaussian process fitted to values at points. */
export class Model {
  readonly dimensions: readonly Dimension[];
  readonly fit: Fit;
  /** The model of the warped values. A search compares warped values. */
  readonly posterior: GaussianPosterior;

  private constructor(dimensions: readonly Dimension[], fitted: Fit, posterior: GaussianPosterior) {
    this.dimensions = dimensions;
    this.fit = fitted;
    this.posterior = posterior;
  }

  /** @param observations - at least one */
  static of(
    dimensions: readonly Dimension[],
    observations: readonly Observation[],
    options: FitOptions,
  ): Model {
    const atLevels = observations.map((observation) => ({
      ...observation,
      x: snapped(dimensions, observation.x),
    }));
    const fitted = fit(dimensions, atLevels, options);
    const posterior = GaussianPosterior.of(
      new Covariance(dimensions, fitted.parameters),
      atLevels.map(({ x }) => x),
      atLevels.map(({ value }) => fitted.warp.warped(value)),
      atLevels.map((observation) => noiseOf(fitted, observation)),
    );
    return new Model(dimensions, fitted, posterior);
  }

  /** A copy with room for further points. Points that are added to the copy do not change this model. */
  copy(extra: number): Model {
    return new Model(this.dimensions, this.fit, this.posterior.copy(extra));
  }

  /** Adds a value without fitting the parameters again. */
  add(observation: Observation): void {
    const x = snapped(this.dimensions, observation.x);
    this.posterior.add(x, this.fit.warp.warped(observation.value), noiseOf(this.fit, observation));
  }

  /**
   * Adds an open point, as if it had the value that the model expects: the kriging believer of D. Ginsbourger, R. Le
   * Riche and L. Carraro, "Kriging is well-suited to parallelize optimization" (2010), section 4.
   */
  believe(x: readonly number[]): void {
    this.posterior.add(x, this.posterior.predict(x).mean, this.fit.noise + JITTER);
  }

  /**
   * The expected value at a point, in the units of the values. The variance is the uncertainty of this expectation,
   * without the noise of a run.
   */
  predict(x: readonly number[]): Normal {
    return this.fit.warp.moments(this.posterior.predict(snapped(this.dimensions, x)));
  }
}

function noiseOf({ warp, noise }: Fit, { value, variance, runs }: Observation): number {
  return (Math.sqrt(variance) * warp.slope(value)) ** 2 + noise / runs + JITTER;
}

/**
 * The weight of the common variance of all points, in degrees of freedom, when the variance of a point is estimated.
 */
const POOLED = 5;

/**
 * The observations for a model: the points of a log with a value. The variance of a few runs is uncertain, so it is
 * drawn towards the common variance of all points, as with a scaled inverse χ² prior (A. Gelman et al., "Bayesian Data
 * Analysis" (2013), section 2.6).
 */
export function observationsOf(log: readonly Told[]): Observation[] {
  let pooledSquares = 0;
  let pooledFreedom = 0;
  for (const { value, variance, runs } of log) {
    if (value === null || !isKnown(variance) || runs < 2) continue;
    pooledSquares += (runs - 1) * runs * variance;
    pooledFreedom += runs - 1;
  }
  const pooled = pooledFreedom > 0 ? pooledSquares / pooledFreedom : 0;
  return log.flatMap(({ x, value, variance, runs }) => {
    if (value === null) return [];
    const [squares, freedom] = isKnown(variance) ? [(runs - 1) * runs * variance, runs - 1] : [0, 0];
    const ofRun = (squares + POOLED * pooled) / (freedom + POOLED);
    return [{ x, value, variance: ofRun / runs, runs }];
  });
}

/**
 * The model of the objective from a log, for a report.
 *
 * @param warm - the `logs` of an earlier fit, as an additional starting point of this fit
 * @returns null if no point has a value
 */
export function modelOf(
  dimensions: readonly Dimension[],
  log: readonly Told[],
  isNoisy: boolean,
  warm: Float64Array | null = null,
): Model | null {
  const observations = observationsOf(log);
  if (observations.length === 0) return null;
  return Model.of(dimensions, observations, { isNoisy, isWarped: true, warm });
}

/** The variance of very large values may be too large for a double. */
function isKnown(variance: number | null): variance is number {
  return variance !== null && variance < Infinity;
}
