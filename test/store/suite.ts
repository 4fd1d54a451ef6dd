import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import {
  type Campaign,
  ONE_ATTEMPT,
  type Phase,
  type Point,
  type RunCounts,
} from '../../src/campaign/types.ts';
import type { OpenRun, ResultRow, RunObservation, Store } from '../../src/store/index.ts';

/** A database for one test, which several handles may open. */
export interface TestDatabase {
  open(): Promise<Store>;
  /** Closes all handles and removes the database. */
  remove(): Promise<void>;
}

export function campaign(id: string): Campaign {
  return {
    id,
    name: 'flu',
    service: 'http://127.0.0.1:8090/api/open/8.5.0',
    model: { id: 'model', name: 'Epidemic “β”', versionId: 'version', version: 1 },
    base: [{ name: 'Days', type: 'INTEGER', units: 'DAY', value: '14' }],
    varied: [],
    design: { kind: 'grid', inputs: [], values: [] },
    files: [],
    replications: 1,
    precision: null,
    seed: null,
    commonRandomNumbers: false,
    outputs: [],
    outputFiles: 'link',
    concurrency: 'auto',
    failures: null,
    attempts: ONE_ATTEMPT,
    timeouts: { run: null, campaign: null },
    fresh: null,
    priority: 3,
  };
}

/** A run that has never failed. */
const untried = { failures: 0, reseeded: 0, version: null };

export function* points(count: number): Generator<Point> {
  for (let ordinal = 0; ordinal < count; ordinal += 1) {
    yield { ordinal, key: `key ${ordinal}`, values: [String(ordinal), `value ${ordinal}`] };
  }
}

export async function add(
  store: Store,
  id = 'flu',
  size?: { points: number; replications: number },
): Promise<void> {
  await store.addCampaign({ campaign: campaign(id), definition: 'campaign: flu\n', digest: 'digest' }, 1_000);
  if (size) await store.addPoints(id, points(size.points), size.replications);
}

/** Points with some names, in their order. */
export function* named(names: readonly string[]): Generator<Point> {
  for (const [ordinal, name] of names.entries()) yield { ordinal, key: `key of ${name}`, values: [name] };
}

/** Adds a campaign with points of these names. */
export async function addNamed(
  store: Store,
  names: readonly string[],
  replications = 1,
  id = 'flu',
): Promise<void> {
  await add(store, id);
  await store.addPoints(id, named(names), replications);
}

/** The design after a change of a campaign. */
interface Design {
  names: readonly string[];
  replications?: number;
  digest?: string;
  id?: string;
}

export async function change(
  store: Store,
  { names, replications = 1, digest = JSON.stringify([names, replications]), id = 'flu' }: Design,
  points: Iterable<Point> = named(names),
): Promise<void> {
  const changed = { ...campaign(id), replications };
  await store.changeCampaign(
    { campaign: changed, definition: `# ${digest}`, digest },
    points,
    undefined,
    5_000,
  );
}

/** Runs an action through a handle that closes after some steps: the store is then as after a kill of a worker. */
export async function cutShort(
  database: TestDatabase,
  { turns, steps }: { turns: number; steps: number },
  act: (store: Store) => Promise<unknown>,
): Promise<void> {
  const store = await database.open();
  const acting = act(store).catch(() => undefined);
  for (let n = 0; n < turns; n += 1) await turn();
  for (let n = 0; n < steps; n += 1) await Promise.resolve();
  await store.close();
  await acting;
}

/** All runs of a campaign by state. This changes nothing. */
async function seqsOf(
  store: Store,
  id = 'flu',
): Promise<{ waiting: number[]; open: number[]; over: number[] }> {
  const waiting = await store.waitingRuns(id, -1, 1_000_000, false);
  const open = (await store.openRuns(id)).map(({ seq }) => seq);
  const { total, done: good, failed: bad } = await store.counts(id);
  expect(waiting.length + open.length + good + bad).toBe(total);
  const over = (await store.finished(id, upTo(20_000))).map(({ seq }) => seq);
  expect(over).toHaveLength(good + bad);
  return { waiting, open, over: over.toSorted((a, b) => a - b) };
}

/** Requests all waiting runs to identify them: `name/replication` by seq. */
async function requestAll(store: Store, id = 'flu'): Promise<Map<number, string>> {
  await store.setPhase(id, 'running', 1);
  const planned = await store.intend(id, await store.waitingRuns(id, -1, 1_000_000, false), 6_000);
  return new Map(planned.map(({ seq, point, replication }) => [seq, `${point.values[0]}/${replication}`]));
}

function runsOf(names: readonly string[], replications = 1): string[] {
  return upTo(replications).flatMap((n) => names.map((name) => `${name}/${n + 1}`));
}

export function runName(row: { values: readonly string[]; replication: number }): string {
  return `${row.values[0]}/${row.replication}`;
}

export function done(
  seq: number,
  origin: 'new' | 'reused' = 'new',
  outputs: Record<string, string> = { 'Fit error': String(seq) },
): RunObservation {
  return { seq, state: 'done', runId: `run ${seq}`, origin, outputs };
}

export function failed(seq: number, reason = 'no reason'): RunObservation {
  return { seq, state: 'failed', runId: `run ${seq}`, reason };
}

export function open(
  seq: number,
  state: 'queued' | 'running' = 'running',
  runId = `run ${seq}`,
  owned = true,
): RunObservation {
  return { seq, state, runId, owned };
}

export async function rowsOf(store: Store, id = 'flu'): Promise<ResultRow[]> {
  return await Array.fromAsync(store.results(id));
}

export function upTo(count: number): number[] {
  return [...Array(count).keys()];
}

/**
 * Tests that every store must pass, whatever its database.
 *
 * @param effort share of the random cases to run, for a slow database
 */
