import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Phase, type Point } from '../../../src/campaign/types.ts';
import type { Store } from '../../../src/store/index.ts';
import {
  add,
  cutShort,
  done,
  dying,
  failed,
  open,
  openForEachTest,
  points,
  rowsOf,
  type TestDatabase,
  untried,
  upTo,
} from '../fixtures.ts';

/** Tests points and requests for runs, for every store. */
export function describeRequests(createDatabase: () => Promise<TestDatabase> | TestDatabase): void {
  describe('requests', () => {
    let database: TestDatabase;
    let store: Store;
    openForEachTest(createDatabase, (...opened) => ([database, store] = opened));

    describe('addPoints', () => {
      test('adds a run for each point and replication; replication 1 of all points comes first', async () => {
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

      test('adds replications for each draw of a point, after the replications of all points', async () => {
        await add(store);
        const drawn = [...points(3)].map((point, at) => ({ ...point, draws: [1, 3, 2][at]! }));
        for (let time = 0; time < 2; time += 1)
          expect(await store.addPoints('flu', drawn, 2, true)).toEqual({ points: 3, runs: 12 });
        const planned = await store.intend('flu', upTo(20), 1);
        expect(planned.map(({ seq, point, replication }) => [seq, point.key, replication])).toEqual([
          [0, 'key 0', 1],
          [1, 'key 1', 1],
          [2, 'key 2', 1],
          [3, 'key 0', 2],
          [4, 'key 1', 2],
          [5, 'key 2', 2],
          [6, 'key 1', 3],
          [7, 'key 2', 3],
          [8, 'key 1', 4],
          [9, 'key 2', 4],
          [10, 'key 1', 5],
          [11, 'key 1', 6],
        ]);
        expect(await store.counts('flu')).toMatchObject({ total: 12 });
        await store.observe(
          'flu',
          upTo(12).map((seq) => done(seq)),
          2,
        );
        const rows = await rowsOf(store);
        expect(rows.map(({ point, draws = 1 }) => [point, draws])).toEqual(
          [0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2].map((key) => [`key ${key}`, [1, 3, 2][key]]),
        );
        expect((await store.finishedPoints('flu', [1], [])).map(({ draws }) => draws)).toEqual([3]);
      });

      test('adds no runs for further draws whose runs would be equal', async () => {
        await add(store);
        const drawn = [...points(2)].map((point) => ({ ...point, draws: 5 }));
        expect(await store.addPoints('flu', drawn, 2)).toEqual({ points: 2, runs: 4 });
        await store.intend('flu', [0], 1);
        await store.observe('flu', [done(0)], 2);
        expect((await rowsOf(store)).map(({ draws }) => draws)).toEqual([5]);
        expect(await store.countVerdicts('flu')).toMatchObject({ repeats: 8, unjudgedRepeats: 8 });
      });

      test('changes nothing the second time', async () => {
        await add(store, 'flu', { points: 3, replications: 2 });
        await store.intend('flu', [0, 1], 1);
        await store.observe('flu', [done(0), open(1)], 1);
        const before = [await store.counts('flu'), await rowsOf(store), await store.openRuns('flu')];
        expect(await store.addPoints('flu', points(3), 2)).toEqual({ points: 3, runs: 6 });
        expect([await store.counts('flu'), await rowsOf(store), await store.openRuns('flu')]).toEqual(before);
      });

      test.each([0, 999, 1_000, 1_001, 2_499])(
        'completes the work of a first call that was interrupted after %d points',
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

      test('can run twice at once, through two handles', async () => {
        await add(store);
        const second = await database.open();
        const sizes = await Promise.all(
          [store, second].map((handle) => handle.addPoints('flu', points(1_500), 2)),
        );
        expect(sizes).toEqual(Array(2).fill({ points: 1_500, runs: 3_000 }));
        expect(await store.counts('flu')).toMatchObject({ total: 3_000 });
      });

      test.each([1, 2, 3, 4, 5, 6, 7])(
        'numbers the runs from 0 without a gap if a first call was interrupted after %d turns of the event loop',
        async (turns) => {
          await add(store);
          // this size needs several batches of points (1,000) and of runs (10,000)
          const size = { points: 2_100, replications: 5 };
          await cutShort(database, { turns, steps: 0 }, (other) =>
            other.addPoints('flu', points(size.points), size.replications),
          );
          expect(await store.addPoints('flu', points(size.points), size.replications)).toEqual({
            points: size.points,
            runs: 10_500,
          });
          expect(await store.waitingRuns('flu', -1, 30_000, false)).toEqual(upTo(10_500));
          const [run] = await store.intend('flu', [10_499], 1);
          expect(run).toMatchObject({ point: { key: 'key 2099' }, replication: 5 });
        },
      );

      test('accepts a design without points', async () => {
        await add(store);
        expect(await store.addPoints('flu', [], 3)).toEqual({ points: 0, runs: 0 });
        expect(await store.counts('flu')).toMatchObject({ total: 0, waiting: 0 });
        expect(await rowsOf(store)).toEqual([]);
      });

      test('does not count a point as whole while the point has no runs', async () => {
        await add(store);
        function* half(): Generator<Point> {
          yield* points(1_000);
          throw new Error('the activity died');
        }
        await expect(store.addPoints('flu', half(), 2)).rejects.toThrow('the activity died');
        const compared = await store.comparedPoints('flu', []);
        expect(compared).toHaveLength(1_000);
        expect(compared[0]).toEqual({ ...[...points(1)][0], runs: [], isWhole: false });
      });

      test('does not mix campaigns', async () => {
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

      test('leaves out finished runs, and numbers without a run', async () => {
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
      ])('lets a campaign request runs in the phase %s: %s', async (phase, lets) => {
        await store.setPhase('flu', phase, 1);
        expect(await store.intend('flu', [0, 1], 1)).toHaveLength(lets ? 2 : 0);
        // a campaign that may not request runs has no open runs
        expect(await store.openRuns('flu')).toHaveLength(lets ? 2 : 0);
      });

      test('makes the campaign own a run even if the answer to the request is lost', async () => {
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

      test('does not count a request that never arrived', async () => {
        await store.intend('flu', [0], 1);
        await store.observe('flu', [{ seq: 0, state: 'unsent' }], 1);
        expect((await store.intend('flu', [0], 1))[0]!.attempt).toBe(1);
        await store.observe('flu', [open(0)], 1);
        // a poll may request the run again without an intent; if this request is not sent, attempt 1 still counts
        await store.observe('flu', [{ seq: 0, state: 'unsent' }], 1);
        expect((await store.intend('flu', [0], 1))[0]!.attempt).toBe(2);
      });

      test('counts the attempts of a stopped run from 1 again', async () => {
        await store.intend('flu', [0], 1);
        await store.observe('flu', [open(0)], 1);
        await store.observe('flu', [{ seq: 0, state: 'waiting' }], 2);
        expect(await store.openRuns('flu')).toEqual([]);
        expect(await store.counts('flu')).toMatchObject({ waiting: 4, running: 0 });
        expect((await store.intend('flu', [0], 3))[0]!.attempt).toBe(1);
      });
    });

    describe('openRuns', () => {
      test('returns at most a thousand runs at a time in order, or any number of runs by their seqs', async () => {
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
  });
}
