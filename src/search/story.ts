import { orderOf } from '../campaign/expressions/operators.ts';
import { type Ask, rejectedIn, type SearchLog } from '../campaign/search/log.ts';
import type { CampaignBy } from '../campaign/types.ts';
import { lastCompared, runsAfter } from './compare-finalists.ts';
import { isNoisy } from './noise.ts';
import { History } from './history.ts';
import {
  intervalOf,
  type RequiredOutput,
  requiredAt,
  type SeekingCampaign,
  type Selected,
} from './interval.ts';
import { pointMaker } from './point-maker.ts';
import { type FinishedPoints, type FinishedRun, isFeasible, PointReader } from './point-value.ts';
import { type SearchSummary, summaryOf } from './summary.ts';

/**
 * The course of a search: its points in the order of their asks, and the comparison at its end. An ask is a point that
 * the method proposed.
 */
export interface SearchStory {
  summary: SearchSummary;
  /** Whether chance affects the values. Then the best value of the search is too good. */
  isNoisy: boolean;
  /** Each point once, at the place of its first ask. */
  points: AskedPoint[];
  /**
   * The points of the comparison: the winner, then the others from the best mean to the worst, then the points without
   * a mean. Empty without a comparison.
   */
  finalists: Finalist[];
}

/** A point that a search has asked for. */
export interface AskedPoint {
  ask: number;
  ordinal: number;
  key: string;
  /** The canonical values, in the order of the inputs of the search. */
  values: string[];
  /** How the method found the point. */
  by: string;
  /** When the method found this point, it knew the values of this many asks, counted from the first. */
  seen: number;
  state: 'open' | 'known' | 'failed';
  /** The told value of the output; null for an open point and for a failed point. */
  value: number | null;
  /** The number of runs from which this value was computed. */
  runs: number;
  /** Whether the point lies outside the bounds of the search, because the bounds were changed later. */
  isOutside: boolean;
  /** Whether the point is inside the bounds and its runs meet the requirements; false without a value. */
  isFeasible: boolean;
}

/** A point that was compared with others by new replications. */
export interface Finalist extends Pick<AskedPoint, 'ordinal' | 'key' | 'values'> {
  /** The mean over the replications of the comparison; null while there are none. */
  mean: number | null;
  /** The confidence interval of that mean; null if there is none. */
  interval: [number, number] | null;
  runs: number;
  /** The value of the point during the search, or in the comparison of a selection; null if it had none. */
  seen: number | null;
  /**
   * Whether the new replications of the point meet the requirements. For the winner, its further replications count
   * too.
   */
  isFeasible: boolean;
  /** Whether the point was chosen, and its further replications failed or did not meet the requirements. */
  isRejected: boolean;
  isWinner: boolean;
  /** The values of the required outputs over the same replications. */
  required: RequiredOutput[];
}

export function storyOf(
  campaign: CampaignBy<'search'>,
  log: SearchLog,
  finished: FinishedPoints,
): SearchStory {
  const summary = summaryOf(campaign, log, finished);
  const points = askedPoints(campaign, log);
  return {
    summary,
    isNoisy: isNoisy(campaign),
    points,
    finalists: finalistsIn(campaign, log, { summary, points }, finished),
  };
}

/** The asked points, each once, in the order of their asks. */
export function askedPoints(campaign: CampaignBy<'search'>, { asks }: Pick<SearchLog, 'asks'>): AskedPoint[] {
  const history = new History(asks);
  const reader = new PointReader(campaign);
  const pointOf = pointMaker(campaign);
  return asks.flatMap((ask, at): AskedPoint[] => {
    const { ordinal, values, by, seen, told, isOutside = false } = ask;
    if (ordinal === null || history.firstOf(values) !== at) return [];
    const value = told?.value ?? null;
    return [
      {
        ask: at,
        ordinal,
        key: pointOf(values).key,
        values,
        by,
        seen,
        runs: told?.runs ?? 0,
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
  campaign: CampaignBy<'search'>,
  { events }: SearchLog,
  { summary: { best, stage }, points }: Pick<SearchStory, 'summary' | 'points'>,
  finished: FinishedPoints,
): Finalist[] {
  const compared = events.find((event) => event.kind === 'finalists');
  if (!compared) return [];
  const reader = new PointReader(campaign);
  const rejected = rejectedIn(events);
  const byOrdinal = new Map(points.map((point) => [point.ordinal, point]));
  const all = compared.ordinals.map((ordinal): Finalist => {
    const point = byOrdinal.get(ordinal)!;
    const last = lastCompared(events, ordinal);
    const fresh = runsAfter(finished, ordinal, compared.after).filter(
      ({ replication }) => replication <= last,
    );
    const isWinner = best?.ordinal === ordinal && stage === 'over';
    return {
      ...finalistAt(campaign, reader, point, fresh, { rejected, isWinner }),
      seen: point.value,
    };
  });
  return byRank(all, reader);
}

/**
 * A compared point, by some of its runs.
 *
 * @param selected - set if these runs have chosen the point
 */
export function finalistAt(
  campaign: SeekingCampaign,
  reader: PointReader,
  { ordinal, key, values }: Pick<Finalist, 'ordinal' | 'key' | 'values'>,
  runs: readonly FinishedRun[],
  { rejected, isWinner, selected }: { rejected: ReadonlySet<number>; isWinner: boolean; selected?: Selected },
): Finalist {
  const told = runs.length > 0 ? reader.valueOf(runs) : undefined;
  const mean = typeof told?.value === 'number' ? reader.signed(told.value) : null;
  const isRejected = rejected.has(ordinal);
  return {
    ordinal,
    key,
    values,
    mean,
    seen: mean,
    interval: mean === null ? null : intervalOf(campaign, reader, mean, told!, selected),
    runs: told?.runs ?? 0,
    isFeasible: mean !== null && isFeasible(told!) && !isRejected,
    isRejected,
    isWinner,
    required: requiredAt(campaign, reader, runs, selected?.among ?? 1),
  };
}

/** Orders points: first the winner, then the others from the best mean to the worst, then the points without a mean. */
export function byRank(finalists: readonly Finalist[], reader: PointReader): Finalist[] {
  const rank = ({ mean, isWinner }: Finalist): number => {
    if (isWinner) return -Infinity;
    return mean === null ? Infinity : reader.signed(mean);
  };
  return finalists.toSorted((a, b) => orderOf(rank(a), rank(b)));
}
