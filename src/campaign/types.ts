import type { InputType, OutputType, RawValue, Unit } from '../api/index.ts';
import type { Design } from './designs/resolved-design.ts';
import type { Growth, GrowthRound } from './growth.ts';
import type { PrecisionProgress } from './precise-points.ts';
import type { Precision } from './precision.ts';
import type { Calibration } from './search/calibration.ts';
import type { Search, Selection } from './search/search.ts';

/** An input of the version. Its canonical value holds at every point unless the design varies the input. */
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

/** The file of an input. Its content is in the store under its hash before the campaign starts. */
export interface CampaignFile {
  input: string;
  hash: string;
  filename: string;
}

/** The output (or formula over outputs) that a campaign is about, and whether low or high values are better. */
export interface Goal {
  output: string;
  wants: 'highest' | 'lowest';
}

/** How many failed runs a campaign tolerates before it is paused, stopped or cancelled. */
export interface FailurePolicy {
  /** The share of finished runs that may have failed, once `after` runs have finished. */
  rate?: number | undefined;
  after: number;
  /** The number of runs that may fail. */
  count?: number | undefined;
  then: 'pause' | 'stop' | 'cancel';
}

/** How often a run is requested before it counts as failed. */
export interface AttemptPolicy {
  /** The most attempts, including the first. */
  count: number;
  /** The wait before the second attempt, ms. It doubles before each further attempt, up to an hour. */
  backoff: number;
  /** Whether a further attempt has the same seed or a new one. */
  seed: 'same' | 'new';
}

export const ONE_ATTEMPT: AttemptPolicy = { count: 1, backoff: 10_000, seed: 'same' };

/** Time limits, ms; null for none. */
export interface Timeouts {
  /** The longest time of a run from its start at the service. */
  run: number | null;
  /** The longest time of the campaign from its start, including pauses. */
  campaign: number | null;
}

/** How a campaign avoids the reuse of results; null if it reuses them. */
export type Freshness = { by: 'seed' } | { by: 'salt'; input: string } | null;

/** The seeds that a model takes: whole numbers from `least` to `most`. */
export interface SeedRange {
  least: number;
  most: number;
}

/** A version of the campaign's model at the service. */
export interface ModelVersion {
  versionId: string;
  version: number;
}

/**
 * A campaign: a definition whose names and values were all checked against one version of the model. It is
 * self-contained: the store keeps it and the worker reads it. No path in it is ever opened, except the paths of an
 * outside optimiser.
 */
export interface Campaign {
  id: string;
  /** The name in the definition. The id begins with it, unless the user gave another id. */
  name: string;
  /** Root address of the model service when the campaign was submitted, with /api/open/<version>. */
  service: string;
  /** The UUID of the model service, the same at any address; absent if the service has none. */
  serviceId?: string | undefined;
  /** The model, and its version for all runs that are requested from now on. */
  model: { id: string; name: string } & ModelVersion;
  /** The versions that runs were requested with, from the first to the current one; absent if there was only one. */
  versions?: ModelVersion[] | undefined;
  base: BaseInput[];
  /** The inputs that the design varies, and inputs that differ between points because the campaign was changed. */
  varied: VariedInput[];
  design: Design;
  /** The number of points of the design that repeat an earlier point; absent if there are none. */
  repeats?: number;
  /**
   * The rule by which the design grows. `design` then has the points so far. Absent if the design has all its points
   * from the beginning.
   */
  growth?: Growth;
  /** The rounds of a growing design so far, each with its widest interval. */
  rounds?: GrowthRound[];
  /** The search that finds the points; `design` is then empty. Absent if the design gives the points. */
  search?: Search;
  /** The calibration that finds the points, in place of a design. Absent in other campaigns. */
  calibrate?: Calibration;
  /** The selection of the best point of the design. Absent in other campaigns. */
  select?: Selection;
  files: CampaignFile[];
  /**
   * Replications per point; the least number if points are replicated until they are precise or the best point is
   * found.
   */
  replications: number;
  precision: Precision | null;
  /** The campaign's seed; null when replication 1 keeps the seed of the template or experiment. */
  seed: number | null;
  /** The seeds that the model takes; absent if it takes any. Derived seeds are among these. */
  seeds?: SeedRange;
  /** True if replication n has the same seed at every point. */
  commonRandomNumbers: boolean;
  outputs: CampaignOutput[];
  /** Formulas over outputs. Their values are reported with the outputs. Absent if the definition has no formulas. */
  derived?: string[] | undefined;
  /** Absent if the definition has no goal. */
  goal?: Goal;
  /** Whether output files are fetched into the store, or stay references. */
  outputFiles: 'keep' | 'link';
  concurrency: number | 'auto';
  /** How many failed runs the campaign tolerates; null if it tolerates any number. */
  failures: FailurePolicy | null;
  attempts: AttemptPolicy;
  timeouts: Timeouts;
  /** How the campaign avoids reuse. The seed or salt is drawn at submission, and kept in `seed` or `base`. */
  fresh: Freshness;
  /** The priority among the campaigns of one fleet of workers, from 1 (first) to 5 (last). */
  priority: number;
}

