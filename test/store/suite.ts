import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Campaign, Phase, Point, RunCounts } from '../../src/campaign/types.ts';
import type { ResultRow, RunObservation, Store } from '../../src/store/index.ts';

/** A database of its own for one test, which several handles may open. */
export interface TestDatabase {
  open(): Promise<Store>;
  /** Closes what was opened and removes the database. */
  remove(): Promise<void>;
}

export function campaign(id: string): Campaign {
  return {
    id,
    name: 'flu',
    service: 'http://127.0.0.1:8090/api/open/8.5.0',
    model: { id: 'model', name: 'Epidemic “β”', versionId: 'version', version: 1 },
    base: [{ name: 'Days', type: 'INTEGER', units: 'DAY', value: '14' }],
    varied: [],
    files: [],
    replications: 1,
    seed: null,
    outputs: [],
    concurrency: 'auto',
    failures: null,
  };
}

export function* points(count: number): Generator<Point> {
  for (let ordinal = 0; ordinal < count; ordinal += 1) {
    yield { ordinal, key: `key ${ordinal}`, values: [String(ordinal), `value ${ordinal}`] };
  }
}

export async function add(
  store: Store,
  id = 'flu',
  size?: { points: number; replications: number },
): Promise<void> {
  await store.addCampaign({ campaign: campaign(id), definition: 'campaign: flu\n', digest: 'digest' }, 1_000);
  if (size) await store.addPoints(id, points(size.points), size.replications);
}

function done(
  seq: number,
  origin: 'new' | 'reused' = 'new',
  outputs = { 'Fit error': String(seq) },
): RunObservation {
  return { seq, state: 'done', runId: `run ${seq}`, origin, outputs };
}

function failed(seq: number, reason = 'no reason'): RunObservation {
  return { seq, state: 'failed', runId: `run ${seq}`, reason };
}

function open(
  seq: number,
  state: 'queued' | 'running' = 'running',
  runId = `run ${seq}`,
  owned = true,
): RunObservation {
  return { seq, state, runId, owned };
}

async function rowsOf(store: Store, id = 'flu'): Promise<ResultRow[]> {
  return await Array.fromAsync(store.results(id));
}

function upTo(count: number): number[] {
  return [...Array(count).keys()];
}

