import { expect, test } from '@jest/globals';
import { report } from '../support/seeds.ts';
import { judgeCampaigns } from './told.ts';

const SEED = 1;
/** Two campaigns of each kind. */
const CAMPAIGNS = 28;

test('a second program recomputes what reports, analyses and comparisons say, and denies nothing', async () => {
  const { sentences, denials } = await judgeCampaigns(SEED, CAMPAIGNS);
  report(`oracles: ${sentences} sentences and numbers about ${CAMPAIGNS} drawn campaigns`);
  expect(denials).toEqual([]);
  // far fewer would mean that foray says little
  expect(sentences).toBeGreaterThan(100 * CAMPAIGNS);
});
