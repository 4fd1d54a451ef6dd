import type { StatementSync } from 'node:sqlite';
import type { ExperimentType, InputType, RunStatus } from '../../api/constants.ts';
import type { CanonicalInputs, Settings } from './identity.ts';

/** A run in the database. */
export interface StoredRun extends Settings {
  /** Order of request. */
  seq: number;
  id: string;
  versionId: string;
  status: RunStatus;
  /** Why it FAILED, or why the service STOPPED it. */
  failure: string | null;
  /** Number of its sub-runs, and of those that have not completed; null for a single run. */
  tasks: number | null;
  tasksLeft: number | null;
}

export interface NewRun {
  versionId: string;
  identity: string;
  settings: Settings;
}

/** A sub-run in its parent's message. */
export type SubRun = Pick<StoredRun, 'id' | 'status' | 'failure'>;

/** JSON text of each output's value, by output name. */
export type OutputTexts = Record<string, string>;

type Row = ReturnType<StatementSync['get']>;

/** Reads a run from a row, if there is one. */
export function readOptional(row: Row): StoredRun | undefined {
  return row && readRow(row);
}

/** Reads a run from a row. */
export function readRow(row: NonNullable<Row>): StoredRun {
  const { seq, id, version_id, experiment_type, inputs, types, status, failure, tasks, tasks_left } =
    row as Record<string, string>;
  return {
    seq: Number(seq),
    id: id!,
    versionId: version_id!,
    experimentType: experiment_type as ExperimentType,
    inputs: JSON.parse(inputs!) as CanonicalInputs,
    types: JSON.parse(types!) as Record<string, InputType>,
    status: status as RunStatus,
    failure: failure ?? null,
    tasks: tasks == null ? null : Number(tasks),
    tasksLeft: tasks_left == null ? null : Number(tasks_left),
  };
}
