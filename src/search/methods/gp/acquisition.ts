import { normalCdf } from '../../../statistics/normal.ts';
import type { Model } from './model.ts';

/** The logarithm of a function of a standardized distance, and the derivative of this logarithm. */
interface Log {
  log: number;
  slope: number;
}

const LOG_ROOT_2_PI = 0.5 * Math.log(2 * Math.PI);

/**
 * The logarithm of the expected improvement in standard deviations, log(φ(z) + z·Φ(z)), and its derivative. It loses no
 * digits where the improvement is nearly 0. S. Ament, S. Daulton, D. Eriksson, M. Balandat and E. Bakshy, "Unexpected
 * improvements to expected improvement for Bayesian optimization", NeurIPS (2023), section 4.1.
 */
export function logImprovement(z: number): Log {
  const logDensity = -0.5 * z * z - LOG_ROOT_2_PI;
  if (z > -1) {
    const below = normalCdf(z);
    const improvement = Math.exp(logDensity) + z * below;
    return { log: Math.log(improvement), slope: below / improvement };
  }
  const x = -z;
  if (x > FAR) {
    const rest = restOfMills(x);
    return { log: logDensity + Math.log(rest), slope: (1 - rest) / x / rest };
  }
  const ratio = normalCdf(z) * Math.exp(-logDensity);
  const rest = 1 - x * ratio;
  return { log: logDensity + Math.log(rest), slope: ratio / rest };
}

/** log Φ(z), and its derivative. */
export function logChance(z: number): Log {
  const logDensity = -0.5 * z * z - LOG_ROOT_2_PI;
  if (z < -FAR) {
    const ratio = (1 - restOfMills(-z)) / -z;
    return { log: logDensity + Math.log(ratio), slope: 1 / ratio };
  }
  const below = normalCdf(z);
  return { log: Math.log(below), slope: Math.exp(logDensity) / below };
}

/** 1 - x·M(x) for Mills' ratio M(x) = Φ(-x) / φ(x), by a series in 1 / x². It is precise if x is larger than `FAR`. */
function restOfMills(x: number): number {
  const s = 1 / (x * x);
  return s * (1 - 3 * s * (1 - 5 * s * (1 - 7 * s)));
}

const FAR = 25;

/** The models by which a proposal is chosen. */
export interface Acquisition {
  /**
   * The model of the objective, and the best known value. Null while no known point meets the requirements: then only
   * the chances to meet them count.
   */
  objective: { model: Model; best: number } | null;
  /** For each requirement, a model of a number that must be at most `limit`, in warped units (warp.ts). */
  requirements: readonly { model: Model; limit: number }[];
}

/**
 * The score of a point: the logarithm of a product. Its factors are the expected improvement, and the chance to meet
 * each requirement. J. R. Gardner et al., "Bayesian optimization with inequality constraints", ICML (2014), section 3.
 */
export function score({ objective, requirements }: Acquisition, x: readonly number[]): number {
  let sum = 0;
  if (objective) {
    const { mean, variance } = objective.model.posterior.predict(x);
    const sd = Math.sqrt(variance);
    sum += Math.log(sd) + logImprovement((objective.best - mean) / sd).log;
  }
  for (const { model, limit } of requirements) {
    const { mean, variance } = model.posterior.predict(x);
    sum += logChance((limit - mean) / Math.sqrt(variance)).log;
  }
  return sum;
}

/** Returns the same score, and writes its derivatives with respect to the coordinates into `slope`. */
export function scoreAndSlope(
  { objective, requirements }: Acquisition,
  x: readonly number[],
  slope: Float64Array,
): number {
  slope.fill(0);
  let sum = 0;
  const add = (model: Model, limit: number, isImprovement: boolean): void => {
    const { mean, variance, meanSlope, varianceSlope } = model.posterior.slopes(x);
    const sd = Math.sqrt(variance);
    const z = (limit - mean) / sd;
    const found = isImprovement ? logImprovement(z) : logChance(z);
    sum += found.log + (isImprovement ? Math.log(sd) : 0);
    const byMean = -found.slope / sd;
    const byVariance = ((isImprovement ? 1 : 0) - found.slope * z) / (2 * variance);
    for (let j = 0; j < slope.length; j += 1) {
      slope[j]! += byMean * meanSlope[j]! + byVariance * varianceSlope[j]!;
    }
  };
  if (objective) add(objective.model, objective.best, true);
  for (const { model, limit } of requirements) add(model, limit, false);
  return sum;
}
