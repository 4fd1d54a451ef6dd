import { calibrationStoryOf } from '../../src/search/abc/story.ts';
import { logOf, noisyMean, normalMean } from '../../test/search/abc/calibrations.ts';

export interface AbcRow {
  seed: number;
  mean: number;
  variance: number;
  points: number;
}

/** Calibrates the mean of a normal distribution. Its exact posterior is known (test/search/abc/calibrations). */
export async function abcRows(seeds: number): Promise<AbcRow[]> {
  const rows: AbcRow[] = [];
  for (let seed = 1; seed <= seeds; seed += 1) {
    const campaign = normalMean({}, { seed });
    const log = await logOf(campaign, noisyMean(seed));
    const { summary } = await calibrationStoryOf(campaign, log);
    const { mean, sd } = summary.posterior!.inputs['θ'] as { mean: number; sd: number };
    rows.push({ seed, mean, variance: sd ** 2, points: log.asks.length });
  }
  return rows;
}