/**
 * How a campaign gets its points and replications: its design has all of them (`design`), the design grows until its
 * indices are known (`growing`), a search or a calibration finds the points one after the other, or a selection gives
 * the points of the design more replications until the best one is known.
 */
export type Strategy = 'design' | 'growing' | 'search' | 'calibration' | 'selection';

export function strategyOf({
  search,
  calibrate,
  select,
  growth,
}: Pick<Campaign, 'search' | 'calibrate' | 'select' | 'growth'>): Strategy {
  if (search) return 'search';
  if (calibrate) return 'calibration';
  if (select) return 'selection';
  return growth ? 'growing' : 'design';
}

/** Whether a search or a calibration finds the points of a campaign, one after the other. */
export function findsPoints({ search, calibrate }: Pick<Campaign, 'search' | 'calibrate'>): boolean {
  return search !== undefined || calibrate !== undefined;
}

/** The settings that the workflow of a campaign uses. They can change while the campaign runs. */
export type CampaignSettings = Pick<Campaign, 'concurrency' | 'failures' | 'timeouts'>;

/** A point of the design. `values` are the canonical values of the varied inputs, in their order. */
export interface Point {
  ordinal: number;
  key: string;
  values: string[];
  /** How often the design has the point; absent for a point that it has once. */
  draws?: number;
}

export const phases = [
  'preparing',
  'running',
  'paused',
  'stopping',
  'completed',
  'failed',
  'cancelled',
] as const;
export type Phase = (typeof phases)[number];

/** The phases of a closed campaign. */
export const closedPhases: readonly Phase[] = ['completed', 'failed', 'cancelled'];

/** total = done + failed + running + queued + waiting; done = new + reused. */
export interface RunCounts {
  total: number;
  done: number;
  new: number;
  reused: number;
  failed: number;
  /**
   * Runs that are RUNNING at the service. In an answer of the workflow, the number is an estimate from recent polls.
   */
  running: number;
  /** Runs that are requested and not running: FRESH at the service, or finished since the last poll. */
  queued: number;
  /** Runs that are not yet requested. */
  waiting: number;
}

/** The progress of a campaign: the answer of the workflow's query `progress`. Times in ms since the epoch. */
export interface Progress {
  phase: Phase;
  points: number;
  runs: RunCounts;
  /** Only for a campaign that replicates its points until they are precise. */
  precision: PrecisionProgress | null;
  /** The number of flights (runs that are requested and not finished) that the campaign currently wants to have. */
  window: number;
  /** The number of failed attempts after which a run was tried again. */
  triedAgain: number;
  /** Recently finished runs per second. */
  rate: number;
  /** Expected seconds to the end; null while unknown. */
  secondsLeft: number | null;
  startedAt: number;
  /** The setting for how many runs may be requested at once. */
  concurrency: number | 'auto';
  /** Who paused the campaign; null if it is not paused. */
  pausedBy: 'person' | 'policy' | 'optimiser' | null;
  /** What the campaign waits for if it cannot go on by itself; empty otherwise. */
  note: string;
}

/**
 * A run that is requested and has not finished. The query `flights` returns a list of these, at most 20,000. Times in
 * ms since the epoch.
 */
export interface FlightReport {
  /** The run's place in the campaign's order of work. */
  seq: number;
  /** The last known state of the run, from a poll or concluded from other runs. The run may have finished since. */
  state: 'queued' | 'running';
  /** The estimated time at which the run started; null while the run is queued. */
  startedAt: number | null;
  /** The last time at which the run was known to be unfinished. */
  seenAt: number;
}

/**
 * The number of failed runs with one cause, and one of these runs. The workflow's query `failures` returns a list of
 * these.
 */
export interface FailureCause {
  cause: string;
  count: number;
  sample: { point: string; replication: number; reason: string };
}

export type { RawValue };
