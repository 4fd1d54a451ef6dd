import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Campaign } from '../../src/campaign/types.ts';
import { knownRate } from '../../src/client/run-rate.ts';
import type { ServiceAtHand } from '../../src/resolve/index.ts';
import type { Store } from '../../src/store/index.ts';
import { sqliteDatabase } from '../store/folder.ts';
import { campaign, done, named, type TestDatabase } from '../store/fixtures.ts';

let database: TestDatabase;
let store: Store;
beforeEach(async () => {
  database = sqliteDatabase();
  store = await database.open();
});
afterEach(() => database.remove());

const search = { strategy: { by: 'search' } } as Pick<Campaign, 'strategy'>;
const service = {
  url: campaign('any').service,
  identity: () => Promise.resolve(undefined),
} as unknown as ServiceAtHand;

/** Adds a campaign of two runs that took `seconds` together. */
async function ran(id: string, seconds: number, more: object = {}): Promise<void> {
  const record = { campaign: { ...campaign(id), ...more }, definition: 'campaign: flu\n', digest: id };
  await store.addCampaign(record, 1_000);
  await store.addPoints(id, named(['a', 'b']), 1);
  await store.intend(id, [0, 1], 1_000);
  await store.observe(id, [done(0), done(1)], 1_000 + 1_000 * seconds);
}

test('the rate of a design comes from earlier designs, and the rate of a search from earlier searches', async () => {
  await ran('grid', 4);
  await ran('found', 60, search);
  expect(await knownRate(store, campaign('next'), service)).toEqual({ secondsARun: 2, basis: 'as in grid' });
  expect(await knownRate(store, { ...campaign('next'), ...search }, service)).toEqual({
    secondsARun: 30,
    basis: 'as in found',
  });
});

test('a campaign whose times cannot be true gives no rate', async () => {
  await ran('grid', 4);
  await ran('skewed', -3_600);
  expect(await knownRate(store, campaign('next'), service)).toEqual({ secondsARun: 2, basis: 'as in grid' });
});

test('no rate is known for a version that has not run, or for another service', async () => {
  await ran('grid', 4);
  const { model, strategy } = campaign('next');
  expect(
    await knownRate(store, { model: { ...model, versionId: 'other' }, strategy }, service),
  ).toBeUndefined();
  const elsewhere = { ...service, url: 'http://127.0.0.1:1/' } as ServiceAtHand;
  expect(await knownRate(store, campaign('next'), elsewhere)).toBeUndefined();
});
