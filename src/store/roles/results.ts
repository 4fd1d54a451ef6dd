import type { Origin, PlannedRun } from './runs.ts';

/** A finished run as a row. `values` are those of the varied inputs; `outputs` by name, each as the service gave it. */
export interface ResultRow {
  point: string;
  replication: number;
  status: 'done' | 'failed';
  values: readonly string[];
  outputs: Record<string, string>;
  reason: string | null;
  runId: string | null;
  origin: Origin | null;
  requestedAt: number | null;
  finishedAt: number | null;
  /** Number of the model version that it ran with; null for the campaign's first one. */
  version: number | null;
  /** The number of the ask that its point came from; only in the results of a search. */
  ask?: number | null;
}

/** A finished run with its seq. */
export interface FinishedRow {
  seq: number;
  row: ResultRow;
}

/** A completed run, with what it was requested with. `runId` is null when the results came without a request for the run. */
export type DoneRun = Pick<PlannedRun, 'seq' | 'point' | 'replication' | 'reseeded' | 'version'> & {
  runId: string | null;
};

/** Where a look at a campaign's runs ended, so that the next one goes on from there. All numbers are seqs. */
export interface Look {
  /** Requested and not finished, or waiting to be requested again. */
  open: number[];
  /** The runs that failed last, and when. They may be requested again. */
  failed: { seq: number; finishedAt: number | null }[];
  /** The highest seq of a finished run. */
  last: number;
}

/** Results: finished runs and their outputs. */
export interface ResultStore {
  /** Finished runs in design order: by point, then replication. */
  results(id: string): AsyncIterable<ResultRow>;
  /**
   * Runs that have finished since a look, newest first, a few hundred at most: a look is quick at any size of campaign. A
   * run that failed, is requested again and finishes is returned again. Where thousands of runs wait to be requested again,
   * a look may miss one that was not open at either look. The first look returns the last runs in the order of work.
   */
  lately(id: string, since?: Look): Promise<{ rows: ResultRow[]; look: Look }>;
  /** Outcomes of finished runs by seq. A repeated activity starts from these. */
  finished(
    id: string,
    seqs: readonly number[],
  ): Promise<{ seq: number; state: 'done' | 'failed'; origin: Origin | null }[]>;
  /** Seqs of finished runs from one on, some thousands a batch, ascending, except that failed ones come last. */
  finishedSeqs(id: string, from: number): AsyncIterable<number[]>;
  /** The finished ones of at most 1,000 runs, in the order of work, all as they were at one moment. */
  finishedAmong(id: string, seqs: readonly number[]): Promise<FinishedRow[]>;

  /** Completed runs that lack one of some outputs, in batches. */
  lacking(id: string, outputs: readonly string[]): AsyncIterable<DoneRun[]>;
  /** Replaces the outputs of completed runs. */
  setOutputs(id: string, rows: readonly { seq: number; outputs: Record<string, string> }[]): Promise<void>;
}
