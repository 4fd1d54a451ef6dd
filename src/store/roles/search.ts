import type { SearchEvent, SearchLength, SearchLog, SearchStep } from '../../campaign/search/log.ts';
import type { Point } from '../../campaign/types.ts';
import type { CampaignRecord } from './campaigns.ts';
import type { FinishedPoint, FinishedRun } from './design.ts';

/** The additions of a step of a search: the seqs of new runs, and for each ask (requested point) its ordinal. */
export interface SearchWritten {
  seqs: number[];
  ordinals: (number | null)[];
}

/**
 * A point with its finished runs, in the order of their replications. `isWhole` tells whether all runs of the point
 * have finished.
 */
export interface ComparedPoint extends Point {
  runs: FinishedRun[];
  isWhole: boolean;
}

/** The log of the search or the selection of a campaign. */
export interface SearchStore {
  /** The log; empty for a campaign without a search or a selection. */
  searchLog(id: string): Promise<SearchLog>;
  searchLength(id: string): Promise<SearchLength>;
  /** The number of the first ask of each point, by the key of the point. */
  asksOfPoints(id: string): Promise<Map<string, number>>;
  /**
   * Adds a step to the log, with the points and runs that it asks for, in one transaction. Returns undefined, and
   * changes nothing, when the log no longer has the given length.
   */
  writeSearch(id: string, length: SearchLength, step: SearchStep): Promise<SearchWritten | undefined>;
  /**
   * Changes the definition of a campaign with a search, and adds an event to the log, in one transaction. Points and
   * runs stay. A second call with the same definition changes nothing. Returns false, and changes nothing, when the log
   * no longer has the given length.
   */
  changeSearch(
    record: Pick<CampaignRecord, 'campaign' | 'definition' | 'digest'>,
    change: { length: SearchLength; event: SearchEvent },
    now: number,
  ): Promise<boolean>;
  /** The points with the given ordinals, but only points whose runs have all finished. */
  finishedAt(id: string, ordinals: readonly number[]): Promise<FinishedPoint[]>;
  /** All points in the order of their ordinals. */
  comparedPoints(id: string): Promise<ComparedPoint[]>;
}
