import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { StrategyBy } from '../../src/campaign/strategy.ts';
import { statusFromStore } from '../../src/client/status.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { doubles, sampleRecord } from '../report/support.ts';
import { temporaryFolder } from '../store/folder.ts';

const ID = 'flu-calibration-7f3a';
let folder: ReturnType<typeof temporaryFolder>;
let store: Store;
/** How often all points of the campaign were read. */
let reads = 0;

beforeEach(async () => {
  folder = temporaryFolder();
  const opened = await openStore(`sqlite:${join(folder.path, 'store.db')}`);
  const comparedPoints: Store['comparedPoints'] = (...of) => {
    reads += 1;
    return opened.comparedPoints(...of);
  };
  store = { ...opened, comparedPoints };
});
afterEach(async () => {
  await store.close();
  folder.remove();
});

test('the progress of a closed campaign is computed once, until the campaign changes', async () => {
  const strategy: StrategyBy<'selection'> = {
    by: 'selection',
    method: 'ocba',
    runs: 90,
    report: 30,
    require: [],
  };
  const levels = doubles('Contact rate', [1.2, 1.4, 1.6]);
  const { campaign } = sampleRecord({
    grid: [levels],
    strategy,
    goal: { output: 'Fit error', wants: 'lowest' },
  });
  await store.addCampaign({ campaign, definition: 'campaign: flu\n', digest: 'first' }, 1_000);
  const points = levels.values.map((value, ordinal) => ({ ordinal, key: `key ${value}`, values: [value] }));
  await store.addPoints(ID, points, 1);
  await store.setPhase(ID, 'cancelled', 2_000);
  const look = async () => (await statusFromStore(store, (await store.getCampaign(ID))!, '')).strategy;

  const first = await look();
  expect(first).toMatchObject({ by: 'selection', points: 3 });
  expect(await look()).toEqual(first);
  expect(reads).toBe(1);

  await store.setPhase(ID, 'running', 3_000);
  await store.intend(ID, [0], 3_000);
  const outputs = { 'Fit error': '0.5' };
  await store.observe(ID, [{ seq: 0, state: 'done', runId: 'r', origin: 'new', outputs }], 3_000);
  await store.setPhase(ID, 'cancelled', 4_000);
  expect(await look()).toMatchObject({ best: { value: 0.5 } });
  expect(reads).toBe(2);
});
