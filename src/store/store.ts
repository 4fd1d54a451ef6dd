import type { Verdict, VerdictCounts } from '../campaign/precise-points.ts';
import type { Campaign, Phase, Point, RunCounts } from '../campaign/types.ts';

/** A campaign as the store keeps it. Times are ms since the epoch. */
export interface CampaignRecord {
  campaign: Campaign;
  /** The definition as it was submitted, its text. */
  definition: string;
  /** Hash of what the definition means, to tell a second submit of the same from one of another. */
  digest: string;
  phase: Phase;
  points: number;
  createdAt: number;
  /** When the phase or a run last changed. */
  updatedAt: number;
  /** What there is to say of how it ended; empty mostly. */
  note: string;
}

/** How a run came to its result: our request started it, or the service had it. */
export type Origin = 'new' | 'reused';

/** A run that is about to be requested, with all that the request needs. */
export interface PlannedRun {
  seq: number;
  point: Pick<Point, 'key' | 'values'>;
  replication: number;
  /** How often it has been requested, this time included, since its last attempt failed. */
  attempt: number;
  /** How often it failed, of what the campaign's policy counts. */
  failures: number;
  /** How many attempts with another seed came before. */
  reseeded: number;
}

/** A run that was requested and has not finished as far as the store knows. `runId` is null after a lost response. */
export interface OpenRun extends PlannedRun {
  runId: string | null;
  /** False for a run that another campaign of this store started: never stopped by this one while that one waits. */
  owned: boolean;
  /** True for a run that another campaign had started when this one requested it. */
  joined: boolean;
}

/** A run that is done, with what it was requested with. `runId` is null when it was had without asking for the run. */
export type DoneRun = Pick<PlannedRun, 'seq' | 'point' | 'replication' | 'reseeded'> & {
  runId: string | null;
};

/** A point and all that is known of its runs. Times are ms since the epoch. */
export interface PointStory {
  key: string;
  values: string[];
  /** Its place in the design, from 0; null when the design does not have it any more. */
  position: number | null;
  /** In the order of their replications. */
  runs: RunStory[];
}

export interface RunStory {
  seq: number;
  replication: number;
  state: 'waiting' | 'intended' | 'queued' | 'running' | 'done' | 'failed';
  /** Requests since it was last waiting. */
  attempts: number;
  /** Attempts that failed, of those that the campaign's policy counts. */
  failures: number;
  reseeded: number;
  runId: string | null;
  /** Another campaign had started it when this one requested it. */
  joined: boolean;
  origin: Origin | null;
  reason: string | null;
  requestedAt: number | null;
  finishedAt: number | null;
  outputs: Record<string, string>;
  /** Runs that wait to be requested before it, while it waits itself. */
  before: number | null;
}

/** A replication that has finished; one that failed has no outputs. */
export interface FinishedRun {
  replication: number;
  outputs: Record<string, string>;
}

/** A point of which every run has finished, with its runs in the order of their replications. */
export interface FinishedPoint {
  ordinal: number;
  runs: FinishedRun[];
}

/** What was seen of a run. */
export type RunObservation = { seq: number } & (
  | { state: 'queued' | 'running'; runId: string; owned: boolean }
  /** `runId` is null when its results were had without asking for the run. */
  | { state: 'done'; runId: string | null; origin: Origin; outputs: Record<string, string> }
  | { state: 'failed'; runId: string | null; reason: string }
  /** The request certainly never arrived, so it does not count as one. */
  | { state: 'unsent' }
  /** The attempt failed, and there is to be another one, perhaps with another seed. */
  | { state: 'again'; reason: string; reseeds: boolean }
  /** Not requested any more: it was stopped, or its request came to nothing. */
  | { state: 'waiting' }
);

/** A file of campaigns. `size` in bytes; `putAt` when somebody last put it there, ms since the epoch. */
export interface StoredFile {
  hash: string;
  size: number;
  putAt: number;
  /** A campaign has it as the file of an output. */
  isKept: boolean;
}

/**
 * Why a campaign has no file of an output that it was to keep: the service does not have it, or does not give it; it is too
 * large; it could not be fetched so far.
 */
