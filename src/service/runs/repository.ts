import { randomUUID } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ExperimentType, InputType, RunStatus } from '../../api/constants.ts';
import { bounded } from '../../printable.ts';
import { subRunTitle } from './experiments.ts';
import type { CanonicalInputs, Settings } from './identity.ts';
import { RecentRuns } from './recent.ts';
import { checkTransition } from './states.ts';

/** A run as the database has it. */
export interface StoredRun extends Settings {
  /** Order of request. */
  seq: number;
  id: string;
  versionId: string;
  status: RunStatus;
  /** Why it FAILED, or why the service STOPPED it. */
  failure: string | null;
  /** How many sub-runs it consists of, and how many of them have not completed; null when it executes itself. */
  tasks: number | null;
  tasksLeft: number | null;
}

export interface NewRun {
  versionId: string;
  identity: string;
  settings: Settings;
}

/** What is told of a sub-run in its parent's message. */
export type SubRun = Pick<StoredRun, 'id' | 'status' | 'failure'>;

/** Characters of why a run failed: models may say anything. */
const LONGEST_FAILURE = 1_000;

/** JSON text of each output's value, by output name. */
export type OutputTexts = Record<string, string>;

/** Ids of runs that are no longer to be executed. */
export type Ended = string[];

/**
 * Runs in the database. The only place that writes a run's status, and only along the transitions of states.ts.
 * Its calls are synchronous: between the reading of a status and its change nothing else happens. A change of a run
 * and what it means for the runs that it is part of are one transaction.
 */
export class RunRepository {
  readonly #db: DatabaseSync;
  readonly #now: () => number;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #recent = new RecentRuns<StoredRun>();

  constructor(db: DatabaseSync, now: () => number) {
    this.#db = db;
    this.#now = now;
    this.#statements = prepareStatements(db);
  }

  /** Adds a FRESH run, or returns the live one that has its identity: one statement, so one of many wins. */
  insert(run: NewRun): StoredRun {
    return this.#insert(run, { isDirect: true, tasks: null }) ?? this.newest(run.identity)!;
  }

