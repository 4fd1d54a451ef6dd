import { randomUUID } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ExperimentType, RunStatus } from '../../api/constants.ts';
import type { CanonicalInputs } from './identity.ts';
import { checkTransition } from './states.ts';

/** A run as the database has it. */
export interface StoredRun {
  /** Order of request. */
  seq: number;
  id: string;
  versionId: string;
  inputs: CanonicalInputs;
  status: RunStatus;
  /** Why it FAILED, or why the service STOPPED it. */
  failure: string | null;
}

export interface NewRun {
  versionId: string;
  experimentType: ExperimentType;
  identity: string;
  inputs: CanonicalInputs;
}

/** JSON text of each output's value, by output name. */
export type OutputTexts = Record<string, string>;

const COLUMNS = 'seq, id, version_id, inputs, status, failure';

/**
 * Runs in the database. The only place that writes a run's status, and only along the transitions of states.ts.
 * Its calls are synchronous: between the reading of a status and its change nothing else happens.
 */
export class RunRepository {
  readonly #db: DatabaseSync;
  readonly #now: () => number;
  readonly #statements: Record<
    | 'insert'
    | 'newest'
    | 'byId'
    | 'nextFresh'
    | 'start'
    | 'finish'
    | 'requeue'
    | 'running'
    | 'animated'
    | 'keep'
    | 'outputs',
    StatementSync
  >;

  constructor(db: DatabaseSync, now: () => number) {
    this.#db = db;
    this.#now = now;
    this.#statements = {
      insert: db.prepare(
        `INSERT INTO runs (id, version_id, experiment_type, identity, inputs, status, requested_at)
         VALUES (?, ?, ?, ?, ?, 'FRESH', ?)
         ON CONFLICT (identity) WHERE status IN ('FRESH', 'RUNNING', 'COMPLETED') DO NOTHING RETURNING ${COLUMNS}`,
      ),
      newest: db.prepare(`SELECT ${COLUMNS} FROM runs WHERE identity = ? ORDER BY seq DESC LIMIT 1`),
      byId: db.prepare(`SELECT ${COLUMNS} FROM runs WHERE id = ?`),
      nextFresh: db.prepare(`SELECT ${COLUMNS} FROM runs WHERE status = 'FRESH' ORDER BY seq LIMIT 1`),
      start: db.prepare(
        `UPDATE runs SET status = 'RUNNING', executions = executions + 1, started_at = ? WHERE seq = ?`,
      ),
      finish: db.prepare('UPDATE runs SET status = ?, failure = ?, finished_at = ? WHERE seq = ?'),
      requeue: db.prepare(`UPDATE runs SET status = 'FRESH', started_at = NULL WHERE seq = ?`),
      running: db.prepare(`SELECT ${COLUMNS} FROM runs WHERE status = 'RUNNING' ORDER BY seq`),
      animated: db.prepare(
        `SELECT id FROM runs WHERE status = 'RUNNING' AND experiment_type = 'ANIMATION_SVG'`,
      ),
      keep: db.prepare('INSERT INTO results (run_seq, outputs) VALUES (?, ?)'),
      outputs: db.prepare('SELECT outputs FROM results WHERE run_seq = ?'),
    };
  }

  /** Adds a FRESH run, or returns the live one that has its identity: one statement, so one of many wins. */
  insert({ versionId, experimentType, identity, inputs }: NewRun): StoredRun {
    // all, not get: that would not go on to the commit, whose failure on a full disk nobody would hear of
    const [row] = this.#statements.insert.all(
      randomUUID(),
      versionId,
      experimentType,
      identity,
      JSON.stringify(inputs),
      this.#time(),
    );
    return row ? readRow(row) : this.newest(identity)!;
  }

  /** Adds a run that an executor has already, outside the queue: an animated one. It is RUNNING at once. */
  insertRunning(run: NewRun): StoredRun {
    return this.#atOnce(() => {
      const { status, seq, id } = this.insert(run);
      checkTransition(status, 'RUNNING');
      this.#statements.start.run(this.#time(), seq);
      return this.byId(id)!;
    });
  }

  /** The run that answers for an identity, else the last one that FAILED or was STOPPED. */
  newest(identity: string): StoredRun | undefined {
    return readOptional(this.#statements.newest.get(identity));
  }

  byId(id: string): StoredRun | undefined {
    return readOptional(this.#statements.byId.get(id));
  }

  /** Takes the run that was requested first of those that are FRESH; it is RUNNING then. */
  startNext(): StoredRun | undefined {
    const run = readOptional(this.#statements.nextFresh.get());
    if (!run) return undefined;
    checkTransition(run.status, 'RUNNING');
    this.#statements.start.run(this.#time(), run.seq);
    return { ...run, status: 'RUNNING' };
  }

  complete(id: string, outputs: OutputTexts): void {
    const { seq } = this.#checked(id, 'COMPLETED');
    this.#atOnce(() => {
      this.#statements.keep.run(seq, JSON.stringify(outputs));
      this.#statements.finish.run('COMPLETED', null, this.#time(), seq);
    });
  }

  fail(id: string, reason: string): void {
    const { seq } = this.#checked(id, 'FAILED');
    this.#statements.finish.run('FAILED', reason, this.#time(), seq);
  }

  /** @param reason - why the service stops it, when nobody asked for that */
  stop(id: string, reason: string | null = null): void {
    const { seq } = this.#checked(id, 'STOPPED');
    this.#statements.finish.run('STOPPED', reason, this.#time(), seq);
  }

  /** After a start of the service: animated runs have lost their session, and nobody can look at them again. */
  stopAnimated(reason: string): void {
    for (const { id } of this.#statements.animated.all()) this.stop(id as string, reason);
  }

  /** After a start of the service: what was RUNNING has no executor, and is FRESH again in its old place. */
  requeueRunning(): void {
    for (const row of this.#statements.running.all()) {
      const { status, seq } = readRow(row);
      checkTransition(status, 'FRESH');
      this.#statements.requeue.run(seq);
    }
  }

  /** The outputs of a COMPLETED run. */
  outputs(run: StoredRun): OutputTexts | undefined {
    const row = this.#statements.outputs.get(run.seq) as { outputs: string } | undefined;
    return row && (JSON.parse(row.outputs) as OutputTexts);
  }

  #checked(id: string, to: RunStatus): StoredRun {
    const run = this.byId(id);
    if (!run) throw new Error(`there is no run ${id}`);
    checkTransition(run.status, to);
    return run;
  }

  #atOnce<T>(change: () => T): T {
    this.#db.exec('BEGIN');
    try {
      const result = change();
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  #time(): string {
    return new Date(this.#now()).toISOString();
  }
}

type Row = ReturnType<StatementSync['get']>;

function readOptional(row: Row): StoredRun | undefined {
  return row && readRow(row);
}

function readRow(row: NonNullable<Row>): StoredRun {
  const { seq, id, version_id, inputs, status, failure } = row as Record<string, string>;
  return {
    seq: Number(seq),
    id: id!,
    versionId: version_id!,
    inputs: JSON.parse(inputs!) as CanonicalInputs,
    status: status as RunStatus,
    failure: failure ?? null,
  };
}
