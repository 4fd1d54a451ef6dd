import { judgeCampaigns } from '../../test/oracles/told.ts';
import type { Rate } from './rate.ts';

export const title = 'Sentences and numbers that a second program recomputes from the raw runs';

/** The second program takes about a second for each campaign, so there are at most so many. */
const MOST = 200;

export async function rates({ campaigns, seed }: { campaigns: number; seed: number }): Promise<Rate[]> {
  const count = Math.min(campaigns, MOST);
  const { sentences, denials } = await judgeCampaigns(seed, count);
  for (const denial of denials) console.error(JSON.stringify(denial));
  return [
    {
      statement: 'a sentence is denied',
      from: `${count} campaigns of all kinds`,
      of: sentences,
      rate: denials.length / sentences,
      most: 0,
    },
  ];
}
