import type { Ask } from '../../src/campaign/search/log.ts';
import { spaceOf } from '../../src/campaign/search/space.ts';
import { Stream } from '../../src/campaign/sampling/stream.ts';
import { searchCampaign, stopAfter } from '../search/in-memory.ts';

const UNIT = { min: 0, max: 1, digits: 6 };

/** Makes a campaign and the log of its search. The last `near` points lie near one place. */
export function searched(
  of: (x: readonly number[]) => number,
  { count, near }: { count: number; near: number },
  rest: Parameters<typeof searchCampaign>[2] = {},
) {
  const campaign = searchCampaign(
    { a: UNIT, b: UNIT, c: UNIT },
    { stop: stopAfter(count), method: 'gp' },
    rest,
  );
  const { valuesAt } = spaceOf(campaign.strategy, campaign.base);
  const stream = new Stream(1, 'test');
  const asks = Array.from({ length: count }, (_, ordinal): Ask => {
    const isNear = ordinal >= count - near;
    const x = [0, 1, 2].map(() => (isNear ? 0.2 + 0.1 * stream.uniform() : stream.uniform()));
    const values = valuesAt(x);
    const value = of(values.map(Number));
    return {
      ordinal,
      values,
      by: 'test',
      seen: ordinal,
      told: { value, variance: null, runs: 1, excess: [] },
    };
  });
  return { campaign, asks };
}
