import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc, { draws } from '../../support/fast-check.ts';
import type { FinishedPoint, Store } from '../../../src/store/index.ts';
import {
  add,
  addNamed,
  campaign,
  change,
  done,
  failed,
  named,
  openForEachTest,
  rowsOf,
  runName,
  type TestDatabase,
  upTo,
} from '../fixtures.ts';

/** Tests points that get replications or outputs later, for every store. */
export function describeGrowth(
  name: string,
  createDatabase: () => Promise<TestDatabase> | TestDatabase,
  effort: number,
): void {
  describe(name, () => {
    let store: Store;
    openForEachTest(createDatabase, (_, opened) => (store = opened));

    const finish = async (...seqs: number[]): Promise<void> => {
      await store.intend('flu', seqs, 1);
      await store.observe(
        'flu',
        seqs.map((seq) => done(seq)),
        2,
      );
    };
    const numbers = (found: FinishedPoint[]) =>
      found.map(({ ordinal, runs }) => [ordinal, runs.map(({ replication }) => replication)]);

    describe('replications that are added', () => {
      test('finish their point when all runs of the point are done or failed', async () => {
        await addNamed(store, ['a', 'b'], 2);
        await finish(0, 1);
        expect(await store.finishedPoints('flu', [0, 1], [])).toEqual([]);
        await store.intend('flu', [2], 3);
        expect(await store.finishedPoints('flu', [0, 2], [])).toEqual([]);
        await store.observe('flu', [failed(2)], 4);
        expect(await store.finishedPoints('flu', [2], [])).toEqual([
          {
            ordinal: 0,
            draws: 1,
            runs: [
              { replication: 1, outputs: { 'Fit error': '0' } },
              { replication: 2, outputs: {} },
            ],
          },
        ]);
        expect(await store.finishedPoints('flu', [], [])).toEqual([]);
        await finish(3);
        expect(numbers(await store.finishedPoints('flu', [1, 2], []))).toEqual([
          [0, [1, 2]],
          [1, [1, 2]],
        ]);
      });

      test('are added once, in the given order, with new seqs', async () => {
        await addNamed(store, ['a', 'b'], 1);
        const wanted = [
          { ordinal: 1, replications: 3 },
          { ordinal: 0, replications: 2 },
        ];
        expect(await store.addReplications('flu', wanted)).toEqual([2, 3, 4]);
        expect(await store.addReplications('flu', wanted)).toEqual([]);
        expect(await store.addReplications('flu', [])).toEqual([]);
        const planned = await store.intend('flu', [2, 3, 4], 1);
        expect(planned.map(({ point, replication }) => `${point.values[0]}/${replication}`)).toEqual([
          'b/2',
          'b/3',
          'a/2',
        ]);
        expect(await store.counts('flu')).toMatchObject({ total: 5 });
      });

      test('give each point the wanted number of runs with unique seqs, also if several calls add runs at the same time', async () => {
        const wishes = fc.array(
          fc.record({ ordinal: fc.nat(3), replications: fc.integer({ min: 1, max: 6 }) }),
          { maxLength: 6 },
        );
        let number = 0;
        await fc.assert(
          fc.asyncProperty(fc.array(wishes, { minLength: 1, maxLength: 4 }), async (all) => {
            const id = `grows-${number++}`;
            await addNamed(store, ['a', 'b', 'c', 'd'], 1, id);
            const added = await Promise.all(all.map((wanted) => store.addReplications(id, unique(wanted))));
            const most = upTo(4).map((ordinal) =>
              Math.max(
                1,
                ...all
                  .flatMap((w) => unique(w))
                  .filter((w) => w.ordinal === ordinal)
                  .map((w) => w.replications),
              ),
            );
            const { total } = await store.counts(id);
            expect(total).toBe(most.reduce((a, b) => a + b));
            const seqs = await store.waitingRuns(id, -1, 1_000, false);
            expect(new Set(seqs).size).toBe(total);
            expect(added.flat().toSorted((a, b) => a - b)).toEqual(seqs.slice(4));
          }),
          { numRuns: draws(30 * effort) },
        );
      });

      test('the store records which points of the design are precise, until the record is reset', async () => {
        await addNamed(store, ['a', 'b', 'c'], 1);
        const repeats = { repeats: 0, unjudgedRepeats: 0 };
        const none = { open: 0, precise: 0, imprecise: 0, unjudged: 3, expected: 0, ...repeats };
        expect(await store.countVerdicts('flu')).toEqual(none);
        await store.setVerdicts('flu', [
          { ordinal: 0, state: 'open', expected: 9 },
          { ordinal: 1, state: 'imprecise', expected: 5 },
        ]);
        await store.setVerdicts('flu', [{ ordinal: 0, state: 'precise', expected: 7 }]);
        await store.setVerdicts('flu', []);
        const some = { open: 0, precise: 1, imprecise: 1, unjudged: 1, expected: 12, ...repeats };
        expect(await store.countVerdicts('flu')).toEqual(some);
        await finish(0, 1, 2);
        await change(store, { names: ['b', 'c'] });
        expect(await store.countVerdicts('flu')).toEqual({ ...some, precise: 0, expected: 5 });
        await store.forgetVerdicts('flu');
        expect(await store.countVerdicts('flu')).toEqual({ ...none, unjudged: 2 });
      });

      test('do not make a point count as finished if the design no longer has the point', async () => {
        await addNamed(store, ['a', 'b'], 1);
        await finish(0, 1);
        await change(store, { names: ['b', 'c'] });
        expect(numbers(await store.finishedPoints('flu', [0, 1], []))).toEqual([[1, [1]]]);
        expect(numbers((await Array.fromAsync(store.allFinishedPoints('flu', []))).flat())).toEqual([
          [1, [1]],
        ]);
      });

      test('of further draws are added and dropped when the design changes', async () => {
        await add(store);
        const base = [{ name: '{RANDOM_SEED}', type: 'LONG' as const, units: null, value: '1' }];
        const changed = { ...campaign('flu'), base, seed: 1 };
        const change = (digest: string, draws: number[]) =>
          store.changeCampaign(
            { campaign: changed, definition: '', digest },
            [...named(['a', 'b'])].map((point, at) => ({ ...point, draws: draws[at]! })),
            undefined,
            3,
          );
        await store.addPoints('flu', named(['a', 'b']), 1, true);
        await change('more', [4, 2]);
        expect(await store.counts('flu')).toMatchObject({ total: 6 });
        await finish(0, 1);
        await change('fewer', [3, 1]);
        expect(await store.counts('flu')).toMatchObject({ total: 4, done: 2 });
        expect((await rowsOf(store)).map(({ point, draws = 1 }) => [point, draws])).toEqual([
          ['key of a', 3],
          ['key of b', 1],
        ]);
      });

      test('stay when the design changes, up to the maximum for a point', async () => {
        await addNamed(store, ['a', 'b'], 1);
        await store.addReplications('flu', [{ ordinal: 0, replications: 5 }]);
        const precision = { min: 2, max: 4, outputs: [], relative: 0.1, absolute: null, confidence: 0.95 };
        const changed = { ...campaign('flu'), replications: 2, precision };
        await store.changeCampaign(
          { campaign: changed, definition: '', digest: 'x' },
          named(['a', 'b']),
          undefined,
          3,
        );
        const [, ...rest] = await store.waitingRuns('flu', -1, 100, false);
        const planned = await store.intend('flu', [0, ...rest], 4);
        expect(
          planned.map(({ point, replication }) => `${point.values[0]}/${replication}`).toSorted(),
        ).toEqual(['a/1', 'a/2', 'a/3', 'a/4', 'b/1', 'b/2']);
      });
    });

    describe('outputs that are added', () => {
      test('are reported as missing for finished runs, and can be added', async () => {
        await addNamed(store, ['a', 'b', 'c'], 1);
        await store.intend('flu', [0, 1, 2], 1);
        await store.observe(
          'flu',
          [done(0), done(1, 'reused', { 'Fit error': '1', Orders: '7' }), failed(2)],
          2,
        );
        expect(await Array.fromAsync(store.lacking('flu', ['Fit error']))).toEqual([[]]);
        const [lacking] = await Array.fromAsync(store.lacking('flu', ['Fit error', 'Orders']));
        expect(lacking).toMatchObject([{ seq: 0, point: { values: ['a'] }, replication: 1, runId: 'run 0' }]);
        await store.setOutputs('flu', [{ seq: 0, outputs: { 'Fit error': '0', Orders: '9' } }]);
        expect(await Array.fromAsync(store.lacking('flu', ['Orders']))).toEqual([[]]);
        const rows = await rowsOf(store);
        expect(rows.map(({ outputs }) => outputs['Orders'])).toEqual(['9', '7', undefined]);
        expect(rows[0]).toMatchObject({ origin: 'new', finishedAt: 2 });
      });
    });

    test('the values of points include an input that varies only since a change, also for dropped points', async () => {
      await addNamed(store, ['a', 'b'], 1);
      await finish(0, 1);
      const wider = { ...campaign('flu'), varied: [] };
      await store.changeCampaign(
        { campaign: wider, definition: '', digest: 'wider' },
        [{ ordinal: 0, key: 'key of b', values: ['new', 'b'] }],
        (values) => ['old', ...values],
        3,
      );
      expect((await rowsOf(store)).map(({ values }) => values)).toEqual([
        ['new', 'b'],
        ['old', 'a'],
      ]);
    });

    test('long values of outputs are read only where they are needed', async () => {
      await addNamed(store, ['a'], 2);
      const long = 'x'.repeat(5_000);
      await store.intend('flu', [0, 1], 1);
      await store.observe(
        'flu',
        [done(0, 'new', { 'Fit error': '1', Text: long, Other: long }), failed(1)],
        2,
      );
      const [whole, needed] = await Promise.all([
        store.comparedPoints('flu', []),
        store.comparedPoints('flu', ['Fit error', 'Text']),
      ]);
      expect(whole[0]!.runs.map(({ outputs }) => ({ ...outputs }))).toEqual([{ 'Fit error': '1' }, {}]);
      expect(needed[0]!.runs.map(({ outputs }) => ({ ...outputs }))).toEqual([
        { 'Fit error': '1', Text: long },
        {},
      ]);
      const outputsOf = async (names: string[]) =>
        (await store.pointStory('flu', 'key of a', names))!.runs.map(({ outputs }) => Object.keys(outputs));
      expect(await outputsOf([])).toEqual([['Fit error'], []]);
      expect(await outputsOf(['Other'])).toEqual([['Fit error', 'Other'], []]);
      const results = await Array.fromAsync(store.results('flu', 'key of a'));
      expect(results.map(({ outputs }) => Object.keys(outputs))).toEqual([
        ['Fit error', 'Text', 'Other'],
        [],
      ]);
    });

    test('runs that lack outputs come in portions if their outputs are large', async () => {
      await addNamed(store, ['a', 'b'], 1);
      const random = () => randomBytes(9_000_000).toString('base64');
      await store.intend('flu', [0, 1], 1);
      for (const seq of [0, 1])
        await store.observe('flu', [done(seq, 'new', { 'Fit error': '1', Text: random() })], 2);
      const pages = await Array.fromAsync(store.lacking('flu', ['Text', 'Orders']));
      expect(pages.map((runs) => runs.map(({ seq }) => seq))).toEqual([[0], [1]]);
      expect((await Array.fromAsync(store.lacking('flu', ['Text']))).flat()).toEqual([]);
    });

    test('points can be found by the beginning of their keys, with all their runs', async () => {
      await addNamed(store, ['aa', 'ab', 'b'], 2);
      await finish(0, 2);
      expect(await store.keysLike('flu', 'key of a')).toEqual(['key of aa', 'key of ab']);
      const first = await store.pointStory('flu', 'key of aa', []);
      expect(first).toMatchObject({ values: ['aa'], position: 0 });
      expect(first!.runs).toMatchObject([
        { seq: 0, replication: 1, state: 'done', origin: 'new', before: null, outputs: { 'Fit error': '0' } },
        { seq: 3, replication: 2, state: 'waiting', before: 1, outputs: {} },
      ]);
      expect(await store.keysLike('flu', 'key of c')).toEqual([]);
      expect(await store.pointStory('flu', 'key of a', [])).toBeUndefined();
      await change(store, { names: ['b'] });
      expect(await store.pointStory('flu', 'key of aa', [])).toMatchObject({ position: null });
    });

    test('the store refuses a step or change of a search if the log has grown since the decision', async () => {
      await add(store);
      const empty = await store.searchLength('flu');
      expect(empty).toEqual({ asks: 0, told: 0, events: 0 });
      const point = { key: 'key of a', values: ['a'], from: 1, to: 1 };
      const asked = { point, values: ['a'], by: 'random', seen: 0, told: null };
      const step = { tells: [], asks: [asked], events: [], replications: [] };
      const change = (length: typeof empty): Promise<boolean> => {
        const event = { kind: 'continued', parallel: length.asks } as const;
        const record = { campaign: campaign('flu'), definition: 'campaign: flu # 2\n', digest: 'digest 2' };
        return store.changeSearch(record, { length, event }, 2_000);
      };
      expect(await store.writeSearch('flu', empty, step)).toEqual({ seqs: [0], ordinals: [0] });
      expect(await store.writeSearch('flu', empty, step)).toBeUndefined();
      expect(await change(empty)).toBe(false);
      expect(await store.getCampaign('flu')).toMatchObject({ definition: 'campaign: flu\n' });
      const before = await store.searchLength('flu');
      const told = { value: 1, variance: null, runs: 1, excess: [] };
      await store.writeSearch('flu', before, { ...step, asks: [], tells: [{ ask: 0, told }] });
      // told values are also a part of the log
      expect(await change(before)).toBe(false);
      const now = await store.searchLength('flu');
      expect(now).toEqual({ asks: 1, told: 1, events: 0 });
      expect(await change(now)).toBe(true);
      expect((await store.searchLog('flu')).events).toEqual([{ kind: 'continued', parallel: 1 }]);
      // the same change again is accepted and changes nothing
      expect(await change(before)).toBe(true);
      expect(await store.searchLength('flu')).toEqual({ ...now, events: 1 });
      expect(await store.getCampaign('flu')).toMatchObject({ definition: 'campaign: flu # 2\n' });
    });

    test('newRuns counts only the runs that the campaign itself started, and their time', async () => {
      await addNamed(store, ['a', 'b', 'c'], 1);
      expect(await store.newRuns('flu')).toEqual({ runs: 0, ms: 0 });
      await store.intend('flu', [0, 1, 2], 1_000);
      await store.observe('flu', [done(0), done(1, 'reused')], 4_000);
      await store.observe('flu', [done(2)], 6_000);
      expect(await store.newRuns('flu')).toEqual({ runs: 2, ms: 5_000 });
      expect((await rowsOf(store)).map(runName)).toEqual(['a/1', 'b/1', 'c/1']);
    });
  });
}

/** Keeps the first requested number of each point. */
function unique<W extends { ordinal: number }>(wishes: readonly W[]): W[] {
  return wishes.filter((wish, at) => wishes.findIndex(({ ordinal }) => ordinal === wish.ordinal) === at);
}
