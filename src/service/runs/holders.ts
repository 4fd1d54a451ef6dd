import type { Sql } from '../database/database.ts';
import type { ExperimentTree } from './experiment-tree.ts';
import { type ClaimedRun, type Ending, HolderClosed } from './feed.ts';
import { RecentMap } from './recent-map.ts';
import type { Effects, RunTable } from './run-table.ts';
import { readRow, type RunRow } from './stored-run.ts';

/**
 * The number of failed runs that keep their log. The oldest logs are deleted first. A log has at most 65,536
 * characters, so all logs together need about 128 MB at most, if they are ASCII text.
 */
const MOST_LOGS = 2_000;
/** A run that has lost its holder this many times fails, because the run itself may crash its executors. */
const MOST_LOSSES = 5;
/** A run that was put back this many times, while no lack of the machine was the reason, fails with the last reason. */
const MOST_PUT_BACK = 20;
/** The number of runs whose put-backs are counted. */
const MOST_COUNTED = 100_000;
/**
 * How long a closed holder is remembered, in milliseconds. After that, an executor that was frozen all this time could
 * open its holder again.
 */
const REMEMBERED = 90 * 24 * 60 * 60_000;
/** The shortest time between two removals of old holders, in milliseconds. A removal reads all holders. */
const FORGET_EVERY = 60 * 60_000;

type Completion = Extract<Ending, { status: 'COMPLETED' }>;
type Failure = Extract<Ending, { status: 'FAILED' }>;
type PutBack = Extract<Ending, { status: 'FRESH' }>;

/** A RUNNING run of a holder. */
interface HeldRun {
  id: string;
  experiment_type: string;
  losses: number;
}

/** The open holder of one service. Several services use the same database. */
export interface OpenService {
  id: string;
  /** Whether the process of the service is connected to the database. */
  isConnected: boolean;
  /** The progress of the runs that the service knows, from 0 to 1, by run id. */
  shares: Record<string, number>;
}

/** A RUNNING run that probably no executor executes. */
export interface Unheld {
  id: string;
  isAnimated: boolean;
  holder: string | null;
}

/**
 * The holders of runs. A holder claims runs, and reports how their executions have ended. Its id is never used again. A
 * run has one result, even if several holders executed it. The first completion counts, and only the holder of a run
 * may fail it.
 */
export class Holders {
  readonly #table: RunTable;
  readonly #tree: ExperimentTree;
  /** How often runs were put back for a lasting reason since this service started, by id. */
  readonly #putBacks = new RecentMap<string, number>(MOST_COUNTED);
  #forgotAt = -Infinity;

  constructor(table: RunTable, tree: ExperimentTree) {
    this.#table = table;
    this.#tree = tree;
  }

  /** Adds a holder if it is not known. `name` contains the name of the executor's key, or is `EMBEDDED` for a service. */
  async open(id: string, name: string): Promise<void> {
    await this.#table.sql.all(this.#table.statements.openHolder, id, name, this.#table.time());
  }

