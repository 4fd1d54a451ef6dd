import { isLower } from '../../statistics/chance.ts';
import { nextOfKn } from './kn.ts';
import { nextOfOcba } from './ocba.ts';

/**
 * The rule of a comparison. `first`: the replications of each point before the comparison; 1 if all replications of a
 * point would have the same value (`areExact`). `isShare`: whether the values are zeros and ones, or zeros and minus ones.
 * `confidence`: of the choice, and of intervals that decide whether a point meets the requirements.
 */
export type Comparison = { first: number; isShare: boolean; confidence: number } & (
  | { method: 'kn'; indifference: number }
  /** `runs`: the budget of all points together, in runs. */
  | { method: 'ocba'; runs: number }
);

/**
 * The best point, by index, or the new total replications of each point. `isSure`: with the given confidence, no other
 * point is better by more than the indifference.
 */
export type ComparisonDecision =
  | { decided: true; best: number; isSure: boolean }
  | { decided: false; replications: number[] };

/**
 * Whether one replication of each point is exact, because the model has no seed. Equal values of several replications do
 * not show this: a rare value may be missing by chance.
 */
export function areExact({ first }: Pick<Comparison, 'first'>): boolean {
  return first === 1;
}

/** The maximum number of replications of a point in the procedure of Kim and Nelson. */
export const MOST_REPLICATIONS = 2_000;
/**
 * The approximate maximum number of rounds in which a budget is spent. More rounds spend it a little better, and take
 * more time.
 */
const ROUNDS = 20;

/**
 * Chooses the best point, or decides how many more replications each point gets. The decision depends only on these
 * arguments. So it does not matter who decides, when, or how often.
 *
 * @param values - the minimized values, by point and replication; null for a failed replication. Each point has a value
 * @param spent - runs of the budget that points outside the comparison have used
 */
export function nextOfComparison(
  rule: Comparison,
  values: readonly (readonly (number | null)[])[],
  spent: number,
): ComparisonDecision {
  if (areExact(rule)) {
    const best = values.reduce((lowest, own, at) => (isLower(own[0]!, values[lowest]![0]!) ? at : lowest), 0);
    return { decided: true, best, isSure: true };
  }
  if (rule.method === 'kn') {
    const next = nextOfKn({ ...rule, values, most: MOST_REPLICATIONS });
    if (next.decided) return { decided: true, best: next.best, isSure: next.reached };
    const surviving = new Set(next.surviving);
    const replications = values.map(({ length }, at) => (surviving.has(at) ? next.replications : length));
    return { decided: false, replications };
  }
  const { first, isShare, runs } = rule;
  const step = Math.max(values.length, Math.ceil((runs - first * values.length) / ROUNDS));
  const next = nextOfOcba({ values, isShare, first, step, runs: runs - spent });
  if (!next.decided) return next;
  return { decided: true, best: next.best!, isSure: false };
}
