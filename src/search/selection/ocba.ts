import {
  chanceVariance,
  isLower,
  largestSquaredJump,
  type Spread,
  spreadOf,
} from '../../statistics/chance.ts';
import { meanOf, sumOf } from '../../statistics/sample.ts';

/**
 * Optimal computing budget allocation: C.-H. Chen, J. Lin, E. Yücesan and S. E. Chick, "Simulation budget allocation
 * for further enhancing the efficiency of ordinal optimization", Discrete Event Dynamic Systems 10 (2000) 251-270,
 * theorem 1. It spends the runs of a budget on the systems where they help most to choose the system with the lowest
 * mean.
 */

/** The values to compare. Lower is better. */
export interface OcbaInput {
  /**
   * The values of each system by replication; null for a failed replication, which also counts as a run of the budget.
   */
  values: readonly (readonly (number | null)[])[];
  /** Whether the values are zeros and ones, or zeros and minus ones. */
  isShare: boolean;
  /** Replications of each system before the first comparison: at least 2. */
  first: number;
  /** Runs of a round: at least 1. With small rounds the budget is spent better, but there are more rounds. */
  step: number;
  /** Runs of all systems together. */
  runs: number;
}

/** Systems are given by their indices. */
export type OcbaDecision =
  /** `best`: null if no system has a value. */
  | { decided: true; best: number | null }
  /** The new total of replications of each system. */
  | { decided: false; replications: number[] };

/**
 * Chooses the system with the lowest mean when the budget is used up, or decides the next number of replications of
 * each system. These numbers never decrease. Their sum exceeds the budget only if the first replications of all systems
 * already exceed it.
 */
export function nextOfOcba({ values, isShare, first, step, runs }: OcbaInput): OcbaDecision {
  const counts = values.map(({ length }) => length);
  if (counts.some((count) => count < first))
    return { decided: false, replications: counts.map((count) => Math.max(count, first)) };
  const known = values.map((own) => own.filter((value) => value !== null));
  const withValues = known.flatMap(({ length }, at) => (length === 0 ? [] : [at]));
  const total = sumOf(counts);
  if (total >= runs || withValues.length < 2)
    return { decided: true, best: lowest(withValues, (at) => meanOf(known[at]!)) };
  const budget = Math.min(step, runs - total);
  const means = withValues.map((at) => meanOf(known[at]!));
  const samples = withValues.map((at) => spreadOf(known[at]!));
  const used = sumOf(withValues.map((at) => counts[at]!));
  const wanted = allocateOcba(means, variancesOf(samples, isShare), used + budget);
  // some systems already have more than their share, so not all others can get their whole share
  const missing = withValues.map((at, n) => Math.max(0, wanted[n]! - counts[at]!));
  const added = apportion(missing, budget);
  const replications = counts.slice();
  for (const [n, at] of withValues.entries()) replications[at]! += added[n]!;
  return { decided: false, replications };
}

/**
 * The ideal number of runs of each system. A very small difference from the best mean is replaced by the standard error
 * that the difference would have if each of the two systems had the whole budget. Otherwise systems with equal means
 * would take all runs for no gain.
 *
 * @param means - means by system, two or more; the lowest is the best
 * @param variances - variances of single runs, by system
 * @param budget - a whole number of runs
 * @returns whole numbers with the sum `budget`
 */
export function allocateOcba(
  means: readonly number[],
  variances: readonly number[],
  budget: number,
): number[] {
  const best = lowest([...means.keys()], (at) => means[at]!)!;
  const weights = means.map((mean, at) => {
    const least = (variances[at]! + variances[best]!) / budget;
    return variances[at] === 0 ? 0 : variances[at]! / Math.max((mean - means[best]!) ** 2, least);
  });
  weights[best] = 0;
  // a system without variance has no weight, and adds nothing here
  const squares = sumOf(
    weights.map((weight, at) => (variances[at] === 0 ? 0 : weight ** 2 / variances[at]!)),
  );
  weights[best] = Math.sqrt(variances[best]! * squares);
  return apportion(sumOf(weights) > 0 ? weights : means.map(() => 1), budget);
}

/**
 * Divides a total into whole numbers in proportion to weights, by the method of the largest remainder. If remainders
 * are equal, the first weight gets more.
 */
function apportion(weights: readonly number[], total: number): number[] {
  const scale = total / sumOf(weights);
  const exact = weights.map((weight) => weight * scale);
  const shares = exact.map(Math.floor);
  const order = [...weights.keys()].toSorted(
    (a, b) => exact[b]! - shares[b]! - (exact[a]! - shares[a]!) || a - b,
  );
  for (const at of order.slice(0, total - sumOf(shares))) shares[at]! += 1;
  return shares;
}

/**
 * The variance of single runs, at least as large as chance allows. A system with a single value gets the largest variance
 * of the others.
 */
function variancesOf(samples: readonly Spread[], isShare: boolean): number[] {
  const squaredJump = isShare ? 1 : largestSquaredJump(samples);
  const known = samples.map((sample) => chanceVariance(sample, squaredJump));
  const largest = Math.max(0, ...known.map((variance) => variance ?? 0));
  return known.map((variance) => variance ?? largest);
}

function lowest(systems: readonly number[], valueOf: (at: number) => number): number | null {
  if (systems.length === 0) return null;
  return systems.reduce((best, at) => (isLower(valueOf(at), valueOf(best)) ? at : best));
}
