import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type CompiledQuery, Kysely } from 'kysely';
import { openStore, type ResultPlace, type Store } from '../../src/store/index.ts';
import { BEGINNING, otherPoints, restOfPoint, shortOutputsOf } from '../../src/store/results/read.ts';
import { sqlStore } from '../../src/store/store.ts';
import { sqliteDialect } from '../../src/store/sqlite.ts';
import type { Tables } from '../../src/store/tables.ts';
import { sqliteDatabase, temporaryFolder } from './folder.ts';
import { describeStore } from './contract/index.ts';
import { campaign, done, points, upTo } from './fixtures.ts';

describeStore('a store in SQLite', sqliteDatabase);

test('each store in memory has its own id and content', async () => {
  const first = await openStore('sqlite::memory:');
  const second = await openStore('sqlite::memory:');
  expect(first.id).not.toBe(second.id);
  await first.putFile('hash', new Uint8Array([1]), 1);
  expect(await first.getFile('hash')).toBeDefined();
  expect(await second.getFile('hash')).toBeUndefined();
  await first.close();
  await second.close();
});

test('a point with more runs than a statement of SQLite has parameters can be read', async () => {
  const store = await openStore('sqlite::memory:');
  await store.addCampaign({ campaign: campaign('flu'), definition: '', digest: '' }, 1);
  await store.addPoints('flu', points(2), 33_000);
  const story = (await store.pointStory('flu', 'key 1', []))!;
  expect(story.runs).toHaveLength(33_000);
  // the first replications of both points come first
  expect(story.runs.slice(0, 3).map(({ before }) => before)).toEqual([1, 3, 5]);
  expect(story.runs.at(-1)!.before).toBe(65_999);
  expect(await store.comparedPoints('flu', [])).toMatchObject([{ runs: [] }, { runs: [] }]);
  await store.close();
});

describe('a store beside another process', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let store: Store;
  let other: DatabaseSync;

  beforeEach(async () => {
    folder = temporaryFolder();
    const file = join(folder.path, 'store.db');
    store = await openStore(`sqlite:${file}`);
    await store.addCampaign({ campaign: campaign('flu'), definition: '', digest: '' }, 1);
    other = new DatabaseSync(file);
  });
  afterEach(async () => {
    other.close();
    await store.close();
    folder.remove();
  });

  test.each<[string, () => Promise<unknown>]>([
    ['a statement', () => store.setPhase('flu', 'running', 2)],
    ['a transaction', () => store.addPoints('flu', points(2), 1)],
  ])('%s that meets its lock waits, and the thread goes on meanwhile', async (_what, write) => {
    other.exec('begin immediate');
    const writing = write();
    // this is possible only while the thread is free: SQLite's own wait would end with an error
    await new Promise((resolve) => setTimeout(resolve));
    await new Promise((resolve) => setTimeout(resolve));
    other.exec('commit');
    await writing;
  });

  test('deletes large outputs in several steps', async () => {
    await store.addPoints('flu', points(40), 1);
    const large = (seq: number) => ({
      ...done(seq),
      outputs: { 'Peak day': randomBytes(1_000_000).toString('base64') },
    });
    await store.observe(
      'flu',
      upTo(40).map((seq) => large(seq)),
      2,
    );
    const left = new Set<number>();
    let isOver = false;
    const deletion = store.deleteCampaign('flu').finally(() => (isOver = true));
    while (!isOver) {
      left.add(Number(other.prepare('select count(*) as count from outputs').get()!['count']));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await deletion;
    expect(left.size).toBeGreaterThan(3);
  });
});

