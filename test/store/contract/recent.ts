import { beforeEach, describe, expect, test } from '@jest/globals';
import fc, { draws } from '../../support/fast-check.ts';
import type { ResultCursor, Store } from '../../../src/store/index.ts';
import { addNamed, done, failed, openForEachTest, type TestDatabase } from '../fixtures.ts';

/** Tests how a reader finds the runs that have finished since its last look, for every store. */
export function describeRecent(
  name: string,
  createDatabase: () => Promise<TestDatabase> | TestDatabase,
  effort: number,
): void {
  describe(name, () => {
    let store: Store;
    openForEachTest(createDatabase, (_, opened) => (store = opened));

    const letters = (count: number) => Array.from({ length: count }, (_, at) => `p${at}`);
    let look: ResultCursor | undefined;
    /** Looks again. Returns the names of the points whose runs have finished since the last look. */
    const lookAgain = async (id = 'flu'): Promise<string[]> => {
      const seen = await store.recentResults(id, look);
      look = seen.look;
      return seen.rows.map(({ values }) => values[0]!);
    };
    beforeEach(() => (look = undefined));

    test('are found once, newest first', async () => {
      await addNamed(store, letters(6));
      expect(await lookAgain()).toEqual([]);
      await store.intend('flu', [0, 1, 2, 3], 1);
      await store.observe('flu', [done(1)], 10);
      await store.observe('flu', [done(0), failed(3)], 20);
      expect(await lookAgain()).toEqual(['p3', 'p0', 'p1']);
      expect(await lookAgain()).toEqual([]);
      await store.observe('flu', [done(2)], 30);
      expect(await lookAgain()).toEqual(['p2']);
      expect(await lookAgain()).toEqual([]);
    });

    test('come with their data', async () => {
      await addNamed(store, ['a'], 2);
      await store.intend('flu', [0, 1], 1);
      await store.observe('flu', [done(0), failed(1)], 20);
      const { rows } = await store.recentResults('flu');
      const all = await Array.fromAsync(store.results('flu'));
      expect(rows.toSorted((a, b) => a.replication - b.replication)).toEqual(all);
    });

    test('belong to the campaign of the reader', async () => {
      await addNamed(store, ['a', 'b']);
      await addNamed(store, ['c', 'd'], 1, 'other');
      for (const [at, id] of ['flu', 'other'].entries()) {
        await store.intend(id, [0, 1], 1);
        await store.observe(id, [done(at)], 2);
      }
      expect(await lookAgain()).toEqual(['a']);
      look = undefined;
      expect(await lookAgain('other')).toEqual(['d']);
    });

    test('are only the last 300 if very many runs have finished', async () => {
      await addNamed(store, letters(1_000));
      const seqs = letters(1_000).map((_, at) => at);
      await store.intend('flu', seqs, 1);
      await store.observe(
        'flu',
        seqs.map((seq) => done(seq)),
        2,
      );
      const found = await lookAgain();
      expect(found).toHaveLength(300);
      expect(found[0]).toBe('p999');
      expect(await lookAgain()).toEqual([]);
    });

    test('are all found if they were open at the last look or come later in the order of work', async () => {
      // for each run, before which look it is requested, and how many looks later it finishes
      const times = fc.array(fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 4 })), {
        minLength: 1,
        maxLength: 12,
      });
      let number = 0;
      await fc.assert(
        fc.asyncProperty(times, async (drawn) => {
          // runs are requested in the order of their seqs
          const begins = drawn.map(([begin]) => begin).sort((a, b) => a - b);
          const ends = drawn.map(([, more], seq) => begins[seq]! + more);
          const id = `flu-${(number += 1)}`;
          await addNamed(store, letters(drawn.length), 1, id);
          look = undefined;
          const at = (times: number[], time: number) =>
            times.flatMap((when, seq) => (when === time ? [seq] : []));
          for (let time = 0; time <= 8; time += 1) {
            await store.intend(id, at(begins, time), time);
            const finished = at(ends, time);
            await store.observe(
              id,
              finished.map((seq) => done(seq)),
              time,
            );
            expect((await lookAgain(id)).toSorted()).toEqual(finished.map((seq) => `p${seq}`).toSorted());
          }
        }),
        { numRuns: draws(40 * effort) },
      );
    });

    test('are found if they were retried between two looks', async () => {
      await addNamed(store, ['a', 'b', 'c']);
      await store.intend('flu', [0, 1, 2], 1);
      await store.observe('flu', [done(2)], 2);
      expect(await lookAgain()).toEqual(['c']);
      await store.observe('flu', [{ seq: 0, state: 'again', reason: 'no', reseeds: false }], 3);
      expect(await lookAgain()).toEqual([]);
      await store.intend('flu', [0], 4);
      await store.observe('flu', [done(0)], 5);
      expect(await lookAgain()).toEqual(['a']);
    });

    test('are found again if they failed, and were then requested and finished again', async () => {
      await addNamed(store, ['a', 'b', 'c']);
      await store.intend('flu', [0, 1, 2], 1);
      await store.observe('flu', [failed(0), done(1), failed(2)], 2);
      expect(await lookAgain()).toEqual(['c', 'b', 'a']);
      // the runs are requested and finish again between two looks
      await store.resetFailed('flu', false, 3);
      await store.intend('flu', [0, 2], 4);
      await store.observe('flu', [failed(0), done(2)], 5);
      expect(await lookAgain()).toEqual(['c', 'a']);
      expect(await lookAgain()).toEqual([]);
      // a run is requested and finishes again over several looks
      await store.resetFailed('flu', false, 6);
      expect(await lookAgain()).toEqual([]);
      await store.intend('flu', [0], 7);
      expect(await lookAgain()).toEqual([]);
      await store.observe('flu', [done(0)], 8);
      expect(await lookAgain()).toEqual(['a']);
      expect(await lookAgain()).toEqual([]);
    });

    test('are found again while many other runs wait to be requested again', async () => {
      const seqs = letters(1_500).map((_, at) => at);
      await addNamed(store, letters(1_500));
      await store.intend('flu', seqs, 1);
      await store.observe(
        'flu',
        seqs.map((seq) => failed(seq)),
        2,
      );
      await lookAgain();
      await store.resetFailed('flu', false, 3);
      await lookAgain();
      const first = seqs.slice(0, 200);
      await store.intend('flu', first, 4);
      await store.observe(
        'flu',
        first.map((seq) => done(seq)),
        5,
      );
      expect(await lookAgain()).toEqual(first.map((seq) => `p${seq}`).toReversed());
    });
  });
}
