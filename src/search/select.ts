import { type SearchEvent, stageOf } from '../campaign/search/log.ts';
import type { CampaignBy } from '../campaign/types.ts';
import { compareFinalists, type Decided, reportWinner } from './compare-finalists.ts';
import { confidenceOfSearch } from './interval.ts';
import { type FinishedPoints, PointReader } from './point-value.ts';

/**
 * The next step of a selection. A selection compares points as a search does at its end. But it compares all points of
 * the design, and uses their replications from the first replication on. It depends only on the campaign, the log and
 * the finished runs.
 *
 * @param points - the number of points; their ordinals start at 0
 */
export function nextOfSelection(
  campaign: CampaignBy<'selection'>,
  points: number,
  events: readonly SearchEvent[],
  finished: FinishedPoints,
): Decided {
  const { strategy, replications: first } = campaign;
  const reader = new PointReader(campaign);
  const confidence = confidenceOfSearch(campaign);
  const rule = { ...strategy, first, isShare: reader.isShare, confidence };
  switch (stageOf({ events })) {
    case 'comparing':
      return compareFinalists({ rule, report: strategy.report }, events, finished, reader);
    case 'reporting':
      return reportWinner(rule, events, finished, reader);
    case 'over':
      return { events: [], replications: [] };
    // the comparison has not begun
    case 'searching':
    case 'finishing': {
      const ordinals = Array.from({ length: points }, (_, ordinal) => ordinal);
      return { events: [{ kind: 'finalists', ordinals, after: 0 }], replications: [] };
    }
  }
}