export type FileLack = 'not-found' | 'refused' | 'too-large' | 'failing';

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
}

/** A finished run by its number in the campaign. */
export interface FinishedRow {
  seq: number;
  row: ResultRow;
}

/** What a look at the runs of a campaign saw, from where the next one goes on: their seqs. */
export interface Look {
  /** Requested and not finished, or waiting to be requested again. */
  open: number[];
  /** Failed last, and when: these may be requested again. */
  failed: { seq: number; finishedAt: number | null }[];
  /** The last of those that have finished. */
  last: number;
}

/**
 * Content of campaigns: definitions, points, runs, outputs, files. One implementation per database. Every write is
 * idempotent under (campaign, point key, replication), so an activity may be carried out twice.
 */
export interface Store {
  /** Identifies the store itself, so that a worker of another store can tell. */
  readonly id: string;
  close(): Promise<void>;

  /** Adds a campaign; false when the id is taken (nothing is changed then). */
  addCampaign(
    record: Pick<CampaignRecord, 'campaign' | 'definition' | 'digest'>,
    now: number,
  ): Promise<boolean>;
  getCampaign(id: string): Promise<CampaignRecord | undefined>;
  /** Newest first. */
  listCampaigns(): Promise<CampaignRecord[]>;
  /** `note` is kept as it is when it is not given. */
  setPhase(id: string, phase: Phase, now: number, note?: string): Promise<void>;
  /** Removes a campaign that never started, so that its id is free again. */
  removeCampaign(id: string): Promise<void>;
  /** Deletes a campaign with its points, runs and results, in many small steps: one that is cut short can be begun again. */
  deleteCampaign(id: string): Promise<void>;

  putFile(hash: string, content: Uint8Array, now: number): Promise<void>;
  getFile(hash: string): Promise<Uint8Array | undefined>;
  listFiles(): Promise<StoredFile[]>;
  /** Deletes a file, unless somebody has put it there since or keeps it. */
  deleteFile(file: Pick<StoredFile, 'hash' | 'putAt'>): Promise<void>;
  /** Bytes that the store takes and does not need. */
  spareBytes(): Promise<number>;
  /** Gives them back. Others that write meanwhile wait. */
  compact(): Promise<void>;

  /**
   * Expands the design: one row a run, in the order of work (replication 1 of every point first). Returns the number of
   * points and runs. Calling it again changes nothing.
   */
  addPoints(
    id: string,
    points: Iterable<Point>,
    replications: number,
  ): Promise<{ points: number; runs: number }>;
  /**
   * Puts a changed campaign in the place of the one that is there, under the same id. Points that stay keep their runs;
   * of what is dropped, runs that were never requested go and the others stay. Calling it again changes nothing more.
   * Returns how many points came, went and stayed.
   *
   * @param relay gives the values of a point as the changed campaign has them, where these are others
   */
  changeCampaign(
    record: Pick<CampaignRecord, 'campaign' | 'definition' | 'digest'>,
    points: Iterable<Point>,
    relay: ((values: string[]) => string[]) | undefined,
    now: number,
  ): Promise<{ added: number; dropped: number; kept: number }>;

  /**
   * Keeps the file of an output for a campaign: its content under its own SHA-256. Without content it is the file that
   * the store has under that name already; false if it has none.
   *
   * @param hash what the service calls it by
   */
  keepFile(
    id: string,
    hash: string,
    file: { sha256: string; content?: Uint8Array },
    now: number,
  ): Promise<boolean>;
  /** Says why a campaign does not have a file, unless it has. */
  lackFile(id: string, hash: string, lack: FileLack): Promise<void>;
  /** Of the files of outputs that a service calls so, those that a campaign keeps: the names of their content. */
  keptFiles(id: string, hashes: readonly string[]): Promise<Map<string, string>>;
  /** How many files a campaign was to keep and lacks. */
  lackingFiles(id: string): Promise<{ lack: FileLack; count: number }[]>;

