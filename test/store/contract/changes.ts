import { describe, expect, test } from '@jest/globals';
import type { Store } from '../../../src/store/index.ts';
import {
  addNamed,
  campaign,
  change,
  done,
  failed,
  named,
  open,
  openForEachTest,
  requestAll,
  rowsOf,
  runName,
  runsOf,
  seqsOf,
  type TestDatabase,
  upTo,
} from '../fixtures.ts';

/** Tests changes of designs, for every store. */
export function describeChanges(createDatabase: () => Promise<TestDatabase> | TestDatabase): void {
  describe('changes', () => {
    let store: Store;
    openForEachTest(createDatabase, (_, opened) => (store = opened));

    describe('changeCampaign', () => {
      test('replaces the campaign', async () => {
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

      test('gives added points runs after the existing runs; replication 1 of all points comes first', async () => {
        await addNamed(store, ['a', 'b'], 2);
        await change(store, { names: ['c', 'a', 'd', 'b'], replications: 2 });
        const { waiting } = await seqsOf(store);
        expect(waiting.slice(0, 4)).toEqual([0, 1, 2, 3]);
        expect([...(await requestAll(store)).values()]).toEqual([
          ...['a/1', 'b/1', 'a/2', 'b/2'],
          ...['c/1', 'd/1', 'c/2', 'd/2'],
        ]);
      });

      test('removes the runs of dropped points that the service does not have, and keeps the other runs', async () => {
        await addNamed(store, ['a', 'b', 'c', 'd', 'e'], 2);
        // one run of b has finished and the other one waits; c runs; d waits for another attempt; e waits after a stop
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

      test('keeps runs that an earlier workflow requested, with their points, until their outcome is known', async () => {
        await addNamed(store, ['a', 'b']);
        await store.intend('flu', [0, 1], 1);
        await store.observe('flu', [open(1)], 2);
        await store.reopen('flu', 3);
        await change(store, { names: ['a'] });
        expect(await store.waitingRuns('flu', -1, 10, false)).toEqual([0, 1]);
        expect(await store.intend('flu', [1], 4)).toMatchObject([{ point: { values: ['b'] }, attempt: 2 }]);
      });

      test('can raise and lower the number of replications', async () => {
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

      test('keeps the results of a point that is dropped and added again', async () => {
        await addNamed(store, ['a', 'b'], 2);
        await store.observe('flu', [done(1)], 1);
        await change(store, { names: ['a'], replications: 2 });
        expect((await rowsOf(store)).map(runName)).toEqual(['b/1']);
        await change(store, { names: ['b', 'a'], replications: 2 });
        expect((await rowsOf(store)).map(runName)).toEqual(['b/1']);
        expect(await store.counts('flu')).toMatchObject({ total: 4, done: 1 });
        expect([...(await requestAll(store)).values()].toSorted()).toEqual(['a/1', 'a/2', 'b/2']);
      });

      test('orders results by the design, and puts the results of dropped points last', async () => {
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

      test('keeps results of finished runs exactly', async () => {
        await addNamed(store, ['a', 'b', 'c']);
        await store.intend('flu', [0, 1, 2], 1);
        await store.observe('flu', [done(0), failed(1, 'Days is 0'), done(2, 'reused')], 2);
        const before = await rowsOf(store);
        await change(store, { names: ['a', 'x', 'b', 'c'], replications: 2 });
        expect(await rowsOf(store)).toEqual(before);
        await change(store, { names: ['x'] });
        expect(await rowsOf(store)).toEqual(before);
      });

      test('never gives the number of a run to another run, even if the first run is removed', async () => {
        await addNamed(store, ['a', 'b', 'c']);
        await change(store, { names: ['a'] });
        await change(store, { names: ['a', 'd', 'e'] });
        const runs = await requestAll(store);
        expect(runs.get(0)).toBe('a/1');
        for (const seq of [1, 2]) expect(runs.has(seq)).toBe(false);
        expect([...runs.values()].toSorted()).toEqual(['a/1', 'd/1', 'e/1']);
      });

      test('changes nothing the second time, and does not read the points', async () => {
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
            throw new Error('the points were read');
          },
        });
        expect(await content()).toEqual(before);
      });

      test('replaces the digest and keeps all runs if only the digest differs', async () => {
        await addNamed(store, ['a', 'b'], 2);
        const before = await seqsOf(store);
        await change(store, { names: ['a', 'b'], replications: 2, digest: 'other' });
        expect(await seqsOf(store)).toEqual(before);
        expect((await store.getCampaign('flu'))!.digest).toBe('other');
      });

      test('is an error for a missing campaign', async () => {
        await expect(change(store, { names: ['a'], id: 'unknown' })).rejects.toThrow('unknown');
      });

      test('does not mix campaigns', async () => {
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

      test('can drop, move and add thousands of points', async () => {
        const from = upTo(6_000).map(String);
        await addNamed(store, from, 2);
        // drops every third point, reverses the order of the others, and adds as many new points as it drops
        const to = from
          .filter((_, n) => n % 3 !== 0)
          .toReversed()
          .flatMap((name, n) => (n % 2 === 0 ? [name, `new ${name}`] : [name]));
        await store.observe(
          'flu',
          upTo(6_000).map((seq) => done(seq)),
          1,
        );
        await change(store, { names: to, replications: 2 });
        const known = new Set(from);
        expect((await rowsOf(store)).map(runName)).toEqual([
          ...to.filter((name) => known.has(name)).map((name) => `${name}/1`),
          ...from.filter((_, n) => n % 3 === 0).map((name) => `${name}/1`),
        ]);
        expect(await store.counts('flu')).toMatchObject({ total: 2 * to.length + 2_000, done: 6_000 });
      });
    });
  });
}
