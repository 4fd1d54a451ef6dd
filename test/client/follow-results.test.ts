import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc, { draws } from '../support/fast-check.ts';
import { followResults } from '../../src/client/follow-results.ts';
import type { ResultRow, Store } from '../../src/store/index.ts';
import { sqliteDatabase } from '../store/folder.ts';
import {
  addNamed,
  campaign,
  done,
  failed,
  rowsOf,
  runName,
  type TestDatabase,
  upTo,
} from '../store/fixtures.ts';

let database: TestDatabase;
let store: Store;
beforeEach(async () => {
  database = sqliteDatabase();
  store = await database.open();
});
afterEach(() => database.remove());

async function finish(id: string, ...seqs: number[]): Promise<void> {
  await store.intend(id, seqs, 1);
  const seen = seqs.map((seq) => (seq % 5 === 4 ? failed(seq) : done(seq)));
  await store.observe(id, seen, 2);
}

const stays = () => Promise.resolve(false);
const names = (rows: readonly ResultRow[]) => rows.map(runName);

describe('the rows of a followed campaign', () => {
  test('come as soon as they exist, and end with the campaign', async () => {
    await addNamed(store, ['a', 'b', 'c'], 2);
    await finish('flu', 3);
    const rows = followResults(store, campaign('flu'), 1, stays)[Symbol.asyncIterator]();
    expect((await rows.next()).value).toMatchObject({
      point: 'key of a',
      replication: 2,
      outputs: { 'Fit error': '3' },
    });
    const next = rows.next();
    await finish('flu', 1);
    expect(runName((await next).value!)).toBe('b/1');
    await finish('flu', 4, 5, 0);
    await store.setPhase('flu', 'cancelled', 3);
    const rest = await Array.fromAsync(rows);
    expect(names(rest).toSorted()).toEqual(['a/1', 'b/2', 'c/2']);
    expect(rest.find((row) => runName(row) === 'b/2')).toMatchObject({
      status: 'failed',
      reason: 'no reason',
      outputs: {},
    });
  });

  test('come exactly once, in whatever order the runs finish', async () => {
    let number = 0;
    const anyOrder = fc
      .shuffledSubarray(upTo(60))
      .chain((order) =>
        fc.record({ order: fc.constant(order), cuts: fc.array(fc.nat(order.length), { maxLength: 6 }) }),
      );
    await fc.assert(
      fc.asyncProperty(anyOrder, async ({ order, cuts }) => {
        const id = `flu-${number++}`;
        await addNamed(store, upTo(20).map(String), 3, id);
        const seen: ResultRow[] = [];
        const following = (async () => {
          for await (const row of followResults(store, campaign(id), 1, stays)) seen.push(row);
        })();
        const ends = [...cuts.toSorted((a, b) => a - b), order.length];
        for (const [at, end] of ends.entries()) await finish(id, ...order.slice(ends[at - 1] ?? 0, end));
        await store.setPhase(id, 'completed', 3);
        await following;
        expect(names(seen).toSorted()).toEqual(names(await rowsOf(store, id)).toSorted());
        expect(seen).toHaveLength(order.length);
      }),
      { numRuns: 20 },
    );
  });

  test('come again for failed runs that are requested again, at any time', async () => {
    const runs = 8;
    const step = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({ seqs: fc.subarray(upTo(runs)), why: fc.constantFrom(null, 'lost', 'broken') }),
      },
      // requests all failed runs again, or the failed runs with one cause
      { weight: 2, arbitrary: fc.record({ forgiven: fc.constantFrom(undefined, 'lost', 'broken') }) },
      { weight: 1, arbitrary: fc.constant('rest' as const) },
    );
    let number = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const id = `flu-${number++}`;
        await addNamed(store, upTo(runs).map(String), 1, id);
        // for each run, how and when it ended; each step advances the time by 1
        const ends = upTo(runs).map((): { status: string; why: string | null; at: number }[] => []);
        const open = new Set(upTo(runs));
        let now = 1;
        const act = async (): Promise<void> => {
          const next = steps.shift();
          now += 1;
          if (next === undefined) await store.setPhase(id, 'completed', now);
          else if (next !== 'rest' && 'forgiven' in next) {
            await store.resetFailed(id, false, now, next.forgiven);
            for (const [seq, all] of ends.entries()) {
              const why = all.at(-1)?.why ?? null;
              if (why !== null && why === (next.forgiven ?? why)) open.add(seq);
            }
          } else if (next !== 'rest') {
            const finishing = next.seqs.filter((seq) => open.delete(seq));
            const { why } = next;
            const status = why === null ? 'done' : 'failed';
            for (const seq of finishing) ends[seq]!.push({ status, why, at: now });
            await store.intend(id, finishing, now);
            await store.observe(
              id,
              finishing.map((seq) => (why === null ? done(seq) : failed(seq, why))),
              now,
            );
          }
        };
        // takes one step before each call of these two methods of the store, so that steps come between the calls
        const interrupted = new Proxy(store, {
          get: (target, name: keyof Store) =>
            name === 'getCampaign' || name === 'finishedAmong'
              ? async (...args: [string, number[]]) => {
                  await act();
                  return target[name](...args);
                }
              : (target[name] as () => unknown).bind(target),
        });
        const told = upTo(runs).map((): { status: string; why: string | null; at: number }[] => []);
        for await (const row of followResults(interrupted, campaign(id), 0, stays))
          told[Number(row.values[0])]!.push({ status: row.status, why: row.reason, at: row.finishedAt! });
        for (const [seq, all] of ends.entries()) {
          const times = told[seq]!.map(({ at }) => at);
          expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b));
          expect(all).toEqual(expect.arrayContaining(told[seq]!));
          if (!open.has(seq)) expect(told[seq]!.at(-1)).toEqual(all.at(-1));
        }
      }),
      { numRuns: draws(150) },
    );
  });

  test('come again also for very many failed runs', async () => {
    const seqs = upTo(12_000);
    await addNamed(store, seqs.map(String));
    await store.observe(
      'flu',
      seqs.map((seq) => (seq % 2 === 0 ? failed(seq) : done(seq))),
      2,
    );
    const rows = followResults(store, campaign('flu'), 1, stays)[Symbol.asyncIterator]();
    for (let told = 0; told < 12_000; told++) await rows.next();
    await store.resetFailed('flu', false, 3);
    await store.observe(
      'flu',
      seqs.map((seq) => done(seq)),
      4,
    );
    const again: ResultRow[] = [];
    while (again.length < 6_000) again.push((await rows.next()).value!);
    expect(names(again)).toEqual(seqs.filter((seq) => seq % 2 === 0).map((seq) => `${seq}/1`));
    await store.setPhase('flu', 'completed', 5);
    expect(await rows.next()).toMatchObject({ done: true });
  });

  test('end after the finished runs if no workflow works on the campaign any more', async () => {
    await addNamed(store, ['a', 'b', 'c']);
    await finish('flu', 0);
    let asked = 0;
    const rows = followResults(store, campaign('flu'), 1, async () => {
      asked += 1;
      if (asked < 3) return false;
      await finish('flu', 2);
      return true;
    });
    expect(names(await Array.fromAsync(rows))).toEqual(['a/1', 'c/1']);
    expect(asked).toBe(3);
  });

  test('end without an error when the signal aborts, also while no run finishes', async () => {
    await addNamed(store, ['a', 'b']);
    await finish('flu', 0);
    const leaving = new AbortController();
    const rows = followResults(store, campaign('flu'), 2 ** 30, stays, leaving.signal)[
      Symbol.asyncIterator
    ]();
    await rows.next();
    const next = rows.next();
    leaving.abort();
    expect(await next).toMatchObject({ done: true });
  });

  test('end with the error CAMPAIGN_CHANGED if the columns change', async () => {
    await addNamed(store, ['a', 'b']);
    await finish('flu', 0);
    const rows = followResults(store, campaign('flu'), 1, stays)[Symbol.asyncIterator]();
    await rows.next();
    const outputs = [{ name: 'Orders', type: 'DOUBLE', units: null } as const];
    const changed = { ...campaign('flu'), outputs: [...outputs] };
    await store.changeCampaign({ campaign: changed, definition: '', digest: 'x' }, [], undefined, 3);
    await expect(rows.next()).rejects.toMatchObject({ code: 'CAMPAIGN_CHANGED' });
  });

  test.each([
    ['deleted', () => store.deleteCampaign('flu')],
    [
      'replaced by another one with its id',
      async () => {
        await store.deleteCampaign('flu');
        await addNamed(store, ['a', 'b']);
      },
    ],
  ])('end with an error if the campaign is %s', async (_, change) => {
    await store.addCampaign({ campaign: campaign('flu'), definition: '', digest: 'x' }, 1);
    const rows = followResults(store, campaign('flu'), 1, stays)[Symbol.asyncIterator]();
    const refused = expect(rows.next()).rejects.toMatchObject({
      code: 'UNKNOWN_CAMPAIGN',
      message: 'The campaign "flu" was deleted.',
    });
    await change();
    await refused;
  });
});
