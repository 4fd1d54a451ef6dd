import { expect, test } from '@jest/globals';
import { searchCampaign, SearchInMemory, stopAfter } from './in-memory.ts';

/**
 * The best point lies in a corner of the box. There, rounding to steps turns many proposals of a narrow distribution
 * into the same point.
 */

const BOX = { x: { min: 0, max: 10, digits: 2 }, y: { min: 0, max: 10, digits: 2 } };

test('a CMA-ES search whose best point is at a bound restarts, and continues to its maximum number of points', async () => {
  const campaign = searchCampaign(BOX, { method: 'cma', parallel: 4, stop: stopAfter(400) });
  const corner = ([x, y]: readonly number[]) => ({ f: String(x! + 2 * y!), g: '1' });
  const { asks, events } = await new SearchInMemory(campaign, corner, 1).toTheEnd(0.05);
  expect(events[0]).toEqual({ kind: 'stopped', by: 'points' });
  expect(new Set(asks.map(({ by }) => by.split(',')[0])).size).toBeGreaterThan(1);
  expect(Math.min(...asks.map(({ told }) => told!.value!))).toBe(0);
});
