import type { Ask, SearchLog } from '../campaign/search/log.ts';
import type { Campaign } from '../campaign/types.ts';
import { runsAfter } from './confirm.ts';
import { isNoisy } from './noise.ts';
import { History } from './history.ts';
import { intervalOf } from './interval.ts';
import { keysOf } from './keys.ts';
import { type FinishedPoints, isFeasible, PointReader } from './point-value.ts';
import { type SearchSummary, summaryOf } from './summary.ts';

/** What a search has done: its points in the order of their asks, and what was compared at its end. */
export interface SearchStory {
  summary: SearchSummary;
  /** Whether chance has a part in the values: then the best one that was seen is too good. */
  isNoisy: boolean;
  /** Each point once, by its first ask. */
  points: AskedPoint[];
  /** The points of the comparison, the winner in front, then those with better means; empty where nothing was compared. */
  finalists: Finalist[];
}

/** A point that a search asked. */
export interface AskedPoint {
  ask: number;
  ordinal: number;
  key: string;
  /** Canonical, in the order of the inputs of the search. */
  values: string[];
  /** How the method found it. */
  by: string;
  /** How many asks the method knew the values of: the first so many. */
  seen: number;
  state: 'open' | 'known' | 'failed';
  /** What the method was told, in the sign of the output; null of an open point and of one that failed. */
  value: number | null;
  /** How many runs that value is of. */
  runs: number;
  /** The bounds of the search have become narrower since, and the point lies outside them. */
  isOutside: boolean;
  /** Whether the point is inside the bounds and its runs meet the requirements; false where there is no value. */
  isFeasible: boolean;
}

/** A point that was compared with others by new replications. */
export interface Finalist extends Pick<AskedPoint, 'ordinal' | 'key' | 'values'> {
  /** The mean over the replications of the comparison, which are comparable; null while they run. */
  mean: number | null;
  /** The confidence interval of that mean; null where there is none. */
  interval: [number, number] | null;
  runs: number;
  /** The value that it had when it was chosen: during the search, or in the comparison of a selection. Null where it has none. */
  seen: number | null;
  /** Whether its new replications meet the requirements, of a point that was chosen also the further ones. */
  isFeasible: boolean;
  isWinner: boolean;
}

/** Points of which a story needs the runs, beside those of the summary. */
export function comparedPoints({ events }: SearchLog): number[] {
  return events.flatMap((event) => (event.kind === 'finalists' ? event.ordinals : []));
}

/** @param campaign - one with a search */
export function storyOf(campaign: Campaign, log: SearchLog, finished: FinishedPoints): SearchStory {
  const summary = summaryOf(campaign, log, finished);
  const points = askedPoints(campaign, log);
  return {
    summary,
    isNoisy: isNoisy(campaign),
    points,
    finalists: finalistsIn(campaign, log, { summary, points }, finished),
  };
}

/** The points that were asked, each once, in the order of their asks. */
export function askedPoints(campaign: Campaign, { asks }: Pick<SearchLog, 'asks'>): AskedPoint[] {
  const history = new History(asks);
  const reader = new PointReader(campaign);
  const keyOf = keysOf(campaign);
  return asks.flatMap((ask, at): AskedPoint[] => {
    const { ordinal, values, by, seen, told, isOutside = false } = ask;
    if (ordinal === null || history.firstOf(values) !== at) return [];
    const value = told?.value ?? null;
    return [
      {
        ...{ ask: at, ordinal, key: keyOf(values).key, values, by, seen, runs: told?.runs ?? 0 },
        state: stateOf(ask),
        value: value === null ? null : reader.signed(value),
        isOutside,
        isFeasible: value !== null && !isOutside && isFeasible(told!),
      },
    ];
  });
}

function stateOf({ told }: Ask): AskedPoint['state'] {
  if (told === null) return 'open';
  return told.value === null ? 'failed' : 'known';
}

function finalistsIn(
  campaign: Campaign,
  { events }: SearchLog,
  { summary: { best, stage }, points }: Pick<SearchStory, 'summary' | 'points'>,
  finished: FinishedPoints,
): Finalist[] {
  const compared = events.find((event) => event.kind === 'finalists');
  if (!compared) return [];
  const reader = new PointReader(campaign);
  const rejected = new Set(events.flatMap((event) => (event.kind === 'rejected' ? event.ordinal : [])));
  const byOrdinal = new Map(points.map((point) => [point.ordinal, point]));
  const all = compared.ordinals.map((ordinal): Finalist => {
    const { key, values, value: seen } = byOrdinal.get(ordinal)!;
    const won = events.find((event) => event.kind === 'winner' && event.ordinal === ordinal);
    const last = won?.kind === 'winner' ? won.after : Infinity;
    const fresh = runsAfter(finished, ordinal, compared.after).filter(
      ({ replication }) => replication <= last,
    );
    const told = fresh.length > 0 ? reader.valueOf(fresh) : undefined;
    const mean = typeof told?.value === 'number' ? reader.signed(told.value) : null;
    return {
      ...{ ordinal, key, values, seen, mean },
      interval: mean === null ? null : intervalOf(campaign, mean, told!),
      runs: told?.runs ?? 0,
      isFeasible: mean !== null && isFeasible(told!) && !rejected.has(ordinal),
      isWinner: best?.ordinal === ordinal && stage === 'over',
    };
  });
  return byRank(all, reader);
}

/** The winner in front, then those with better means; those without a mean are last. */
export function byRank(finalists: readonly Finalist[], reader: PointReader): Finalist[] {
  const rank = ({ mean, isWinner }: Finalist): number =>
    isWinner ? -Infinity : mean === null ? Infinity : reader.signed(mean);
  // not by a difference, as that of two infinities is no number
  return finalists.toSorted((a, b) => Number(rank(a) > rank(b)) - Number(rank(a) < rank(b)));
}
