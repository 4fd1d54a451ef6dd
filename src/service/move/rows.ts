import type { Database, Sql, SqlValue } from '../database/database.ts';

/** A row in the form of both databases: texts, whole numbers and nulls. */
type Row = Record<string, SqlValue>;

interface Table {
  name: string;
  /** The columns by which its rows are ordered. In a table that is read in pages, they are whole numbers. */
  key: readonly [string, ...string[]];
  /**
   * The number of rows that are read and written together. Tables with a text as key are read as a whole, because
   * databases sort texts differently.
   */
  page?: number;
}

/** The tables. Each refers only to tables before it. */
const TABLES: readonly Table[] = [
  { name: 'models', key: ['id'] },
  { name: 'versions', key: ['id'] },
  { name: 'runs', key: ['seq'], page: 1_000 },
  { name: 'results', key: ['run_seq'], page: 100 },
  { name: 'sub_runs', key: ['parent_seq', 'position'], page: 5_000 },
  { name: 'run_logs', key: ['number'], page: 100 },
  { name: 'holders', key: ['id'] },
  { name: 'executors', key: ['name'] },
];

/** A page of the ids of runs. */
const RUN_IDS = 'SELECT seq, id FROM runs WHERE seq > ? ORDER BY seq LIMIT 5000';

/** The columns that PostgreSQL numbers itself if it gets no number. */
const NUMBERED: Record<string, string> = { runs: 'seq', run_logs: 'number' };

/** The maximum number of values in one statement. PostgreSQL allows 65,535. */
const MOST_VALUES = 65_000;

/** The rows of a service's tables, which are copied from one database to another. */
export class Rows {
  readonly #from: Database;
  readonly #to: Database;

  constructor(from: Database, to: Database) {
    this.#from = from;
    this.#to = to;
  }

  async count(): Promise<number> {
    let total = 0;
    for (const { name } of TABLES) total += await countOf(this.#from, name);
    return total;
  }

  /** Copies the missing rows. Each page is written as a whole, so a repeated copy continues an interrupted one. */
  async copy(onRows: (rows: number) => void): Promise<void> {
    for (const table of TABLES) {
      const from = table.page === undefined ? undefined : await this.#lastKey(table);
      if (from) onRows(await this.#countUpTo(table, from));
      for await (const rows of pages(this.#from, table, from)) {
        await this.#insert(table, rows);
        onRows(rows.length);
      }
    }
    for (const [name, column] of Object.entries(NUMBERED)) {
      await this.#to.all(
        `SELECT setval(pg_get_serial_sequence('${name}', '${column}'), coalesce(max(${column}), 0) + 1, false) FROM ${name}`,
      );
    }
  }

  /**
   * Compares all rows on both sides.
   *
   * @returns the table and the key of a row that differs, or the table of which the copy has more rows; undefined if
   *   all rows are equal
   */
  async difference(onRows: (rows: number) => void): Promise<string | undefined> {
    for (const table of TABLES) {
      const theirs = pages(this.#to, table, undefined);
      for await (const rows of pages(this.#from, table, undefined)) {
        const { value: others = [] } = (await theirs.next()) as { value: Row[] | undefined };
        const differing = rows.find((row, at) => textOf(row) !== textOf(others[at]));
        if (differing) return `${table.name} ${table.key.map((column) => differing[column]).join(' ')}`;
        onRows(rows.length);
      }
      if ((await countOf(this.#to, table.name)) !== (await countOf(this.#from, table.name)))
        return `${table.name} has more rows`;
    }
    return undefined;
  }

  /** The number of runs that only the source has. */
  async lackingRuns(): Promise<number> {
    const absent = `SELECT count(*) AS rows FROM ${this.#to.dialect.list} AS given
      WHERE NOT EXISTS (SELECT 1 FROM runs WHERE runs.id = given.value)`;
    let lacking = 0;
    for (let after = -1; ;) {
      const rows = await this.#from.all<{ seq: number; id: string }>(RUN_IDS, after);
      if (rows.length === 0) return lacking;
      const [row] = await this.#to.all<{ rows: number }>(absent, JSON.stringify(rows.map(({ id }) => id)));
      lacking += Number(row!.rows);
      after = rows.at(-1)!.seq;
    }
  }

  /** The key of the last row that was copied; undefined if there is none. */
  async #lastKey({ name, key }: Table): Promise<SqlValue[] | undefined> {
    const order = key.map((column) => `${column} DESC`).join(', ');
    const [row] = await this.#to.all<Row>(`SELECT ${key.join(', ')} FROM ${name} ORDER BY ${order} LIMIT 1`);
    return row && key.map((column) => row[column]!);
  }

  /** The number of rows up to the row with the key `last`. */
  async #countUpTo({ name, key }: Table, last: readonly SqlValue[]): Promise<number> {
    const [row] = await this.#from.all<{ rows: number }>(
      `SELECT count(*) AS rows FROM ${name} WHERE (${key.join(', ')}) <= (${key.map(() => '?').join(', ')})`,
      ...last,
    );
    return row!.rows;
  }

  async #insert({ name }: Table, rows: readonly Row[]): Promise<void> {
    const columns = Object.keys(rows[0] ?? {});
    const most = Math.floor(MOST_VALUES / Math.max(1, columns.length));
    for (let at = 0; at < rows.length; at += most) {
      const part = rows.slice(at, at + most);
      const marks = `(${columns.map(() => '?').join(', ')})`;
      await this.#to.all(
        `INSERT INTO ${name} (${columns.join(', ')}) ${name in NUMBERED ? 'OVERRIDING SYSTEM VALUE ' : ''}VALUES ${part.map(() => marks).join(', ')} ON CONFLICT DO NOTHING`,
        ...part.flatMap((row) => columns.map((column) => row[column]!)),
      );
    }
  }
}

export async function countOf(sql: Sql, table: string): Promise<number> {
  const [row] = await sql.all<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`);
  return Number(row!.rows);
}

/** The rows of a table in the order of its key. They begin after the row with the key `after`, if it is given. */
async function* pages(
  sql: Sql,
  { name, key, page }: Table,
  after: readonly SqlValue[] | undefined,
): AsyncGenerator<Row[], void, void> {
  if (page === undefined) {
    const rows = await sql.all<Row>(`SELECT * FROM ${name}`);
    const [column] = key;
    return yield rows.sort((one, other) => (one[column]! < other[column]! ? -1 : 1));
  }
  const list = key.join(', ');
  const place = `WHERE (${list}) > (${key.map(() => '?').join(', ')})`;
  for (let last = after; ;) {
    const text = `SELECT * FROM ${name} ${last ? place : ''} ORDER BY ${list} LIMIT ${page}`;
    const rows = await sql.all<Row>(text, ...(last ?? []));
    if (rows.length > 0) yield rows;
    if (rows.length < page) return;
    last = key.map((column) => rows.at(-1)![column]!);
  }
}

/** A row as a text that is the same for both databases. PostgreSQL cannot store the character NUL. */
function textOf(row: Row | undefined): string {
  const sorted = Object.entries(row ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(sorted).replaceAll(String.raw`\u0000`, '\uFFFD');
}
