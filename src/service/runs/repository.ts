import { setImmediate as turn } from 'node:timers/promises';
import type { RunLog } from '../../api/extensions.ts';
import { tracing } from '../../tracing.ts';
import type { Database } from '../database/database.ts';
import { ExperimentTree } from './experiment-tree.ts';
import { Holders } from './holders.ts';
import { RunTable } from './run-table.ts';
import {
  type NewRun,
  type OutputTexts,
  readRow,
  type RunRow,
  type StoredRun,
  type SubRun,
} from './stored-run.ts';
import type { Tally } from './tally.ts';

/** The largest number of sub-runs whose outputs are read at once. */
const PAGE = 500;
/** The largest size of the outputs that are read at once, in bytes, unless those of one sub-run are larger. */
const PAGE_BYTES = 8 * 2 ** 20;

/**
 * Runs in the database, and experiments, which consist of runs. A change of a run and its effects on the experiments
 * with that run are one transaction. A statement that changes the status of runs either lists the statuses that it may
 * replace, or it changes only runs that its transaction has just selected or added. So other processes may change the
 * same runs at the same time.
 */
export class RunRepository {
  readonly holders: Holders;
  readonly #table: RunTable;
  readonly #tree: ExperimentTree;
  readonly #sql: Database;
  readonly #statements: RunTable['statements'];

  constructor(sql: Database, now: () => number) {
    this.#sql = sql;
    this.#table = new RunTable(sql, now);
    this.#tree = new ExperimentTree(this.#table);
    this.#statements = this.#table.statements;
    this.holders = new Holders(this.#table, this.#tree);
  }

  /** The counts of events in the queue since the service started. */
  get tally(): Readonly<Tally> {
    return this.#table.tally;
  }

  /** @param callback - called with the ids of runs that must not be executed any more */
  whenEnded(callback: (runIds: readonly string[]) => void): void {
    this.#table.whenEnded(callback);
  }

  /** The numbers of waiting and executing runs, without experiments. */
  async counts(): Promise<{ fresh: number; running: number }> {
    const [row] = await this.#sql.all<{ fresh: number; running: number }>(this.#statements.counts);
    return { fresh: Number(row!.fresh), running: Number(row!.running) };
  }

  /** The number of waiting runs, up to a limit, because a count of all would read them all. */
  async countFresh(most: number): Promise<number> {
    const [row] = await this.#sql.all<{ fresh: number }>(this.#statements.countFresh(most));
    return Number(row!.fresh);
  }

  /**
   * Adds a FRESH run, or returns the live run with its identity. One statement adds the run if there is no live one. So
   * if many identical requests arrive together, one of them adds the run.
   */
  async insert(run: NewRun): Promise<StoredRun> {
    const { run: stored, isNew } = await this.#table.insertOrFind(run, { isDirect: true, tasks: null });
    const trace = tracing?.current();
    if (isNew && trace !== undefined) this.#table.traces.set(stored.id, trace);
    return stored;
  }

  /**
   * Adds FRESH runs, or finds live ones. {@link insertMultiple} then adds these runs to an experiment. Until then, the
   * added runs belong to nothing, and {@link dropParts} removes them.
   *
   * @returns the `seq` of each run, which is its number in the table
   */
  insertParts(runs: readonly NewRun[]): Promise<number[]> {
    return this.#table.change(async (sql) => {
      const seqs = [];
      for (const run of runs) seqs.push(await this.#tree.addPart(sql, run));
      return seqs;
    });
  }

