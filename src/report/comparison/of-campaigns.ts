import type { Foray } from '../../client/index.ts';
import { compareCampaigns } from './compare.ts';

/**
 * Compares two campaigns of the store point by point.
 *
 * @throws ForayError UNKNOWN_CAMPAIGN, NOTHING_TO_COMPARE, UNKNOWN_OUTPUT, INVALID_VALUE, INVALID_EXPRESSION
 */
export async function campaignsCompared(
  foray: Foray,
  a: string,
  b: string,
  options: Parameters<typeof compareCampaigns>[2],
): Promise<ReturnType<typeof compareCampaigns>> {
  return compareCampaigns(await comparedIn(foray, a), await comparedIn(foray, b), options);
}

async function comparedIn(foray: Foray, id: string) {
  const { record } = await foray.results(id);
  return { campaign: record.campaign, rows: () => rowsOf(foray, id) };
}

/** The rows of a campaign, from the first run. */
async function* rowsOf(foray: Foray, id: string) {
  yield* (await foray.results(id)).rows;
}
