import type { SearchLog, SearchStep } from '../../campaign/search/log.ts';
import type { Point } from '../../campaign/types.ts';
import type { FinishedPoint, FinishedRun } from './design.ts';

/** How many asks and events the log of a search has. */
export interface SearchLength {
  asks: number;
  events: number;
}

/** What a step of a search added: the seqs of its runs, and the points of its asks. */
export interface SearchWritten {
  seqs: number[];
  ordinals: (number | null)[];
}

/** A point with those of its runs that have finished, in the order of their replications; `isWhole` when all of them have. */
export interface ComparedPoint extends Point {
  runs: FinishedRun[];
  isWhole: boolean;
}

/** The log of the search of a campaign. */
export interface SearchStore {
  /** The log; an empty one of a campaign without a search. */
  searchLog(id: string): Promise<SearchLog>;
  searchLength(id: string): Promise<SearchLength>;
  /** The numbers of the first asks of points, by the points' keys. */
  asksOfPoints(id: string): Promise<Map<string, number>>;
  /**
   * Adds a step to the log, with the points and runs that it asks for, all at once. Undefined when the log no longer has the length that
   * is given: nothing is changed then.
   */
  writeSearch(id: string, length: SearchLength, step: SearchStep): Promise<SearchWritten | undefined>;
  /** Of some points, those whose runs have all finished. */
  finishedAt(id: string, ordinals: readonly number[]): Promise<FinishedPoint[]>;
  /** All points in the order of their ordinals. */
  comparedPoints(id: string): Promise<ComparedPoint[]>;
}
