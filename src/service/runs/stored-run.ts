import type { ExperimentType, InputType, RunStatus } from '../../api/constants.ts';
import type { CanonicalInputs, Settings } from './identity.ts';

/** A run in the database. */
export interface StoredRun extends Settings {
  /** The number of the run in the table. Numbers increase in the order of requests. */
  seq: number;
  id: string;
  versionId: string;
  status: RunStatus;
  /** Whether it was requested itself, not only as a part of others. */
  isDirect: boolean;
  /** Why it FAILED, or why the service STOPPED it. */
  failure: string | null;
  /** The number of its sub-runs; null for a single run. */
  tasks: number | null;
  /** The number of its sub-runs that have not completed; null for a single run. */
  tasksLeft: number | null;
}

export interface NewRun {
  versionId: string;
  identity: string;
  settings: Settings;
}

/** The data of a sub-run for the message of its experiment. */
export type SubRun = Pick<StoredRun, 'id' | 'status' | 'failure'>;

/** JSON text of each output's value, by output name. */
export type OutputTexts = Record<string, string>;

/** A row with a run's columns. PostgreSQL gives large numbers as text. */
export type RunRow = Record<string, string | number | null>;

export function readRow(row: RunRow): StoredRun {
  const { seq, id, version_id, experiment_type, inputs, types, status, direct, failure, tasks, tasks_left } =
    row as Record<string, string>;
  return {
    seq: Number(seq),
    id: id!,
    versionId: version_id!,
    experimentType: experiment_type as ExperimentType,
    inputs: JSON.parse(inputs!) as CanonicalInputs,
    types: JSON.parse(types!) as Record<string, InputType>,
    status: status as RunStatus,
    isDirect: Number(direct) === 1,
    failure: failure ?? null,
    tasks: tasks == null ? null : Number(tasks),
    tasksLeft: tasks_left == null ? null : Number(tasks_left),
  };
}
