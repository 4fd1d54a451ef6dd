import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import { finishing } from '../../src/client/finishing.ts';
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
} from '../store/suite.ts';

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

const names = (rows: readonly ResultRow[]) => rows.map(runName);

describe('rows as runs finish', () => {
  test('come when they are there, and end with the campaign', async () => {
    await addNamed(store, ['a', 'b', 'c'], 2);
    await finish('flu', 3);
    const rows = finishing(store, campaign('flu'), 1);
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

  test('each comes once, in whatever order they finish', async () => {
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
          for await (const row of finishing(store, campaign(id), 1)) seen.push(row);
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

  test('of a campaign that gets other columns end with what to do', async () => {
    await addNamed(store, ['a', 'b']);
    await finish('flu', 0);
    const rows = finishing(store, campaign('flu'), 1);
    await rows.next();
    const outputs = [{ name: 'Orders', type: 'DOUBLE', units: null } as const];
    const changed = { ...campaign('flu'), outputs: [...outputs] };
    await store.changeCampaign({ campaign: changed, definition: '', digest: 'x' }, [], undefined, 3);
    await expect(rows.next()).rejects.toMatchObject({ code: 'CAMPAIGN_CHANGED' });
  });
});
