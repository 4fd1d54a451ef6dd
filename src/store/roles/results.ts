import type { Batched } from '../../batched.ts';
import type { Origin, PlannedRun } from './runs.ts';

/**
 * A finished run as a row. `values` has the values of the varied inputs. `outputs` has the outputs by name, as the
 * service sent them.
 */
export interface ResultRow {
  point: string;
  replication: number;
  status: 'done' | 'failed';
  values: readonly string[];
  /** How often the design has the point of the run; absent if it has the point once. */
  draws?: number | undefined;
  outputs: Record<string, string>;
  reason: string | null;
  runId: string | null;
  origin: Origin | null;
  requestedAt: number | null;
  finishedAt: number | null;
  /** The number of the model version of the run; null for the campaign's first version. */
  version: number | null;
  /**
   * The number of the ask (a request of the search for a point) that chose the run's point. It exists only in the
   * results of a search or a calibration.
   */
  ask?: number | null;
  /** In a calibration: the generation of the run; the first generation is 1. */
  generation?: number | null;
  /** In a calibration: the weight of the run's point in its generation; null if the point was not accepted. */
  weight?: number | null;
}

/** A finished run with its seq, and with the ordinal and the position of its point. */
export interface FinishedRow {
  seq: number;
  ordinal: number;
  position: number;
  row: ResultRow;
}

/**
 * A completed run with the inputs of its request. `runId` is null if the results came without a request for the run.
 */
export type DoneRun = Pick<PlannedRun, 'seq' | 'point' | 'replication' | 'reseeded' | 'version'> & {
  runId: string | null;
};

/** The place where a look (a call of `recentResults`) ended. The next look continues there. Runs are given by seq. */
export interface ResultCursor {
  /** Runs that are requested and have not finished, or that wait to be requested again. */
  open: number[];
  /** The runs that failed most recently, and when they failed. They may be requested again. */
  failed: { seq: number; finishedAt: number | null }[];
  /** The highest seq of a run that the looks so far have seen finished. */
  last: number;
}

/** A finished run's place in the design. */
export interface ResultPlace {
  position: number;
  ordinal: number;
  replication: number;
}

/** Results: finished runs and their outputs. */
export interface ResultStore {
  /** Finished runs in design order: by point, then replication. */
  results(id: string): Batched<ResultRow>;
  /**
   * A page of finished runs in design order, and the place where the next page begins; null on the last page.
   *
   * @param limit - the maximum number of runs. A page with large outputs has fewer
   * @param after - `next` of the previous page; without it, the page begins at the first run
   */
  resultPage(
    id: string,
    options: { limit: number; after?: ResultPlace | undefined; status?: ResultRow['status'] | undefined },
  ): Promise<{ rows: ResultRow[]; next: ResultPlace | null }>;
  /**
   * Runs that have finished since the last look, newest first, at most a few hundred. A look is quick in a campaign of
   * any size. A run that failed and was requested again appears again when it finishes. When thousands of runs wait to
   * be requested again, a look may miss a run that was requested and finished between two looks. The first look reads
   * only the finished runs with the highest seqs.
   */
  recentResults(id: string, since?: ResultCursor): Promise<{ rows: ResultRow[]; look: ResultCursor }>;
  /** The outcomes of the given runs that have finished. A repeated activity starts from these. */
  finished(
    id: string,
    seqs: readonly number[],
  ): Promise<{ seq: number; state: 'done' | 'failed'; origin: Origin | null }[]>;
  /**
   * The seqs of finished runs from `from` on, in batches of at most 10,000. Completed runs come first, then failed
   * runs. The seqs of each group ascend.
   */
  finishedSeqs(id: string, from: number): AsyncIterable<number[]>;
  /**
   * The finished runs among at most 1,000 runs, ordered by seq. If their outputs are large, only the first of the runs
   * are looked up, and `left` has the others.
   */
  finishedAmong(id: string, seqs: readonly number[]): Promise<{ rows: FinishedRow[]; left: number[] }>;

  /** Completed runs that lack at least one of the given outputs, in batches. */
  lacking(id: string, outputs: readonly string[]): AsyncIterable<DoneRun[]>;
  /** Replaces the outputs of completed runs. */
  setOutputs(id: string, rows: readonly { seq: number; outputs: Record<string, string> }[]): Promise<void>;
}
