import { rejectedIn, type SearchEvent, type SearchLog, type SearchStep } from '../campaign/search/log.ts';
import { hasSeed } from '../campaign/seeds.ts';
import type { CampaignBy } from '../campaign/types.ts';
import type { History } from './history.ts';
import { type FinishedPoints, type FinishedRun, isFeasible, type PointReader } from './point-value.ts';
import { finalists } from './selection/finalists.ts';
import { areExact, type Comparison, MOST_REPLICATIONS, nextOfComparison } from './selection/comparison.ts';
import { MOST_GROWTH } from './selection/kn.ts';

/**
 * The confirmation at the end of a search. The best value of a search is too good, because it decided which point is
 * the best. So the best points get new replications, which decide the winner. Then the winner gets further
 * replications. They do not decide which point is the best, so their mean is the value of the winner. Together with the
 * runs of the comparison, they can only show that the winner does not meet the requirements.
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
  const recommendedAsk = recommended && history.firstOf(recommended);
  const chosen = finalists(
    candidates.map(({ told }) => ({ mean: told.value!, variance: told.variance, runs: told.runs })),
    strategy.confirm!.best,
    candidates.findIndex(({ values }) => history.firstOf(values) === recommendedAsk),
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
 * ends the search because no finalist meets the requirements. A few runs may miss a requirement by luck, so a finalist is
 * left out only if the interval of the required output does not reach the limits, or if it cannot have more runs. The
 * winner meets the requirements in its own runs.
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
  const remaining = ordinals.filter((ordinal) => !rejected.has(ordinal));
  if (remaining.some((ordinal) => !finished.has(ordinal))) return { events: [], replications: [] };
  const fresh = remaining.map((ordinal) => ({ ordinal, runs: runsAfter(finished, ordinal, after) }));
  const mostOf = mostIn(rule, runsOf(fresh));
  const compared = fresh.filter(({ runs }) => {
    const told = reader.valueOf(runs);
    if (told.value === null) return false;
    return isFeasible(told) || (mostOf(runs.length) > runs.length && mayMeet(reader, rule, runs));
  });
  if (compared.length === 0) return { events: [{ kind: 'over' }], replications: [] };
  const values = compared.map(({ runs }) => reader.valuesOf(runs));
  const spentOnOthers = runsOf(fresh) - runsOf(compared);
  const next = nextOfComparison(rule, values, spentOnOthers);
  if (!next.decided)
    return {
      events: [],
      replications: compared.flatMap(({ ordinal, runs }, at) => {
        const to = next.replications[at]!;
        return to > runs.length ? { ordinal, from: after + runs.length + 1, to: after + to } : [];
      }),
    };
  const { ordinal, runs } = compared[next.best]!;
  const best = reader.valueOf(runs);
  if (!isFeasible(best)) {
    const from = after + runs.length + 1;
    return { events: [], replications: [{ ordinal, from, to: after + enlarged(runs.length, mostOf) }] };
  }
  /** Whether a finalist that was left out is better, and may meet the requirements in spite of its runs. */
  const mayBeBetter = (other: number): boolean => {
    if (compared.some((one) => one.ordinal === other)) return false;
    const own = runsAfter(finished, other, after);
    const { value } = reader.valueOf(own);
    return value !== null && value < best.value! && mayMeet(reader, rule, own);
  };
  const isSure = next.isSure && (areExact(rule) || !ordinals.some(mayBeBetter));
  // of all finalists, because a rejected one has further replications
  const last = Math.max(...ordinals.map((each) => lastReplication(finished, each)));
  const winner: SearchEvent = { kind: 'winner', ordinal, isSure, after: last };
  if (areExact(rule)) return { events: [winner, { kind: 'over' }], replications: [] };
  return { events: [winner], replications: [{ ordinal, from: last + 1, to: last + report }] };
}

/**
 * Whether a point may meet the requirements. The choice is wrong only if the best point that meets them is left out, so one
 * interval must hold, and only in one direction.
 */
