import { describe, expect, test } from '@jest/globals';
import type { ResultRow, Store } from '../../../src/store/index.ts';
import { add, done, failed, openForEachTest, rowsOf, type TestDatabase, upTo } from '../fixtures.ts';

/** Tests results, for every store. */
export function describeResults(createDatabase: () => Promise<TestDatabase> | TestDatabase): void {
  describe('results', () => {
    let store: Store;
    openForEachTest(createDatabase, (_, opened) => (store = opened));

    describe('results', () => {
      test('are ordered by point and then by replication, over several pages of 2,000', async () => {
        const size = { points: 1_500, replications: 3 };
        await add(store, 'flu', size);
        const runs = size.points * size.replications;
        await store.intend('flu', upTo(runs), 1);
        // one run in nine has not finished; the test writes the runs in a different order
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

      test('of one point with many replications continue across pages', async () => {
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

      test('may fill exactly one page', async () => {
        await add(store, 'flu', { points: 2_000, replications: 1 });
        await store.observe(
          'flu',
          upTo(2_000).map((seq) => done(seq)),
          2,
        );
        expect(await rowsOf(store)).toHaveLength(2_000);
      });

      test('can be read from a given number, in the order of their numbers, with failed runs at the end', async () => {
        // more than 10,000 of the runs are done, so they come in two pages
        await add(store, 'flu', { points: 10_300, replications: 1 });
        await add(store, 'other', { points: 3, replications: 1 });
        const runs = upTo(10_300);
        for (const id of ['flu', 'other']) {
          const seen = id === 'flu' ? runs : [0, 1, 2];
          await store.observe(
            id,
            seen.filter((seq) => seq % 101 !== 2).map((seq) => (seq % 103 === 0 ? failed(seq) : done(seq))),
            2,
          );
        }
        const expected = runs.filter((seq) => seq >= 4 && seq % 101 !== 2);
        expect((await Array.fromAsync(store.finishedSeqs('flu', 4))).flat()).toEqual([
          ...expected.filter((seq) => seq % 103 !== 0),
          ...expected.filter((seq) => seq % 103 === 0),
        ]);
        expect(await Array.fromAsync(store.finishedSeqs('flu', 10_300))).toEqual([]);
      });

      test('of finished runs can be looked up by number, in the order of work', async () => {
        await add(store, 'flu', { points: 6, replications: 1 });
        await store.observe('flu', [done(4), failed(1), done(0)], 2);
        const { rows: found, left } = await store.finishedAmong('flu', [5, 4, 3, 1]);
        expect(left).toEqual([]);
        expect(found.map(({ seq, row }) => [seq, row.status])).toEqual([
          [1, 'failed'],
          [4, 'done'],
        ]);
        const [first, second] = found;
        expect([first!.row, second!.row]).toEqual((await rowsOf(store)).slice(1));
        expect(await store.finishedAmong('flu', [])).toEqual({ rows: [], left: [] });
      });

      test('can be read while runs finish, and a reader may stop early', async () => {
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
  });
}
