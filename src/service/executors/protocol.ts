import type { Version } from '../../api/resources.ts';
import type { ModelCode } from '../models/folder.ts';

/** The data of a version that an executor needs. */
export interface JobVersion {
  code: ModelCode;
  template: Version['experimentTemplate'];
  /**
   * Whether the executor is on another machine than the service. A program or package that is missing on this machine
   * is then no fault of the model.
   */
  isElsewhere?: boolean;
}

export interface JobRun {
  runId: string;
  versionId: string;
  /** Canonical values by input name. */
  inputs: Record<string, string>;
  /**
   * The folder for repeating the run; undefined if none is kept. If one is kept, the service removes the working
   * folder.
   */
  keepIn?: string | undefined;
  /** Whether the run gets a process of its own, although its program could stay loaded. */
  isAlone?: boolean;
  /** Whether a program in Python says which files outside its folder the run has opened. */
  isWatched?: boolean;
}

export type Job = JobRun & JobVersion;

/** The message of a job. Only the first message to an executor about a version has the data of that version. */
export interface JobMessage {
  run: JobRun;
  version?: JobVersion;
}

/** The settings of an executor's watchdog. */
export interface WatchdogSettings {
  /** The variable of the environment that all processes of the executor have. */
  mark: string;
  /** The process id of the service. */
  service: number;
  /** The memory limit of a run, in MB. */
  memory: number;
}

/**
 * A message to a watchdog: whether the memory of the executor's own process is that of a model. It is not while the
 * program of a command model runs, because the process then only reads what the program prints.
 */
export interface OwnMemory {
  isOfModel: boolean;
}

/** The signal by which an executor ends itself if it uses too much memory. */
export const OUT_OF_MEMORY = 'SIGUSR2';

/** The first message of a process that runs models: it has started, and from now on its end is a failure of its run. */
export interface Ready {
  kind: 'ready';
}

/** What a run left behind, and foray removed; and what it has read from elsewhere. */
export interface Left {
  /** The files that a program wrote into the folder of its model, relative to this folder. */
  files: string[];
  /** The commands of processes that still ran. */
  processes: string[];
  /** The files outside the model's folder that a watched run has opened. */
  opened?: string[];
  /** Why the run failed in a process with earlier runs, before it completed in a new one. */
  again?: string;
  /** Why its process can execute no further run. */
  last?: string;
}

/** A completed run: the JSON text of each output by name, and what the run left behind. */
export interface CompletedRun {
  outputs: Record<string, string>;
  left: Left;
}

/** The messages of an executor. The last four end its job; the last two also end the executor. */
export type Report =
  | Ready
  /** A program is being loaded for the current run. The time limit of the run begins when it is loaded. */
  | { kind: 'loading' }
  | { kind: 'loaded' }
  | Leaky
  | { kind: 'progress'; runId: string; fraction: number }
  /** Lines of the current run were not sent, because it prints very much. */
  | { kind: 'dropped'; lines: number }
  | { kind: 'completed'; outputs: Record<string, string>; left?: Left }
  | { kind: 'failed'; reason: string }
  /** The job cannot be executed now, and the model is not the reason (see `Deferred`). */
  | { kind: 'deferred'; reason: string; isLasting?: boolean }
  | Crashed;

/** Outputs of a version depend on earlier runs of the process: the value of an output differs in a new process. */
export interface Leaky {
  kind: 'leaky';
  versionId: string;
  /** The output with both values, as the end of a sentence. */
  difference: string;
}

/** An error that nobody caught has ended the process. */
export interface Crashed {
  kind: 'crashed';
  reason: string;
  /** The run whose code has failed, if it is known. It may be an earlier run, because its timers and promises remain. */
  runId?: string | undefined;
  /** The error with its stack, if its run is an earlier one. Otherwise the process has printed the error. */
  late?: string;
}
