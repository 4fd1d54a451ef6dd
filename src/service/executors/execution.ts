import type { RunLog } from '../../api/extensions.ts';
import type { ModelProcess } from './process.ts';
import type { Job, JobMessage, Report } from './protocol.ts';
import type { LogCollector } from './run-log.ts';

/**
 * How an execution ended. `ended`: `stop` or `close` ended its process. `unstarted`: no process could be started for
 * it, or the job did not reach the process.
 */
export type Outcome =
  | Extract<Report, { kind: 'completed' | 'deferred' }>
  | (Extract<Report, { kind: 'failed' }> & { log: RunLog })
  | { kind: 'unstarted'; reason: string }
  | { kind: 'ended' };

/** An outcome whose failure has no log yet. */
export type BareOutcome =
  | Extract<Report, { kind: 'completed' | 'failed' | 'deferred' }>
  | Extract<Outcome, { kind: 'unstarted' | 'ended' }>;

/** A run to execute. */
export interface Task {
  job: Job;
  onProgress: (fraction: number) => void;
  settle: (outcome: Outcome) => void;
}

export interface Execution extends Task {
  log: LogCollector;
  /** The timer of its time limit. */
  timer: NodeJS.Timeout | undefined;
}

export interface Executor extends ModelProcess {
  /** The memory limit of its run, in MB. */
  memory: number;
  /** The version of its last run. */
  versionId: string | undefined;
  execution: Execution | undefined;
  /** Ids of the versions whose data it has received. */
  known: Set<string>;
  /** Whether it has started. From then on its end is a failure of its run. */
  isReady: boolean;
  /** Whether earlier runs have executed in it. Their timers, promises and data may remain. */
  isUsed: boolean;
  /** Whether its process is known to have ended. Its later reports are ignored. */
  isLost: boolean;
  /** Whether the executor ends after its current run. */
  isOld: boolean;
}

/** The message to an executor about its next job. */
export function messageOfJob({ known }: Executor, { code, template, isElsewhere, ...run }: Job): JobMessage {
  if (known.has(run.versionId)) return { run };
  known.add(run.versionId);
  return { run, version: { code, template, ...(isElsewhere !== undefined && { isElsewhere }) } };
}
