import { Covariance } from './covariance.ts';
import { fit, type Fit, type FitOptions, JITTER, type Observation } from './fit.ts';
import { snapped } from './levels.ts';
import type { Dimension, Told } from '../method.ts';
import { type Normal, Posterior } from './posterior.ts';

/** A Gaussian process fitted to values at points. */
export class Model {
  readonly dimensions: readonly Dimension[];
  readonly fit: Fit;
  /** The model of the warped values. A search compares warped values. */
  readonly posterior: Posterior;

  private constructor(dimensions: readonly Dimension[], fitted: Fit, posterior: Posterior) {
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
    return new Model(
      dimensions,
      fitted,
      Posterior.of(
        new Covariance(dimensions, fitted.parameters),
        atLevels.map(({ x }) => x),
        atLevels.map(({ value }) => fitted.warp.warped(value)),
        atLevels.map((observation) => noiseOf(fitted, observation)),
      ),
    );
  }

  /** The same parameters, with room for further points that this model does not take. */
  copy(extra: number): Model {
    return new Model(this.dimensions, this.fit, this.posterior.copy(extra));
  }

  /** Takes another value in, without fitting the parameters again. */
  add(observation: Observation): void {
    const { warp } = this.fit;
    this.posterior.add(
      snapped(this.dimensions, observation.x),
      warp.warped(observation.value),
      noiseOf(this.fit, observation),
    );
  }

  /**
   * Takes a point in whose value is not known yet, as if it were what the model expects: the kriging believer of D.
   * Ginsbourger, R. Le Riche and L. Carraro, "Kriging is well-suited to parallelize optimization" (2010), section 4.
   */
  believe(x: readonly number[]): void {
    this.posterior.add(x, this.posterior.predict(x).mean, this.fit.noise + JITTER);
  }

  /**
   * What to expect at a point, in the units of the values. The variance is that of the expectation, without the noise
   * of a run.
   */
  predict(x: readonly number[]): Normal {
    return this.fit.warp.moments(this.posterior.predict(snapped(this.dimensions, x)));
  }
}

function noiseOf({ warp, noise }: Fit, { value, variance, runs }: Observation): number {
  return variance * warp.slope(value) ** 2 + noise / runs + JITTER;
}

/** The degrees of freedom with which a point's own variance gives way to that of all points. */
const POOLED = 5;

/**
 * The points of a log that have a value, as a model is fitted to them. A variance of few runs is little known: it is
 * drawn towards that of all points, as by a scaled inverse χ² prior (A. Gelman et al., "Bayesian Data Analysis" (2013),
 * section 2.6).
 */
export function observationsOf(log: readonly Told[]): Observation[] {
  let sum = 0;
  let freedom = 0;
  for (const { value, variance, runs } of log) {
    if (value === null || variance === null || runs < 2) continue;
    sum += (runs - 1) * runs * variance;
    freedom += runs - 1;
  }
  const pooled = freedom > 0 ? sum / freedom : 0;
  return log.flatMap(({ x, value, variance, runs }) => {
    if (value === null) return [];
    const own = variance === null ? 0 : runs - 1;
    const ofRun = (own * runs * (variance ?? 0) + POOLED * pooled) / (own + POOLED);
    return [{ x, value, variance: ofRun / runs, runs }];
  });
}

/**
 * The model of what is minimized, of a log: for a report.
 *
 * @returns null when no point has a value
 */
export function modelOf(
  dimensions: readonly Dimension[],
  log: readonly Told[],
  isNoisy: boolean,
): Model | null {
  const observations = observationsOf(log);
  if (observations.length === 0) return null;
  return Model.of(dimensions, observations, { isNoisy, isWarped: true, warm: null });
}
