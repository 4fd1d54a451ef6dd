import type { InputType, OutputType, RawValue, Unit } from '../api/index.ts';
import type { Design } from './designs/design.ts';
import type { PrecisionProgress } from './precise-points.ts';
import type { Precision } from './precision.ts';
import type { Search, Selection } from './search/search.ts';

/** An input of the version with the canonical value that every point has unless the design varies it. */
export interface BaseInput {
  name: string;
  type: InputType;
  units: Unit | null;
  value: string;
}

/** An input that differs between the points of a campaign. */
export interface VariedInput {
  name: string;
  type: InputType;
  units: Unit | null;
}

export interface CampaignOutput {
  name: string;
  type: OutputType;
  units: Unit | null;
}

/** A file that an input takes: its content lies in the store under its hash before the campaign starts. */
export interface CampaignFile {
  input: string;
  hash: string;
  filename: string;
}

/** The output, or the formula over outputs, that a campaign is about, and which of its values are better. */
export interface Goal {
  output: string;
  wants: 'highest' | 'lowest';
}

/** How many failed runs a campaign takes before it is paused, stopped or cancelled. */
export interface FailurePolicy {
  /** The share of finished runs that may have failed, once `after` runs have finished. */
  rate?: number | undefined;
  after: number;
  /** The number of runs that may fail. */
  count?: number | undefined;
  then: 'pause' | 'stop' | 'cancel';
}

/** How often a run is tried before it counts as failed. */
export interface AttemptPolicy {
  /** Attempts, the first one included. */
  count: number;
  /** Before the second attempt, ms; doubled before each further one. */
  backoff: number;
  /** Whether a further attempt is made with the same seed or with one of its own. */
  seed: 'same' | 'new';
}

export const ONE_ATTEMPT: AttemptPolicy = { count: 1, backoff: 10_000, seed: 'same' };

/** After how long something is given up, ms; null for never. */
export interface Timeouts {
  /** From a run's start at the service. */
  run: number | null;
  /** From the campaign's start, pauses included. */
  campaign: number | null;
}

/** How a campaign makes sure that it reuses nothing: null if it does not. */
export type Freshness = { by: 'seed' } | { by: 'salt'; input: string } | null;

/** A version of the campaign's model at the service. */
export interface ModelVersion {
  versionId: string;
  version: number;
}

/**
 * A definition after every name and value in it was checked against one version of the model: what a campaign is made
 * of, self-contained. It is what the store keeps and the worker reads; no path in it is ever opened.
 */
export interface Campaign {
  id: string;
  /** The definition's name, the id's stem. */
  name: string;
  /** Root address of the model service when the campaign was submitted, with /api/open/<version>. */
  service: string;
  /** The UUID of the model service, the same at any address; absent where it tells none. */
  serviceId?: string | undefined;
  /** The model, with the version that runs are requested with from now on. */
  model: { id: string; name: string } & ModelVersion;
  /** The versions that runs were requested with, from the first one on, the current one last; absent where there was only one. */
  versions?: ModelVersion[] | undefined;
  base: BaseInput[];
  /** What the design varies, and what else differs between points that the campaign has had. */
  varied: VariedInput[];
  design: Design;
  /** Finds the points, in place of the design, which has none then; absent where a design gives them. */
  search?: Search;
  /** Finds out which point of the design is the best; absent where nobody asks. */
  select?: Selection;
  files: CampaignFile[];
  /** Of each point; at least, where they go on until they are precise or the best point is found. */
  replications: number;
  precision: Precision | null;
  /** The campaign's seed; null when replication 1 keeps the seed of the template or experiment. */
  seed: number | null;
  /** Replication n has the same seed in every point. */
  commonRandomNumbers: boolean;
  outputs: CampaignOutput[];
  /** Formulas over the outputs that are told of with them; absent where the definition names none. */
  derived?: string[] | undefined;
  /** Absent where nobody has said what is better. */
  goal?: Goal;
  /** Whether the files of outputs are fetched into the store, or only referred to. */
  outputFiles: 'keep' | 'link';
  concurrency: number | 'auto';
  /** Null: every failure is a result like others. */
  failures: FailurePolicy | null;
  attempts: AttemptPolicy;
  timeouts: Timeouts;
  /** The seed or the salt is drawn when the campaign is submitted, and kept in `seed` or `base`. */
  fresh: Freshness;
  /** From 1 (first) to 5 (last) among the campaigns of one fleet of workers. */
  priority: number;
}

/** What of a campaign its workflow goes by, and what can be changed while it runs. */
export type CampaignSettings = Pick<Campaign, 'concurrency' | 'failures' | 'timeouts'>;

/** A point of the design. `values` are the canonical values of the varied inputs, in their order. */
export interface Point {
  ordinal: number;
  key: string;
  values: string[];
}

export type Phase = 'preparing' | 'running' | 'paused' | 'stopping' | 'completed' | 'failed' | 'cancelled';

/** Phases in which a campaign is over. */
export const closedPhases: readonly Phase[] = ['completed', 'failed', 'cancelled'];

/** total = done + failed + running + queued + waiting; done = new + reused. */
export interface RunCounts {
  total: number;
  done: number;
  new: number;
  reused: number;
  failed: number;
  /** RUNNING at the service; from the workflow, an estimate by what polls have seen lately. */
  running: number;
  /** Requested, and not among the running ones: FRESH at the service, or finished since it was last polled. */
  queued: number;
  /** Not yet requested. */
  waiting: number;
}

/** Where a campaign is: the answer of the workflow's query `progress`. Times in ms since the epoch. */
export interface Progress {
  phase: Phase;
  points: number;
  runs: RunCounts;
  /** Of a campaign that replicates its points until they are precise. */
  precision: PrecisionProgress | null;
  /** How many runs the campaign keeps requested at once at the moment. */
  window: number;
  /** Attempts that failed and were followed by another. */
  triedAgain: number;
  /** Runs finished a second, lately. */
  rate: number;
  /** Expected seconds to the end; null while nothing is known. */
  secondsLeft: number | null;
  startedAt: number;
  /** Who paused it, while it is. */
  pausedBy: 'person' | 'policy' | null;
  /** What the campaign waits for when it does not go on by itself; empty otherwise. */
  note: string;
}

/** A run that is requested and has not finished: the workflow's query `flights`. Times in ms since the epoch. */
export interface FlightReport {
  /** The run's place in the campaign's order of work. */
  seq: number;
  /** As it was last seen, or is concluded from others: it may have finished since. */
  state: 'queued' | 'running';
  /** When it is believed to have started; null while it is queued. */
  startedAt: number | null;
  /** When it was last seen, or known, not to have finished. */
  seenAt: number;
}

/** Failed runs of one cause, with one of them: the workflow's query `failures`. */
export interface FailureCause {
  cause: string;
  count: number;
  sample: { point: string; replication: number; reason: string };
}

export type { RawValue };