  /** As {@link insert}, a run that consists of others: those that are live are shared, the rest are FRESH. */
  insertMultiple(run: NewRun, subRuns: readonly NewRun[]): StoredRun {
    return this.#atomically(() => {
      const parent = this.#insert(run, { isDirect: true, tasks: subRuns.length });
      if (!parent) return this.newest(run.identity)!;
      const parts = subRuns.map((subRun, position) => {
        const part = this.#insert(subRun, { isDirect: false, tasks: null }) ?? this.newest(subRun.identity)!;
        this.#statements.addSubRun.run(parent.seq, position, part.seq);
        return part.status;
      });
      const left = parts.filter((status) => status !== 'COMPLETED').length;
      this.#setLeft(parent, left);
      if (parts.some((status) => status !== 'FRESH')) this.#move(parent, 'RUNNING');
      if (left === 0) this.#move({ ...parent, status: 'RUNNING' }, 'COMPLETED');
      return this.byId(parent.id)!;
    });
  }

  /** Notes that a run is asked for by itself, not only as a part of others. */
  want(run: StoredRun): void {
    this.#statements.want.run(run.seq);
  }

  /** Adds a run that an executor has already, outside the queue: an animated one. It is RUNNING at once. */
  insertRunning(run: NewRun): StoredRun {
    return this.#atomically(() => {
      const added = this.insert(run);
      this.#move(added, 'RUNNING');
      return this.byId(added.id)!;
    });
  }

  /** The run that answers for an identity, else the last one that FAILED or was STOPPED. */
  newest(identity: string): StoredRun | undefined {
    const id = this.#recent.newest(identity);
    if (id !== undefined) return this.byId(id);
    const run = readOptional(this.#statements.newest.get(identity));
    if (run) this.#recent.note(run, identity);
    return run;
  }

  byId(id: string): StoredRun | undefined {
    const known = this.#recent.get(id);
    if (known) return known;
    const run = readOptional(this.#statements.byId.get(id));
    if (run) this.#recent.note(run);
    return run;
  }

  /**
   * Takes the run that was requested first of those that are FRESH; it is RUNNING then.
   *
   * @param held - ids of versions whose runs are not taken
   */
  startNext(held: readonly string[] = []): StoredRun | undefined {
    return this.#atomically(() => {
      const run = readOptional(this.#statements.nextFresh.get(JSON.stringify(held)));
      if (!run) return undefined;
      this.#move(run, 'RUNNING');
      for (const { parent } of this.#waitingFor(run)) {
        if (parent.status === 'FRESH') this.#move(parent, 'RUNNING');
      }
      return { ...run, status: 'RUNNING' };
    });
  }

  complete(id: string, outputs: OutputTexts): void {
    this.#atomically(() => {
      const run = this.#known(id);
      this.#statements.keep.run(run.seq, JSON.stringify(outputs));
      this.#move(run, 'COMPLETED');
      for (const { parent, times } of this.#waitingFor(run)) {
        const left = parent.tasksLeft! - times;
        this.#setLeft(parent, left);
        if (left === 0) this.#move(parent, 'COMPLETED');
      }
    });
  }

  /** Returns the runs that nobody wants any more now that those that waited for this one have failed with it. */
  fail(id: string, reason: string): Ended {
    return this.#atomically(() => {
      const run = this.#known(id);
      this.#move(run, 'FAILED', reason);
      return this.#failParents(run, `failed: ${reason}`);
    });
  }

  /**
   * Returns the runs that end with it: itself, and what nobody wants any more.
   *
   * @param reason - why the service stops it, when nobody asked for that
   */
  stop(id: string, reason: string | null = null): Ended {
    return this.#atomically(() => {
      const run = this.#known(id);
      this.#move(run, 'STOPPED', reason);
      const others = run.tasks === null ? this.#failParents(run, 'was stopped') : this.#abandon(run);
      return [id, ...others];
    });
  }

  /** A RUNNING run that could not be executed is FRESH again in its old place, as if it had not been started. */
  defer(id: string): void {
    this.#atomically(() => {
      const run = this.#known(id);
      this.#move(run, 'FRESH');
      this.#statements.uncount.run(run.seq);
    });
  }

  /** After a start of the service: animated runs have lost their session, and nobody can look at them again. */
  stopAnimated(reason: string): void {
    for (const { id } of this.#statements.animated.all()) this.stop(id as string, reason);
  }

  /** After a start of the service: what was RUNNING has no executor, and is FRESH again in its old place. */
  requeueRunning(): void {
    for (const run of this.running()) this.requeue(run);
  }

  /** The runs in the database that are RUNNING and execute themselves. */
  running(): StoredRun[] {
    return this.#statements.running.all().map((row) => readRow(row));
  }

  /** A RUNNING run that has lost its executor is FRESH again in its old place. */
  requeue(run: StoredRun): void {
    this.#move(run, 'FRESH');
  }

  /** The outputs of a COMPLETED run that executed itself. */
  outputs(run: StoredRun): OutputTexts | undefined {
    const row = this.#statements.outputs.get(run.seq) as { outputs: string } | undefined;
    return row && (JSON.parse(row.outputs) as OutputTexts);
  }

  /** The outputs of the sub-runs of a COMPLETED run, in their order. */
  *outputsOfSubRuns(run: StoredRun): Generator<OutputTexts> {
    for (const row of this.#statements.subOutputs.iterate(run.seq)) {
      yield JSON.parse((row as { outputs: string }).outputs) as OutputTexts;
    }
  }

  /** The sub-runs of a run, in their order. */
  subRuns(run: StoredRun): SubRun[] {
    return this.#statements.subRuns.all(run.seq) as unknown as SubRun[];
  }

  /** Ids of the sub-runs of a run that are RUNNING. */
  runningSubRuns(run: StoredRun): string[] {
    return this.#statements.runningSubRuns.all(run.seq).map(({ id }) => id as string);
  }

  #insert(
    { versionId, identity, settings }: NewRun,
    { isDirect, tasks }: { isDirect: boolean; tasks: number | null },
  ): StoredRun | undefined {
    // all, not get: that would not go on to the commit, whose failure on a full disk nobody would hear of
    const [row] = this.#statements.insert.all(
      randomUUID(),
      versionId,
      settings.experimentType,
      identity,
      JSON.stringify(settings.inputs),
      JSON.stringify(settings.types),
      Number(isDirect),
      tasks,
      tasks,
      this.#time(),
    );
    const run = readOptional(row);
    if (run) this.#recent.note(run, identity);
    return run;
  }

  /** The unfinished runs that a run is part of, with how many times over and where first. */
  #waitingFor(run: StoredRun): { parent: StoredRun; times: number; position: number }[] {
    return this.#statements.parents.all(run.seq).map((row) => ({
      parent: readRow(row),
      times: Number(row['times']),
      position: Number(row['position']),
    }));
  }

  #failParents(run: StoredRun, how: string): Ended {
    const failed = this.#waitingFor(run);
    for (const { parent, position } of failed) {
      this.#move(parent, 'FAILED', `${subRunTitle(parent, position, run.inputs)} ${how}`);
    }
    return failed.flatMap(({ parent }) => this.#abandon(parent));
  }

  /** Stops the sub-runs of a run that has ended, but for those that something else waits for. */
  #abandon(parent: StoredRun): Ended {
    const unwanted = this.#statements.unwanted.all(parent.seq).map((row) => readRow(row));
    for (const run of unwanted) this.#move(run, 'STOPPED');
    return unwanted.map(({ id }) => id);
  }

  #move(run: StoredRun, to: RunStatus, failure: string | null = null): void {
    checkTransition(run.status, to, run.tasks !== null);
    if (to === 'RUNNING') this.#statements.start.run(this.#time(), run.seq);
    else if (to === 'FRESH') this.#statements.requeue.run(run.seq);
    else this.#statements.finish.run(to, failure && bounded(failure, LONGEST_FAILURE), this.#time(), run.seq);
    this.#recent.forget(run.id);
  }

  #setLeft(parent: StoredRun, left: number): void {
    this.#statements.setLeft.run(left, parent.seq);
    this.#recent.forget(parent.id);
  }

  #known(id: string): StoredRun {
    const run = this.byId(id);
    if (!run) throw new Error(`there is no run ${id}`);
    return run;
  }

  #atomically<T>(change: () => T): T {
    this.#db.exec('BEGIN');
    try {
      const result = change();
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      // a full disk has SQLite roll back by itself
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      this.#recent.clear();
      throw error;
    }
  }

  #time(): string {
    return new Date(this.#now()).toISOString();
  }
}