  /** Like {@link Feed.claim}. */
  claim(holder: string, most: number, without: readonly string[] = []): Promise<ClaimedRun[]> {
    const { isOpen, next, claim } = this.#table.statements;
    return this.#table.change(async (sql, effects) => {
      if ((await sql.all(isOpen, holder)).length === 0) throw new HolderClosed();
      const rows = await sql.all<RunRow>(next(most), JSON.stringify(without));
      effects.tally.claims += 1;
      effects.tally.claimed += rows.length;
      if (rows.length === 0) return [];
      const runs = rows.map((row) => readRow(row));
      await sql.all(claim(runs.length), holder, this.#table.time(), ...runs.map(({ seq }) => seq));
      effects.changed.push(...runs.map(({ id }) => id));
      await this.#tree.start(sql, effects, runs);
      const { traces } = this.#table;
      return traces.size === 0 ? runs : runs.map((run) => ({ ...run, trace: traces.get(run.id) }));
    });
  }

  /** Like {@link Feed.report}. */
  record(holder: string, endings: readonly Ending[]): Promise<void> {
    return this.#table.change(async (sql, effects) => {
      effects.tally.reports += 1;
      const completions = endings.filter((ending) => ending.status === 'COMPLETED');
      if (completions.length > 0) await this.#complete(sql, effects, completions);
      for (const ending of endings) {
        if (ending.status === 'FAILED') await this.#fail(sql, effects, holder, ending);
        if (ending.status === 'STOPPED') await this.#tree.stop(sql, effects, ending.runId, ending.reason);
      }
      for (const ending of endings) {
        if (ending.status === 'FRESH') await this.#putBack(sql, effects, holder, ending);
      }
    });
  }

  /** Puts a run back that was not executed. A run that was put back too often fails, so that it does not wait for ever. */
  async #putBack(
    sql: Sql,
    effects: Effects,
    holder: string,
    { runId, reason, isLasting }: PutBack,
  ): Promise<void> {
    const times = (this.#putBacks.get(runId) ?? 0) + (isLasting ? 1 : 0);
    if (times >= MOST_PUT_BACK) {
      this.#putBacks.delete(runId);
      const why = `it could not be executed in ${times} attempts: ${reason}`;
      return this.#fail(sql, effects, holder, { runId, status: 'FAILED', reason: why });
    }
    if (times > 0) this.#putBacks.set(runId, times);
    const { defer } = this.#table.statements;
    const why = reason === undefined ? null : this.#table.failure(`it cannot be executed now: ${reason}`);
    const changed = await sql.all<{ id: string }>(defer, why, runId, holder);
    effects.changed.push(...changed.map(({ id }) => id));
  }

  /**
   * Closes a holder. Its runs become FRESH in their old places in the queue. Its animated runs become STOPPED. A run
   * that has lost its holder `MOST_LOSSES` times becomes FAILED.
   *
   * @param isLost - whether it ended without a report, so that one of its runs may be the reason
   */
  close(holder: string, { isLost }: { isLost: boolean }): Promise<void> {
    const { closeHolder, losses } = this.#table.statements;
    return this.#table.change(async (sql, effects) => {
      const time = this.#table.time();
      await sql.all(closeHolder, holder, '', time, time);
      const rows = await sql.all<HeldRun>(losses, holder);
      const isAnimated = (run: HeldRun) => run.experiment_type === 'ANIMATION_SVG';
      for (const { id } of rows.filter(isAnimated))
        await this.#tree.stop(sql, effects, id, 'the model service that animated the run was lost');
      const held = rows.filter((run) => !isAnimated(run));
      if (isLost) effects.tally.lost += held.length;
      const isFatal = (run: HeldRun) => isLost && Number(run.losses) + 1 >= MOST_LOSSES;
      for (const { id: runId } of held.filter(isFatal)) {
        const reason = `its executor was lost ${MOST_LOSSES} times while it executed the run`;
        await this.#fail(sql, effects, holder, { runId, status: 'FAILED', reason });
      }
      const others = held.filter((run) => !isFatal(run)).map(({ id }) => id);
      if (others.length > 0) await this.#requeue(sql, effects, others, { isLost });
    });
  }

  /** The open holders, except those with a given name. Removes holders that were closed long ago. */
  async openExcept(name: string): Promise<string[]> {
    const { openHolders, forgetHolders } = this.#table.statements;
    const now = Date.parse(this.#table.time());
    if (now - this.#forgotAt > FORGET_EVERY) {
      await this.#table.sql.all(forgetHolders, new Date(now - REMEMBERED).toISOString());
      this.#forgotAt = now;
    }
    return (await this.#table.sql.all<{ id: string }>(openHolders, name)).map(({ id }) => id);
  }

  /** The open holders with a name, in a shared database. Each is a service. */
  async services(name: string): Promise<OpenService[]> {
    const rows = await this.#table.sql.all<{ id: string; connected: boolean; shares: string | null }>(
      this.#table.statements.services!,
      name,
    );
    return rows.map(({ id, connected, shares }) => ({
      id,
      isConnected: connected,
      shares: JSON.parse(shares ?? '{}') as OpenService['shares'],
    }));
  }

  /** Returns the given runs that are RUNNING. */
  async running(runIds: readonly string[]): Promise<string[]> {
    const { running } = this.#table.statements;
    return (await this.#table.sql.all<{ id: string }>(running, JSON.stringify(runIds))).map(({ id }) => id);
  }

  /** Returns the given runs that the holder does not hold. */
  async notHeld(holder: string, runIds: readonly string[]): Promise<string[]> {
    const { notHeld } = this.#table.statements;
    const rows = await this.#table.sql.all<{ id: string }>(notHeld, JSON.stringify(runIds), holder);
    return rows.map(({ id }) => id);
  }

  /** Closes all holders with a name. Then no open holder has their runs. */
  async closeNamed(name: string): Promise<void> {
    await this.#table.sql.all(this.#table.statements.closeNamed, this.#table.time(), name);
  }

  /** The RUNNING runs of a holder, and the RUNNING runs whose holder is not open. */
  async unheld(holder: string): Promise<Unheld[]> {
    const rows = await this.#table.sql.all<Record<'id' | 'experiment_type' | 'holder', string>>(
      this.#table.statements.unheld,
      holder,
    );
    return rows.map(({ id, experiment_type, holder }) => ({
      id,
      isAnimated: experiment_type === 'ANIMATION_SVG',
      holder,
    }));
  }

  /** Makes RUNNING runs without an executor FRESH again, in their old places in the queue. */
  async requeue(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#table.change((sql, effects) => this.#requeue(sql, effects, ids, { isLost: false }));
  }

  async #requeue(
    sql: Sql,
    effects: Effects,
    ids: readonly string[],
    { isLost }: { isLost: boolean },
  ): Promise<void> {
    const { requeue } = this.#table.statements;
    const changed = await sql.all<{ id: string }>(requeue, Number(isLost), JSON.stringify(ids));
    effects.changed.push(...changed.map(({ id }) => id));
    effects.tally.repeated += changed.length;
  }

  async #complete(sql: Sql, effects: Effects, completions: readonly Completion[]): Promise<void> {
    const outputs = new Map(completions.map(({ runId, outputs }) => [runId, outputs]));
    const { complete, addResults } = this.#table.statements;
    const completed = await sql.all<{ id: string; seq: number }>(
      complete(outputs.size),
      this.#table.time(),
      ...outputs.keys(),
    );
    // the other runs have already ended
    if (completed.length === 0) return;
    const values = completed.flatMap(({ id, seq }) => [Number(seq), JSON.stringify(outputs.get(id))]);
    await sql.all(addResults(completed.length), ...values);
    await this.#tree.complete(
      sql,
      effects,
      completed.map(({ seq }) => Number(seq)),
    );
    for (const { id } of completed) {
      effects.changed.push(id);
      effects.tally.ended.COMPLETED += 1;
    }
  }

  async #fail(sql: Sql, effects: Effects, holder: string, { runId, reason, log }: Failure): Promise<void> {
    const { fail, addLog, dropLogs } = this.#table.statements;
    const [row] = await sql.all<RunRow>(fail, this.#table.failure(reason), this.#table.time(), runId, holder);
    // the run has already ended, or has another holder
    if (!row) return;
    const run = readRow(row);
    effects.changed.push(run.id);
    effects.tally.ended.FAILED += 1;
    if (log) {
      const [added] = await sql.all<{ number: number }>(addLog, run.seq, JSON.stringify(log));
      await sql.all(dropLogs, Number(added!.number) - MOST_LOGS);
    }
    await this.#tree.fail(sql, effects, run, `failed: ${reason}`);
  }
}
