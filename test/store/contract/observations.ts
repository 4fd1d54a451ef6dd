import { beforeEach, describe, expect, test } from '@jest/globals';
import fc, { draws } from '../../support/fast-check.ts';
import { type RunCounts } from '../../../src/campaign/types.ts';
import type { OpenRun, RunObservation, Store } from '../../../src/store/index.ts';
import { add, done, failed, open, openForEachTest, rowsOf, type TestDatabase } from '../fixtures.ts';

/**
 * Tests observations of runs and of shared runs, for every store. `effort` is the share of the random cases that run.
 * It is small for a slow database.
 */
export function describeObservations(
  createDatabase: () => Promise<TestDatabase> | TestDatabase,
  effort: number,
): void {
  describe('observations', () => {
    let store: Store;
    openForEachTest(createDatabase, (_, opened) => (store = opened));

    describe('observe', () => {
      beforeEach(async () => {
        await add(store, 'flu', { points: 3, replications: 1 });
        await store.intend('flu', [0, 1, 2], 2_000);
      });

      test('keeps the first outputs of a run that is done, and ignores later observations', async () => {
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

      test('keeps a failed run failed, and stores no outputs if it is reported as done later', async () => {
        await store.observe('flu', [failed(0, 'Days is 0'), done(0)], 3_000);
        await store.observe('flu', [done(0)], 3_000);
        expect(await rowsOf(store)).toMatchObject([
          { status: 'failed', reason: 'Days is 0', outputs: {}, origin: null, finishedAt: 3_000 },
        ]);
      });

      test('changes nothing if the same batch comes again', async () => {
        const batch = [done(0), failed(1), open(2, 'queued')];
        await store.observe('flu', batch, 3_000);
        const before = [await store.counts('flu'), await rowsOf(store), await store.openRuns('flu')];
        await store.observe('flu', batch, 9_000);
        expect([await store.counts('flu'), await rowsOf(store), await store.openRuns('flu')]).toEqual(before);
      });

      test('stores outputs of any text and size', async () => {
        const outputs = {
          'a "name" \\ with %_ everything': '“ü” \u0000 \ud800 \n',
          ['__proto__']: '{"dataX":[1],"dataY":[2]}',
          large: 'x'.repeat(2_000_000),
          empty: '',
        };
        await store.observe('flu', [done(0, 'new', outputs)], 3_000);
        const { outputs: stored } = (await rowsOf(store))[0]!;
        expect(new Map(Object.entries(stored))).toEqual(new Map(Object.entries(outputs)));
      });

      test('writes a batch completely or not at all', async () => {
        const wrong = { ...done(1), outputs: { n: 1n } } as unknown as RunObservation;
        await expect(store.observe('flu', [done(0), wrong, done(2)], 3_000)).rejects.toThrow();
        expect(await store.counts('flu')).toMatchObject({ done: 0 });
        expect(await rowsOf(store)).toEqual([]);
        await store.observe('flu', [done(0)], 3_000);
        expect(await store.counts('flu')).toMatchObject({ done: 1 });
      });

      test('makes a run wait without a result after a failed attempt if another attempt follows', async () => {
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
        // the next attempt is a new request, with the number of failures before it
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
        // the store reports the last failure or the result
        await store.observe('flu', [failed(1, 'Days is 1'), done(0)], 8_000);
        expect(await rowsOf(store)).toMatchObject([
          { status: 'done', reason: null },
          { status: 'failed', reason: 'Days is 1' },
        ]);
      });

      test('counts a failed attempt once, even if it is observed again, and not after the end', async () => {
        const again: RunObservation = { seq: 0, state: 'again', reason: 'Days is 0', reseeds: true };
        await store.observe('flu', [open(0), done(1)], 3_000);
        await store.observe('flu', [again], 4_000);
        await store.observe('flu', [again, again], 4_000);
        expect(await store.intend('flu', [0], 5_000)).toMatchObject([{ failures: 1, reseeded: 1 }]);
        await store.observe('flu', [{ ...again, seq: 1 }], 6_000);
        expect(await rowsOf(store)).toMatchObject([{ status: 'done', reason: null }]);
      });

      test("updates the time of the campaign's last change", async () => {
        await store.observe('flu', [open(0)], 7_777);
        expect((await store.getCampaign('flu'))!.updatedAt).toBe(7_777);
        await store.observe('flu', [], 8_888);
        expect((await store.getCampaign('flu'))!.updatedAt).toBe(7_777);
      });

      test('makes `finished` return the finished runs with their origin', async () => {
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
            // the expected counts, which the test computes from the rules
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
          { numRuns: draws(100 * effort) },
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

      test('are claimed by the campaigns that wait for them', async () => {
        expect(await store.claimedByOthers('a', ['shared', 'own', 'unknown'])).toEqual(new Set(['shared']));
        expect(await store.claimedByOthers('b', ['shared', 'own'])).toEqual(new Set(['shared', 'own']));
        expect(await store.claimedByOthers('a', [])).toEqual(new Set());
      });

      test.each<[string, RunObservation]>([
        ['done', { seq: 0, state: 'done', runId: 'shared', origin: 'new', outputs: {} }],
        ['failed', { seq: 0, state: 'failed', runId: 'shared', reason: '' }],
        ['waiting again', { seq: 0, state: 'waiting' }],
      ])('are not shared any more when they are %s in the other campaign', async (_, observation) => {
        await store.observe('b', [observation], 2);
        expect(await store.claimedByOthers('a', ['shared'])).toEqual(new Set());
      });

      test('are handed over to the other campaigns that wait for them, and other runs keep their owners', async () => {
        const ownedBy = async (id: string): Promise<boolean[]> =>
          (await store.openRuns(id, [0, 1])).map(({ owned }) => owned);
        await store.observe('c', [open(0, 'queued', 'other', false), open(1, 'queued', 'shared', false)], 1);
        await store.handOver('a', ['shared']);
        expect(await ownedBy('b')).toEqual([true, true]);
        // b joined the run with its own request, whichever campaign owns the run now
        expect((await store.openRuns('b', [0]))[0]!.joined).toBe(true);
        expect(await ownedBy('c')).toEqual([false, true]);
        await store.handOver('a', []);
        await store.handOver('c', ['other']);
        expect(await ownedBy('c')).toEqual([false, true]);
      });

      test('stay owned if an old observation arrives late or a request is repeated, unless the campaign gets another run', async () => {
        const first = async (id: string): Promise<unknown> => {
          const [{ owned, joined }] = (await store.openRuns(id, [0])) as [OpenRun];
          return { owned, joined };
        };
        await store.handOver('a', ['shared']);
        // b made this observation earlier, when the run belonged to a
        await store.observe('b', [open(0, 'running', 'shared', false)], 2);
        expect(await first('b')).toEqual({ owned: true, joined: true });
        // a lost an answer, and requests the run again while b waits for it
        await store.intend('a', [0], 3);
        await store.observe('a', [open(0, 'running', 'shared', false)], 3);
        expect(await first('a')).toEqual({ owned: true, joined: false });
        // if a gets another run instead, a does not own that run
        await store.observe('a', [open(0, 'running', 'of somebody else', false)], 4);
        expect(await first('a')).toEqual({ owned: false, joined: true });
      });

      test('stay joined when they are handed over, until they are requested again', async () => {
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
  });
}

interface Steps {
  observe: RunObservation[];
  intend: number[];
}

function isOver(state: keyof RunCounts): boolean {
  return state === 'new' || state === 'reused' || state === 'failed';
}
