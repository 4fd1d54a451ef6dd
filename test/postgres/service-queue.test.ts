import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Database } from '../../src/service/database/database.ts';
import { migrations } from '../../src/service/database/migrations.ts';
import { openDatabase } from '../../src/service/database/open.ts';
import { openPostgres } from '../../src/service/database/postgres.ts';
import { postgresMigrations } from '../../src/service/database/postgres-migrations.ts';
import {
  add,
  addExperiment,
  addVersion,
  completed,
  describeQueue,
  failed,
  newRun,
  queueIn,
} from '../service/queue.ts';
import { onCleanup, temporaryFolder } from '../service/support.ts';
import { EMPTY, type Postgres, startPostgres } from '../support/postgres.ts';
import { seeds } from '../support/seeds.ts';
import { uniforms } from '../support/uniforms.ts';
import { until } from '../support/until.ts';

interface Column {
  table: string;
  column: string;
}

let server: Postgres;
let address: string;
beforeAll(async () => {
  server = await startPostgres();
  address = await server.database();
});
afterAll(() => server.remove());

async function open(): Promise<Database> {
  const database = await openPostgres(address);
  onCleanup(() => database.close());
  return database.sql;
}

/** The database of all tests. Before each test it has one version and no runs. */
async function databaseOfTest(): Promise<Database> {
  const sql = await open();
  await server.query(address, EMPTY);
  await addVersion(sql);
  return sql;
}

/** A database that calls a function after each statement of a transaction. */
function interrupted(database: Database, after: (text: string) => Promise<void>): Database {
  return {
    dialect: database.dialect,
    isShared: database.isShared,
    planned: database.planned,
    all: (text, ...values) => database.all(text, ...values),
    atomically: (change) =>
      database.atomically((sql) =>
        change({
          async all(text, ...values) {
            const rows = await sql.all(text, ...values);
            await after(text);
            return rows as never;
          },
        }),
      ),
  };
}

describeQueue('the queue of a service in PostgreSQL', databaseOfTest, 100);

test('PostgreSQL has the same tables and columns as SQLite, apart from the table "progress"', async () => {
  await open();
  const sqlite = openDatabase(temporaryFolder());
  onCleanup(() => sqlite.close());
  const known = await sqlite.sql.all<Column>(
    `SELECT tables.name AS "table", columns.name AS "column"
     FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
     WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite%'`,
  );
  const found = await server.query(
    address,
    `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name NOT LIKE 'kysely%' AND table_name <> 'progress'`,
  );
  const words = (columns: readonly object[]) =>
    (columns as Column[]).map(({ table, column }) => `${table}.${column}`).sort();
  expect(words(found)).toEqual(words(known));
  const last = Object.keys(postgresMigrations).at(-1);
  expect(Number(last)).toBe(migrations.length);
});

