import { describe, expect, test } from '@jest/globals';
import fc, { draws } from '../../support/fast-check.ts';
import type { RunCounts } from '../../../src/campaign/types.ts';
import type { RunObservation, Store } from '../../../src/store/index.ts';
import {
  add,
  change,
  cutShort,
  done,
  failed,
  named,
  open,
  openForEachTest,
  type TestDatabase,
} from '../fixtures.ts';

/** The points of the campaigns of these tests. They are so few that one call of `keysLike` returns all. */
const NAMES = ['a', 'b', 'c', 'd', 'e'];

const names = fc.shuffledSubarray(NAMES, { minLength: 1 });
const replications = fc.integer({ min: 1, max: 3 });
const seq = fc.nat(20);
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
/** An action on a campaign. */
type Act = (store: Store, id: string) => Promise<unknown>;
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.uniqueArray(seq).map(
      (seqs): Act =>
        (store, id) =>
          store.intend(id, seqs, 1),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.array(observation, { maxLength: 12 }).map(
      (seen): Act =>
        (store, id) =>
          store.observe(id, seen, 2),
    ),
  },
  fc.boolean().map(
    (reseeds): Act =>
      (store, id) =>
        store.resetFailed(id, reseeds, 3),
  ),
  fc.constant<Act>((store, id) => store.reopen(id, 4)),
  fc.constantFrom('running', 'paused', 'stopping').map(
    (phase): Act =>
      (store, id) =>
        store.setPhase(id, phase, 5),
  ),
  fc.tuple(names, replications).map(
    ([some, count]): Act =>
      (store, id) =>
        change(store, { names: some, replications: count, id }),
  ),
  replications.map((count): Act => async (store, id) => {
    const wanted = (await store.comparedPoints(id, [])).map(({ ordinal }) => ({
      ordinal,
      replications: count,
    }));
    return store.addReplications(id, wanted.slice(1));
  }),
  fc.tuple(names, replications).map(
    ([some, count]): Act =>
      (store, id) =>
        ask(store, id, { names: some, replications: count }),
  ),
);

/** Adds asks (requests for points) to the log of a search. */
async function ask(
  store: Store,
  id: string,
  design: { names: readonly string[]; replications: number },
): Promise<void> {
  const asks = [...named(design.names)].map((point) => ({
    values: point.values,
    by: 'random',
    seen: 0,
    told: null,
    point: { ...point, from: 1, to: design.replications },
  }));
  const length = await store.searchLength(id);
  await store.writeSearch(id, length, { tells: [], asks, events: [], replications: [] });
}

/** Counts the runs of a campaign by state. It reads each run instead of the stored counts. */
async function counted(store: Store, id: string): Promise<RunCounts> {
  const keys = await store.keysLike(id, 'key of');
  const stories = await Promise.all(keys.map((key) => store.pointStory(id, key, [])));
  const runs = stories.flatMap((story) => story!.runs);
  const count = (...states: string[]): number => runs.filter(({ state }) => states.includes(state)).length;
  return {
    total: runs.length,
    done: count('done'),
    new: runs.filter(({ origin }) => origin === 'new').length,
    reused: runs.filter(({ origin }) => origin === 'reused').length,
    failed: count('failed'),
    running: count('running'),
    queued: count('queued'),
    waiting: count('waiting', 'intended'),
  };
}

/** Tests the counts of runs by state, for every store. */
export function describeCounts(
  name: string,
  createDatabase: () => Promise<TestDatabase> | TestDatabase,
  effort = 1,
): void {
  describe(name, () => {
    let database: TestDatabase;
    let store: Store;
    openForEachTest(createDatabase, (...opened) => ([database, store] = opened));

    test('counts agree with the runs, whatever the actions and interruptions', async () => {
      const step = fc.record({
        act,
        // One of four actions gets no interruption, because `nil` has the probability 1 / freq. Most of the others end
        // before their interruption.
        cut: fc.option(fc.record({ turns: fc.nat(3), steps: fc.nat(120) }), { freq: 4, nil: undefined }),
      });
      let campaigns = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { maxLength: 15 }),
          fc.nat(12),
          fc.nat(200),
          async (steps, turns, more) => {
            const id = `campaign ${(campaigns += 1)}`;
            const other = `other ${campaigns}`;
            await add(store, id);
            await add(store, other);
            await store.addPoints(other, named(NAMES), 2);
            await cutShort(database, { turns, steps: more }, (handle) =>
              handle.addPoints(id, named(['a', 'b', 'c']), 2),
            );
            expect(await store.counts(id)).toEqual(await counted(store, id));
            await store.addPoints(id, named(['a', 'b', 'c']), 2);
            for (const { act: doIt, cut } of steps) {
              if (cut) await cutShort(database, cut, (handle) => doIt(handle, id));
              else await doIt(store, id);
              expect(await store.counts(id)).toEqual(await counted(store, id));
            }
            await cutShort(database, { turns, steps: more }, (handle) => handle.deleteCampaign(id));
            const left = await store.getCampaign(id);
            if (left) expect(await store.counts(id)).toEqual(await counted(store, id));
            if (left) await store.deleteCampaign(id);
            expect(await store.counts(other)).toMatchObject({ total: 10, waiting: 10 });
            await add(store, id);
            expect(await store.counts(id)).toMatchObject({ total: 0, waiting: 0 });
          },
        ),
        { numRuns: draws(30 * effort) },
      );
    });

    test('all counts of a campaign without written runs are zero', async () => {
      await add(store);
      expect(await store.counts('flu')).toEqual({
        total: 0,
        done: 0,
        new: 0,
        reused: 0,
        failed: 0,
        running: 0,
        queued: 0,
        waiting: 0,
      });
    });
  });
}

/**
 * Tests counts that several handles write at the same time. Only for databases in which a writer waits for another writer
 * of the same process.
 */
export function describeManyWriters(createDatabase: () => Promise<TestDatabase> | TestDatabase): void {
  test('counts agree with runs that several handles write at once', async () => {
    const database = await createDatabase();
    try {
      const store = await database.open();
      await add(store);
      await store.addPoints('flu', named(NAMES), 20);
      await store.setPhase('flu', 'running', 1);
      const handles = await Promise.all([database.open(), database.open(), database.open()]);
      await Promise.all(
        handles.map(async (handle, at) => {
          for (let first = 0; first < 100; first += 10) {
            const seqs = Array.from({ length: 20 }, (_, n) => (first + n) % 100);
            await handle.intend('flu', seqs, 2);
            const states = seqs.map((n) =>
              (n + at) % 4 === 0 ? failed(n) : (n + at) % 4 === 1 ? done(n) : open(n),
            );
            await handle.observe('flu', states, 3);
          }
          await handle.resetFailed('flu', false, 4);
        }),
      );
      expect(await store.counts('flu')).toEqual(await counted(store, 'flu'));
      expect((await store.counts('flu')).total).toBe(100);
    } finally {
      await database.remove();
    }
  });
}
