import { sumOf } from '../../../statistics/sample.ts';

/**
 * The constants of CMA-ES. They depend only on the dimension and the population. The names in brackets are the names in
 * the source.
 */
export interface Constants {
  /** The weights of the ranks, best first (w). Positive weights sum to 1; negative weights belong to the worse half. */
  weights: number[];
  /** The effective number of points of the positive weights (mu_eff). */
  effective: number;
  /** Learning rate of the path of the step size (c_sigma). */
  sigmaPath: number;
  /** Damping of the step size (d_sigma). */
  damping: number;
  /** Learning rate of the path of the covariance (c_c). */
  covariancePath: number;
  /** Learning rate of the covariance from its path (c_1). */
  rankOne: number;
  /** Learning rate of the covariance from the ranked points (c_mu). */
  rankMu: number;
  /** The mean length of a vector with a standard normal number per dimension (chi_N). */
  length: number;
}

/** The usual number of points in a generation: Table 1 of N. Hansen, arXiv:1604.00772. */
export function defaultPopulation(dimension: number): number {
  return 4 + Math.floor(3 * Math.log(dimension));
}

/**
 * Computes the constants by N. Hansen, "The CMA evolution strategy: a tutorial", arXiv:1604.00772, Table 1 and
 * equations 49 to 58.
 */
export function constantsOf(dimension: number, population: number): Constants {
  const raw = Array.from({ length: population }, (_, i) => Math.log((population + 1) / 2) - Math.log(i + 1));
  const effective = effectiveSize(raw.slice(0, Math.floor(population / 2)));
  const rankOne = 2 / ((dimension + 1.3) ** 2 + effective);
  const rankMu = Math.min(
    1 - rankOne,
    (2 * (0.25 + effective + 1 / effective - 2)) / ((dimension + 2) ** 2 + effective),
  );
  const effectiveNegative = effectiveSize(raw.slice(Math.floor(population / 2)));
  const negative = Math.min(
    1 + rankOne / rankMu,
    1 + (2 * effectiveNegative) / (effective + 2),
    (1 - rankOne - rankMu) / (dimension * rankMu),
  );
  const positiveSum = sumOf(raw.filter((weight) => weight > 0));
  const negativeSum = -sumOf(raw.filter((weight) => weight < 0));
  const sigmaPath = (effective + 2) / (dimension + effective + 5);
  return {
    weights: raw.map((weight) => (weight >= 0 ? weight / positiveSum : (weight * negative) / negativeSum)),
    effective,
    sigmaPath,
    damping: 1 + 2 * Math.max(0, Math.sqrt((effective - 1) / (dimension + 1)) - 1) + sigmaPath,
    covariancePath: (4 + effective / dimension) / (dimension + 4 + (2 * effective) / dimension),
    rankOne,
    rankMu,
    length: Math.sqrt(dimension) * (1 - 1 / (4 * dimension) + 1 / (21 * dimension ** 2)),
  };
}

/** The number of equally weighted points whose mean has the same variance. */
function effectiveSize(weights: readonly number[]): number {
  return sumOf(weights) ** 2 / sumOf(weights.map((weight) => weight ** 2));
}
