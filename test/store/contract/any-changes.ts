import { describe, expect, test } from '@jest/globals';
import fc, { draws } from '../../support/fast-check.ts';
import type { RunObservation, Store } from '../../../src/store/index.ts';
import {
  addNamed,
  change,
  done,
  failed,
  open,
  openForEachTest,
  requestAll,
  rowsOf,
  runName,
  runsOf,
  seqsOf,
  type TestDatabase,
} from '../fixtures.ts';

/**
 * Tests a rule for changed designs, for every store. `effort` is the share of the random cases that run. It is small
 * for a slow database.
 */
export function describeAnyChanges(
  createDatabase: () => Promise<TestDatabase> | TestDatabase,
  effort: number,
): void {
  describe('any changes', () => {
    let store: Store;
    openForEachTest(createDatabase, (_, opened) => (store = opened));

    test('keep exactly the runs of the design, finished runs, and runs that the service may have', async () => {
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
          // the expected runs with their states, which the test computes from the rules
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
                // a number never belongs to two runs
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
            // each new run has a higher number than all earlier runs
            for (const seq of all) expect(sofar.has(seq) || seq > last).toBe(true);
            sofar = new Set([...sofar, ...all]);
            last = Math.max(last, ...all);
            // the results of the design come first, in its order, and then the others
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
        { numRuns: draws(80 * effort) },
      );
    });
  });
}
