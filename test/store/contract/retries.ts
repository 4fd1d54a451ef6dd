import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Phase } from '../../../src/campaign/types.ts';
import type { Store } from '../../../src/store/index.ts';
import { add, done, failed, open, openForEachTest, rowsOf, type TestDatabase, upTo } from '../fixtures.ts';

/** Tests runs that are requested again, for every store. */
export function describeRetries(createDatabase: () => Promise<TestDatabase> | TestDatabase): void {
  describe('retries', () => {
    let store: Store;
    openForEachTest(createDatabase, (_, opened) => (store = opened));

    describe('resetFailed', () => {
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
      ])(
        'makes failed runs wait as if they had never failed; with another seed: %s',
        async (reseeds, reseeded) => {
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
        },
      );

      test('gives a run that fails repeatedly another seed each time', async () => {
        for (const reseeded of [1, 2, 3]) {
          expect(await store.resetFailed('flu', true, 6)).toBeGreaterThan(0);
          expect(await store.intend('flu', [1], 7)).toMatchObject([{ reseeded, failures: 0 }]);
          await store.observe('flu', [failed(1)], 8);
        }
      });

      test('can be limited to one cause', async () => {
        await store.intend('flu', [2, 4], 6);
        await store.observe('flu', [failed(2, 'Days is 7'), failed(4, '')], 7);
        expect(await store.resetFailed('flu', false, 8, 'Days is …')).toBe(2);
        expect(await store.counts('flu')).toMatchObject({ failed: 2, waiting: 2 });
        const story = async () => (await rowsOf(store)).map(({ point, reason }) => [point, reason]);
        expect(await story()).toEqual([
          ['key 0', null],
          ['key 3', 'lost'],
          ['key 4', ''],
        ]);
        expect(await store.resetFailed('flu', false, 9, 'Days is …')).toBe(0);
        expect(await store.resetFailed('flu', false, 9, '')).toBe(1);
        expect(await story()).toHaveLength(2);
      });

      test('changes nothing without failures, and nothing in other campaigns', async () => {
        await add(store, 'other', { points: 2, replications: 1 });
        await store.observe('other', [failed(0)], 1);
        expect(await store.resetFailed('flu', false, 6)).toBe(2);
        expect(await store.resetFailed('flu', false, 7)).toBe(0);
        expect(await store.counts('other')).toMatchObject({ failed: 1, waiting: 1 });
        await expect(store.resetFailed('unknown', false, 8)).rejects.toThrow('unknown');
      });
    });

    describe('waitingRuns', () => {
      test('come in pages, in the order of their numbers', async () => {
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

      test('can be limited to runs that were requested before', async () => {
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
        // run 0 failed and is tried again, run 1 failed and was reset, and run 3 was left open; run 2 was stopped, so
        // it counts as never requested
        expect(await store.waitingRuns('flu', -1, 10, true)).toEqual([0, 1, 3]);
        expect(await store.waitingRuns('flu', 0, 1, true)).toEqual([1]);
        expect(await store.waitingRuns('flu', -1, 10, false)).toEqual([0, 1, 2, 3, 5, 6, 7]);
        await expect(store.waitingRuns('unknown', -1, 10, false)).rejects.toThrow('unknown');
      });

      test('belong to one campaign', async () => {
        await add(store, 'a', { points: 2, replications: 1 });
        await add(store, 'b', { points: 3, replications: 1 });
        expect(await store.waitingRuns('a', -1, 10, false)).toEqual([0, 1]);
      });
    });

    describe('reopen', () => {
      test.each<Phase>(['failed', 'cancelled', 'completed', 'paused', 'stopping'])(
        'restarts a campaign that was %s and removes its note; open runs wait and keep their attempts',
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
          // if these runs are requested again, they count as requested before
          const planned = await store.intend('flu', upTo(6), 6);
          expect(planned.map(({ seq, attempt }) => [seq, attempt])).toEqual([
            [0, 2],
            [1, 2],
            [2, 3],
            [5, 1],
          ]);
        },
      );

      test('changes nothing the second time, and nothing in other campaigns', async () => {
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
  });
}
