import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { RunStatus } from '../../api/constants.ts';
import { bounded } from '../../printable.ts';
import { RunCache } from './run-cache.ts';
import { checkTransition } from './states.ts';
import { prepareStatements } from './run-sql.ts';
import { type NewRun, readOptional, type StoredRun } from './stored-run.ts';
import { Tally } from './tally.ts';

/** In characters. Models may report any text. */
const LONGEST_FAILURE = 1_000;

/**
 * The table of runs, with recent ones in memory. Only this class writes the status of a run, by the transitions of
 * states.ts. Its calls are synchronous: nothing happens between reading a status and changing it.
 */
export class RunTable {
  readonly statements: ReturnType<typeof prepareStatements>;
  readonly tally = new Tally();
  readonly #db: DatabaseSync;
  readonly #now: () => number;
  readonly #recent = new RunCache<StoredRun>();

  constructor(db: DatabaseSync, now: () => number) {
    this.#db = db;
    this.#now = now;
    this.statements = prepareStatements(db);
  }

  /** Adds a FRESH run; undefined if a live run has its identity. */
  insert(
    { versionId, identity, settings }: NewRun,
    { isDirect, tasks }: { isDirect: boolean; tasks: number | null },
  ): StoredRun | undefined {
    // `all` and not `get`: `get` does not run the commit, so its failure on a full disk would not be noticed
    const [row] = this.statements.insert.all(
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

  /** The run that answers for an identity, otherwise its last FAILED or STOPPED run. */
  newest(identity: string): StoredRun | undefined {
    const id = this.#recent.newest(identity);
    if (id !== undefined) return this.byId(id);
    const run = readOptional(this.statements.newest.get(identity));
    if (run) this.#recent.note(run, identity);
    return run;
  }

  byId(id: string): StoredRun | undefined {
    const known = this.#recent.get(id);
    if (known) return known;
    const run = readOptional(this.statements.byId.get(id));
    if (run) this.#recent.note(run);
    return run;
  }

  /** @throws Error if there is no such run */
  known(id: string): StoredRun {
    const run = this.byId(id);
    if (!run) throw new Error(`there is no run ${id}`);
    return run;
  }

  move(run: StoredRun, to: RunStatus, failure: string | null = null): void {
    checkTransition(run.status, to, run.tasks !== null);
    if (to === 'RUNNING') this.statements.start.run(this.#time(), run.seq);
    else if (to === 'FRESH') this.statements.requeue.run(run.seq);
    else this.statements.finish.run(to, failure && bounded(failure, LONGEST_FAILURE), this.#time(), run.seq);
    if (run.tasks === null) this.tally.noteEnd(to);
    this.#recent.forget(run.id);
  }

  /** Stops runs in one statement, because there may be thousands. */
  stopAll(runs: readonly Pick<StoredRun, 'id' | 'seq' | 'status'>[]): void {
    for (const { id, status } of runs) {
      checkTransition(status, 'STOPPED');
      this.#recent.forget(id);
    }
    this.tally.noteEnd('STOPPED', runs.length);
    this.statements.stopAll.run(this.#time(), JSON.stringify(runs.map(({ seq }) => seq)));
  }

  /** Sets the number of a run's sub-runs that have not completed. */
  setLeft(parent: StoredRun, left: number): void {
    this.statements.setLeft.run(left, parent.seq);
    this.#recent.forget(parent.id);
  }

  /** Removes runs with given seqs that have not begun and that nothing needs. */
  dropParts(seqs: readonly number[]): void {
    this.statements.dropParts.run(JSON.stringify(seqs));
    this.#recent.clear();
  }

  /** Makes a change in one transaction. */
  atomically<T>(change: () => T): T {
    this.#db.exec('BEGIN');
    try {
      const result = change();
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      // on a full disk SQLite rolls back by itself
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      this.#recent.clear();
      throw error;
    }
  }

  #time(): string {
    return new Date(this.#now()).toISOString();
  }
}
