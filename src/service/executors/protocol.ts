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

/** What a thread is told when it is made. */
export interface ThreadData {
  filesDir: string;
}

/** What a thread says of the job that it has; the last two end it. */
export type Report =
  | { kind: 'progress'; fraction: number }
  | { kind: 'completed'; outputs: Record<string, string> }
  | { kind: 'failed'; reason: string };