function mayMeet(reader: PointReader, { confidence }: Comparison, runs: readonly FinishedRun[]): boolean {
  return reader.mayMeet(runs, 2 * confidence - 1);
}

/** The most runs that a point can get, from the number of its runs. */
type MostOf = (runs: number) => number;

/** @param spent - the runs of all points so far */
function mostIn(rule: Comparison, spent: number): MostOf {
  if (areExact(rule)) return (runs) => runs;
  return rule.method === 'kn' ? () => MOST_REPLICATIONS : (runs) => runs + Math.max(0, rule.runs - spent);
}

/** The new number of runs of a point that gets further runs alone, until it is clear whether it meets the requirements. */
function enlarged(runs: number, mostOf: MostOf): number {
  return Math.min(mostOf(runs), runs + Math.ceil(MOST_GROWTH * runs));
}

function runsOf(points: readonly { runs: readonly unknown[] }[]): number {
  return points.reduce((sum, { runs }) => sum + runs.length, 0);
}

/**
 * Reads the further replications of the winner, and ends the search. If the winner fails in these replications, or does
 * not meet the requirements, it is rejected, and the comparison goes on. If it misses them, but perhaps only by luck, it
 * gets more replications first.
 *
 * All new runs of the winner decide together, each with the same weight: a mean of a few further runs varies more than
 * that of many runs of the comparison, so alone it would reject a good winner by chance. These runs also choose among
 * the finalists, so the intervals of required outputs allow for the number of finalists.
 */
export function reportWinner(
  rule: Comparison,
  events: readonly SearchEvent[],
  finished: FinishedPoints,
  reader: PointReader,
): Decided {
  const { ordinal, after } = events.findLast((event) => event.kind === 'winner')!;
  if (!finished.has(ordinal)) return { events: [], replications: [] };
  const hasFailed = reader.valueOf(runsAfter(finished, ordinal, after)).value === null;
  const runs = newRuns(events, finished, ordinal);
  if (!hasFailed && isFeasible(reader.valueOf(runs))) return { events: [{ kind: 'over' }], replications: [] };
  // by now, the comparison has spent its budget
  const mostOf = mostIn(rule, Infinity);
  const added = enlarged(runs.length, mostOf) - runs.length;
  if (hasFailed || added <= 0 || !mayMeet(reader, rule, runs))
    return { events: [{ kind: 'rejected', ordinal }], replications: [] };
  const last = lastReplication(finished, ordinal);
  return { events: [], replications: [{ ordinal, from: last + 1, to: last + added }] };
}

/** The runs of a finalist since the comparison began. */
export function newRuns(
  events: readonly SearchEvent[],
  finished: FinishedPoints,
  ordinal: number,
): FinishedRun[] {
  return runsAfter(finished, ordinal, lastFinalists(events).after);
}

/** The finalists of all comparisons. */
export function comparedPoints({ events }: Pick<SearchLog, 'events'>): number[] {
  return events.flatMap((event) => (event.kind === 'finalists' ? event.ordinals : []));
}

/** The finalists of the last comparison, which has begun. */
export function lastFinalists(events: readonly SearchEvent[]): Extract<SearchEvent, { kind: 'finalists' }> {
  return events.findLast((event) => event.kind === 'finalists')!;
}

/**
 * The highest replication number with which a point was compared: its further replications did not choose it. Infinity
 * for a point that was never chosen.
 */
export function lastCompared(events: readonly SearchEvent[], ordinal: number): number {
  const chosen = events.find((event) => event.kind === 'winner' && event.ordinal === ordinal);
  return chosen?.kind === 'winner' ? chosen.after : Infinity;
}

/** The runs of a point with a replication number above `after`. */
export function runsAfter(finished: FinishedPoints, ordinal: number, after: number): FinishedRun[] {
  return (finished.get(ordinal) ?? []).filter(({ replication }) => replication > after);
}

function lastReplication(finished: FinishedPoints, ordinal: number): number {
  return Math.max(0, ...(finished.get(ordinal) ?? []).map(({ replication }) => replication));
}
