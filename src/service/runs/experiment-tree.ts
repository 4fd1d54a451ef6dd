import type { Sql } from '../database/database.ts';
import { subRunTitle } from './experiments.ts';
import type { Effects, RunTable } from './run-table.ts';
import { type NewRun, readRow, type RunRow, type StoredRun } from './stored-run.ts';

/**
 * Keeps the states of experiments and of their sub-runs consistent. An experiment is here a run that consists of other
 * runs. A changed sub-run changes its experiments, and the end of an experiment may stop its sub-runs. All methods are
 * called in a transaction. A run is live if it is not FAILED or STOPPED.
 */
export class ExperimentTree {
  readonly #table: RunTable;

  constructor(table: RunTable) {
    this.#table = table;
  }

  /**
   * Finds the live run with an identity, or adds a FRESH run, as a part (sub-run) of an experiment. Returns its `seq`,
   * which is its number in the table.
   */
  async addPart(sql: Sql, run: NewRun): Promise<number> {
    const { run: part } = await this.#table.insertOrFind(run, { isDirect: false, tasks: null }, sql);
    return part.seq;
  }

  /**
   * The parts of an experiment. They stay live until the transaction ends. Another live run with the same inputs
   * replaces each part that has failed, was stopped or was removed since it was added.
   */
  async liveParts(sql: Sql, runs: readonly NewRun[], parts: readonly number[]): Promise<number[]> {
    const seqs = [...parts];
    for (;;) {
      const rows = await sql.all<{ seq: number }>(this.#table.statements.liveParts, JSON.stringify(seqs));
      const live = new Set(rows.map(({ seq }) => Number(seq)));
      if (seqs.every((seq) => live.has(seq))) return seqs;
      for (const [position, seq] of seqs.entries())
        if (!live.has(seq)) seqs[position] = await this.addPart(sql, runs[position]!);
    }
  }

  /** Makes runs the sub-runs of an experiment that was just added; returns the experiment. */
  async adopt(sql: Sql, effects: Effects, parent: StoredRun, seqs: readonly number[]): Promise<StoredRun> {
    const { addSubRuns, progress, setProgress } = this.#table.statements;
    await sql.all(addSubRuns, parent.seq, JSON.stringify(seqs));
    const [row] = await sql.all<Record<'unfinished' | 'fresh', number>>(progress, parent.seq);
    const [left, fresh] = [Number(row!.unfinished), Number(row!.fresh)];
    const time = this.#table.time();
    const status = left === 0 ? 'COMPLETED' : fresh < seqs.length ? 'RUNNING' : 'FRESH';
    const [changed] = await sql.all<RunRow>(
      setProgress,
      left,
      status,
      status === 'FRESH' ? null : time,
      status === 'COMPLETED' ? time : null,
      parent.seq,
    );
    effects.changed.push(parent.id);
    return readRow(changed!);
  }

  /** Starts the experiments of claimed sub-runs. */
  async start(sql: Sql, effects: Effects, runs: readonly StoredRun[]): Promise<void> {
    const { startParents } = this.#table.statements;
    const seqs = runs.map(({ seq }) => seq);
    this.#noteChanged(effects, await sql.all(startParents(seqs.length), this.#table.time(), ...seqs));
  }

  /** Counts completed sub-runs in their experiments. */
  async complete(sql: Sql, effects: Effects, seqs: readonly number[]): Promise<void> {
    const { parentsOf, completeParent } = this.#table.statements;
    const time = this.#table.time();
    const parents = await sql.all<{ parent_seq: number; runs: number }>(parentsOf(seqs.length), ...seqs);
    for (const { parent_seq, runs } of parents)
      this.#noteChanged(effects, await sql.all(completeParent, runs, runs, time, runs, time, parent_seq));
  }

  /**
   * Ends the experiments with a sub-run that has failed or was stopped (`how`). They fail too, and runs that nobody needs
   * any more are stopped.
   */
  async fail(sql: Sql, effects: Effects, run: StoredRun, how: string): Promise<void> {
    const { parents, failParent } = this.#table.statements;
    for (const row of await sql.all<RunRow>(parents, run.seq)) {
      const parent = readRow(row);
      const failure = this.#table.failure(
        `${subRunTitle(parent, Number(row['position']), run.inputs)} ${how}`,
      );
      const failed = await sql.all<{ id: string }>(failParent, failure, this.#table.time(), parent.seq);
      this.#noteChanged(effects, failed);
      if (failed.length > 0) await this.abandon(sql, effects, parent);
    }
  }

  /** Stops a FRESH or RUNNING run, and the runs that nobody needs any more. */
  async stop(sql: Sql, effects: Effects, id: string, reason: string | null): Promise<void> {
    const failure = reason && this.#table.failure(reason);
    const [row] = await sql.all<RunRow>(this.#table.statements.stop, failure, this.#table.time(), id);
    if (!row) return;
    const run = readRow(row);
    effects.changed.push(id);
    effects.ended.push(id);
    if (run.tasks !== null) return this.abandon(sql, effects, run);
    effects.tally.ended.STOPPED += 1;
    return this.fail(sql, effects, run, 'was stopped');
  }

  /** Stops the sub-runs of an ended experiment, except runs that a client or another experiment needs. */
  async abandon(sql: Sql, effects: Effects, parent: StoredRun): Promise<void> {
    const { unwanted, stopAll } = this.#table.statements;
    const find = async (): Promise<string> =>
      JSON.stringify((await sql.all<{ seq: number }>(unwanted, parent.seq)).map(({ seq }) => Number(seq)));
    let seqs = await find();
    // before the lock, another transaction may have made some of them its parts
    if (await this.lock(sql, seqs)) seqs = await find();
    for (const { id } of await sql.all<{ id: string }>(stopAll, this.#table.time(), seqs)) {
      effects.changed.push(id);
      effects.ended.push(id);
      effects.tally.ended.STOPPED += 1;
    }
  }

  /**
   * Prevents other transactions from making these runs parts of an experiment, until this transaction ends. Returns
   * false if there can be no other transaction.
   */
  async lock(sql: Sql, seqs: string): Promise<boolean> {
    const { lock } = this.#table.statements;
    if (lock) await sql.all(lock, seqs);
    return lock !== '';
  }

  #noteChanged(effects: Effects, changed: readonly { id: string }[]): void {
    effects.changed.push(...changed.map(({ id }) => id));
  }
}