describe('a store of 50,000 runs, most of them finished', () => {
  const POINTS = 5_000;
  const REPLICATIONS = 10;
  const PAGE = 2_000;
  let folder: ReturnType<typeof temporaryFolder>;
  let file: string;
  let db: Kysely<Tables>;
  let database: DatabaseSync;

  beforeAll(async () => {
    folder = temporaryFolder();
    file = join(folder.path, 'store.db');
    const store = await openStore(`sqlite:${file}`);
    await store.addCampaign({ campaign: campaign('flu'), definition: '', digest: '' }, 1);
    await store.addPoints('flu', points(POINTS), REPLICATIONS);
    await store.close();
    database = new DatabaseSync(file);
    database.exec(`
      update runs set state = case seq % 7 when 3 then 'failed' else 'done' end, origin = 'new' where seq % 50 <> 9;
      update run_counts set failed = (select count(*) from runs where state = 'failed'),
        new = (select count(*) from runs where state = 'done'), waiting = (select count(*) from runs where state = 'waiting');
      insert into outputs (campaign, seq, outputs) select campaign, seq, '{"Peak day":"1"}' from runs where state = 'done'`);
    db = new Kysely<Tables>({ dialect: sqliteDialect(file) });
  });
  afterAll(async () => {
    database.close();
    await db.destroy();
    folder.remove();
  });

  function planOf({ sql, parameters }: CompiledQuery): string[] {
    const steps = database.prepare(`explain query plan ${sql}`).all(...(parameters as number[]));
    return steps.map(({ detail }) => String(detail));
  }

  test.each<[string, ResultPlace]>([
    ['the beginning', BEGINNING],
    ['the middle', { position: 2_500, ordinal: 2_500, replication: 4 }],
    ['the end', { position: POINTS - 1, ordinal: POINTS - 1, replication: REPLICATIONS }],
  ])('reads a page of results from %s by indices, without a sort', (_, place) => {
    const pages = [restOfPoint(db, 1, place), otherPoints(db, 1, place)];
    for (const page of pages) {
      const plan = planOf(page.limit(PAGE).compile());
      // the plan searches points and runs by indices that have more columns than the campaign and the state
      expect(plan).toHaveLength(2);
      for (const step of plan) expect(step).toMatch(/^SEARCH (points|runs) USING INDEX .*\(campaign=\? AND /);
      expect(plan.join()).not.toMatch(/SCAN|TEMP B-TREE|state=/);
    }
  });

  test.each([1, 3, 50, 51, PAGE])(
    'reads the outputs of a page by an index, even if the page has %s ranges of runs',
    (ranges) => {
      const seqs = Array.from({ length: ranges }, (_, at) => [10 * at, 10 * at + 1]).flat();
      const steps = planOf(shortOutputsOf(db, 1, seqs).compile()).filter((step) => step.includes('outputs'));
      // for more than 50 ranges (MOST_RANGES), the store looks up each run
      expect(steps).toHaveLength(ranges > 50 ? 1 : ranges);
      for (const step of steps)
        expect(step).toMatch(/^SEARCH outputs USING INDEX .*\(campaign=\? AND (seq=\?|seq>\? AND seq<\?)\)/);
    },
  );

  /** Runs an action. Returns the queries about runs, or about other tables, that the store sends to SQLite. */
  async function asked(
    does: (store: Store) => Promise<unknown>,
    tables = /(from|update|join) "?runs\b/,
  ): Promise<CompiledQuery[]> {
    const queries: CompiledQuery[] = [];
    const logged = new Kysely<Tables>({
      dialect: sqliteDialect(file),
      log: ({ query }) => void queries.push(query),
    });
    const store = sqlStore(logged, 'id', () => undefined);
    await does(store);
    await store.close();
    return queries.filter(({ sql }) => tables.test(sql));
  }

  test('reads a page of waiting runs by an index', async () => {
    const pages = await asked(async (store) => {
      for (const failedOnly of [false, true]) await store.waitingRuns('flu', 25_000, PAGE, failedOnly);
    });
    expect(pages).toHaveLength(2);
    for (const page of pages) expect(planOf(page).join()).not.toMatch(/SCAN|TEMP B-TREE/);
  });

  test('finds new results by the index of states, and reads their ranges of numbers, each table by itself', async () => {
    const queries = await asked(
      (store) =>
        Array.fromAsync(store.finishedSeqs('flu', 40_000)).then((pages) =>
          store.finishedAmong('flu', pages.flat().slice(0, 500)),
        ),
      /from "(runs|points|outputs)"/,
    );
    const steps = new Set(
      queries.flatMap((query) => planOf(query)).filter((step) => /SEARCH|SCAN/.test(step)),
    );
    expect(steps.size).toBe(4);
    for (const step of steps) {
      expect(step).toMatch(
        /^SEARCH runs USING COVERING INDEX runs_state|^SEARCH (points|runs|outputs) USING INDEX \S+ \(campaign=\? AND (ordinal|seq)>\? AND \2<\?\)/,
      );
    }
  });

  test('finds recent results by an index', async () => {
    const looks = await asked(async (store) => {
      const { rows, look } = await store.recentResults('flu');
      expect(rows).toHaveLength(300);
      await store.recentResults('flu', { open: [5, 9], failed: [], last: look.last - 1_000 });
    });
    const steps = looks.flatMap((look) => planOf(look));
    for (const step of steps.filter((one) => /\bruns\b/.test(one)))
      expect(step).toMatch(
        /^SEARCH runs USING (COVERING )?INDEX .*(campaign=\? AND seq[=>]\?|state=\? AND campaign=\? AND seq[<>]\?)/,
      );
    expect(steps.join()).not.toMatch(/SCAN|TEMP B-TREE/);
  });

  test('reads all results in order', async () => {
    const store = await openStore(`sqlite:${file}`);
    let [count, before] = [0, -1];
    for await (const { values, replication, status, outputs } of store.results('flu')) {
      const at = Number(values[0]) * REPLICATIONS + replication;
      if (at <= before) throw new Error(`run ${at} came after run ${before}`);
      if ((status === 'done') !== 'Peak day' in outputs) throw new Error(`run ${at} has wrong outputs`);
      before = at;
      count += 1;
    }
    expect(count).toBe(POINTS * REPLICATIONS * (49 / 50));
    await store.close();
  });

  const waiting = Array.from({ length: 200 }, (_, at) => at * 50 + 9);
  test.each<[string, (store: Store) => Promise<unknown>]>([
    ['to request runs', (store) => store.intend('flu', waiting, 1)],
    ['to look at open runs', (store) => store.openRuns('flu', waiting)],
    ['to ask which runs have finished', (store) => store.finished('flu', waiting)],
    [
      'to write observations',
      (store) => {
        const running = waiting.map((seq) => {
          return { seq, state: 'running' as const, runId: `run ${seq}`, owned: true };
        });
        return store.observe('flu', running, 1);
      },
    ],
    [
      'to write results',
      (store) => {
        const seen = waiting.map((seq) => {
          return { seq, state: 'done' as const, runId: `run ${seq}`, origin: 'new' as const, outputs: {} };
        });
        return store.observe('flu', seen, 1);
      },
    ],
  ])('looks up runs by their numbers %s', async (_, does) => {
    const steps = (await asked(does))
      .flatMap((query) => planOf(query))
      .filter((step) => /\bruns\b/.test(step));
    expect(steps).not.toEqual([]);
    // the store may also look through the queued or running runs, because they are few
    const walk = 'SEARCH runs USING COVERING INDEX runs_state (state=? AND campaign=? AND seq>? AND seq<?)';
    for (const step of steps.filter((one) => one !== walk))
      expect(step).toMatch(/^SEARCH runs USING INDEX .*\bseq=\?/);
  });

  test('reads each earlier result once, and each new result at most once, while runs finish', async () => {
    const store = await openStore(`sqlite:${file}`);
    const before = await store.counts('flu');
    const seen = new Set<number>();
    for await (const { values, replication } of store.results('flu')) {
      const at = Number(values[0]) * REPLICATIONS + replication;
      if (seen.has(at)) throw new Error(`run ${at} came twice`);
      seen.add(at);
      if (seen.size % 5_000 !== 0) continue;
      await store.observe(
        'flu',
        waiting.map((seq) => done(seq + seen.size)),
        2,
      );
    }
    const after = await store.counts('flu');
    expect(after.done).toBeGreaterThan(before.done + 500);
    expect(seen.size).toBeGreaterThanOrEqual(before.done + before.failed);
    expect(seen.size).toBeLessThanOrEqual(after.done + after.failed);
    await store.close();
  });
});
