import { rejectedIn, type SearchEvent, type SearchStep } from '../campaign/search/log.ts';
import { hasSeed } from '../campaign/seeds.ts';
import { confidenceAmong } from '../statistics/chance.ts';
import type { CampaignBy } from '../campaign/types.ts';
import type { History } from './history.ts';
import { type FinishedPoints, type FinishedRun, isFeasible, type PointReader } from './point-value.ts';
import { finalists } from './selection/finalists.ts';
import { areExact, type Comparison, nextOfComparison } from './selection/comparison.ts';

/**
 * The confirmation at the end of a search. The best value of a search is too good, because it decided which point is
 * the best. So the best points get new replications, which decide the winner. Then the winner gets further
 * replications. They do not decide which point is the best, so their mean is the value of the winner. Together with the runs
 * of the comparison, they can only show that the winner does not meet the requirements.
 */

export type Decided = Pick<SearchStep, 'events' | 'replications'>;

/**
 * Whether a search ends with a comparison of its best points. With a model without a seed there is no comparison,
 * because all repeats of a point would have the same value.
 */
export function isConfirmed({ strategy, base }: Pick<CampaignBy<'search'>, 'strategy' | 'base'>): boolean {
  return strategy.confirm !== null && hasSeed(base);
}

/**
 * The finalists, which are the points that are compared: the points with the best shrunken means, and the point that
 * the method recommends.
 *
 * @param recommended - the values of the recommended point; null if there is none
 * @returns the ordinals of the points, and `after`, the highest replication number that the search can use before the
 * comparison
 */
export function finalistsOf(
  { strategy, replications }: Pick<CampaignBy<'search'>, 'strategy' | 'replications'>,
  history: History,
  recommended: readonly string[] | null,
): { ordinals: number[]; after: number } {
  const candidates = history.candidates();
  const own = recommended && history.firstOf(recommended);
  const chosen = finalists(
    candidates.map(({ told }) => ({ mean: told.value!, variance: told.variance, runs: told.runs })),
    strategy.confirm!.best,
    candidates.findIndex(({ values }) => history.firstOf(values) === own),
  );
  return { ordinals: chosen.map((at) => candidates[at]!.ordinal!), after: strategy.most ?? replications };
}

/** The rule by which the finalists are compared. */
export function comparisonOf(
  { strategy }: Pick<CampaignBy<'search'>, 'strategy'>,
  { isShare }: Pick<PointReader, 'isShare'>,
): Comparison {
  const { replications, indifference, confidence } = strategy.confirm!;
  return { method: 'kn', first: replications, isShare, indifference, confidence };
}

/**
 * Compares the finalists by their new replications. The result requests more replications, or chooses the winner, or
 * ends the search because no finalist meets the requirements.
 *
 * @param report - the number of further replications of the winner
 */
export function compareFinalists(
  { rule, report }: { rule: Comparison; report: number },
  events: readonly SearchEvent[],
  finished: FinishedPoints,
  reader: PointReader,
): Decided {
  const { ordinals, after } = lastFinalists(events);
  const rejected = rejectedIn(events);
  const systems = ordinals.filter((ordinal) => !rejected.has(ordinal));
  if (systems.some((ordinal) => !finished.has(ordinal))) return { events: [], replications: [] };
  const fresh = systems.map((ordinal) => ({ ordinal, runs: runsAfter(finished, ordinal, after) }));
  const compared = fresh.filter(({ runs }) => {
    const told = reader.valueOf(runs);
    return told.value !== null && isFeasible(told);
  });
  if (compared.length === 0) return { events: [{ kind: 'over' }], replications: [] };
  const values = compared.map(({ runs }) => reader.valuesOf(runs));
  const next = nextOfComparison(rule, values, runsOf(fresh) - runsOf(compared));
  if (!next.decided)
    return {
      events: [],
      replications: compared.flatMap(({ ordinal, runs }, at) => {
        const to = next.replications[at]!;
        return to > runs.length ? { ordinal, from: after + runs.length + 1, to: after + to } : [];
      }),
    };
  const { ordinal } = compared[next.best]!;
  // a rejected point has more replications than the comparison uses
  const used = Math.max(...ordinals.map((each) => lastReplication(finished, each)));
  const lowest = reader.valueOf(compared[next.best]!.runs).value!;
  const isSure = next.isSure && !ordinals.some((other) => mayBeBetter(other, lowest));
  const winner: SearchEvent = { kind: 'winner', ordinal, isSure, after: used };
  if (areExact(rule)) return { events: [winner, { kind: 'over' }], replications: [] };
  return { events: [winner], replications: [{ ordinal, from: used + 1, to: used + report }] };

  /** Whether a point is better, and was left out for requirements that it may meet: its runs may have missed them by luck. */
  function mayBeBetter(other: number, lowest: number): boolean {
    if (rule.method !== 'kn' || compared.some((one) => one.ordinal === other)) return false;
    const runs = runsAfter(finished, other, after);
    const { value } = reader.valueOf(runs);
    const confidence = confidenceAmong(ordinals.length, rule.confidence);
    return value !== null && value < lowest && reader.mayMeet(runs, confidence);
  }
}

function runsOf(points: readonly { runs: readonly unknown[] }[]): number {
  return points.reduce((sum, { runs }) => sum + runs.length, 0);
}

/**
 * Reads the further replications of the winner, and ends the search. If the winner fails in these replications, or does not
 * meet the requirements, it is rejected, and the comparison goes on. All new runs of the winner decide together, each
 * with the same weight: a mean of a few further runs varies more than that of many runs of the comparison, so alone it
 * would reject a good winner by chance. These runs also choose among the finalists, so the intervals of required outputs allow for
 * their number.
 */
export function reportWinner(
  events: readonly SearchEvent[],
  finished: FinishedPoints,
  reader: PointReader,
): Decided {
  const { ordinal, after } = events.findLast((event) => event.kind === 'winner')!;
  if (!finished.has(ordinal)) return { events: [], replications: [] };
  const further = reader.valueOf(runsAfter(finished, ordinal, after));
  const isKept = further.value !== null && isFeasible(reader.valueOf(newRuns(events, finished, ordinal)));
  return { events: [isKept ? { kind: 'over' } : { kind: 'rejected', ordinal }], replications: [] };
}

/** The runs of a finalist since the comparison began. */
export function newRuns(
  events: readonly SearchEvent[],
  finished: FinishedPoints,
  ordinal: number,
): FinishedRun[] {
  return runsAfter(finished, ordinal, lastFinalists(events).after);
}

/** The finalists of the last comparison, which has begun. */
export function lastFinalists(events: readonly SearchEvent[]): Extract<SearchEvent, { kind: 'finalists' }> {
  return events.findLast((event) => event.kind === 'finalists')!;
}

/** The runs of a point with a replication number above `after`. */
export function runsAfter(finished: FinishedPoints, ordinal: number, after: number): FinishedRun[] {
  return (finished.get(ordinal) ?? []).filter(({ replication }) => replication > after);
}

function lastReplication(finished: FinishedPoints, ordinal: number): number {
  return Math.max(0, ...(finished.get(ordinal) ?? []).map(({ replication }) => replication));
}
