import type { RunLog } from '../api/extensions.ts';
import type { Verdict, VerdictCounts } from '../campaign/precise-points.ts';
import type { SearchLog, SearchStep } from '../campaign/search/log.ts';
import type { Campaign, ModelVersion, Phase, Point, RunCounts } from '../campaign/types.ts';

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
  /** The number of the model's version that it is requested with; null for the campaign's first one. */
  version: number | null;
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
export type DoneRun = Pick<PlannedRun, 'seq' | 'point' | 'replication' | 'reseeded' | 'version'> & {
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
  /** What its last attempt that failed printed, where that is kept. */
  log: RunLog | null;
  /** Runs that wait to be requested before it, while it waits itself. */
  before: number | null;
  version: number | null;
  /** Attempts that failed before the last one, the newest first: the last five. */
  earlier: FailedAttempt[];
}

/** An attempt of a run that failed and was followed by another one. `failedAt` in ms since the epoch. */
export interface FailedAttempt {
  failedAt: number;
  version: number | null;
  reason: string;
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

/** What came of a step of a search: the seqs of the runs that it added, and the points of its asks. */
export interface SearchWritten {
  seqs: number[];
  ordinals: (number | null)[];
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

/** What a run printed in an attempt that failed. `cause` is what failures of its kind have in common. */
export interface KeptLog extends RunLog {
  seq: number;
  cause: string;
}

/** A kept log with the run that it is of; `reason` is why that failed. */
export interface StoredLog extends KeptLog {
  point: string;
  replication: number;
  reason: string | null;
}

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
  /** The number of the model's version that it ran with; null for the campaign's first one. */
  version: number | null;
  /** The number of the ask that its point came from; only in the results of a search. */
  ask?: number | null;
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
  /** Has runs requested with another version of the model from now on: the last one of these. */
  setVersions(id: string, versions: readonly ModelVersion[], now: number): Promise<void>;
  /** Says which model service a campaign belongs to. */
  setService(id: string, serviceId: string): Promise<void>;
  /** A run that the campaign has at its service, if it knows of any. */
  knownRun(id: string): Promise<{ runId: string; version: number | null } | undefined>;
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
  /** Of some points, those of which every run has finished. */
  finishedAt(id: string, ordinals: readonly number[]): Promise<FinishedPoint[]>;
  /** The log of the campaign's search; an empty one of a campaign without. */
  searchLog(id: string): Promise<SearchLog>;
  /** The numbers of the first asks of points, by the points' keys. */
  asksOfPoints(id: string): Promise<Map<string, number>>;
  /** How many asks and events that log has. */
  searchLength(id: string): Promise<{ asks: number; events: number }>;
  /**
   * Adds a step to the log of the campaign's search, with the points and runs that it asks for, all at once. Undefined when the log no
   * longer has the length that is given: nothing is changed then.
   */
  writeSearch(
    id: string,
    length: { asks: number; events: number },
    step: SearchStep,
  ): Promise<SearchWritten | undefined>;
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

  /**
   * Lets failed runs be requested again, as if they had never failed, perhaps with another seed; why they failed is kept.
   * Returns how many.
   */
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
   *
   * @param version the number of the model's version that runs take which were not requested yet; null for the first one
   */
  intend(id: string, seqs: readonly number[], now: number, version?: number | null): Promise<PlannedRun[]>;
  /** Runs that were intended and have not finished: the first thousand, or those of some seqs. */
  openRuns(id: string, seqs?: readonly number[]): Promise<OpenRun[]>;
  observe(id: string, observations: readonly RunObservation[], now: number): Promise<void>;
  /** Of these service runs, those that an open run of another campaign waits for or has. */
  claimedByOthers(id: string, runIds: readonly string[]): Promise<Set<string>>;
  /** Hands the ownership of service runs over to the other campaigns that wait for them. */
  handOver(id: string, runIds: readonly string[]): Promise<void>;

  /** Keeps logs of runs that failed, in the place of those of earlier attempts. */
  keepRunLogs(id: string, logs: readonly KeptLog[], now: number): Promise<void>;
  /** The runs that have a log and are not done, by seq, each with the cause of its failure. */
  loggedRuns(id: string): Promise<Map<number, string>>;
  /** The logs that are kept, some hundreds at most, in the order of work. */
  runLogs(id: string): Promise<StoredLog[]>;
  /** The log that was kept last. */
  lastRunLog(id: string): Promise<StoredLog | undefined>;

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
