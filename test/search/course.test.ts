import { describe, expect, test } from '@jest/globals';
import type { Search } from '../../src/campaign/search/search.ts';
import type { Campaign } from '../../src/campaign/types.ts';
import { Stream } from '../../src/search/methods/stream.ts';
import { summaryOf, summarizedPoints } from '../../src/search/summary.ts';
import { type Run, SearchInMemory, searchCampaign, stopAfter } from './in-memory.ts';

/** Searches without a store and a service: a point is run by a function, when the test lets it finish. */

/** Two inputs from -1 to 2. */
function campaignOf(search: Partial<Search>, rest: Partial<Campaign> = {}): Campaign {
  const box = { min: -1, max: 2, digits: 3 };
  return searchCampaign({ x: box, y: box }, { stop: stopAfter(20), ...search }, rest);
}

const bowl: Run = ([x, y]) => ({ f: String((x! - 0.5) ** 2 + (y! + 0.25) ** 2), g: String(x) });
function noisy(sd: number): Run {
  return (values, ordinal, replication) => {
    const noise = new Stream(ordinal, `replication ${replication}`).normal();
    const { f, g } = bowl(values, ordinal, replication);
    return { f: String(Number(f) + sd * noise), g: g! };
  };
}

describe.each(['cma', 'gp', 'direct'] as const)('%s', (method) => {
  test('asks the same whatever finishes first, and however often its course is made anew', async () => {
    const stop = { points: method === 'gp' ? 16 : 40, runs: null, value: null, gain: null, stall: null };
    for (const rest of [{}, { replications: 2 }]) {
      const campaign = campaignOf({ method, stop }, rest);
      const run = rest.replications ? noisy(0.3) : bowl;
      const log = await new SearchInMemory(campaign, run, 1).toTheEnd(0);
      expect(log.asks.length).toBeGreaterThanOrEqual(stop.points);
      for (const [seed, rebuilds] of [
        [2, 0.3],
        [3, 1],
      ] as const)
        expect(await new SearchInMemory(campaign, run, seed).toTheEnd(rebuilds)).toEqual(log);
    }
  });
});

test('a point that may not be run is told as failed, and the others are within the condition', async () => {
  const campaign = campaignOf({ where: 'x > y' });
  const log = await new SearchInMemory(campaign, bowl, 1).toTheEnd(0.2);
  for (const { ordinal, values, told } of log.asks) {
    if (ordinal === null) expect(told).toEqual({ value: null, variance: null, runs: 0, excess: [] });
    else expect(Number(values[0])).toBeGreaterThan(Number(values[1]));
  }
});

test('a search over few points ends when there are no more, and runs none twice', async () => {
  const values = ['0', '1', '2'];
  const inputs = ['x', 'y'].map((name) => ({
    name,
    type: 'DOUBLE' as const,
    kind: 'choice' as const,
    values,
    isOrdered: true,
  }));
  for (const method of ['cma', 'gp', 'direct'] as const) {
    const log = await new SearchInMemory(campaignOf({ inputs, method }), bowl, 1).toTheEnd(0.2);
    const points = new Set(log.asks.map(({ ordinal }) => ordinal));
    expect(points.size).toBeLessThanOrEqual(9);
    expect(log.events[0]).toEqual({ kind: 'stopped', by: 'exhausted' });
  }
});

test('when all points fail, it ends and has no best one', async () => {
  const campaign = campaignOf({});
  const world = new SearchInMemory(
    { ...campaign, search: { ...campaign.search!, stop: { ...campaign.search!.stop, points: 500 } } },
    () => ({}),
    1,
  );
  const log = await world.toTheEnd(0);
  expect(log.events.map((event) => ('by' in event ? event.by : event.kind))).toEqual(['failures', 'over']);
  expect(log.asks.length).toBeLessThan(40);
  expect(summaryOf(campaign, log, new Map())).toMatchObject({ best: null, told: 0, stoppedBy: 'failures' });
});

test('a point that does not meet a requirement is never the best one', async () => {
  const campaign = campaignOf({ require: [{ output: 'g', min: null, max: 0.2, chance: null }] });
  const world = new SearchInMemory(campaign, bowl, 1);
  const log = await world.toTheEnd(0.2);
  const { best } = summaryOf(campaign, log, world.finishedAt(summarizedPoints(log)));
  expect(Number(best!.inputs['x'])).toBeLessThanOrEqual(0.2);
});

test('of many noisy searches the reported value of the winner is right, and the best one seen is too good', async () => {
  const confirm = { best: 4, replications: 8, indifference: 0.2, confidence: 0.95, report: 15 };
  const stop = { points: 40, runs: null, value: null, gain: null, stall: null };
  const errors: { reported: number; seen: number; isHeld: boolean }[] = [];
  for (let seed = 1; seed <= 30; seed += 1) {
    const campaign = campaignOf({ confirm, stop, parallel: 8 }, { seed });
    const world = new SearchInMemory(
      campaign,
      (values, ordinal, replication) => noisy(1)(values, 1_000 * seed + ordinal, replication),
      seed,
    );
    const log = await world.toTheEnd(0);
    const best = summaryOf(campaign, log, world.finishedAt(summarizedPoints(log))).best!;
    const [x, y] = [Number(best.inputs['x']), Number(best.inputs['y'])];
    const truth = (x - 0.5) ** 2 + (y + 0.25) ** 2;
    expect(best.runs).toBe(15);
    const [low, high] = best.interval!;
    errors.push({
      reported: best.value - truth,
      seen: best.seen - truth,
      isHeld: low <= truth && truth <= high,
    });
  }
  const mean = (of: (error: (typeof errors)[number]) => number): number =>
    errors.reduce((sum, error) => sum + of(error), 0) / errors.length;
  // the standard error of the mean of 30 means of 15 runs with a deviation of 1 is 0.047
  expect(Math.abs(mean(({ reported }) => reported))).toBeLessThan(3 * 0.047);
  expect(mean(({ seen }) => seen)).toBeLessThan(-1);
  expect(mean(({ isHeld }) => Number(isHeld))).toBeGreaterThanOrEqual(0.8);
});
