import { randomUUID } from 'node:crypto';
import { bounded } from '../../text/printable.ts';
import { oneLine } from '../../text/suggest.ts';
import type { Database, Sql, SqlValue } from '../database/database.ts';
import { isUnreachable } from '../system-errors.ts';
import { Gathered } from './gathered.ts';
import { RecentMap } from './recent-map.ts';
import { RunCache } from './run-cache.ts';
import { runStatements } from './run-sql.ts';
import { isLive } from './states.ts';
import { type NewRun, type RunRow, readRow, type StoredRun } from './stored-run.ts';
import { Tally } from './tally.ts';

/** The longest stored reason of a failure, in characters. Models may report any text. */
const LONGEST_FAILURE = 1_000;

/** The largest number of requests whose runs one statement finds or adds. */
const MOST_TOGETHER = 50;

/** The number of runs whose traces are known. They are only in memory, so a run may lose its trace. */
const MOST_TRACES = 100_000;

/** The changes of runs in a transaction. They take effect outside the database after the commit. */
export class Effects {
  readonly changed: string[] = [];
  /** Ids of runs that must not be executed any more. */
  readonly ended: string[] = [];
  readonly tally = new Tally();
  hasRemoved = false;
}

/**
 * The table of runs, with recent runs in memory. A read in a transaction neither uses nor changes these recent runs,
 * because the transaction may fail.
 */
export class RunTable {
  readonly statements: ReturnType<typeof runStatements>;
  readonly tally = new Tally();
  readonly sql: Database;
  readonly #now: () => number;
  readonly #recent: RunCache<StoredRun>;
  readonly #inserts: Gathered<SqlValue[], RunRow | undefined>;
  readonly #reads: Gathered<string, StoredRun | undefined>;
  /** The traces in which runs were requested here, as values of the header `traceparent`, by run id. */
  readonly traces = new RecentMap<string, string>(MOST_TRACES);
  #onEnded: (runIds: readonly string[]) => void = () => {};

  constructor(sql: Database, now: () => number) {
    this.sql = sql;
    this.#now = now;
    this.statements = runStatements(sql.dialect);
    this.#recent = new RunCache(({ status }) => !sql.isShared || status === 'COMPLETED');
    // a database server would need several times as long for one request at a time
    const together = { most: MOST_TOGETHER, mayBeOfOne: (error: unknown) => !isUnreachable(error) };
    this.#inserts = new Gathered({ ...together, act: (runs) => this.#insertAll(runs) });
    this.#reads = new Gathered({ ...together, act: (identities) => this.#newestOf(identities) });
  }

  /** @param callback - called with the ids of runs that must not be executed any more */
  whenEnded(callback: (runIds: readonly string[]) => void): void {
    this.#onEnded = callback;
  }

  /** Adds a FRESH run; undefined if a live run has its identity. */
  async insert(
    { versionId, identity, settings }: NewRun,
    { isDirect, tasks }: Pick<StoredRun, 'isDirect' | 'tasks'>,
    sql: Sql = this.sql,
  ): Promise<StoredRun | undefined> {
    // NaN is never the current number of changes, so the run of a transaction is not kept
    const since = sql === this.sql ? this.#recent.changes : Number.NaN;
    const values = [
      randomUUID(),
      versionId,
      settings.experimentType,
      identity,
      JSON.stringify(settings.inputs),
      JSON.stringify(settings.types),
      Number(isDirect),
      tasks,
      tasks,
      this.time(),
    ];
    const row =
      sql === this.sql && this.sql.isShared
        ? await this.#inserts.do(values)
        : (await sql.all<RunRow>(this.statements.insert(1), ...values))[0];
    if (!row) return undefined;
    const run = readRow(row);
    this.#recent.add(run, { identity, since });
    return run;
  }

  /** The live run with the identity of a run. If there is none, it adds a FRESH run. */
  async insertOrFind(
    run: NewRun,
    role: Pick<StoredRun, 'isDirect' | 'tasks'>,
    sql: Sql = this.sql,
  ): Promise<{ run: StoredRun; isNew: boolean }> {
    for (;;) {
      const added = await this.insert(run, role, sql);
      if (added) return { run: added, isNew: true };
      const found = await (sql === this.sql ? this.newest(run.identity) : this.newestNow(run.identity, sql));
      // the run with the same identity may have failed or been stopped meanwhile
      if (found && isLive(found.status)) return { run: found, isNew: false };
    }
  }

  /** The live run with an identity, otherwise its last FAILED or STOPPED run. */
  async newest(identity: string): Promise<StoredRun | undefined> {
    const id = this.#recent.newest(identity);
    if (id !== undefined) return this.byId(id);
    const since = this.#recent.changes;
    const run = this.sql.isShared ? await this.#reads.do(identity) : await this.newestNow(identity, this.sql);
    if (run) this.#recent.note(run, { identity, since });
    return run;
  }

  /** Like {@link newest}, but always reads the database. It may be called inside a transaction. */
  async newestNow(identity: string, sql: Sql): Promise<StoredRun | undefined> {
    const [row] = await sql.all<RunRow>(this.statements.newest, identity);
    return row && readRow(row);
  }

  async byId(id: string): Promise<StoredRun | undefined> {
    const known = this.#recent.get(id);
    if (known) return known;
    const since = this.#recent.changes;
    const [row] = await this.sql.planned.all<RunRow>(this.statements.byId, id);
    const run = row && readRow(row);
    if (run) this.#recent.note(run, { since });
    return run;
  }

  /** Adds runs by their values. Returns undefined for a run if a live run has its identity. */
  async #insertAll(runs: readonly SqlValue[][]): Promise<(RunRow | undefined)[]> {
    const rows = await this.sql.planned.all<RunRow>(this.statements.insert(runs.length), ...runs.flat());
    const added = new Map(rows.map((row) => [row.id, row]));
    return runs.map(([id]) => added.get(id as string));
  }

  async #newestOf(identities: readonly string[]): Promise<(StoredRun | undefined)[]> {
    if (identities.length === 1) return [await this.newestNow(identities[0]!, this.sql.planned)];
    const rows = await this.sql.planned.all<RunRow & { identity: string }>(
      this.statements.ofIdentities(identities.length),
      ...identities,
    );
    const newest = new Map(rows.map((row) => [row.identity, row]));
    return identities.map((identity) => {
      const row = newest.get(identity);
      return row && readRow(row);
    });
  }

  /** Makes changes in one transaction, and applies its effects after the commit. */
  async change<T>(act: (sql: Sql, effects: Effects) => Promise<T>): Promise<T> {
    let effects = new Effects();
    const result = await this.sql.atomically((sql) => act(sql, (effects = new Effects())));
    for (const id of effects.changed) this.#recent.forget(id);
    if (effects.hasRemoved) this.#recent.clear();
    this.tally.add(effects.tally);
    if (effects.ended.length > 0) this.#onEnded(effects.ended);
    return result;
  }

  /** The reason of a failure, in its stored form: one line without control characters. */
  failure(reason: string): string {
    return bounded(oneLine(reason).trim(), LONGEST_FAILURE);
  }

  /** The current time, in its stored form. */
  time(): string {
    return new Date(this.#now()).toISOString();
  }
}