  /** Runs that are done and lack one of some outputs, some at a time. */
  lacking(id: string, outputs: readonly string[]): AsyncIterable<DoneRun[]>;
  /** Puts outputs in the place of those of runs that are done. */
  setOutputs(id: string, rows: readonly { seq: number; outputs: Record<string, string> }[]): Promise<void>;

  /** Of the points of some runs, those of which every run has finished. */
  finishedPoints(id: string, seqs: readonly number[]): Promise<FinishedPoint[]>;
  /** All points of the design of which every run has finished, some at a time. */
  allFinishedPoints(id: string): AsyncIterable<FinishedPoint[]>;
  /**
   * Gives points as many replications in all as are wanted, those of the first of the points first in the order of work.
   * Returns the seqs of the runs that were not there yet.
   */
  addReplications(
    id: string,
    wanted: readonly { ordinal: number; replications: number }[],
  ): Promise<number[]>;

  /** Keeps how precise points are. */
  setVerdicts(id: string, verdicts: readonly ({ ordinal: number } & Verdict)[]): Promise<void>;
  /** Forgets how precise points are: what they are judged by has changed. */
  forgetVerdicts(id: string): Promise<void>;
  /** How precise the points of the design are. */
  countVerdicts(id: string): Promise<VerdictCounts>;

  /** Lets failed runs be requested again, as if they had never failed, perhaps with another seed. Returns how many. */
  forgive(id: string, reseeds: boolean, now: number): Promise<number>;
  /** Seqs of runs that are not requested, after one of them, in their order. `failedOnly`: those that were requested before. */
  waitingRuns(id: string, after: number, limit: number, failedOnly: boolean): Promise<number[]>;
  /**
   * Opens a campaign whose workflow is closed, so that it can run again. Runs that it left open wait to be requested
   * again, which finds them.
   */
  reopen(id: string, now: number): Promise<void>;

  /**
   * Records the intent to request runs, before any request is made. Runs that have finished are left out, and all are
   * once the campaign is stopping or closed, so that nothing can be requested behind a cancel.
   */
  intend(id: string, seqs: readonly number[], now: number): Promise<PlannedRun[]>;
  /** Runs that were intended and have not finished: the first thousand, or those of some seqs. */
  openRuns(id: string, seqs?: readonly number[]): Promise<OpenRun[]>;
  observe(id: string, observations: readonly RunObservation[], now: number): Promise<void>;
  /** Of these service runs, those that an open run of another campaign waits for or has. */
  claimedByOthers(id: string, runIds: readonly string[]): Promise<Set<string>>;
  /** Hands the ownership of service runs over to the other campaigns that wait for them. */
  handOver(id: string, runIds: readonly string[]): Promise<void>;

  counts(id: string): Promise<RunCounts>;
  /** Points of which the key begins so, a few at most. */
  pointsLike(id: string, key: string): Promise<PointStory[]>;
  /** How many runs that the campaign started are done, and the time from the first request to the last of them, ms. */
  newRuns(id: string): Promise<{ runs: number; ms: number }>;
  /** Outcomes of runs that have finished already, by seq: what an activity that is carried out again starts from. */
  finished(
    id: string,
    seqs: readonly number[],
  ): Promise<{ seq: number; state: 'done' | 'failed'; origin: Origin | null }[]>;
  /**
   * Runs that have finished since a look, the newest first, a few hundred at most however many there are: a look is quick
   * at any size of campaign. A run that failed, is requested again and finishes is there again. Where thousands wait to be
   * requested again, it may leave out one of them that was not open at either look. The first look finds the last runs in the
   * order of work.
   */
  lately(id: string, since?: Look): Promise<{ rows: ResultRow[]; look: Look }>;
  /** Finished runs in design order: by point, then replication. */
  results(id: string): AsyncIterable<ResultRow>;
  /** Seqs of finished runs from one on, some thousands at a time, ascending but for the failed ones, which come last. */
  finishedSeqs(id: string, from: number): AsyncIterable<number[]>;
  /** Those of some runs, 1,000 at most, that have finished, in the order of work, all as they were at one moment. */
  finishedAmong(id: string, seqs: readonly number[]): Promise<FinishedRow[]>;
}
