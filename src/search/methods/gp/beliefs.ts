import type { Acquisition } from './acquisition.ts';
import type { FitOptions, Observation } from './fit.ts';
import { Model, observationsOf } from './model.ts';
import type { Problem, Told } from '../method.ts';

/** The models that are fitted to the told points. A model is null while no told point has a value for it. */
interface Models {
  objective: Model | null;
  /** The first model is for failures. Each further model is for a requirement. */
  requirements: readonly (Model | null)[];
}

/** The models and points by which the next point is chosen. */
export interface NextChoice {
  acquisition: Acquisition;
  /** Known points, the best first. The next point is also searched near them. */
  around: (readonly number[])[];
}

/** A point with a value, and the numbers by which the models rank it. */
export interface Known {
  x: readonly number[];
  value: number;
  /** The mean of the objective's model at the point, in warped units. */
  mean: number;
  /** How far the point is from meeting the requirements, in warped units; 0 if it meets them. */
  violation: number;
}

/**
 * Smaller gains count as none, in warped units (warp.ts). Otherwise rounding would make a search repeat the best point.
 */
const LEAST_GAIN = 1e-4;

/**
 * The models that follow from a log: one for the objective, one for each requirement, and one for failures. An object
 * never changes. `with` returns another object for a longer log.
 *
 * Failed points do not count as points with bad values, because such values would bend the model of the good points.
 * Instead, failure is a requirement of its own: its value is 1 at failed points and -1 at other points. So fewer points
 * are proposed near failed points.
 */
export class Beliefs {
  readonly log: readonly Told[];
  readonly #problem: Problem;
  readonly #models: Models;
  /** The number of points at which the parameters are fitted again. */
  readonly #nextFit: number;

  private constructor(problem: Problem, log: readonly Told[], models: Models, nextFit: number) {
    this.#problem = problem;
    this.log = log;
    this.#models = models;
    this.#nextFit = nextFit;
  }

  static none(problem: Problem): Beliefs {
    return new Beliefs(problem, [], { objective: null, requirements: [] }, 0);
  }

  /**
   * The models of a longer log. At first the parameters are fitted again after each new point. Later they are fitted
   * again whenever the log is 5 % longer.
   */
  with(log: readonly Told[]): Beliefs {
    if (log.length === this.log.length) return this;
    const { dimensions, isNoisy } = this.#problem;
    const isDue = log.length >= this.#nextFit;
    const updated = (
      model: Model | null | undefined,
      observations: readonly Observation[],
      options: Omit<FitOptions, 'warm'>,
    ): Model | null => {
      if (observations.length === 0) return null;
      if (!model || isDue) {
        return Model.of(dimensions, observations, { ...options, warm: model?.fit.logs ?? null });
      }
      const copy = model.copy(observations.length - model.posterior.size);
      for (const observation of observations.slice(model.posterior.size)) copy.add(observation);
      return copy;
    };
    const models = {
      objective: updated(this.#models.objective, observationsOf(log), { isNoisy, isWarped: true }),
      requirements: [
        updated(this.#models.requirements[0], failures(log), {
          isNoisy: true,
          isWarped: false,
          isFixed: true,
        }),
        ...Array.from({ length: this.#problem.requirements }, (_, i) =>
          updated(this.#models.requirements[i + 1], excesses(log, i), { isNoisy, isWarped: false }),
        ),
      ],
    };
    const nextFit = isDue ? log.length + Math.max(1, Math.floor(log.length / 20)) : this.#nextFit;
    return new Beliefs(this.#problem, log, models, nextFit);
  }

  /** Returns the models and points by which the next point is chosen while other points are open. */
  acquisition(open: readonly (readonly number[])[]): NextChoice {
    const believing = (model: Model): Model => {
      const copy = model.copy(open.length);
      for (const x of open) copy.believe(x);
      return copy;
    };
    const requirements = this.#models.requirements
      .filter((model) => model !== null)
      .map((model) => ({ model: believing(model), limit: model.fit.warp.warped(0) }));
    const known = this.#known();
    const good = known.filter(({ violation }) => violation <= 0).sort((one, other) => one.mean - other.mean);
    if (good.length === 0) {
      const near = known.sort((one, other) => one.violation - other.violation);
      return { acquisition: { objective: null, requirements }, around: near.map(({ x }) => x) };
    }
    const model = believing(this.#models.objective!);
    // a point must also improve on the values that the model expects at the open points
    const means = open.map((_, i) => model.posterior.meanOf(model.posterior.size - 1 - i));
    return {
      acquisition: {
        objective: { model, best: Math.min(good[0]!.mean, ...means) - LEAST_GAIN },
        requirements,
      },
      around: good.map(({ x }) => x),
    };
  }

  /** The distance of two points, in length scales; null while no point has a value. */
  distance(one: readonly number[], other: readonly number[]): number | null {
    return this.#models.objective?.posterior.covariance.distance(one, other) ?? null;
  }

  /** The points with a value, the best first. Points that meet the requirements come before points that miss them. */
  ranked(): Known[] {
    const { isNoisy } = this.#problem;
    return this.#known().sort(
      (one, other) =>
        one.violation - other.violation || (isNoisy ? one.mean - other.mean : one.value - other.value),
    );
  }

  /** The expected value at a point, in the units of the values; null while no point has a value. */
  expected(x: readonly number[]): number | null {
    return this.#models.objective?.predict(x).mean ?? null;
  }

  /** The points with a value, in the order of the log. */
  #known(): Known[] {
    const { objective, requirements } = this.#models;
    if (!objective) return [];
    const { isNoisy } = this.#problem;
    return this.log
      .filter(({ value }) => value !== null)
      .map(({ x, value, excess }, index) => {
        const violations = requirements.slice(1).map((model, i) => {
          const { warp } = model!.fit;
          const missedBy = isNoisy ? model!.posterior.meanOf(index) : warp.warped(excess[i]!);
          return missedBy - warp.warped(0);
        });
        const mean = objective.posterior.meanOf(index);
        return { x, value: value!, mean, violation: Math.max(0, ...violations) };
      });
  }
}

/** The observations for the model of failures; none while no point has failed. */
function failures(log: readonly Told[]): Observation[] {
  if (log.every(({ value }) => value !== null)) return [];
  return log.map(({ x, value }) => ({ x, value: value === null ? 1 : -1, variance: 0, runs: 1 }));
}

/** The observations for the model of a requirement. */
function excesses(log: readonly Told[], index: number): Observation[] {
  return log.flatMap(({ x, value, excess, runs }) =>
    value === null ? [] : [{ x, value: excess[index]!, variance: 0, runs }],
  );
}
