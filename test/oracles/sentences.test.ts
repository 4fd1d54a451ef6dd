import { expect, test } from '@jest/globals';
import { report } from '../support/seeds.ts';
import { judgeCampaigns } from './told.ts';

const SEED = 1;
/** One campaign of each kind. */
const CAMPAIGNS = 14;

test('a second program recomputes what reports, analyses and comparisons say, and denies nothing', async () => {
  const { sentences, denials } = await judgeCampaigns(SEED, CAMPAIGNS);
  report(`oracles: ${sentences} sentences and numbers about ${CAMPAIGNS} drawn campaigns`);
  expect(denials).toEqual([]);
  // far fewer would mean that foray says little
  expect(sentences).toBeGreaterThan(100 * CAMPAIGNS);
});
