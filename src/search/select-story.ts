import { namedValues } from '../campaign/designs/input-types.ts';
import { rejectedIn, type SearchEvent, stageOf } from '../campaign/search/log.ts';
import type { Selection } from '../campaign/search/search.ts';
import type { CampaignBy, Point } from '../campaign/types.ts';
import { areSame } from '../statistics/chance.ts';
import { lastCompared } from './compare-finalists.ts';
import { requiredAt, type Selected } from './interval.ts';
import { type FinishedRun, PointReader } from './point-value.ts';
import { byRank, type Finalist, finalistAt } from './story.ts';
import { type BestPoint, choiceOf, winnerOf } from './summary.ts';

/** The state of a selection, and its results so far. */
export interface SelectSummary {
  method: Selection['method'];
  /** `reporting`: the best point is chosen. Its value comes from further replications, which are still running. */
  stage: 'comparing' | 'reporting' | 'over';
  /** The number of compared points. */
  points: number;
  /** The number of failed points. */
  failed: number;
  /**
   * The best point; null while no point has a value and meets the requirements. `seen` is the mean of the best point
   * over the replications that chose it.
   */
  best: BestPoint | null;
}

/**
 * The course of a selection. Its points are ordered: first the winner if the selection is over, then the others from
 * the best mean to the worst, then the points without a mean.
 */
export interface SelectStory {
  summary: SelectSummary;
  points: Finalist[];
}

/** A point with its finished runs. `isWhole`: whether all its runs have finished. */
type Compared = Point & { runs: readonly FinishedRun[]; isWhole: boolean };

export function selectStoryOf(
  campaign: CampaignBy<'selection'>,
  events: readonly SearchEvent[],
  points: readonly Compared[],
): SelectStory {
  const stage = stageOf({ events });
  const winner = winnerOf(events);
  const reader = new PointReader(campaign);
  const rejected = rejectedIn(events);
  const finalistOf = (point: Compared, runs: readonly FinishedRun[], selected?: Selected): Finalist => {
    const isWinner = winner?.ordinal === point.ordinal && stage === 'over';
    return finalistAt(campaign, reader, point, runs, { rejected, isWinner, ...(selected && { selected }) });
  };
  const ofComparison = ({ ordinal, runs }: Compared): FinishedRun[] => {
    const last = lastCompared(events, ordinal);
    return runs.filter(({ replication }) => replication <= last);
  };
  const all = points.map((point) => finalistOf(point, ofComparison(point)));
  const ranked = byRank(all, reader);
  const byOrdinal = new Map(points.map((point) => [point.ordinal, point]));
  const bestPoint = (): BestPoint | null => {
    if (stage === 'over' && !winner) return null;
    const candidates = ranked.filter((point) => point.isFeasible);
    const best = winner ? ranked.find(({ ordinal }) => ordinal === winner.ordinal) : candidates[0];
    if (!best || best.mean === null) return null;
    const compared = byOrdinal.get(best.ordinal)!;
    const furtherRuns =
      winner && compared.isWhole ? compared.runs.filter(({ replication }) => replication > winner.after) : [];
    // until the runs after the comparison are there, the runs that chose the point give its value
    const isReported = furtherRuns.length > 0;
    const used = isReported ? furtherRuns : ofComparison(compared);
    const among = isReported ? 1 : Math.max(1, candidates.length);
    const others = among > 1 ? candidates.filter((point) => point !== best) : [];
    const next = others.map(({ ordinal }) => reader.valueOf(ofComparison(byOrdinal.get(ordinal)!)));
    const { mean, interval, runs, required } = finalistOf(compared, used, { among, next });
    return {
      ordinal: best.ordinal,
      key: best.key,
      value: mean ?? best.mean,
      inputs: namedValues(campaign.varied, best.values),
      interval,
      among,
      runs,
      failed: used.length - runs,
      seen: best.mean,
      isEqual: reader.areEqual(used),
      // all runs of the winner decide whether it meets the requirements, and so they have chosen it among all points
      required: isReported ? requiredAt(campaign, reader, compared.runs, points.length) : required,
      tied: isReported ? 0 : tiedWith(best, candidates),
      choice: isReported ? choiceOf(winner!) : 'alone',
    };
  };
  return {
    summary: {
      method: campaign.strategy.method,
      stage: stage === 'reporting' || stage === 'over' ? stage : 'comparing',
      points: points.length,
      failed: points.filter(({ isWhole }, at) => isWhole && all[at]!.mean === null).length,
      best: bestPoint(),
    },
    points: ranked,
  };
}

/** The number of other points with the same mean. */
function tiedWith({ ordinal, mean }: Finalist, points: readonly Finalist[]): number {
  const isTied = (other: number | null): boolean => mean !== null && other !== null && areSame(other, mean);
  return points.filter((point) => isTied(point.mean) && point.ordinal !== ordinal).length;
}
