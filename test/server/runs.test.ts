import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { RowOrder, RunChoice } from '../../src/server/live/look.ts';
import { runsInOrder } from '../../src/server/live/runs.ts';
import { Foray } from '../../src/client/index.ts';
import { openStore, type ResultRow, type RunObservation, type Store } from '../../src/store/index.ts';
import { doubles, sampleRecord, sampleRow } from '../report/support.ts';
import { temporaryFolder } from '../store/folder.ts';
import { withoutServers } from '../support/without-servers.ts';

const ID = 'flu-calibration-7f3a';
const contact = doubles('Contact rate', [1.2, 1.4, 10, 9]);
const recovery = doubles('Recovery rate', [0.3, 0.4, 0.5]);
/** A run without a value has no place in an order by that value. */
const valueOf: Record<string, (row: ResultRow) => number | undefined> = {
  'Contact rate': ({ values }) => Number(values[0]),
  replication: ({ replication }) => replication,
  finished: ({ finishedAt }) => finishedAt ?? undefined,
  'Fit error': ({ outputs }) =>
    outputs['Fit error'] === undefined ? undefined : Number(outputs['Fit error']),
};

let folder: ReturnType<typeof temporaryFolder>;
let store: Store;
let foray: Foray;
beforeEach(async () => {
  folder = temporaryFolder();
  const address = `sqlite:${join(folder.path, 'store.db')}`;
  store = await openStore(address);
  foray = await Foray.open(withoutServers(address));
  const { campaign } = sampleRecord({ grid: [contact, recovery], replications: 20 });
  await store.addCampaign({ campaign, definition: 'campaign: flu\n', digest: 'first' }, 1_000);
  const points = contact.values.flatMap((a) => recovery.values.map((b) => [a, b]));
  await store.addPoints(
    ID,
    points.map((values, ordinal) => ({ ordinal, key: `key ${values.join(' ')}`, values })),
    20,
  );
  await store.setPhase(ID, 'running', 2_000);
  const planned = await store.intend(ID, await store.waitingRuns(ID, -1, 1_000, false), 3_000);
  for (const { seq, point, replication } of planned) {
    const { outputs } = sampleRow(0, point.values, replication);
    const noisy = { ...outputs, 'Fit error': String(Math.sin(seq) * 1_000) };
    const seen: RunObservation =
      seq % 7 === 3
        ? { seq, state: 'failed', runId: `run ${seq}`, reason: 'Days is 0' }
        : { seq, state: 'done', runId: `run ${seq}`, origin: 'new', outputs: noisy };
    await store.observe(ID, [seen], 9_000 + ((seq * 7_919) % 1_000));
  }
});
afterEach(async () => {
  await foray.close();
  await store.close();
  folder.remove();
});

const nameOf = ({ point, replication }: ResultRow): string => `${point} ${replication}`;

/** All pages of a choice, one after the other. */
async function pagesOf(
  choice: Omit<RunChoice, 'from' | 'count'>,
): Promise<{ names: string[]; without: number }> {
  const names: string[] = [];
  for (;;) {
    const found = await runsInOrder(foray, ID, { ...choice, from: names.length, count: 37 });
    names.push(...found.rows.map(nameOf));
    if (found.rows.length > 0) continue;
    expect(found.total).toBe(names.length);
    return { names, without: found.without };
  }
}

const orders: (RowOrder | null)[] = [
  null,
  ...Object.keys(valueOf).flatMap((by): RowOrder[] => [
    { by, wants: 'lowest' },
    { by, wants: 'highest' },
  ]),
];

test.each(orders)(
  'all pages together have each run once in the order %j, with every state and filter',
  async (order) => {
    const all = await Array.fromAsync(store.results(ID));
    expect(all).toHaveLength(240);
    for (const state of [undefined, 'done', 'failed'] as const) {
      for (const inputs of [[], [{ name: 'Contact rate', text: '1.4..10' }]]) {
        const chosen = all
          .filter(({ status }) => state === undefined || status === state)
          .filter(({ values }) => inputs.length === 0 || Number(values[0]) >= 1.4);
        const read = order ? valueOf[order.by]! : () => 0;
        const known = chosen.filter((row) => read(row) !== undefined);
        const sign = order?.wants === 'highest' ? -1 : 1;
        // equal values stay in the order of the design
        const expected = known.toSorted((a, b) => sign * (read(a)! - read(b)!)).map(nameOf);
        const { names, without } = await pagesOf({ order, state, inputs });
        expect({ state, names }).toEqual({ state, names: expected });
        expect(without).toBe(chosen.length - known.length);
      }
    }
  },
);

test('runs that finish between the two passes move no other run into the page', async () => {
  await store.resetFailed(ID, false, 10_000);
  const planned = await store.intend(ID, await store.waitingRuns(ID, -1, 1_000, false), 11_000);
  const choice = { order: { by: 'Fit error', wants: 'lowest' }, inputs: [], from: 37, count: 37 } as const;
  const expected = (await runsInOrder(foray, ID, choice)).rows.map(nameOf);
  const read = foray.results.bind(foray);
  let passes = 0;
  foray.results = async (...given) => {
    passes += 1;
    const seen = planned.map(
      ({ seq }) => ({ seq, state: 'done', runId: `again ${seq}`, origin: 'new', outputs: {} }) as const,
    );
    if (passes === 2) await store.observe(ID, seen, 12_000);
    return read(...given);
  };
  expect((await runsInOrder(foray, ID, choice)).rows.map(nameOf)).toEqual(expected);
  expect(passes).toBe(2);
});

test('an order by something that the campaign does not have is refused', async () => {
  const choice = { order: { by: 'Nothing', wants: 'lowest' }, inputs: [], from: 0, count: 10 } as const;
  await expect(runsInOrder(foray, ID, choice)).rejects.toMatchObject({ code: 'UNKNOWN_OUTPUT' });
});
