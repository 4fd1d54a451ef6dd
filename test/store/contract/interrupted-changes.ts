import { describe, expect, test } from '@jest/globals';
import fc, { draws } from '../../support/fast-check.ts';
import { type Point } from '../../../src/campaign/types.ts';
import type { Store } from '../../../src/store/index.ts';
import {
  add,
  addNamed,
  change,
  cutShort,
  type Design,
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

/**
 * Tests changes whose activity was killed, for every store. `effort` is the share of the random cases that run. It is
 * small for a slow database.
 */
export function describeInterruptedChanges(
  createDatabase: () => Promise<TestDatabase> | TestDatabase,
  effort: number,
): void {
  describe('interrupted changes', () => {
    let database: TestDatabase;
    let store: Store;
    openForEachTest(createDatabase, (...opened) => ([database, store] = opened));

    describe('before they are complete', () => {
      const filler = upTo(1_000).map((n) => `filler ${n}`);
      /** The points that an activity reads until its worker is killed. Some of these points are written before that. */
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
       * Makes two campaigns with the same past. The first changes at once. The second changes after an
       * interrupted change.
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

      test('can be repeated after an interruption among the points', async () => {
        const design = { names: [...filler, 'e', 'c', 'a'], replications: 3 };
        await twins(design, async (id) => {
          for (const survived of [['e'], ['e', 'c', 'a'], []])
            await expect(change(store, { ...design, id }, dyingAfter(survived))).rejects.toThrow('killed');
          // the interrupted changes have not changed the campaign
          expect(await store.getCampaign(id)).toMatchObject({ digest: 'digest', points: 4 });
          expect(await store.counts(id)).toMatchObject({ total: 8, done: 1, failed: 1, running: 2 });
        });
      });

      test('leave nothing behind after another change', async () => {
        await twins({ names: ['c', 'x'], replications: 1 }, async (id) => {
          const first = { names: [...filler, 'e', 'c'], replications: 2, id };
          await expect(change(store, first, dyingAfter(['e', 'c', 'f']))).rejects.toThrow('killed');
        });
      });

      test('can be undone, and then the campaign is as before', async () => {
        await addNamed(store, before, 2);
        await store.observe('flu', [done(1), done(3)], 2);
        const was = await seqsOf(store);
        const first = { names: [...filler, 'd', 'a'], replications: 2 };
        await expect(change(store, first, dyingAfter(['d', 'a']))).rejects.toThrow('killed');
        await change(store, { names: before, replications: 2, digest: 'digest' });
        expect(await seqsOf(store)).toEqual(was);
        expect((await rowsOf(store)).map(runName)).toEqual(['b/1', 'd/1']);
      });

      test('can be completed after one to three interruptions, at any moments, of the same or other changes', async () => {
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
          { numRuns: draws(60 * effort) },
        );
      });

      test('keep each result exactly once while they are half done', async () => {
        const names = upTo(1_500).map((n) => `point ${n}`);
        await addNamed(store, names, 3);
        // one run is missing, so a page ends between runs of two points at the same position
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
        'give each point its runs if the first design was interrupted after %d turns of the event loop',
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
  });
}
