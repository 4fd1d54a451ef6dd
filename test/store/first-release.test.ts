import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { ONE_ATTEMPT } from '../../src/campaign/types.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { migrationsFor, sqliteTypes } from '../../src/store/migrations.ts';
import { sqliteDialect } from '../../src/store/sqlite.ts';
import { openInProcess, temporaryFolder } from './folder.ts';
import { campaign } from './fixtures.ts';

const migrations = migrationsFor(sqliteTypes);
const FIRST = '001-campaigns';

let folder: ReturnType<typeof temporaryFolder>;
let file: string;

beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder.path, 'store.db');
});
afterEach(() => folder.remove());

describe('a store of the first release', () => {
  const names = ['a', 'b', 'c', 'd'];
  const seqs = [...Array(8).keys()];

  /** Makes a store of the first release, with its only migration and with rows in its format. */
  beforeEach(async () => {
    const db = new Kysely({ dialect: sqliteDialect(file) });
    const first = { [FIRST]: migrations[FIRST]! };
    const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(first) } });
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw error as Error;
    await db.destroy();

    const database = new DatabaseSync(file);
    const insert = (table: string, ...rows: Record<string, null | number | string | Uint8Array>[]): void => {
      for (const row of rows) {
        const columns = Object.keys(row).map((name) => `"${name}"`);
        const marks = columns.map(() => '?').join();
        database
          .prepare(`insert into ${table} (${columns.join()}) values (${marks})`)
          .run(...Object.values(row));
      }
    };
    const written = (id: string): string => {
      const unknown = ['attempts', 'timeouts', 'fresh', 'priority', 'outputFiles'];
      return JSON.stringify(campaign(id), (key, value: unknown) =>
        unknown.includes(key) ? undefined : value,
      );
    };
    const times = { created_at: 1_780_000_000_000, updated_at: 1_780_000_000_999 };
    const texts = { definition: '# “flu”\n', digest: 'digest' };
    insert(
      'campaigns',
      {
        id: 'flu',
        campaign: written('flu'),
        ...texts,
        phase: 'running',
        points: 4,
        note: 'a note',
        ...times,
      },
      { id: 'new', campaign: written('new'), ...texts, phase: 'preparing', points: null, ...times },
    );
    insert('files', { hash: 'hash', content: new Uint8Array([1, 2, 3]) });
    // a worker has begun to expand the design of the second campaign
    for (const [number, count] of [
      [1, 4],
      [2, 2],
    ] as const)
      insert(
        'points',
        ...names
          .slice(0, count)
          .map((name, ordinal) => ({ campaign: number, ordinal, key: `key ${name}`, values: `["${name}"]` })),
      );
    insert(
      'runs',
      ...seqs.map((seq) => ({
        ...{ campaign: 1, seq, ordinal: seq % 4, replication: 1 + Math.floor(seq / 4), state: 'waiting' },
        ...(seq === 0 && { state: 'running', attempts: 2, run_id: 'run 0', owned: 1, requested_at: 5 }),
        ...(seq === 1 && { state: 'queued', attempts: 1, run_id: 'run 1', joined: 1, requested_at: 5 }),
        ...(seq === 2 && {
          state: 'done',
          run_id: 'run 2',
          origin: 'reused',
          requested_at: 5,
          finished_at: 6,
        }),
        ...(seq === 4 && { state: 'failed', run_id: 'run 4', reason: 'Days is 0', finished_at: 7 }),
        ...(seq === 5 && { state: 'done', run_id: 'run 5', origin: 'new', finished_at: 8 }),
      })),
      { campaign: 2, seq: 0, ordinal: 0, replication: 1, state: 'waiting' },
    );
    for (const seq of [2, 5]) insert('outputs', { campaign: 1, seq, outputs: `{"Peak day":"${seq}"}` });
    database.close();
  });

  async function opened<T>(act: (store: Store) => Promise<T>): Promise<T> {
    const store = await openStore(`sqlite:${file}`);
    try {
      return await act(store);
    } finally {
      await store.close();
    }
  }
  const runs = async (store: Store): Promise<string[]> =>
    (await Array.fromAsync(store.results('flu'))).map(
      ({ values, replication }) => `${values[0]}/${replication}`,
    );
  function* points(of: string[]): Generator<{ ordinal: number; key: string; values: string[] }> {
    for (const [ordinal, name] of of.entries()) yield { ordinal, key: `key ${name}`, values: [name] };
  }

  test('opens with its id, all its content, and results in the order of the design', async () => {
    const database = new DatabaseSync(file);
    const { value } = database.prepare("select value from meta where name = 'id'").get()!;
    database.close();
    await opened(async (store) => {
      expect(store.id).toBe(value);
      // columns that the first release did not have get their defaults
      expect(await store.getCampaign('flu')).toEqual({
        campaign: {
          ...campaign('flu'),
          ...{ attempts: ONE_ATTEMPT, timeouts: { run: null, campaign: null }, fresh: null, priority: 3 },
        },
        definition: '# “flu”\n',
        digest: 'digest',
        phase: 'running',
        points: 4,
        createdAt: 1_780_000_000_000,
        updatedAt: 1_780_000_000_999,
        owner: null,
        note: 'a note',
      });
      expect((await store.getCampaign('flu'))!.campaign.outputFiles).toBe('link');
      expect((await store.listCampaigns()).map(({ campaign: { id } }) => id)).toEqual(['new', 'flu']);
      expect([...(await store.getFile('hash'))!]).toEqual([1, 2, 3]);
      expect(await store.counts('flu')).toEqual({
        ...{ total: 8, done: 2, new: 1, reused: 1, failed: 1, running: 1, queued: 1, waiting: 3 },
      });
      expect(await Array.fromAsync(store.results('flu'))).toMatchObject([
        { point: 'key a', values: ['a'], replication: 2, status: 'failed', reason: 'Days is 0', outputs: {} },
        { point: 'key b', replication: 2, status: 'done', origin: 'new', outputs: { 'Peak day': '5' } },
        { point: 'key c', replication: 1, runId: 'run 2', origin: 'reused', outputs: { 'Peak day': '2' } },
      ]);
      expect(await store.openRuns('flu')).toEqual([
        {
          ...{ seq: 0, point: { key: 'key a', values: ['a'] }, replication: 1, attempt: 2 },
          ...{ failures: 0, reseeded: 0, version: null, runId: 'run 0', owned: true, joined: false },
        },
        {
          ...{ seq: 1, point: { key: 'key b', values: ['b'] }, replication: 1, attempt: 1 },
          ...{ failures: 0, reseeded: 0, version: null, runId: 'run 1', owned: false, joined: true },
        },
      ]);
    });
    // opening the store again has nothing to migrate
    expect(await opened(runs)).toEqual(['a/2', 'b/2', 'c/1']);
  });

  test('is migrated once if several processes open it at once', async () => {
    const ids = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => openInProcess(file, name)));
    expect(new Set(ids).size).toBe(1);
    expect(await opened(runs)).toEqual(['a/2', 'b/2', 'c/1']);
    const database = new DatabaseSync(file);
    const executed = database.prepare('select name from kysely_migration order by name').all();
    database.close();
    expect(executed.map(({ name }) => name)).toEqual(Object.keys(migrations));
  });

  test('supports retries, observations and changes of the present release', async () => {
    await opened(async (store) => {
      expect(await store.resetFailed('flu', true, 10)).toBe(1);
      expect(await store.intend('flu', [4], 11)).toMatchObject([{ seq: 4, failures: 0, reseeded: 1 }]);
      await store.observe('flu', [{ seq: 4, state: 'again', reason: 'lost', reseeds: false }], 12);
      expect(await store.waitingRuns('flu', -1, 10, false)).toEqual([3, 4, 6, 7]);
      expect(await store.waitingRuns('flu', -1, 10, true)).toEqual([4]);
      const changed = { ...campaign('flu'), replications: 1 };
      await store.changeCampaign(
        { campaign: changed, definition: '', digest: 'changed' },
        points(['x', 'c', 'a']),
        undefined,
        13,
      );
      // numbers of existing runs are not used again
      expect(await store.waitingRuns('flu', -1, 20, false)).toEqual([8]);
      await store.observe('flu', [{ seq: 8, state: 'done', runId: null, origin: 'new', outputs: {} }], 14);
      expect(await runs(store)).toEqual(['x/1', 'c/1', 'b/2']);
    });
  });

  test('completes a half-expanded design with the numbers of runs that its workflow expects', async () => {
    await opened(async (store) => {
      expect(await store.addPoints('new', points(names), 3)).toEqual({ points: 4, runs: 12 });
      expect(await store.waitingRuns('new', -1, 20, false)).toEqual([...Array(12).keys()]);
      await store.changeCampaign(
        { campaign: { ...campaign('new'), replications: 1 }, definition: '', digest: 'changed' },
        points(['e', 'a']),
        undefined,
        1,
      );
      expect(await store.waitingRuns('new', -1, 20, false)).toEqual([0, 12]);
    });
  });
});