describe('two services on one database', () => {
  test('never claim a run twice', async () => {
    const queues = [queueIn(await databaseOfTest()), queueIn(await open())];
    const ids = await add(queues[0]!, 200);
    const holders = await Promise.all(queues.flatMap((queue) => [queue.open(), queue.open()]));
    const claims = await Promise.all(
      Array.from({ length: 40 }, (_, at) => queues[at % 2]!.holders.claim(holders[at % 4]!, 7)),
    );
    const claimed = claims.flat().map(({ id }) => id);
    expect(new Set(claimed).size).toBe(claimed.length);
    expect(new Set(claimed)).toEqual(new Set(ids));
  });

  test("see each other's changes at once", async () => {
    const [here, there] = [queueIn(await databaseOfTest()), queueIn(await open())];
    const { id } = await here.runs.insert(newRun('run'));
    expect((await there.runs.insert(newRun('run'))).id).toBe(id);
    const holder = await there.open();
    await there.holders.claim(holder, 1);
    expect(await here.runs.byId(id)).toMatchObject({ status: 'RUNNING' });
    await here.runs.stop(id);
    expect(await there.holders.notHeld(holder, [id])).toEqual([id]);
    expect(await there.runs.newest('run')).toMatchObject({ status: 'STOPPED' });
    const again = await there.runs.insert(newRun('run'));
    expect(await here.runs.newest('run')).toMatchObject({ id: again.id, status: 'FRESH' });
  });

  test.each([
    ['just before the parts are locked', /^SELECT DISTINCT runs.seq FROM sub_runs/],
    ['while the parts are locked', /^SELECT seq FROM runs[^]*FOR UPDATE$/],
  ])(
    'stop an experiment, but no part that the other service adds to a second experiment %s',
    async (_when, statement) => {
      const [sql, there] = [await databaseOfTest(), queueIn(await open())];
      const parts = [newRun('part')];
      let second: Promise<{ id: string }> | undefined;
      let isAdded = false;
      const here = queueIn(
        interrupted(sql, async (text) => {
          if (second || !statement.test(text)) return;
          second = addExperiment(there, 'second', parts).finally(() => (isAdded = true));
          const waits = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
          await until(
            'the experiment is added, or waits for a lock',
            async () => isAdded || (await server.query(address, waits)).length > 0,
          );
        }),
      );
      const first = await addExperiment(here, 'first', parts);
      await here.runs.stop(first.id);
      const { id } = (await second)!;
      expect(
        await here.rows(`SELECT part.status FROM runs AS parent
        JOIN sub_runs ON parent_seq = parent.seq JOIN runs AS part ON part.seq = run_seq WHERE parent.id = '${id}'`),
      ).toEqual([{ status: 'FRESH' }]);
    },
  );

  test('answer a request for an experiment that is stopped at this moment with a new experiment', async () => {
    const [sql, there] = [await databaseOfTest(), queueIn(await open())];
    const parts = [newRun('part')];
    const old = await addExperiment(there, 'experiment', parts);
    const here = queueIn(
      interrupted(sql, async (text) => {
        if (text.startsWith('INSERT INTO runs')) await there.runs.stop(old.id);
      }),
    );
    const added = await there.runs.insertParts(parts);
    const found = await here.runs.insertMultiple(newRun('experiment'), parts, added);
    expect(found.id).not.toBe(old.id);
    expect(found.status).toBe('FRESH');
  });

  test.each(seeds(1, 60))('keep experiments complete while both work at once, seed %i', async (seed) => {
    const random = uniforms(seed);
    const queues = [queueIn(await databaseOfTest()), queueIn(await open())];
    const pick = (most: number): number => Math.floor(random() * most);
    const parts = () => Array.from({ length: 1 + pick(8) }, () => newRun(`run ${pick(30)}`));
    const work = async (queue: (typeof queues)[number]): Promise<void> => {
      let holder = await queue.open();
      for (let step = 0; step < 60; step += 1) {
        const which = random();
        const claimed = which < 0.5 ? await queue.holders.claim(holder, 1 + pick(6)) : [];
        const endings = claimed.map(({ id }) => (random() < 0.3 ? failed(id) : completed(id, holder)));
        if (endings.length > 0) await queue.holders.record(holder, endings);
        else if (which < 0.75) await addExperiment(queue, `experiment ${pick(10)}`, parts());
        else if (which < 0.85) await queue.runs.insert(newRun(`run ${pick(30)}`));
        else if (which < 0.95) {
          const found = await queue.runs.newest(`experiment ${pick(10)}`);
          if (found) await queue.runs.stop(found.id);
        } else {
          await queue.holders.claim(holder, 3);
          await queue.holders.close(holder, { isLost: random() < 0.5 });
          holder = await queue.open();
        }
      }
      await queue.holders.close(holder, { isLost: false });
    };
    await Promise.all(queues.flatMap((queue) => [work(queue), work(queue)]));

    const [queue] = queues;
    const rest = await queue!.open();
    for (;;) {
      const claimed = await queue!.holders.claim(rest, 100);
      if (claimed.length === 0) break;
      await queue!.holders.record(
        rest,
        claimed.map(({ id }) => completed(id, rest)),
      );
    }
    expect(await queue!.rows("SELECT * FROM runs WHERE status IN ('FRESH', 'RUNNING')")).toEqual([]);
    const wrong = `SELECT parent.id, parent.status, count(*) FILTER (WHERE part.status <> 'COMPLETED') AS left_over
      FROM runs AS parent JOIN sub_runs ON parent_seq = parent.seq JOIN runs AS part ON part.seq = run_seq
      GROUP BY parent.seq HAVING (parent.status = 'COMPLETED') <> bool_and(part.status = 'COMPLETED')
        AND parent.status <> 'STOPPED'`;
    expect(await queue!.rows(wrong)).toEqual([]);
    const results = `SELECT (SELECT count(*) FROM results) AS results,
      (SELECT count(*) FROM runs WHERE status = 'COMPLETED' AND tasks IS NULL) AS completed`;
    const [counted] = (await queue!.rows(results)) as { results: number; completed: number }[];
    expect(counted!.results).toBe(counted!.completed);
  });
});
