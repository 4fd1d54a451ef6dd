import type { CurveAxis, InputType, OutputType, Unit } from '../api/index.ts';
import type { Design } from './designs/index.ts';
import type { BaseInput } from './designs/input-types.ts';
import type { SeedRange } from './keys.ts';
import type { PrecisionProgress } from './precise-points.ts';
import type { Precision } from './precision.ts';
import type { Strategy, StrategyBy, StrategyName } from './strategy.ts';

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
  /** The x axis of a DATA_SET, as the definition or the model declares it. */
  axis?: CurveAxis;
}

/** The file of an input. Its content is in the store under its hash before the campaign starts. */
export interface CampaignFile {
  input: string;
  hash: string;
  /** As the definition has it. */
  path: string;
}

/** A file of an input that differs between points. At a point, the value of the input is the path. */
export interface VariedFile {
  input: string;
  /** Relative to the definition's folder. It stands for one content as long as the campaign exists. */
  path: string;
  /** The hash of the content, which the service gets. The content is in the store before the campaign starts. */
  hash: string;
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
  /** The points so far of a design that grows; no points if the strategy finds them. */
  design: Design;
  /** The number of points of the design that repeat an earlier point; absent if there are none. */
  repeats?: number;
  /** How the campaign gets its points and replications. */
  strategy: Strategy;
  files: CampaignFile[];
  /** The files of inputs that differ between points; absent if there are none. */
  variedFiles?: VariedFile[];
  /**
   * Replications per point; the least number if points are replicated until they are precise or the best point is
   * found.
   */
  replications: number;
  precision: Precision | null;
  /** The campaign's seed; null when the runs keep the seed of the template or experiment. */
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
  /** The names of the notices that tell the campaign's events; absent if there are none. */
  notify?: string[] | undefined;
}

/** A strategy whose settings are checked, except those that need the outputs of the campaign. */
export interface Begun {
  design: Design;
  /** Checks the other settings. Mistakes are collected. */
  finish: (kept: Pick<Campaign, 'outputs' | 'derived'>) => { strategy: Strategy; goal?: Goal };
}

/** A campaign with one of some strategies. */
export type CampaignBy<By extends StrategyName> = Campaign & { strategy: StrategyBy<By> };

/** The settings that the workflow of a campaign uses. They can change while the campaign runs. */
export type CampaignSettings = Pick<Campaign, 'concurrency' | 'failures' | 'timeouts' | 'notify'>;

export interface Point {
  /** The place of the point in the design, from 0. The store gives points ordinals of its own. */
  ordinal: number;
  key: string;
  /** The canonical values of the varied inputs, in the order of these inputs. */
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

export const closedPhases: readonly Phase[] = ['completed', 'failed', 'cancelled'];

/** total = done + failed + running + queued + waiting; done = new + reused. */
export interface RunCounts {
  total: number;
  done: number;
  new: number;
  reused: number;
  failed: number;
  /** Runs that are RUNNING at the service. In an answer of the workflow, the number is an estimate from recent polls. */
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