  /**
   * Like {@link insert}, for a run that consists of other runs.
   *
   * @param parts - the result of {@link insertParts} for the sub-runs; a run that has failed, was stopped or was
   * removed since then is added again
   */
  insertMultiple(run: NewRun, subRuns: readonly NewRun[], parts: readonly number[]): Promise<StoredRun> {
    return this.#table.change(async (sql, effects) => {
      const role = { isDirect: true, tasks: parts.length };
      const { run: parent, isNew } = await this.#table.insertOrFind(run, role, sql);
      if (!isNew) return parent;
      const seqs = await this.#tree.liveParts(sql, subRuns, parts);
      return this.#tree.adopt(sql, effects, parent, seqs);
    });
  }

  /**
   * Removes runs that were added as parts of an experiment, if they have not begun and nobody else needs them. Used
   * when the experiment itself could not be added.
   */
  async dropParts(parts: readonly number[]): Promise<void> {
    await this.#table.change(async (sql, effects) => {
      effects.hasRemoved = true;
      const seqs = JSON.stringify(parts);
      await this.#tree.lock(sql, seqs);
      await sql.all(this.#statements.dropParts, seqs);
    });
  }

  /** Removes the unfinished runs of experiments that were not completely added when the service ended. */
  async dropAllParts(): Promise<void> {
    await this.#sql.all(this.#statements.dropAllParts);
  }

  /**
   * Notes that a run was requested itself, not only as a part of others.
   *
   * @returns false if the run has failed or was stopped meanwhile
   */
  async noteDirect(run: StoredRun): Promise<boolean> {
    return this.#table.change(async (sql, effects) => {
      effects.changed.push(run.id);
      return (await sql.all(this.#statements.noteDirect, run.seq)).length > 0;
    });
  }

  /** Adds an animated run, which is RUNNING immediately. A process outside the queue executes it. */
  insertRunning(holder: string, run: NewRun): Promise<StoredRun> {
    return this.#table.change(async (sql, effects) => {
      const { id } = (await this.#table.insert(run, { isDirect: true, tasks: null }, sql))!;
      effects.changed.push(id);
      const [row] = await sql.all<RunRow>(this.#statements.begin, holder, this.#table.time(), id);
      return readRow(row!);
    });
  }

  /** The live run with an identity, otherwise its last FAILED or STOPPED run. */
  newest(identity: string): Promise<StoredRun | undefined> {
    return this.#table.newest(identity);
  }

  byId(id: string): Promise<StoredRun | undefined> {
    return this.#table.byId(id);
  }

  /**
   * Stops a FRESH or RUNNING run, and the runs that nobody needs any more.
   *
   * @param reason - why the service stops it, if nobody requested the stop
   */
  async stop(id: string, reason: string | null = null): Promise<void> {
    await this.#table.change((sql, effects) => this.#tree.stop(sql, effects, id, reason));
  }

  /** The outputs of a COMPLETED single run. */
  async outputs(run: StoredRun): Promise<OutputTexts | undefined> {
    const [row] = await this.#sql.all<{ outputs: string }>(this.#statements.outputs, run.seq);
    return row && (JSON.parse(row.outputs) as OutputTexts);
  }

  /**
   * The outputs of the sub-runs of a COMPLETED run, in their order and in slices. The service answers other requests
   * between the slices.
   */
  async *outputsOfSubRuns(run: StoredRun): AsyncGenerator<OutputTexts[]> {
    const sizes = await this.#sql.all<OutputSize>(this.#statements.subOutputSizes, run.seq);
    let first = 0;
    for (const last of pageEnds(sizes)) {
      const rows = await this.#sql.all<{ outputs: string }>(
        this.#statements.subOutputs,
        run.seq,
        first,
        last,
      );
      yield rows.map(({ outputs }) => JSON.parse(outputs) as OutputTexts);
      first = last + 1;
      await turn();
    }
  }

  /** The log of a FAILED run; for an experiment, the oldest kept log of its FAILED sub-runs. */
  async log(run: StoredRun): Promise<RunLog | undefined> {
    const [row] = await this.#sql.all<{ log: string }>(this.#statements.log, run.seq, run.seq);
    return row && (JSON.parse(row.log) as RunLog);
  }

  /** The sub-runs of a run, in their order. */
  subRuns(run: StoredRun): Promise<SubRun[]> {
    return this.#sql.all<SubRun>(this.#statements.subRuns, run.seq);
  }

  async runningSubRuns(run: StoredRun): Promise<string[]> {
    const rows = await this.#sql.all<{ id: string }>(this.#statements.runningSubRuns, run.seq);
    return rows.map(({ id }) => id);
  }

  waitingVersions(): Promise<ReadonlySet<string>> {
    return this.#versions(this.#statements.waitingVersions);
  }

  unfinishedVersions(): Promise<ReadonlySet<string>> {
    return this.#versions(this.#statements.unfinishedVersions);
  }

  /** The number of runs of each version, by version id. Counts `slice` runs at once, and then waits for `between`. */
  async countByVersion(slice: number, between: () => Promise<void>): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    const [row] = await this.#sql.all<{ last: number }>(this.#statements.lastSeq);
    for (let from = 0; from < Number(row!.last); from += slice) {
      const found = await this.#sql.all<{ version_id: string; runs: number }>(
        this.#statements.countRuns,
        from,
        from + slice,
      );
      for (const { version_id, runs } of found)
        counts.set(version_id, (counts.get(version_id) ?? 0) + Number(runs));
      await between();
    }
    return counts;
  }

  async #versions(statement: string): Promise<ReadonlySet<string>> {
    const rows = await this.#sql.all<{ version_id: string }>(statement);
    return new Set(rows.map(({ version_id }) => version_id));
  }
}

/** The place of a sub-run in its experiment, and the size of its outputs. PostgreSQL gives large numbers as text. */
interface OutputSize {
  position: number | string;
  bytes: number | string;
}

/** The position of the last sub-run of each page. */
function pageEnds(sizes: readonly OutputSize[]): number[] {
  const ends: number[] = [];
  let [rows, bytes] = [0, 0];
  sizes.forEach((size, at) => {
    rows += 1;
    bytes += Number(size.bytes);
    const next = sizes[at + 1];
    const hasRoomForNext = next && rows < PAGE && bytes + Number(next.bytes) <= PAGE_BYTES;
    if (hasRoomForNext) return;
    ends.push(Number(size.position));
    [rows, bytes] = [0, 0];
  });
  return ends;
}