/** What every store keeps, whatever its database. */
export function describeStore(
  name: string,
  createDatabase: () => Promise<TestDatabase> | TestDatabase,
): void {
  describe(name, () => {
    let database: TestDatabase;
    let store: Store;

    beforeEach(async () => {
      database = await createDatabase();
      store = await database.open();
    });
    afterEach(() => database.remove());

    describe('campaigns', () => {
      test('are kept as they were added, newest first', async () => {
        expect(await store.listCampaigns()).toEqual([]);
        for (const id of ['b', 'a', 'c']) {
          expect(
            await store.addCampaign(
              { campaign: campaign(id), definition: `# “${id}”\n`, digest: id },
              1_780_000_000_123,
            ),
          ).toBe(true);
        }
        expect((await store.listCampaigns()).map(({ campaign: { id } }) => id)).toEqual(['c', 'a', 'b']);
        expect(await store.getCampaign('a')).toEqual({
          campaign: campaign('a'),
          definition: '# “a”\n',
          digest: 'a',
          note: '',
          phase: 'preparing',
          points: 0,
          createdAt: 1_780_000_000_123,
          updatedAt: 1_780_000_000_123,
        });
        expect(await store.getCampaign('d')).toBeUndefined();
      });

      test('a known id is refused, and nothing is changed', async () => {
        await add(store);
        const before = await store.getCampaign('flu');
        const other = {
          campaign: { ...campaign('flu'), name: 'other' },
          definition: 'other',
          digest: 'other',
        };
        expect(await store.addCampaign(other, 2_000)).toBe(false);
        expect(await store.getCampaign('flu')).toEqual(before);
      });

      test('of many that are added at once under one id, one is', async () => {
        const record = { campaign: campaign('flu'), definition: '', digest: '' };
        const added = await Promise.all(upTo(20).map((now) => store.addCampaign(record, now)));
        expect(added.filter(Boolean)).toHaveLength(1);
      });

      test('the phase changes, and when', async () => {
        await add(store);
        await store.setPhase('flu', 'stopping', 4_000, 'enough');
        await store.setPhase('flu', 'completed', 5_000);
        expect(await store.getCampaign('flu')).toMatchObject({
          phase: 'completed',
          note: 'enough',
          createdAt: 1_000,
          updatedAt: 5_000,
        });
        await store.setPhase('unknown', 'completed', 5_000, 'a note');
      });

      test('what there is to say of the end is kept until something else is said', async () => {
        await add(store);
        await store.setPhase('flu', 'stopping', 2_000, 'cancelled: “too dear”');
        await store.setPhase('flu', 'cancelled', 3_000);
        expect(await store.getCampaign('flu')).toMatchObject({
          phase: 'cancelled',
          note: 'cancelled: “too dear”',
        });
        await store.setPhase('flu', 'failed', 4_000, '');
        expect(await store.getCampaign('flu')).toMatchObject({ phase: 'failed', note: '' });
      });

      test.each<Phase>(['stopping', 'cancelled', 'completed', 'failed'])(
        'what is %s does not run again, whoever comes late',
        async (phase) => {
          await add(store);
          await store.setPhase('flu', phase, 2_000);
          await store.setPhase('flu', 'running', 3_000);
          expect(await store.getCampaign('flu')).toMatchObject({ phase, updatedAt: 2_000 });
        },
      );

      test('one that never started can be removed, and its id used again', async () => {
        await add(store);
        await store.removeCampaign('flu');
        expect(await store.getCampaign('flu')).toBeUndefined();
        await add(store, 'flu', { points: 2, replications: 1 });
        await store.removeCampaign('flu');
        expect(await store.counts('flu')).toMatchObject({ total: 2 });
        await store.removeCampaign('unknown');
      });

      test('one whose design is half expanded has started', async () => {
        await add(store);
        await expect(store.addPoints('flu', dying(1_500), 1)).rejects.toThrow('killed');
        await store.removeCampaign('flu');
        expect(await store.getCampaign('flu')).toBeDefined();
      });

      test('what is asked of one that is not there says so', async () => {
        await expect(store.counts('unknown')).rejects.toThrow('unknown');
        await expect(store.addPoints('unknown', points(1), 1)).rejects.toThrow('unknown');
        await expect(rowsOf(store, 'unknown')).rejects.toThrow('unknown');
      });
    });

    describe('files', () => {
      test('are kept byte for byte under their hash; the first content stays', async () => {
        const bytes = Uint8Array.from({ length: 256 * 300 }, (_, n) => n % 256);
        await store.putFile('hash', bytes);
        await store.putFile('hash', new Uint8Array([1]));
        await store.putFile('empty', new Uint8Array());
        expect(Buffer.from((await store.getFile('hash'))!).equals(bytes)).toBe(true);
        expect((await store.getFile('empty'))!.length).toBe(0);
        expect(await store.getFile('other')).toBeUndefined();
      });
    });

    describe('addPoints', () => {
      test('a run a point and replication, replication 1 of all points first', async () => {
        await add(store);
        expect(await store.addPoints('flu', points(3), 2)).toEqual({ points: 3, runs: 6 });
        const planned = await store.intend('flu', [5, 0, 3], 1);
        expect(planned).toEqual([
          { seq: 0, point: { key: 'key 0', values: ['0', 'value 0'] }, replication: 1, attempt: 1 },
          { seq: 3, point: { key: 'key 0', values: ['0', 'value 0'] }, replication: 2, attempt: 1 },
          { seq: 5, point: { key: 'key 2', values: ['2', 'value 2'] }, replication: 2, attempt: 1 },
        ]);
        expect((await store.getCampaign('flu'))!.points).toBe(3);
      });

      test('again, it changes nothing', async () => {
        await add(store, 'flu', { points: 3, replications: 2 });
        await store.intend('flu', [0, 1], 1);
        await store.observe('flu', [done(0), open(1)], 1);
        const before = [await store.counts('flu'), await rowsOf(store), await store.openRuns('flu')];
        expect(await store.addPoints('flu', points(3), 2)).toEqual({ points: 3, runs: 6 });
        expect([await store.counts('flu'), await rowsOf(store), await store.openRuns('flu')]).toEqual(before);
      });

      test.each([0, 999, 1_000, 1_001, 2_499])(
        'after a first attempt that died after %d points',
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

      test('two at once, through two handles', async () => {
        await add(store);
        const second = await database.open();
        const sizes = await Promise.all(
          [store, second].map((handle) => handle.addPoints('flu', points(1_500), 2)),
        );
        expect(sizes).toEqual(Array(2).fill({ points: 1_500, runs: 3_000 }));
        expect(await store.counts('flu')).toMatchObject({ total: 3_000 });
      });

      test('no points', async () => {
        await add(store);
        expect(await store.addPoints('flu', [], 3)).toEqual({ points: 0, runs: 0 });
        expect(await store.counts('flu')).toMatchObject({ total: 0, waiting: 0 });
        expect(await rowsOf(store)).toEqual([]);
      });

      test('campaigns do not mix', async () => {
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

      test('leaves out what has finished, and what is not there', async () => {
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
      ])('in the phase %s: %s', async (phase, lets) => {
        await store.setPhase('flu', phase, 1);
        expect(await store.intend('flu', [0, 1], 1)).toHaveLength(lets ? 2 : 0);
        // what was not let through has not changed
        expect(await store.openRuns('flu')).toHaveLength(lets ? 2 : 0);
      });

      test('is seen by others: a lost response leaves a run that is ours', async () => {
        await store.intend('flu', [2], 1);
        expect(await store.openRuns('flu')).toEqual([
          {
            seq: 2,
            point: { key: 'key 2', values: ['2', 'value 2'] },
            replication: 1,
            attempt: 1,
            runId: null,
            owned: true,
            joined: false,
          },
        ]);
      });

      test('a request that never arrived is no attempt', async () => {
        await store.intend('flu', [0], 1);
        await store.observe('flu', [{ seq: 0, state: 'unsent' }], 1);
        expect((await store.intend('flu', [0], 1))[0]!.attempt).toBe(1);
        await store.observe('flu', [open(0)], 1);
        // asked for again while polling, without an intent, and unsent: nothing is taken back
        await store.observe('flu', [{ seq: 0, state: 'unsent' }], 1);
        expect((await store.intend('flu', [0], 1))[0]!.attempt).toBe(2);
      });

      test('a run that was stopped starts anew', async () => {
        await store.intend('flu', [0], 1);
        await store.observe('flu', [open(0)], 1);
        await store.observe('flu', [{ seq: 0, state: 'waiting' }], 2);
        expect(await store.openRuns('flu')).toEqual([]);
        expect(await store.counts('flu')).toMatchObject({ waiting: 4, running: 0 });
        expect((await store.intend('flu', [0], 3))[0]!.attempt).toBe(1);
      });
    });

    describe('openRuns', () => {
      test('a thousand at a time in order, or those that are named, however many', async () => {
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

    describe('observe', () => {
      beforeEach(async () => {
        await add(store, 'flu', { points: 3, replications: 1 });
        await store.intend('flu', [0, 1, 2], 2_000);
      });

      test('done twice is done once; the first outputs stay, and what comes later is ignored', async () => {
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
          },
        ]);
      });

      test('failed, then done: it stays failed, and no outputs are kept', async () => {
        await store.observe('flu', [failed(0, 'Days is 0'), done(0)], 3_000);
        await store.observe('flu', [done(0)], 3_000);
        expect(await rowsOf(store)).toMatchObject([
          { status: 'failed', reason: 'Days is 0', outputs: {}, origin: null, finishedAt: 3_000 },
        ]);
      });

      test('the same batch twice', async () => {
        const batch = [done(0), failed(1), open(2, 'queued')];
        await store.observe('flu', batch, 3_000);
        const before = [await store.counts('flu'), await rowsOf(store), await store.openRuns('flu')];
        await store.observe('flu', batch, 9_000);
        expect([await store.counts('flu'), await rowsOf(store), await store.openRuns('flu')]).toEqual(before);
      });

      test('outputs of any text and size', async () => {
        const outputs = {
          'a "name" \\ with %_ everything': '“ü” \u0000 \ud800 \n',
          __proto__x: '{"dataX":[1],"dataY":[2]}',
          large: 'x'.repeat(2_000_000),
          empty: '',
        };
        await store.observe('flu', [done(0, 'new', outputs as never)], 3_000);
        expect((await rowsOf(store))[0]!.outputs).toEqual(outputs);
      });

      test('a batch is written whole or not at all', async () => {
        const wrong = { ...done(1), outputs: { n: 1n } } as unknown as RunObservation;
        await expect(store.observe('flu', [done(0), wrong, done(2)], 3_000)).rejects.toThrow();
        expect(await store.counts('flu')).toMatchObject({ done: 0 });
        expect(await rowsOf(store)).toEqual([]);
        await store.observe('flu', [done(0)], 3_000);
        expect(await store.counts('flu')).toMatchObject({ done: 1 });
      });

      test('the campaign says when it last changed', async () => {
        await store.observe('flu', [open(0)], 7_777);
        expect((await store.getCampaign('flu'))!.updatedAt).toBe(7_777);
        await store.observe('flu', [], 8_888);
        expect((await store.getCampaign('flu'))!.updatedAt).toBe(7_777);
      });

      test('finished says what is over, and how it came to be', async () => {
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
            // what the counts are to be, by the rules alone
            const states = new Array<keyof RunCounts>(RUNS).fill('waiting');
            for (const [at, { observe = [], intend = [] }] of steps.map(
              (s, n) => [n, s as Partial<Steps>] as const,
            )) {
              await store.intend(id, intend, at);
              for (const n of intend) if (!isOver(states[n]!)) states[n] = 'waiting';
              await store.observe(id, observe, at);
              for (const seen of observe) {
                if (isOver(states[seen.seq]!) || seen.state === 'unsent') continue;
                states[seen.seq] = seen.state === 'done' ? seen.origin : seen.state;
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
          { numRuns: 100 },
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

      test('are claimed by the others that wait for them', async () => {
        expect(await store.claimedByOthers('a', ['shared', 'own', 'unknown'])).toEqual(new Set(['shared']));
        expect(await store.claimedByOthers('b', ['shared', 'own'])).toEqual(new Set(['shared', 'own']));
        expect(await store.claimedByOthers('a', [])).toEqual(new Set());
      });

      test.each<[string, RunObservation]>([
        ['done', { seq: 0, state: 'done', runId: 'shared', origin: 'new', outputs: {} }],
        ['failed', { seq: 0, state: 'failed', runId: 'shared', reason: '' }],
        ['waiting again', { seq: 0, state: 'waiting' }],
      ])('no more once they are %s there', async (_, observation) => {
        await store.observe('b', [observation], 2);
        expect(await store.claimedByOthers('a', ['shared'])).toEqual(new Set());
      });

      test('are handed over to the others, and nothing else is', async () => {
        const ownedBy = async (id: string): Promise<boolean[]> =>
          (await store.openRuns(id, [0, 1])).map(({ owned }) => owned);
        await store.observe('c', [open(0, 'queued', 'other', false), open(1, 'queued', 'shared', false)], 1);
        await store.handOver('a', ['shared']);
        expect(await ownedBy('b')).toEqual([true, true]);
        // whoever is to stop it now: it was there when b asked for it
        expect((await store.openRuns('b', [0]))[0]!.joined).toBe(true);
        expect(await ownedBy('c')).toEqual([false, true]);
        await store.handOver('a', []);
        await store.handOver('c', ['other']);
        expect(await ownedBy('c')).toEqual([false, true]);
      });

      test('stay joined when they are handed over, until they are requested anew', async () => {
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

    describe('results', () => {
      test('by point, then replication, over the end of a page of 2,000', async () => {
        const size = { points: 1_500, replications: 3 };
        await add(store, 'flu', size);
        const runs = size.points * size.replications;
        await store.intend('flu', upTo(runs), 1);
        // one run in nine is not finished; written in an order of its own
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

      test('exactly a page', async () => {
        await add(store, 'flu', { points: 2_000, replications: 1 });
        await store.observe(
          'flu',
          upTo(2_000).map((seq) => done(seq)),
          2,
        );
        expect(await rowsOf(store)).toHaveLength(2_000);
      });

      test('reading may stop early, and others may write meanwhile', async () => {
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

    describe('opened again', () => {
      test('it is the same store with the same content', async () => {
        await add(store, 'flu', { points: 3, replications: 1 });
        await store.putFile('hash', new Uint8Array([1, 2, 3]));
        await store.intend('flu', [0, 1, 2], 1);
        await store.observe('flu', [done(0), open(1, 'queued')], 2);
        await store.setPhase('flu', 'running', 3);
        const contentOf = async (of: Store): Promise<unknown[]> => [
          of.id,
          await of.listCampaigns(),
          await of.counts('flu'),
          await rowsOf(of),
          await of.openRuns('flu'),
          [...(await of.getFile('hash'))!],
        ];
        const before = await contentOf(store);
        const beside = await database.open();
        expect(await contentOf(beside)).toEqual(before);
        await store.close();
        await beside.close();
        expect(await contentOf(await database.open())).toEqual(before);
      });

      test('handles see each other: what one writes, the other reads', async () => {
        const other = await database.open();
        await add(store, 'flu', { points: 3, replications: 1 });
        await other.setPhase('flu', 'paused', 2);
        expect(await store.intend('flu', [0, 1, 2], 3)).toEqual([]);
        await other.setPhase('flu', 'running', 4);
        expect(await store.intend('flu', [0], 5)).toHaveLength(1);
        await other.observe('flu', [done(0)], 6);
        expect(await rowsOf(store)).toHaveLength(1);
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

/** Points of a design of 2,500, as far as an activity came before its worker was killed. */
function* dying(survived: number): Generator<Point> {
  for (const point of points(2_500)) {
    if (point.ordinal === survived) throw new Error('killed');
    yield point;
  }
}