const NAMES = [
  'seq',
  'id',
  'version_id',
  'experiment_type',
  'inputs',
  'types',
  'status',
  'failure',
  'tasks',
  'tasks_left',
];
const COLUMNS = NAMES.join(', ');
const RUN_COLUMNS = NAMES.map((name) => `runs.${name}`).join(', ');

function prepareStatements(db: DatabaseSync) {
  return {
    insert: db.prepare(
      `INSERT INTO runs
         (id, version_id, experiment_type, identity, inputs, types, direct, tasks, tasks_left, status, requested_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'FRESH', ?)
       ON CONFLICT (identity) WHERE status IN ('FRESH', 'RUNNING', 'COMPLETED') DO NOTHING RETURNING ${COLUMNS}`,
    ),
    want: db.prepare('UPDATE runs SET direct = 1 WHERE seq = ? AND direct = 0'),
    newest: db.prepare(`SELECT ${COLUMNS} FROM runs WHERE identity = ? ORDER BY seq DESC LIMIT 1`),
    byId: db.prepare(`SELECT ${COLUMNS} FROM runs WHERE id = ?`),
    nextFresh: db.prepare(
      `SELECT ${COLUMNS} FROM runs
       WHERE status = 'FRESH' AND tasks IS NULL AND version_id NOT IN (SELECT value FROM json_each(?))
       ORDER BY seq LIMIT 1`,
    ),
    start: db.prepare(
      `UPDATE runs SET status = 'RUNNING', executions = executions + (tasks IS NULL), started_at = ?
       WHERE seq = ?`,
    ),
    finish: db.prepare('UPDATE runs SET status = ?, failure = ?, finished_at = ? WHERE seq = ?'),
    requeue: db.prepare(`UPDATE runs SET status = 'FRESH', started_at = NULL WHERE seq = ?`),
    uncount: db.prepare('UPDATE runs SET executions = executions - 1 WHERE seq = ?'),
    running: db.prepare(
      `SELECT ${COLUMNS} FROM runs WHERE status = 'RUNNING' AND tasks IS NULL ORDER BY seq`,
    ),
    animated: db.prepare(
      `SELECT id FROM runs WHERE status = 'RUNNING' AND experiment_type = 'ANIMATION_SVG'`,
    ),
    keep: db.prepare('INSERT INTO results (run_seq, outputs) VALUES (?, ?)'),
    outputs: db.prepare('SELECT outputs FROM results WHERE run_seq = ?'),

    addSubRun: db.prepare('INSERT INTO sub_runs (parent_seq, position, run_seq) VALUES (?, ?, ?)'),
    setLeft: db.prepare('UPDATE runs SET tasks_left = ? WHERE seq = ?'),
    parents: db.prepare(
      `SELECT ${RUN_COLUMNS}, count(*) AS times, min(position) AS position
       FROM sub_runs JOIN runs ON runs.seq = parent_seq
       WHERE run_seq = ? AND status IN ('FRESH', 'RUNNING') GROUP BY parent_seq`,
    ),
    unwanted: db.prepare(
      `SELECT DISTINCT ${RUN_COLUMNS} FROM sub_runs JOIN runs ON runs.seq = run_seq
       WHERE parent_seq = ? AND status IN ('FRESH', 'RUNNING') AND direct = 0 AND NOT EXISTS (
         SELECT 1 FROM sub_runs AS other JOIN runs AS parent ON parent.seq = other.parent_seq
         WHERE other.run_seq = runs.seq AND parent.status IN ('FRESH', 'RUNNING')
       )`,
    ),
    subRuns: db.prepare(
      `SELECT id, status, failure FROM sub_runs JOIN runs ON runs.seq = run_seq
       WHERE parent_seq = ? ORDER BY position`,
    ),
    // CROSS JOIN keeps the order: the few that run first
    runningSubRuns: db.prepare(
      `SELECT id FROM runs CROSS JOIN sub_runs ON run_seq = runs.seq
       WHERE status = 'RUNNING' AND tasks IS NULL AND parent_seq = ?`,
    ),
    subOutputs: db.prepare(
      `SELECT outputs FROM sub_runs JOIN results USING (run_seq) WHERE parent_seq = ? ORDER BY position`,
    ),
  };
}

type Row = ReturnType<StatementSync['get']>;

function readOptional(row: Row): StoredRun | undefined {
  return row && readRow(row);
}

function readRow(row: NonNullable<Row>): StoredRun {
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