export function describeStore(
  name: string,
  createDatabase: () => Promise<TestDatabase> | TestDatabase,
  effort = 1,
): void {
  describe(name, () => {
    let database: TestDatabase;
    let store: Store;

    beforeEach(async () => {
      database = await createDatabase();
      store = await database.open();
    });
    afterEach(() => database.remove());

    describe('campaigns', () => {
      test('are kept as they were added, newest first', async () => {
        expect(await store.listCampaigns()).toEqual([]);
        for (const id of ['b', 'a', 'c']) {
          expect(
            await store.addCampaign(
              { campaign: campaign(id), definition: `# “${id}”\n`, digest: id },
              1_780_000_000_123,
            ),
          ).toBe(true);
        }
        expect((await store.listCampaigns()).map(({ campaign: { id } }) => id)).toEqual(['c', 'a', 'b']);
        expect(await store.getCampaign('a')).toEqual({
          campaign: campaign('a'),
          definition: '# “a”\n',
          digest: 'a',
          note: '',
          phase: 'preparing',
          points: 0,
          createdAt: 1_780_000_000_123,
          updatedAt: 1_780_000_000_123,
          owner: null,
        });
        expect(await store.getCampaign('d')).toBeUndefined();
      });

      test('a known id is refused, and nothing is changed', async () => {
        await add(store);
        const before = await store.getCampaign('flu');
        const other = {
          campaign: { ...campaign('flu'), name: 'other' },
          definition: 'other',
          digest: 'other',
        };
        expect(await store.addCampaign(other, 2_000)).toBe(false);
        expect(await store.getCampaign('flu')).toEqual(before);
      });

      test('of many that are added at once under one id, one is', async () => {
        const record = { campaign: campaign('flu'), definition: '', digest: '' };
        const added = await Promise.all(upTo(20).map((now) => store.addCampaign(record, now)));
        expect(added.filter(Boolean)).toHaveLength(1);
      });

      test('the phase changes, and when', async () => {
        await add(store);
        await store.setPhase('flu', 'stopping', 4_000, 'enough');
        await store.setPhase('flu', 'completed', 5_000);
        expect(await store.getCampaign('flu')).toMatchObject({
          phase: 'completed',
          note: 'enough',
          createdAt: 1_000,
          updatedAt: 5_000,
          owner: null,
        });
        await store.setPhase('unknown', 'completed', 5_000, 'a note');
      });

      test('what there is to say of the end is kept until something else is said', async () => {
        await add(store);
        await store.setPhase('flu', 'stopping', 2_000, 'cancelled: “too dear”');
        await store.setPhase('flu', 'cancelled', 3_000);
        expect(await store.getCampaign('flu')).toMatchObject({
          phase: 'cancelled',
          note: 'cancelled: “too dear”',
        });
        await store.setPhase('flu', 'failed', 4_000, '');
        expect(await store.getCampaign('flu')).toMatchObject({ phase: 'failed', note: '' });
      });

      test.each<Phase>(['stopping', 'cancelled', 'completed', 'failed'])(
        'what is %s does not run again, whoever comes late',
        async (phase) => {
          await add(store);
          await store.setPhase('flu', phase, 2_000);
          await store.setPhase('flu', 'running', 3_000);
          expect(await store.getCampaign('flu')).toMatchObject({ phase, updatedAt: 2_000 });
        },
      );

      test('one that never started can be removed, and its id used again', async () => {
        await add(store);
        await store.removeCampaign('flu');
        expect(await store.getCampaign('flu')).toBeUndefined();
        await add(store, 'flu', { points: 2, replications: 1 });
        await store.removeCampaign('flu');
        expect(await store.counts('flu')).toMatchObject({ total: 2 });
        await store.removeCampaign('unknown');
      });

      test('one whose design is half expanded has started', async () => {
        await add(store);
        await expect(store.addPoints('flu', dying(1_500), 1)).rejects.toThrow('killed');
        await store.removeCampaign('flu');
        expect(await store.getCampaign('flu')).toBeDefined();
      });

      test('what is asked of one that is not there says so', async () => {
        await expect(store.counts('unknown')).rejects.toThrow('unknown');
        await expect(store.addPoints('unknown', points(1), 1)).rejects.toThrow('unknown');
        await expect(rowsOf(store, 'unknown')).rejects.toThrow('unknown');
      });
    });

    describe('files', () => {
      test('are kept byte for byte under their hash; the first content stays', async () => {
        const bytes = Uint8Array.from({ length: 256 * 300 }, (_, n) => n % 256);
        await store.putFile('hash', bytes, 1);
        await store.putFile('hash', new Uint8Array([1]), 2);
        await store.putFile('empty', new Uint8Array(), 3);
        expect(Buffer.from((await store.getFile('hash'))!).equals(bytes)).toBe(true);
        expect((await store.getFile('empty'))!.length).toBe(0);
        expect(await store.getFile('other')).toBeUndefined();
        expect(await store.listFiles()).toEqual([
          { hash: 'empty', size: 0, putAt: 3, isKept: false },
          { hash: 'hash', size: bytes.length, putAt: 2, isKept: false },
        ]);
      });

      test('go when they are deleted, but for one that was put there again meanwhile', async () => {
        for (const hash of ['a', 'b']) await store.putFile(hash, new Uint8Array([1]), 1);
        const found = await store.listFiles();
        await store.putFile('b', new Uint8Array([1]), 2);
        for (const file of found) await store.deleteFile(file);
        expect((await store.listFiles()).map(({ hash }) => hash)).toEqual(['b']);
        await store.compact();
        expect(await store.spareBytes()).toBe(0);
        expect(await store.getFile('b')).toBeDefined();
      });
    });

    describe('files of outputs', () => {
      const content = new Uint8Array([1, 2, 3]);

      test('are kept under the hash of their content, once, whatever the service calls them', async () => {
        for (const id of ['flu', 'cold']) await add(store, id);
        expect(await store.keptFiles('flu', ['a', 'b'])).toEqual(new Map());
        for (const [id, hash] of [
          ['flu', 'a'],
          ['flu', 'a'],
          ['flu', 'b'],
          ['cold', 'a'],
        ] as const)
          expect(await store.keepFile(id, hash, { sha256: 'sha', content }, 5)).toBe(true);
        expect(await store.keptFiles('flu', ['a', 'b', 'c'])).toEqual(
          new Map([
            ['a', 'sha'],
            ['b', 'sha'],
          ]),
        );
        expect(await store.keptFiles('cold', ['a', 'b'])).toEqual(new Map([['a', 'sha']]));
        expect(await store.listFiles()).toEqual([{ hash: 'sha', size: 3, putAt: 5, isKept: true }]);
        expect([...(await store.getFile('sha'))!]).toEqual([1, 2, 3]);
      });

      test('that are there already are kept without their content, others are not', async () => {
        await add(store);
        expect(await store.keepFile('flu', 'a', { sha256: 'sha' }, 5)).toBe(false);
        expect(await store.keptFiles('flu', ['a'])).toEqual(new Map());
        await store.putFile('sha', content, 1);
        expect(await store.keepFile('flu', 'a', { sha256: 'sha' }, 6)).toBe(true);
        expect(await store.listFiles()).toEqual([{ hash: 'sha', size: 3, putAt: 6, isKept: true }]);
      });

      test('thousands are looked up at once', async () => {
        await add(store);
        const hashes = Array.from({ length: 2_500 }, (_, n) => `hash ${n}`);
        for (const hash of hashes.slice(0, 3))
          await store.keepFile('flu', hash, { sha256: 'sha', content }, 1);
        await store.keepFile('flu', hashes.at(-1)!, { sha256: 'sha', content }, 1);
        expect([...(await store.keptFiles('flu', hashes)).keys()].toSorted()).toEqual(
          [...hashes.slice(0, 3), hashes.at(-1)!].toSorted(),
        );
      });

      test('that are lacking are counted by their reason, until they are there', async () => {
        for (const id of ['flu', 'cold']) await add(store, id);
        for (const [hash, lack] of [
          ['a', 'not-found'],
          ['b', 'not-found'],
          ['b', 'not-found'],
          ['c', 'failing'],
          ['c', 'too-large'],
        ] as const)
          await store.recordMissingFile('flu', hash, lack);
        await store.recordMissingFile('cold', 'a', 'refused');
        expect(await store.keptFiles('flu', ['a'])).toEqual(new Map());
        expect(await store.missingFiles('flu')).toEqual([
          { lack: 'not-found', count: 2 },
          { lack: 'too-large', count: 1 },
        ]);
        await store.keepFile('flu', 'a', { sha256: 'sha', content }, 1);
        await store.recordMissingFile('flu', 'a', 'not-found');
        expect(await store.keptFiles('flu', ['a'])).toEqual(new Map([['a', 'sha']]));
        expect((await store.missingFiles('flu')).map(({ count }) => count)).toEqual([1, 1]);
        expect(await store.missingFiles('cold')).toEqual([{ lack: 'refused', count: 1 }]);
      });

      test('stay while a campaign has them, and are garbage when the last one is deleted', async () => {
        for (const id of ['flu', 'cold']) {
          await add(store, id);
          await store.keepFile(id, 'a', { sha256: 'sha', content }, 1);
          await store.recordMissingFile(id, 'b', 'not-found');
        }
        const collect = async (): Promise<boolean[]> => {
          const files = await store.listFiles();
          for (const file of files) await store.deleteFile(file);
          return files.map(({ isKept }) => isKept);
        };
        expect(await collect()).toEqual([true]);
        await store.deleteCampaign('flu');
        expect(await collect()).toEqual([true]);
        expect(await store.getFile('sha')).toBeDefined();
        expect(await store.keptFiles('cold', ['a'])).toEqual(new Map([['a', 'sha']]));
        await store.deleteCampaign('cold');
        expect(await collect()).toEqual([false]);
        expect(await store.getFile('sha')).toBeUndefined();
      });

      test('one that is seen as garbage and kept meanwhile stays', async () => {
        await add(store);
        await store.putFile('sha', content, 1);
        const [seen] = await store.listFiles();
        expect(await store.keepFile('flu', 'a', { sha256: 'sha' }, 1)).toBe(true);
        await store.deleteFile(seen!);
        expect(await store.getFile('sha')).toBeDefined();
      });

      test('by two handles at once, each is kept once', async () => {
        await add(store);
        const handles = [store, await database.open()];
        const hashes = upTo(40).map((n) => `hash ${n % 20}`);
        const kept = await Promise.all(
          hashes.map((hash, n) =>
            handles[n % 2]!.keepFile('flu', hash, { sha256: `sha of ${hash}`, content }, n),
          ),
        );
        expect(kept).toEqual(hashes.map(() => true));
        expect((await store.keptFiles('flu', hashes)).size).toBe(20);
        expect(await store.listFiles()).toHaveLength(20);
      });
    });

    describe('logs of runs', () => {
      const log = (seq: number, lines: string[]) => ({ seq, cause: `cause ${seq % 2}`, lines, omitted: 3 });

      test('are kept as they are, each in the place of an earlier one, until their run is done', async () => {
        await add(store, 'flu', { points: 4, replications: 1 });
        await store.intend('flu', upTo(4), 1);
        await store.observe('flu', [failed(0), failed(1), failed(2)], 2);
        const strange = ['red \u001b[31m', 'nul \u0000', 'half \ud800'];
        await store.keepRunLogs('flu', [log(0, ['first']), log(1, strange), log(2, ['other'])], 3);
        await store.keepRunLogs('flu', [{ ...log(0, ['second']), command: 'sh x' }], 4);
        expect(await store.runLogs('flu')).toMatchObject([
          { seq: 0, lines: ['second'], omitted: 3, command: 'sh x', replication: 1, reason: 'no reason' },
          { seq: 1, lines: strange },
          { seq: 2, lines: ['other'] },
        ]);
        expect(await store.lastRunLog('flu')).toMatchObject({ seq: 0, lines: ['second'] });
        const [first] = await store.runLogs('flu');
        const [story] = await store.pointsLike('flu', first!.point);
        expect(story!.runs[0]!.log).toEqual({ lines: ['second'], omitted: 3, command: 'sh x' });

        await store.resetFailed('flu', false, 5);
        await store.intend('flu', [2], 6);
        await store.observe('flu', [done(2)], 6);
        expect(await store.loggedRuns('flu')).toEqual(
          new Map([
            [0, 'cause 0'],
            [1, 'cause 1'],
          ]),
        );
        await store.keepRunLogs('flu', [log(3, ['more'])], 7);
        expect((await store.runLogs('flu')).map(({ seq }) => seq)).toEqual([0, 1, 3]);
        await store.deleteCampaign('flu');
        await add(store, 'flu', { points: 4, replications: 1 });
        expect([await store.runLogs('flu'), await store.lastRunLog('flu')]).toEqual([[], undefined]);
      });
    });

    describe('deleteCampaign', () => {
      test('takes all that is known of it, and nothing of another; its id is free', async () => {
        for (const id of ['flu', 'cold']) {
          await add(store, id, { points: 3_500, replications: 3 });
          await store.observe(
            id,
            upTo(100).map((seq) => done(seq)),
            2,
          );
        }
        await store.deleteCampaign('flu');
        expect((await store.listCampaigns()).map((record) => record.campaign.id)).toEqual(['cold']);
        await expect(rowsOf(store)).rejects.toThrow('flu');
        expect(await rowsOf(store, 'cold')).toHaveLength(100);
        await add(store, 'flu', { points: 2, replications: 1 });
        expect(await rowsOf(store)).toEqual([]);
        expect((await store.counts('flu')).total).toBe(2);
        expect((await store.counts('cold')).total).toBe(10_500);
      });

      test('another handle knows the one that comes after it under the same id', async () => {
        await add(store, 'flu', { points: 2, replications: 1 });
        const other = await database.open();
        expect((await other.counts('flu')).total).toBe(2);
        await store.deleteCampaign('flu');
        await add(store, 'flu', { points: 5, replications: 1 });
        expect((await other.counts('flu')).total).toBe(5);
      });
    });

    describe('addPoints', () => {
      test('a run a point and replication, replication 1 of all points first', async () => {
        await add(store);
        expect(await store.addPoints('flu', points(3), 2)).toEqual({ points: 3, runs: 6 });
        const planned = await store.intend('flu', [5, 0, 3], 1);
        expect(planned).toEqual([
          {
            seq: 0,
            point: { key: 'key 0', values: ['0', 'value 0'] },
            replication: 1,
            attempt: 1,
            ...untried,
          },
          {
            seq: 3,
            point: { key: 'key 0', values: ['0', 'value 0'] },
            replication: 2,
            attempt: 1,
            ...untried,
          },
          {
            seq: 5,
            point: { key: 'key 2', values: ['2', 'value 2'] },
            replication: 2,
            attempt: 1,
            ...untried,
          },
        ]);
        expect((await store.getCampaign('flu'))!.points).toBe(3);
      });

      test('again, it changes nothing', async () => {
        await add(store, 'flu', { points: 3, replications: 2 });
        await store.intend('flu', [0, 1], 1);
        await store.observe('flu', [done(0), open(1)], 1);
        const before = [await store.counts('flu'), await rowsOf(store), await store.openRuns('flu')];
        expect(await store.addPoints('flu', points(3), 2)).toEqual({ points: 3, runs: 6 });
        expect([await store.counts('flu'), await rowsOf(store), await store.openRuns('flu')]).toEqual(before);
      });

      test.each([0, 999, 1_000, 1_001, 2_499])(
        'after a first attempt that died after %d points',
        async (survived) => {
          await add(store);
          await expect(store.addPoints('flu', dying(survived), 2)).rejects.toThrow('killed');
          expect((await store.getCampaign('flu'))!.points).toBe(0);
          expect(await store.addPoints('flu', points(2_500), 2)).toEqual({ points: 2_500, runs: 5_000 });
          expect(await store.counts('flu')).toMatchObject({ total: 5_000, waiting: 5_000 });
          const [last] = await store.intend('flu', [4_999], 1);
          expect(last).toMatchObject({ seq: 4_999, point: { key: 'key 2499' }, replication: 2 });
        },
      );

      test('two at once, through two handles', async () => {
        await add(store);
        const second = await database.open();
        const sizes = await Promise.all(
          [store, second].map((handle) => handle.addPoints('flu', points(1_500), 2)),
        );
        expect(sizes).toEqual(Array(2).fill({ points: 1_500, runs: 3_000 }));
        expect(await store.counts('flu')).toMatchObject({ total: 3_000 });
      });

      test.each([1, 2, 3, 4, 5, 6, 7])(
        'cut short after %d batches and done again: the numbers of runs are those from 0, without a gap',
        async (turns) => {
          await add(store);
          // several batches of points, and of runs
          const size = { points: 2_500, replications: 10 };
          await cutShort(database, { turns, steps: 0 }, (other) =>
            other.addPoints('flu', points(size.points), size.replications),
          );
          expect(await store.addPoints('flu', points(size.points), size.replications)).toEqual({
            points: size.points,
            runs: 25_000,
          });
          expect(await store.waitingRuns('flu', -1, 30_000, false)).toEqual(upTo(25_000));
          const [run] = await store.intend('flu', [24_999], 1);
          expect(run).toMatchObject({ point: { key: 'key 2499' }, replication: 10 });
        },
      );

      test('no points', async () => {
        await add(store);
        expect(await store.addPoints('flu', [], 3)).toEqual({ points: 0, runs: 0 });
        expect(await store.counts('flu')).toMatchObject({ total: 0, waiting: 0 });
        expect(await rowsOf(store)).toEqual([]);
      });

      test('points that have no runs yet are not whole', async () => {
        await add(store);
        function* half(): Generator<Point> {
          yield* points(1_000);
          throw new Error('the activity died');
        }
        await expect(store.addPoints('flu', half(), 2)).rejects.toThrow('the activity died');
        const compared = await store.comparedPoints('flu');
        expect(compared).toHaveLength(1_000);
        expect(compared[0]).toEqual({ ...[...points(1)][0], runs: [], isWhole: false });
      });

      test('campaigns do not mix', async () => {
        await add(store, 'a', { points: 2, replications: 1 });
        await add(store, 'b', { points: 3, replications: 1 });
        await store.intend('a', [0, 1], 1);
        await store.observe('a', [done(0), failed(1)], 1);
        expect(await store.counts('b')).toMatchObject({ total: 3, waiting: 3 });
        expect(await rowsOf(store, 'b')).toEqual([]);
      });
    });

    describe('intend', () => {
      beforeEach(() => add(store, 'flu', { points: 4, replications: 1 }));

      test('counts the attempts', async () => {
        const attemptsOf = async (): Promise<number[]> =>
          (await store.intend('flu', [0, 1], 1)).map(({ attempt }) => attempt);
        expect(await attemptsOf()).toEqual([1, 1]);
        expect(await attemptsOf()).toEqual([2, 2]);
        await store.observe('flu', [open(0)], 2);
        expect(await attemptsOf()).toEqual([3, 3]);
      });

      test('leaves out what has finished, and what is not there', async () => {
        await store.observe('flu', [done(0), failed(1)], 1);
        expect((await store.intend('flu', [0, 1, 2, 77], 1)).map(({ seq }) => seq)).toEqual([2]);
        expect(await store.intend('flu', [], 1)).toEqual([]);
      });

      test.each<[Phase, boolean]>([
        ['preparing', true],
        ['running', true],
        ['paused', false],
        ['stopping', false],
        ['completed', false],
        ['failed', false],
        ['cancelled', false],
      ])('in the phase %s: %s', async (phase, lets) => {
        await store.setPhase('flu', phase, 1);
        expect(await store.intend('flu', [0, 1], 1)).toHaveLength(lets ? 2 : 0);
        // a refused change has changed nothing
        expect(await store.openRuns('flu')).toHaveLength(lets ? 2 : 0);
      });

      test('is seen by others: a lost response leaves a run that is ours', async () => {
        await store.intend('flu', [2], 1);
        expect(await store.openRuns('flu')).toEqual([
          {
            seq: 2,
            point: { key: 'key 2', values: ['2', 'value 2'] },
            replication: 1,
            attempt: 1,
            ...untried,
            runId: null,
            owned: true,
            joined: false,
          },
        ]);
      });

      test('a request that never arrived is no attempt', async () => {
        await store.intend('flu', [0], 1);
        await store.observe('flu', [{ seq: 0, state: 'unsent' }], 1);
        expect((await store.intend('flu', [0], 1))[0]!.attempt).toBe(1);
        await store.observe('flu', [open(0)], 1);
        // requested again while polling, without an intent, and not sent: nothing is withdrawn
        await store.observe('flu', [{ seq: 0, state: 'unsent' }], 1);
        expect((await store.intend('flu', [0], 1))[0]!.attempt).toBe(2);
      });

      test('a run that was stopped starts anew', async () => {
        await store.intend('flu', [0], 1);
        await store.observe('flu', [open(0)], 1);
        await store.observe('flu', [{ seq: 0, state: 'waiting' }], 2);
        expect(await store.openRuns('flu')).toEqual([]);
        expect(await store.counts('flu')).toMatchObject({ waiting: 4, running: 0 });
        expect((await store.intend('flu', [0], 3))[0]!.attempt).toBe(1);
      });
    });

    describe('openRuns', () => {
      test('a thousand at a time in order, or those that are named, however many', async () => {
        await add(store, 'flu', { points: 1_200, replications: 1 });
        await store.intend('flu', upTo(1_200), 1);
        await store.observe('flu', [done(0), open(1, 'queued', 'of others', false)], 1);
        const first = await store.openRuns('flu');
        expect(first.map(({ seq }) => seq)).toEqual(upTo(1_001).slice(1));
        expect(first[0]).toMatchObject({ runId: 'of others', owned: false });
        expect((await store.openRuns('flu', [0, 1, 1_199, 5_000])).map(({ seq }) => seq)).toEqual([1, 1_199]);
        expect(await store.openRuns('flu', upTo(1_200))).toHaveLength(1_199);
        expect(await store.openRuns('flu', [])).toEqual([]);
      });
    });

    describe('observe', () => {
      beforeEach(async () => {
        await add(store, 'flu', { points: 3, replications: 1 });
        await store.intend('flu', [0, 1, 2], 2_000);
      });

      test('done twice is done once; the first outputs stay, and what comes later is ignored', async () => {
        await store.observe('flu', [done(0, 'reused', { 'Fit error': '17.16' })], 3_000);
        const before = [await store.counts('flu'), await rowsOf(store)];
        for (const again of [
          done(0, 'new', { 'Fit error': '99' }),
          failed(0),
          open(0),
          { seq: 0, state: 'waiting' } as const,
          { seq: 0, state: 'unsent' } as const,
        ]) {
          await store.observe('flu', [again], 4_000);
          expect([await store.counts('flu'), await rowsOf(store)]).toEqual(before);
        }
        expect(await rowsOf(store)).toEqual([
          {
            point: 'key 0',
            replication: 1,
            status: 'done',
            values: ['0', 'value 0'],
            outputs: { 'Fit error': '17.16' },
            reason: null,
            runId: 'run 0',
            origin: 'reused',
            requestedAt: 2_000,
            finishedAt: 3_000,
            version: null,
          },
        ]);
      });

      test('failed, then done: it stays failed, and no outputs are kept', async () => {
        await store.observe('flu', [failed(0, 'Days is 0'), done(0)], 3_000);
        await store.observe('flu', [done(0)], 3_000);
        expect(await rowsOf(store)).toMatchObject([
          { status: 'failed', reason: 'Days is 0', outputs: {}, origin: null, finishedAt: 3_000 },
        ]);
      });

      test('the same batch twice', async () => {
        const batch = [done(0), failed(1), open(2, 'queued')];
        await store.observe('flu', batch, 3_000);
        const before = [await store.counts('flu'), await rowsOf(store), await store.openRuns('flu')];
        await store.observe('flu', batch, 9_000);
        expect([await store.counts('flu'), await rowsOf(store), await store.openRuns('flu')]).toEqual(before);
      });

      test('outputs of any text and size', async () => {
        const outputs = {
          'a "name" \\ with %_ everything': '“ü” \u0000 \ud800 \n',
          __proto__x: '{"dataX":[1],"dataY":[2]}',
          large: 'x'.repeat(2_000_000),
          empty: '',
        };
        await store.observe('flu', [done(0, 'new', outputs)], 3_000);
        expect((await rowsOf(store))[0]!.outputs).toEqual(outputs);
      });

      test('a batch is written whole or not at all', async () => {
        const wrong = { ...done(1), outputs: { n: 1n } } as unknown as RunObservation;
        await expect(store.observe('flu', [done(0), wrong, done(2)], 3_000)).rejects.toThrow();
        expect(await store.counts('flu')).toMatchObject({ done: 0 });
        expect(await rowsOf(store)).toEqual([]);
        await store.observe('flu', [done(0)], 3_000);
        expect(await store.counts('flu')).toMatchObject({ done: 1 });
      });

      test('an attempt that failed, and another is to come: the run waits, and is no result', async () => {
        await store.observe('flu', [open(0), open(1, 'queued', 'of others', false), open(2)], 3_000);
        await store.observe(
          'flu',
          [
            { seq: 0, state: 'again', reason: 'Days is 0', reseeds: false },
            { seq: 1, state: 'again', reason: 'lost', reseeds: true },
          ],
          4_000,
        );
        expect(await store.counts('flu')).toMatchObject({ total: 3, waiting: 2, running: 1, failed: 0 });
        expect(await rowsOf(store)).toEqual([]);
        expect((await store.openRuns('flu')).map(({ seq }) => seq)).toEqual([2]);
        // the next attempt is a new request, which knows the attempts before it
        const planned = await store.intend('flu', [0, 1], 5_000);
        expect(planned).toMatchObject([
          { seq: 0, attempt: 1, failures: 1, reseeded: 0 },
          { seq: 1, attempt: 1, failures: 1, reseeded: 1 },
        ]);
        expect(await store.openRuns('flu', [0, 1])).toMatchObject([
          { runId: null, owned: true, joined: false },
          { runId: null, owned: true, joined: false },
        ]);
        await store.observe('flu', [{ seq: 1, state: 'again', reason: 'lost', reseeds: true }], 6_000);
        expect(await store.intend('flu', [1], 7_000)).toMatchObject([{ failures: 2, reseeded: 2 }]);
        // the last failure or the result is what the store reports
        await store.observe('flu', [failed(1, 'Days is 1'), done(0)], 8_000);
        expect(await rowsOf(store)).toMatchObject([
          { status: 'done', reason: null },
          { status: 'failed', reason: 'Days is 1' },
        ]);
      });

      test('an attempt that failed counts once, however often it is seen, and not after the end', async () => {
        const again: RunObservation = { seq: 0, state: 'again', reason: 'Days is 0', reseeds: true };
        await store.observe('flu', [open(0), done(1)], 3_000);
        await store.observe('flu', [again], 4_000);
        await store.observe('flu', [again, again], 4_000);
        expect(await store.intend('flu', [0], 5_000)).toMatchObject([{ failures: 1, reseeded: 1 }]);
        await store.observe('flu', [{ ...again, seq: 1 }], 6_000);
        expect(await rowsOf(store)).toMatchObject([{ status: 'done', reason: null }]);
      });

      test('the campaign says when it last changed', async () => {
        await store.observe('flu', [open(0)], 7_777);
        expect((await store.getCampaign('flu'))!.updatedAt).toBe(7_777);
        await store.observe('flu', [], 8_888);
        expect((await store.getCampaign('flu'))!.updatedAt).toBe(7_777);
      });

      test('finished says what is over, and how it came to be', async () => {
        await store.observe('flu', [done(0, 'reused'), failed(1), open(2)], 3_000);
        const finished = await store.finished('flu', [2, 1, 0, 99]);
        expect(finished.toSorted((a, b) => a.seq - b.seq)).toEqual([
          { seq: 0, state: 'done', origin: 'reused' },
          { seq: 1, state: 'failed', origin: null },
        ]);
        expect(await store.finished('flu', [])).toEqual([]);
      });
    });

    describe('counts', () => {
      test('total = done + failed + running + queued + waiting and done = new + reused, whatever is observed', async () => {
        const RUNS = 12;
        const seq = fc.nat(RUNS - 1);
        const observation: fc.Arbitrary<RunObservation> = fc.oneof(
          seq.map((n) => done(n, 'new')),
          seq.map((n) => done(n, 'reused')),
          seq.map((n) => failed(n)),
          seq.map((n) => open(n, 'queued')),
          seq.map((n) => open(n, 'running')),
          seq.map((n): RunObservation => ({ seq: n, state: 'waiting' })),
          seq.map((n): RunObservation => ({ seq: n, state: 'unsent' })),
          seq.map((n): RunObservation => ({ seq: n, state: 'again', reason: 'lost', reseeds: n % 2 === 0 })),
        );
        const step = fc.oneof(
          fc.record({ observe: fc.array(observation, { maxLength: 10 }) }),
          fc.record({ intend: fc.uniqueArray(seq) }),
        );
        let campaigns = 0;
        await fc.assert(
          fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
            const id = `campaign ${(campaigns += 1)}`;
            await add(store, id, { points: RUNS / 2, replications: 2 });
            // the expected counts, computed from the rules alone
            const states = new Array<keyof RunCounts>(RUNS).fill('waiting');
            for (const [at, { observe = [], intend = [] }] of steps.map(
              (s, n) => [n, s as Partial<Steps>] as const,
            )) {
              await store.intend(id, intend, at);
              for (const n of intend) if (!isOver(states[n]!)) states[n] = 'waiting';
              await store.observe(id, observe, at);
              for (const seen of observe) {
                if (isOver(states[seen.seq]!) || seen.state === 'unsent') continue;
                states[seen.seq] =
                  seen.state === 'done' ? seen.origin : seen.state === 'again' ? 'waiting' : seen.state;
              }
              const counts = await store.counts(id);
              const { total, done: all, failed: bad, running, queued, waiting } = counts;
              expect(total).toBe(RUNS);
              expect(total).toBe(all + bad + running + queued + waiting);
              expect(all).toBe(counts.new + counts.reused);
              for (const state of ['new', 'reused', 'failed', 'running', 'queued', 'waiting'] as const) {
                expect([state, counts[state]]).toEqual([state, states.filter((s) => s === state).length]);
              }
              const rows = await rowsOf(store, id);
              expect(rows).toHaveLength(all + bad);
              expect(rows.filter(({ outputs }) => Object.keys(outputs).length > 0)).toHaveLength(all);
              for (const { attempt } of await store.openRuns(id)) expect(attempt).toBeGreaterThanOrEqual(0);
            }
          }),
          { numRuns: 100 * effort },
        );
      });
    });

    describe('runs that campaigns share', () => {
      beforeEach(async () => {
        for (const id of ['a', 'b', 'c']) {
          await add(store, id, { points: 3, replications: 1 });
          await store.intend(id, [0, 1, 2], 1);
        }
        await store.observe('a', [open(0, 'running', 'shared'), open(1, 'running', 'own')], 1);
        await store.observe('b', [open(0, 'queued', 'shared', false), open(1, 'queued', 'own of b')], 1);
      });

      test('are claimed by the others that wait for them', async () => {
        expect(await store.claimedByOthers('a', ['shared', 'own', 'unknown'])).toEqual(new Set(['shared']));
        expect(await store.claimedByOthers('b', ['shared', 'own'])).toEqual(new Set(['shared', 'own']));
        expect(await store.claimedByOthers('a', [])).toEqual(new Set());
      });

      test.each<[string, RunObservation]>([
        ['done', { seq: 0, state: 'done', runId: 'shared', origin: 'new', outputs: {} }],
        ['failed', { seq: 0, state: 'failed', runId: 'shared', reason: '' }],
        ['waiting again', { seq: 0, state: 'waiting' }],
      ])('no more once they are %s there', async (_, observation) => {
        await store.observe('b', [observation], 2);
        expect(await store.claimedByOthers('a', ['shared'])).toEqual(new Set());
      });

      test('are handed over to the others, and nothing else is', async () => {
        const ownedBy = async (id: string): Promise<boolean[]> =>
          (await store.openRuns(id, [0, 1])).map(({ owned }) => owned);
        await store.observe('c', [open(0, 'queued', 'other', false), open(1, 'queued', 'shared', false)], 1);
        await store.handOver('a', ['shared']);
        expect(await ownedBy('b')).toEqual([true, true]);
        // whichever campaign owns it now: it existed when b requested it
        expect((await store.openRuns('b', [0]))[0]!.joined).toBe(true);
        expect(await ownedBy('c')).toEqual([false, true]);
        await store.handOver('a', []);
        await store.handOver('c', ['other']);
        expect(await ownedBy('c')).toEqual([false, true]);
      });

      test('stay its own once they are, whatever was seen of them before that or is asked again', async () => {
        const first = async (id: string): Promise<unknown> => {
          const [{ owned, joined }] = (await store.openRuns(id, [0])) as [OpenRun];
          return { owned, joined };
        };
        await store.handOver('a', ['shared']);
        // b observed it before, as a run of a
        await store.observe('b', [open(0, 'running', 'shared', false)], 2);
        expect(await first('b')).toEqual({ owned: true, joined: true });
        // a requests it again after a lost answer, when b already waits for it
        await store.intend('a', [0], 3);
        await store.observe('a', [open(0, 'running', 'shared', false)], 3);
        expect(await first('a')).toEqual({ owned: true, joined: false });
        // another run instead of it is a different case
        await store.observe('a', [open(0, 'running', 'of somebody else', false)], 4);
        expect(await first('a')).toEqual({ owned: false, joined: true });
      });

      test('stay joined when they are handed over, until they are requested anew', async () => {
        const joined = async (id: string): Promise<boolean[]> =>
          (await store.openRuns(id, [0])).map((run) => run.joined);
        expect([await joined('a'), await joined('b')]).toEqual([[false], [true]]);
        await store.handOver('a', ['shared']);
        await store.observe('b', [open(0, 'running', 'shared', true)], 2);
        expect(await joined('b')).toEqual([true]);
        await store.observe('b', [{ seq: 0, state: 'waiting' }], 3);
        await store.intend('b', [0], 4);
        await store.observe('b', [open(0, 'queued', 'another')], 5);
        expect(await joined('b')).toEqual([false]);
      });
    });

    describe('results', () => {
      test('by point, then replication, over the end of a page of 2,000', async () => {
        const size = { points: 1_500, replications: 3 };
        await add(store, 'flu', size);
        const runs = size.points * size.replications;
        await store.intend('flu', upTo(runs), 1);
        // one run in nine has not finished; the runs are written in a different order
        const finished = upTo(runs).filter((seq) => seq % 9 !== 4);
        const scattered = finished.toSorted((a, b) => ((a * 7_919) % runs) - ((b * 7_919) % runs));
        await store.observe(
          'flu',
          scattered.map((seq) => (seq % 5 === 0 ? failed(seq) : done(seq))),
          2,
        );
        const rows = await rowsOf(store);
        const seqOf = ({ values, replication }: ResultRow): number =>
          Number(values[0]) + (replication - 1) * size.points;
        expect(rows.map(seqOf).toSorted((a, b) => a - b)).toEqual(finished);
        const places = rows.map(({ values, replication }) => Number(values[0]) * 10 + replication);
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        for (const row of rows) {
          const seq = seqOf(row);
          expect([row.status, row.outputs]).toEqual(
            seq % 5 === 0 ? ['failed', {}] : ['done', { 'Fit error': String(seq) }],
          );
        }
      });

      test('of one point with many replications, over the end of pages', async () => {
        await add(store, 'flu', { points: 3, replications: 1_700 });
        await store.observe(
          'flu',
          upTo(5_100).map((seq) => done(seq)),
          2,
        );
        const rows = await rowsOf(store);
        expect(rows.map(({ values, replication }) => `${values[0]}/${replication}`)).toEqual(
          upTo(3).flatMap((point) => upTo(1_700).map((n) => `${point}/${n + 1}`)),
        );
      });

      test('exactly a page', async () => {
        await add(store, 'flu', { points: 2_000, replications: 1 });
        await store.observe(
          'flu',
          upTo(2_000).map((seq) => done(seq)),
          2,
        );
        expect(await rowsOf(store)).toHaveLength(2_000);
      });

      test('are known by number, from one on, failed ones behind', async () => {
        await add(store, 'flu', { points: 12_000, replications: 1 });
        await add(store, 'other', { points: 3, replications: 1 });
        const runs = upTo(12_000);
        for (const id of ['flu', 'other']) {
          const seen = id === 'flu' ? runs : [0, 1, 2];
          await store.observe(
            id,
            seen.filter((seq) => seq % 7 !== 2).map((seq) => (seq % 5 === 0 ? failed(seq) : done(seq))),
            2,
          );
        }
        const expected = runs.filter((seq) => seq >= 4 && seq % 7 !== 2);
        expect((await Array.fromAsync(store.finishedSeqs('flu', 4))).flat()).toEqual([
          ...expected.filter((seq) => seq % 5 !== 0),
          ...expected.filter((seq) => seq % 5 === 0),
        ]);
        expect(await Array.fromAsync(store.finishedSeqs('flu', 12_000))).toEqual([]);
      });

      test('are looked up by number, those that have finished, in the order of work', async () => {
        await add(store, 'flu', { points: 6, replications: 1 });
        await store.observe('flu', [done(4), failed(1), done(0)], 2);
        const found = await store.finishedAmong('flu', [5, 4, 3, 1]);
        expect(found.map(({ seq, row }) => [seq, row.status])).toEqual([
          [1, 'failed'],
          [4, 'done'],
        ]);
        const [first, second] = found;
        expect([first!.row, second!.row]).toEqual((await rowsOf(store)).slice(1));
        expect(await store.finishedAmong('flu', [])).toEqual([]);
      });

      test('reading may stop early, and others may write meanwhile', async () => {
        await add(store, 'flu', { points: 4_100, replications: 1 });
        await store.observe(
          'flu',
          upTo(4_000).map((seq) => done(seq)),
          2,
        );
        let read = 0;
        for await (const { values } of store.results('flu')) {
          expect(Number(values[0])).toBe(read);
          read += 1;
          if (read === 10)
            await store.observe(
              'flu',
              upTo(4_100)
                .slice(4_000)
                .map((seq) => done(seq)),
              3,
            );
        }
        expect(read).toBe(4_100);
        for await (const { point } of store.results('flu')) {
          expect(point).toBe('key 0');
          break;
        }
        await store.observe('flu', [], 4);
        expect(await store.counts('flu')).toMatchObject({ done: 4_100 });
      });
    });

    describe('changeCampaign', () => {
      test('puts the changed campaign in the place of what was there', async () => {
        await addNamed(store, ['a', 'b']);
        await store.setPhase('flu', 'paused', 2_000, 'a note');
        const changed = { ...campaign('flu'), replications: 3, concurrency: 7 };
        await store.changeCampaign(
          { campaign: changed, definition: '# changed\n', digest: 'changed' },
          named(['b', 'c', 'd']),
          undefined,
          3_000,
        );
        expect(await store.getCampaign('flu')).toEqual({
          campaign: changed,
          definition: '# changed\n',
          digest: 'changed',
          note: 'a note',
          phase: 'paused',
          points: 3,
          createdAt: 1_000,
          updatedAt: 3_000,
          owner: null,
        });
        expect(await store.counts('flu')).toMatchObject({ total: 9, waiting: 9 });
      });

      test('a point that is added gets runs after those that are there, replication 1 of all first', async () => {
        await addNamed(store, ['a', 'b'], 2);
        await change(store, { names: ['c', 'a', 'd', 'b'], replications: 2 });
        const { waiting } = await seqsOf(store);
        expect(waiting.slice(0, 4)).toEqual([0, 1, 2, 3]);
        expect([...(await requestAll(store)).values()]).toEqual([
          ...['a/1', 'b/1', 'a/2', 'b/2'],
          ...['c/1', 'd/1', 'c/2', 'd/2'],
        ]);
      });

      test('a point that is dropped loses what was never requested, and keeps the rest', async () => {
        await addNamed(store, ['a', 'b', 'c', 'd', 'e'], 2);
        // one run of b has finished and one waits; c runs; d waits again, and so does e, which was stopped
        await store.intend('flu', [1, 2, 3, 4], 1);
        await store.observe('flu', [done(1), open(2), open(3), open(4)], 2);
        await store.observe(
          'flu',
          [
            { seq: 3, state: 'again', reason: 'lost', reseeds: false },
            { seq: 4, state: 'waiting' },
          ],
          3,
        );
        await change(store, { names: ['a'], replications: 2 });
        expect(await seqsOf(store)).toEqual({ waiting: [0, 5], open: [2], over: [1] });
        expect((await store.openRuns('flu'))[0]).toMatchObject({
          runId: 'run 2',
          point: { key: 'key of c', values: ['c'] },
        });
        await store.observe('flu', [done(2)], 3);
        expect((await rowsOf(store)).map(runName)).toEqual(['b/1', 'c/1']);
        expect(await store.counts('flu')).toMatchObject({ total: 4, done: 2, waiting: 2 });
        expect((await store.getCampaign('flu'))!.points).toBe(1);
      });

      test('what an earlier execution left requested is kept with its point until it is known what came of it', async () => {
        await addNamed(store, ['a', 'b']);
        await store.intend('flu', [0, 1], 1);
        await store.observe('flu', [open(1)], 2);
        await store.reopen('flu', 3);
        await change(store, { names: ['a'] });
        expect(await store.waitingRuns('flu', -1, 10, false)).toEqual([0, 1]);
        expect(await store.intend('flu', [1], 4)).toMatchObject([{ point: { values: ['b'] }, attempt: 2 }]);
      });

      test('replications are raised and lowered', async () => {
        await addNamed(store, ['a', 'b'], 1);
        await change(store, { names: ['a', 'b'], replications: 3 });
        expect(await store.waitingRuns('flu', -1, 10, false)).toHaveLength(6);
        const [last] = (await store.waitingRuns('flu', -1, 10, false)).slice(-1);
        await store.intend('flu', [last!], 1);
        await store.observe('flu', [done(last!)], 2);
        await change(store, { names: ['a', 'b'], replications: 1 });
        expect(await store.counts('flu')).toMatchObject({ total: 3, done: 1, waiting: 2 });
        expect((await rowsOf(store)).map(runName)).toEqual(['b/3']);
        await change(store, { names: ['a', 'b'], replications: 4 });
        const runs = [...(await requestAll(store)).values()];
        expect(runs.toSorted()).toEqual(
          runsOf(['a', 'b'], 4)
            .filter((run) => run !== 'b/3')
            .toSorted(),
        );
      });

      test('a point that is dropped and added again has what it had', async () => {
        await addNamed(store, ['a', 'b'], 2);
        await store.observe('flu', [done(1)], 1);
        await change(store, { names: ['a'], replications: 2 });
        expect((await rowsOf(store)).map(runName)).toEqual(['b/1']);
        await change(store, { names: ['b', 'a'], replications: 2 });
        expect((await rowsOf(store)).map(runName)).toEqual(['b/1']);
        expect(await store.counts('flu')).toMatchObject({ total: 4, done: 1 });
        expect([...(await requestAll(store)).values()].toSorted()).toEqual(['a/1', 'a/2', 'b/2']);
      });

      test('results are in the order of the design, with what stays of the dropped after it', async () => {
        await addNamed(store, ['a', 'b', 'c', 'd', 'e'], 2);
        await store.observe(
          'flu',
          upTo(10).map((seq) => done(seq)),
          1,
        );
        await change(store, { names: ['d', 'x', 'b'], replications: 1 });
        const x = (await store.waitingRuns('flu', -1, 10, false))[0]!;
        await store.observe('flu', [done(x)], 2);
        const order = async (): Promise<string> => (await rowsOf(store)).map(runName).join(' ');
        expect(await order()).toBe('d/1 d/2 x/1 b/1 b/2 a/1 a/2 c/1 c/2 e/1 e/2');
        await change(store, { names: ['e', 'b', 'y', 'z'], replications: 1 });
        expect(await order()).toBe('e/1 e/2 b/1 b/2 a/1 a/2 c/1 c/2 d/1 d/2 x/1');
        await change(store, { names: ['a', 'b', 'c', 'd', 'e'], replications: 2 });
        expect(await order()).toBe('a/1 a/2 b/1 b/2 c/1 c/2 d/1 d/2 e/1 e/2 x/1');
      });

      test('what has finished keeps its result, to the last letter', async () => {
        await addNamed(store, ['a', 'b', 'c']);
        await store.intend('flu', [0, 1, 2], 1);
        await store.observe('flu', [done(0), failed(1, 'Days is 0'), done(2, 'reused')], 2);
        const before = await rowsOf(store);
        await change(store, { names: ['a', 'x', 'b', 'c'], replications: 2 });
        expect(await rowsOf(store)).toEqual(before);
        await change(store, { names: ['x'] });
        expect(await rowsOf(store)).toEqual(before);
      });

      test('a number that was given to a run is given to no other, also when that run is gone', async () => {
        await addNamed(store, ['a', 'b', 'c']);
        await change(store, { names: ['a'] });
        await change(store, { names: ['a', 'd', 'e'] });
        const runs = await requestAll(store);
        expect(runs.get(0)).toBe('a/1');
        for (const seq of [1, 2]) expect(runs.has(seq)).toBe(false);
        expect([...runs.values()].toSorted()).toEqual(['a/1', 'd/1', 'e/1']);
      });

      test('again, it changes nothing, and does not even look at the points', async () => {
        await addNamed(store, ['a', 'b']);
        await store.observe('flu', [done(0)], 1);
        const design = { names: ['b', 'c', 'a'], replications: 2 };
        await change(store, design);
        const content = async (): Promise<unknown[]> => [
          await store.getCampaign('flu'),
          await seqsOf(store),
          await rowsOf(store),
        ];
        const before = await content();
        await change(store, design);
        await change(store, design, {
          [Symbol.iterator]: () => {
            throw new Error('looked at');
          },
        });
        expect(await content()).toEqual(before);
      });

      test('what is there is told by the digest: the same points under another one are taken in', async () => {
        await addNamed(store, ['a', 'b'], 2);
        const before = await seqsOf(store);
        await change(store, { names: ['a', 'b'], replications: 2, digest: 'other' });
        expect(await seqsOf(store)).toEqual(before);
        expect((await store.getCampaign('flu'))!.digest).toBe('other');
      });

      test('of a campaign that is not there says so', async () => {
        await expect(change(store, { names: ['a'], id: 'unknown' })).rejects.toThrow('unknown');
      });

      test('campaigns do not mix', async () => {
        await addNamed(store, ['a', 'b'], 1, 'one');
        await addNamed(store, ['a', 'b'], 1, 'two');
        await store.observe('one', [done(0)], 1);
        await store.observe('two', [done(0), open(1)], 1);
        const before = [
          await store.getCampaign('one'),
          await seqsOf(store, 'one'),
          await rowsOf(store, 'one'),
        ];
        await change(store, { names: ['c'], replications: 2, id: 'two' });
        expect([
          await store.getCampaign('one'),
          await seqsOf(store, 'one'),
          await rowsOf(store, 'one'),
        ]).toEqual(before);
      });

      test('thousands of points, dropped, moved and added', async () => {
        const from = upTo(12_000).map(String);
        await addNamed(store, from, 2);
        // every third point is dropped, the others are reversed, and as many new ones are added between them
        const to = from
          .filter((_, n) => n % 3 !== 0)
          .toReversed()
          .flatMap((name, n) => (n % 2 === 0 ? [name, `new ${name}`] : [name]));
        await store.observe(
          'flu',
          upTo(12_000).map((seq) => done(seq)),
          1,
        );
        await change(store, { names: to, replications: 2 });
        const known = new Set(from);
        expect((await rowsOf(store)).map(runName)).toEqual([
          ...to.filter((name) => known.has(name)).map((name) => `${name}/1`),
          ...from.filter((_, n) => n % 3 === 0).map((name) => `${name}/1`),
        ]);
        expect(await store.counts('flu')).toMatchObject({ total: 2 * to.length + 4_000, done: 12_000 });
      });

      describe('cut short', () => {
        const filler = upTo(1_000).map((n) => `filler ${n}`);
        /** The points that an activity reads before its worker is killed: some of them are written. */
        function* dyingAfter(names: readonly string[], first = filler): Generator<Point> {
          yield* named([...first, ...names]);
          throw new Error('killed');
        }
        const before = ['a', 'b', 'c', 'd'];
        const content = async (id: string): Promise<unknown> => ({
          record: { ...(await store.getCampaign(id))!, campaign: null },
          counts: await store.counts(id),
          rows: (await rowsOf(store, id)).map((row) => ({ ...row, runId: null, outputs: null })),
          open: (await store.openRuns(id)).map((run) => ({ ...run, seq: 0, runId: null })),
          requested: [...(await requestAll(store, id)).values()].toSorted(),
        });
        /**
         * Makes two campaigns with the same past: one changes at once, the change of the other is interrupted first.
         */
        async function twins(design: Design, cut: (id: string) => Promise<void>): Promise<void> {
          const [whole, other] = [crypto.randomUUID(), crypto.randomUUID()];
          for (const id of [whole, other]) {
            await addNamed(store, before, 2, id);
            await store.intend(id, [0, 1, 2, 4], 1);
            await store.observe(id, [done(0), failed(1), open(2), open(4)], 2);
            if (id === other) await cut(id);
            await change(store, { ...design, id });
          }
          expect(await content(other)).toEqual(await content(whole));
        }

        test('among the points, and done again', async () => {
          const design = { names: [...filler, 'e', 'c', 'a'], replications: 3 };
          await twins(design, async (id) => {
            for (const survived of [['e'], ['e', 'c', 'a'], []])
              await expect(change(store, { ...design, id }, dyingAfter(survived))).rejects.toThrow('killed');
            // the campaign is unchanged
            expect(await store.getCampaign(id)).toMatchObject({ digest: 'digest', points: 4 });
            expect(await store.counts(id)).toMatchObject({ total: 8, done: 1, failed: 1, running: 2 });
          });
        });

        test('and another change made: nothing of the first is left', async () => {
          await twins({ names: ['c', 'x'], replications: 1 }, async (id) => {
            const first = { names: [...filler, 'e', 'c'], replications: 2, id };
            await expect(change(store, first, dyingAfter(['e', 'c', 'f']))).rejects.toThrow('killed');
          });
        });

        test('and taken back: the campaign is what it was', async () => {
          await addNamed(store, before, 2);
          await store.observe('flu', [done(1), done(3)], 2);
          const was = await seqsOf(store);
          const first = { names: [...filler, 'd', 'a'], replications: 2 };
          await expect(change(store, first, dyingAfter(['d', 'a']))).rejects.toThrow('killed');
          await change(store, { names: before, replications: 2, digest: 'digest' });
          expect(await seqsOf(store)).toEqual(was);
          expect((await rowsOf(store)).map(runName)).toEqual(['b/1', 'd/1']);
        });

        test('at any moment, once and again, by the same change or another, and then done', async () => {
          const names = fc.shuffledSubarray(['a', 'b', 'c', 'd', 'e', 'f'], { minLength: 1 });
          const design = fc.record({ names, replications: fc.integer({ min: 1, max: 3 }) });
          const moment = fc.record({ turns: fc.nat(3), steps: fc.nat(120) });
          const cuts = fc.array(fc.record({ moment, other: fc.option(design) }), {
            minLength: 1,
            maxLength: 3,
          });
          await fc.assert(
            fc.asyncProperty(design, cuts, async (whole, all) => {
              await twins(whole, async (id) => {
                for (const { moment: at, other } of all)
                  await cutShort(database, at, (handle) => change(handle, { ...(other ?? whole), id }));
              });
            }),
            { numRuns: 60 * effort },
          );
        });

        test('results are all there, each once, while a change is half done', async () => {
          const names = upTo(1_500).map((n) => `point ${n}`);
          await addNamed(store, names, 3);
          // a page then ends between runs of two points at the same position
          const finished = upTo(4_500).slice(1);
          await store.observe(
            'flu',
            finished.map((seq) => done(seq)),
            2,
          );
          const turned = names.toReversed();
          await expect(
            change(store, { names: turned, replications: 3 }, dyingAfter(turned.slice(0, 1_200), [])),
          ).rejects.toThrow('killed');
          const rows = (await rowsOf(store)).map(runName);
          expect(rows).toHaveLength(finished.length);
          expect(new Set(rows).size).toBe(finished.length);
        });

        test.each([0, 1, 2, 3, 4])(
          'the first design after %d batches: a change then gives each of its points its runs',
          async (turns) => {
            await add(store);
            await cutShort(database, { turns, steps: 0 }, (other) =>
              other.addPoints('flu', named([...filler, ...filler.map((name) => `more ${name}`), 'z']), 6),
            );
            await change(store, { names: ['y', ...filler, 'z'], replications: 2 });
            expect([...(await requestAll(store)).values()].toSorted()).toEqual(
              runsOf(['y', ...filler, 'z'], 2).toSorted(),
            );
            expect((await store.getCampaign('flu'))!.points).toBe(1_002);
          },
        );
      });

      test('after any changes the runs are those of the design, and those requested before', async () => {
        const names = fc.shuffledSubarray(['a', 'b', 'c', 'd', 'e', 'f'], { minLength: 1 });
        const step = fc.oneof(
          fc.record({ names, replications: fc.integer({ min: 1, max: 3 }) }),
          fc.record({
            seen: fc.array(fc.constantFrom('open', 'done', 'failed', 'again', 'waiting', 'intended'), {
              minLength: 1,
              maxLength: 6,
            }),
          }),
          fc.record({ act: fc.constantFrom('forgive', 'reopen') }),
        );
        let campaigns = 0;
        await fc.assert(
          fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
            const id = `campaign ${(campaigns += 1)}`;
            await addNamed(store, ['a', 'b', 'c'], 2, id);
            let design = { names: ['a', 'b', 'c'], replications: 2 };
            // the expected runs, computed from the rules alone: the state and the number of each run
            type State = 'waiting' | 'requested' | 'done' | 'failed';
            const runs = new Map<string, { state: State; seq?: number }>(
              runsOf(design.names, design.replications).map((run) => [run, { state: 'waiting' }]),
            );
            const given = new Map<number, string>();
            let [last, sofar] = [-1, new Set<number>()];
            for (const taken of steps as Partial<{
              names: string[];
              replications: number;
              seen: (RunObservation['state'] | 'intended' | 'open')[];
              act: 'forgive' | 'reopen';
            }>[]) {
              if (taken.names) {
                design = { names: taken.names, replications: taken.replications! };
                await change(store, { ...design, id });
                const wanted = new Set(runsOf(design.names, design.replications));
                for (const [run, { state }] of runs)
                  if (state === 'waiting' && !wanted.has(run)) runs.delete(run);
                for (const run of wanted) if (!runs.has(run)) runs.set(run, { state: 'waiting' });
              } else if (taken.seen) {
                await store.setPhase(id, 'running', 1);
                const waiting = await store.waitingRuns(id, -1, taken.seen.length, false);
                const planned = await store.intend(id, waiting, 1);
                for (const [n, run] of planned.entries()) {
                  const name = runName({ values: run.point.values, replication: run.replication });
                  const state = taken.seen[n]!;
                  expect(['waiting', 'requested']).toContain(runs.get(name)?.state);
                  // a number always means the same run
                  expect(given.get(run.seq) ?? name).toBe(name);
                  given.set(run.seq, name);
                  if (state === 'intended') runs.set(name, { state: 'requested' });
                  if (state === 'open') await store.observe(id, [open(run.seq)], 2);
                  if (state === 'done') await store.observe(id, [done(run.seq)], 2);
                  if (state === 'failed') await store.observe(id, [failed(run.seq)], 2);
                  if (state === 'waiting') await store.observe(id, [{ seq: run.seq, state }], 2);
                  if (state === 'again')
                    await store.observe(id, [{ seq: run.seq, state, reason: '', reseeds: true }], 2);
                  const after = state === 'open' ? 'requested' : state === 'again' ? 'waiting' : state;
                  if (state !== 'intended') runs.set(name, { state: after as State });
                }
              } else if (taken.act === 'forgive') {
                await store.resetFailed(id, false, 3);
                for (const [run, { state }] of runs)
                  if (state === 'failed') runs.set(run, { state: 'waiting' });
              } else await store.reopen(id, 3);

              const seqs = await seqsOf(store, id);
              const all = [...seqs.waiting, ...seqs.open, ...seqs.over];
              expect(all).toHaveLength(runs.size);
              expect(seqs.over).toHaveLength(
                [...runs.values()].filter(({ state }) => state === 'done' || state === 'failed').length,
              );
              // numbers of new runs are above all earlier numbers
              for (const seq of all) expect(sofar.has(seq) || seq > last).toBe(true);
              sofar = new Set([...sofar, ...all]);
              last = Math.max(last, ...all);
              // first the results of the design in its order, then the others
              const rows = (await rowsOf(store, id)).map(({ values }) => values[0]!);
              const places = rows.map((name) => design.names.indexOf(name)).map((at) => (at < 0 ? 99 : at));
              expect(places).toEqual(places.toSorted((a, b) => a - b));
            }
            const left = [...runs].filter(([, { state }]) => state === 'waiting' || state === 'requested');
            await store.reopen(id, 9);
            expect([...(await requestAll(store, id)).values()].toSorted()).toEqual(
              left.map(([run]) => run).toSorted(),
            );
          }),
          { numRuns: 80 * effort },
        );
      });
    });

    describe('forgive', () => {
      beforeEach(async () => {
        await add(store, 'flu', { points: 5, replications: 1 });
        await store.intend('flu', [0, 1, 2, 3], 1);
        await store.observe('flu', [done(0), failed(1, 'Days is 0'), open(2), open(3)], 2);
        await store.observe('flu', [{ seq: 3, state: 'again', reason: 'lost', reseeds: false }], 3);
        await store.intend('flu', [3], 4);
        await store.observe('flu', [failed(3, 'lost')], 5);
      });

      test.each([
        [false, 0],
        [true, 1],
      ])('failed runs wait as if they had never failed; with another seed: %s', async (reseeds, reseeded) => {
        expect(await store.resetFailed('flu', reseeds, 6_000)).toBe(2);
        expect(await store.counts('flu')).toMatchObject({
          total: 5,
          done: 1,
          failed: 0,
          running: 1,
          waiting: 3,
        });
        expect((await rowsOf(store)).map(({ point }) => point)).toEqual(['key 0']);
        expect(await store.finished('flu', upTo(5))).toEqual([{ seq: 0, state: 'done', origin: 'new' }]);
        expect((await store.getCampaign('flu'))!.updatedAt).toBe(6_000);
        expect(await store.intend('flu', [1, 3, 4], 7)).toMatchObject([
          { seq: 1, attempt: 1, failures: 0, reseeded },
          { seq: 3, attempt: 1, failures: 0, reseeded },
          { seq: 4, attempt: 1, failures: 0, reseeded: 0 },
        ]);
        expect(await store.openRuns('flu', [1, 3])).toMatchObject([{ runId: null }, { runId: null }]);
        await store.observe('flu', [done(1), failed(3, 'Days is 1')], 8_000);
        expect(await rowsOf(store)).toMatchObject([
          { point: 'key 0', status: 'done' },
          { point: 'key 1', status: 'done', reason: null, finishedAt: 8_000 },
          { point: 'key 3', status: 'failed', reason: 'Days is 1', finishedAt: 8_000 },
        ]);
      });

      test('a run that fails time and again has another seed each time', async () => {
        for (const reseeded of [1, 2, 3]) {
          expect(await store.resetFailed('flu', true, 6)).toBeGreaterThan(0);
          expect(await store.intend('flu', [1], 7)).toMatchObject([{ reseeded, failures: 0 }]);
          await store.observe('flu', [failed(1)], 8);
        }
      });

      test('where nothing has failed nothing is forgiven; other campaigns are left alone', async () => {
        await add(store, 'other', { points: 2, replications: 1 });
        await store.observe('other', [failed(0)], 1);
        expect(await store.resetFailed('flu', false, 6)).toBe(2);
        expect(await store.resetFailed('flu', false, 7)).toBe(0);
        expect(await store.counts('other')).toMatchObject({ failed: 1, waiting: 1 });
        await expect(store.resetFailed('unknown', false, 8)).rejects.toThrow('unknown');
      });
    });

    describe('waitingRuns', () => {
      test('in pages, in the order of their numbers, each after one of them', async () => {
        await add(store, 'flu', { points: 4_500, replications: 1 });
        await store.intend('flu', [0, 7, 8, 2_000], 1);
        await store.observe('flu', [done(7), open(8)], 2);
        const waiting = upTo(4_500).filter((seq) => ![0, 7, 8, 2_000].includes(seq));
        const pages: number[][] = [];
        for (let after = -1; ; after = pages.at(-1)!.at(-1)!) {
          const page = await store.waitingRuns('flu', after, 2_000, false);
          if (page.length === 0) break;
          pages.push(page);
        }
        expect(pages.map(({ length }) => length)).toEqual([2_000, 2_000, 496]);
        expect(pages.flat()).toEqual(waiting);
        expect(await store.waitingRuns('flu', 5, 3, false)).toEqual([6, 9, 10]);
        expect(await store.waitingRuns('flu', 4_499, 10, false)).toEqual([]);
      });

      test('only those that were requested before, when that is asked for', async () => {
        await add(store, 'flu', { points: 8, replications: 1 });
        await store.intend('flu', [0, 1, 2, 3, 4], 1);
        await store.observe('flu', [open(0), failed(1), open(2), open(3), done(4)], 2);
        await store.observe(
          'flu',
          [
            { seq: 0, state: 'again', reason: '', reseeds: false },
            { seq: 2, state: 'waiting' },
          ],
          3,
        );
        await store.resetFailed('flu', false, 4);
        await store.reopen('flu', 5);
        // runs that failed and are tried again, that failed and were reset, and that were left open; not the one that
        // was stopped
        expect(await store.waitingRuns('flu', -1, 10, true)).toEqual([0, 1, 3]);
        expect(await store.waitingRuns('flu', 0, 1, true)).toEqual([1]);
        expect(await store.waitingRuns('flu', -1, 10, false)).toEqual([0, 1, 2, 3, 5, 6, 7]);
        await expect(store.waitingRuns('unknown', -1, 10, false)).rejects.toThrow('unknown');
      });

      test('of one campaign are none of another', async () => {
        await add(store, 'a', { points: 2, replications: 1 });
        await add(store, 'b', { points: 3, replications: 1 });
        expect(await store.waitingRuns('a', -1, 10, false)).toEqual([0, 1]);
      });
    });

    describe('reopen', () => {
      test.each<Phase>(['failed', 'cancelled', 'completed', 'paused', 'stopping'])(
        'what was %s runs again, without its note; what was left open waits, with its attempts',
        async (phase) => {
          await add(store, 'flu', { points: 6, replications: 1 });
          await store.intend('flu', upTo(5), 1);
          await store.observe('flu', [open(1, 'queued'), open(2), done(3), failed(4)], 2);
          await store.intend('flu', [2], 3);
          await store.setPhase('flu', phase, 4, 'an end');
          await store.reopen('flu', 5_000);
          expect(await store.getCampaign('flu')).toMatchObject({
            phase: 'running',
            note: '',
            updatedAt: 5_000,
          });
          expect(await store.openRuns('flu')).toEqual([]);
          expect(await store.counts('flu')).toMatchObject({ total: 6, waiting: 4, done: 1, failed: 1 });
          expect((await rowsOf(store)).map(({ status }) => status)).toEqual(['done', 'failed']);
          // requested again, these runs count as requested before
          const planned = await store.intend('flu', upTo(6), 6);
          expect(planned.map(({ seq, attempt }) => [seq, attempt])).toEqual([
            [0, 2],
            [1, 2],
            [2, 3],
            [5, 1],
          ]);
        },
      );

      test('again changes nothing more, and other campaigns are left alone', async () => {
        for (const id of ['flu', 'other']) {
          await add(store, id, { points: 2, replications: 1 });
          await store.intend(id, [0], 1);
          await store.observe(id, [open(0, 'running', `run of ${id}`)], 2);
        }
        await store.setPhase('other', 'paused', 3, 'a note');
        await store.reopen('flu', 4);
        await store.reopen('flu', 5);
        expect(await store.intend('flu', [0], 6)).toMatchObject([{ attempt: 2 }]);
        expect(await store.getCampaign('other')).toMatchObject({ phase: 'paused', note: 'a note' });
        expect((await store.openRuns('other')).map(({ runId }) => runId)).toEqual(['run of other']);
      });
    });

    describe('opened again', () => {
      test('it is the same store with the same content', async () => {
        await add(store, 'flu', { points: 3, replications: 1 });
        await store.putFile('hash', new Uint8Array([1, 2, 3]), 1);
        await store.intend('flu', [0, 1, 2], 1);
        await store.observe('flu', [done(0), open(1, 'queued')], 2);
        await store.setPhase('flu', 'running', 3);
        const contentOf = async (of: Store): Promise<unknown[]> => [
          of.id,
          await of.listCampaigns(),
          await of.counts('flu'),
          await rowsOf(of),
          await of.openRuns('flu'),
          [...(await of.getFile('hash'))!],
        ];
        const before = await contentOf(store);
        const beside = await database.open();
        expect(await contentOf(beside)).toEqual(before);
        await store.close();
        await beside.close();
        expect(await contentOf(await database.open())).toEqual(before);
      });

      test('handles see each other: what one writes, the other reads', async () => {
        const other = await database.open();
        await add(store, 'flu', { points: 3, replications: 1 });
        await other.setPhase('flu', 'paused', 2);
        expect(await store.intend('flu', [0, 1, 2], 3)).toEqual([]);
        await other.setPhase('flu', 'running', 4);
        expect(await store.intend('flu', [0], 5)).toHaveLength(1);
        await other.observe('flu', [done(0)], 6);
        expect(await rowsOf(store)).toHaveLength(1);
      });
    });
  });
}

interface Steps {
  observe: RunObservation[];
  intend: number[];
}

function isOver(state: keyof RunCounts): boolean {
  return state === 'new' || state === 'reused' || state === 'failed';
}

/** The points of a design of 2,500 that an activity reads before its worker is killed. */
function* dying(survived: number): Generator<Point> {
  for (const point of points(2_500)) {
    if (point.ordinal === survived) throw new Error('killed');
    yield point;
  }
}
