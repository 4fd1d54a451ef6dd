import type { Version } from '../../api/resources.ts';
import type { ModelCode } from '../models/folder.ts';

/** One run for an executor. */
export interface Job {
  runId: string;
  versionId: string;
  code: ModelCode;
  template: Version['experimentTemplate'];
  /** Canonical values by input name. */
  inputs: Record<string, string>;
}

/** What the watchdog of an executor is told. */
export interface Watched {
  /** The service's process. */
  service: number;
  /** Most memory that a run may take, in MB. */
  memory: number;
}

/** The signal by which an executor ends itself that takes too much memory. */
export const OUT_OF_MEMORY = 'SIGUSR2';

/** What a process that runs models says first: it is there, and whatever ends it from here on is a matter of its run. */
export interface Ready {
  kind: 'ready';
}

/** What an executor says of the job that it has. All but progress end it, the last two the executor, too. */
export type Report =
  | Ready
  | { kind: 'progress'; fraction: number }
  | { kind: 'completed'; outputs: Record<string, string> }
  | { kind: 'failed'; reason: string }
  /** It cannot be executed now, through no fault of the model. */
  | { kind: 'deferred'; reason: string }
  | { kind: 'crashed'; reason: string };
