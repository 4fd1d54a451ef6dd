import type { RequiredOutput } from '../../src/search/interval.ts';
import { expect, test } from '@jest/globals';
import type { Search } from '../../src/campaign/search/search.ts';
import type { CampaignBy } from '../../src/campaign/types.ts';
import { bestText } from '../../src/report/words/search-words.ts';
import { summaryOf, summarizedPoints } from '../../src/search/summary.ts';
import { bowl, campaignOf, noisy, SearchInMemory, stopAfter } from './in-memory.ts';

/** Tests searches without a store and a service. A function gives the outputs of the runs. */

test('a search with the rule stall ends although no point meets the requirements', async () => {
  const require = [{ output: 'g', min: 5, max: null, chance: null }];
  const stop = { points: null, runs: null, value: null, gain: null, stall: 3 };
  const campaign = campaignOf({ method: 'cma', parallel: 8, require, stop });
  const log = await new SearchInMemory(campaign, bowl, 1).toTheEnd(0);
  expect(log.events[0]).toEqual({ kind: 'stopped', by: 'stall' });
  expect(log.asks.length).toBeGreaterThanOrEqual(100);
  expect(log.asks.length).toBeLessThan(150);
});

test('the rule stall counts only points that were asked for after the last change of the search', async () => {
  const of = (more: Partial<Search>): CampaignBy<'search'> => campaignOf({ method: 'cma', ...more });
  const world = new SearchInMemory(of({ stop: stopAfter(120) }), bowl, 1);
  await world.toTheEnd(0);
  const stop = { points: null, runs: null, value: null, gain: null, stall: 30 };
  world.change(of({ stop, require: [{ output: 'g', min: 1.9, max: null, chance: null }] }));
  const { asks } = await world.toTheEnd(0);
  expect(asks.length).toBeGreaterThan(120 + 30);
  expect(asks.some(({ values: [x] }) => Number(x) >= 1.9)).toBe(true);
});

test('a point that does not meet the condition counts as failed and does not run', async () => {
  const campaign = campaignOf({ where: 'x > y' });
  const log = await new SearchInMemory(campaign, bowl, 1).toTheEnd(0.2);
  for (const { ordinal, values, told } of log.asks) {
    if (ordinal === null) expect(told).toEqual({ value: null, variance: null, runs: 0, excess: [] });
    else expect(Number(values[0])).toBeGreaterThan(Number(values[1]));
  }
});

test('a search over few points ends when the method has no further point, and runs no point twice', async () => {
  const values = ['0', '1', '2'];
  const inputs = ['x', 'y'].map((name) => ({
    name,
    type: 'DOUBLE' as const,
    kind: 'choice' as const,
    values,
    isOrdered: true,
  }));
  for (const method of ['cma', 'gp', 'direct'] as const) {
    const world = new SearchInMemory(campaignOf({ inputs, method }), bowl, 1);
    const log = await world.toTheEnd(0.2);
    const points = new Set(log.asks.map(({ ordinal }) => ordinal));
    expect(points.size).toBeLessThanOrEqual(9);
    expect(world.runCount).toBe(points.size);
    expect(log.events[0]).toEqual({ kind: 'stopped', by: 'all' });
  }
});

test.each([null, 12])(
  'failed runs count for the rule "runs", with at most %s replications of a point',
  async (most) => {
    const stop = { points: null, runs: 200, value: null, gain: null, stall: null };
    const campaign = campaignOf({ stop, most }, { replications: 4 });
    const outputs = (values: readonly number[], ordinal: number, replication: number) =>
      replication % 2 === 0 ? {} : noisy(1)(values, ordinal, replication);
    const world = new SearchInMemory(campaign, outputs, 1);
    const { events } = await world.toTheEnd(0);
    expect(events).toContainEqual({ kind: 'stopped', by: 'runs' });
    // the points that are open when the rule applies may get all of their replications
    expect(world.runCount).toBeGreaterThanOrEqual(200);
    expect(world.runCount).toBeLessThan(200 + campaign.strategy.parallel * (most ?? 4));
  },
);

test.each([
  ['its run failed', {}],
  ['f has no finite value in its run', { f: 'null', g: '1' }],
  ['f has no finite value in its run', { f: '"Infinity"', g: '1' }],
])('a search ends without a best point when all points fail: %s', async (lastFailure, outputs) => {
  const campaign = campaignOf({});
  const world = new SearchInMemory(
    { ...campaign, strategy: { ...campaign.strategy, stop: { ...campaign.strategy.stop, points: 500 } } },
    () => outputs,
    1,
  );
  const log = await world.toTheEnd(0);
  expect(log.events.map((event) => ('by' in event ? event.by : event.kind))).toEqual(['failures', 'over']);
  expect(log.asks.length).toBeLessThan(40);
  const summary = summaryOf(campaign, log, world.finishedAt(summarizedPoints(log)));
  expect(summary).toMatchObject({ best: null, told: 0, stoppedBy: 'failures', lastFailure });
});

test('a point that does not meet a requirement is never the best one', async () => {
  const campaign = campaignOf({ require: [{ output: 'g', min: null, max: 0.2, chance: null }] });
  const world = new SearchInMemory(campaign, bowl, 1);
  const log = await world.toTheEnd(0.2);
  const { best } = summaryOf(campaign, log, world.finishedAt(summarizedPoints(log)));
  expect(Number(best!.inputs['x'])).toBeLessThanOrEqual(0.2);
  const [{ requirement, value, interval }] = best!.required as [RequiredOutput];
  expect(requirement).toEqual(campaign.strategy.require[0]);
  expect(value).toBe(Number(world.finishedAt([best!.ordinal!]).get(best!.ordinal!)![0]!.outputs['g']));
  expect(interval).toBeNull();
});

test.each([
  { wants: 'highest', limit: { min: 0.9, max: null } },
  { wants: 'lowest', limit: { min: null, max: 0.9 } },
] as const)(
  'a share of 9 in 10 runs meets the limit 0.9, and ends a search for the $wants share at 0.9, whatever the order of the runs',
  async ({ wants, limit }) => {
    const share = 'P(f > 0)';
    const campaign = campaignOf(
      {
        require: [{ output: share, ...limit, chance: null }],
        stop: { points: 40, runs: null, value: 0.9, gain: null, stall: null },
      },
      { goal: { output: share, wants }, replications: 10 },
    );
    // the run that is false comes one run earlier at each next point
    const outputs = (_: unknown, ordinal: number, replication: number) => ({
      f: (replication + ordinal) % 10 === 0 ? '0' : '1',
    });
    const { asks, events } = await new SearchInMemory(campaign, outputs, 1).toTheEnd(0);
    expect(asks.length).toBeGreaterThanOrEqual(4);
    for (const { told } of asks)
      expect(told).toMatchObject({ value: wants === 'highest' ? -0.9 : 0.9, excess: [0] });
    expect(events[0]).toEqual({ kind: 'stopped', by: 'value' });
  },
);

test('the variance and the interval of a mean are not those of a quantile', async () => {
  const goal = { output: 'Q(f, 0.5)', wants: 'lowest' } as const;
  const campaign = campaignOf({}, { goal, replications: 5 });
  const world = new SearchInMemory(campaign, noisy(1), 1);
  const log = await world.toTheEnd(0);
  expect(log.asks[0]!.told).toMatchObject({ value: expect.any(Number), variance: null, runs: 5 });
  const { best } = summaryOf(campaign, log, world.finishedAt(summarizedPoints(log)));
  expect(best).toMatchObject({ interval: null, runs: 5 });
  expect(bestText(campaign, best!)).toMatch(/ \(5 runs\)$/);
});

test('in many noisy searches, the reported value of the winner is right on average, and its value during the search is too good', async () => {
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
  // 30 means, each of 15 runs with a standard deviation of 1, have a mean with a standard error of 0.047
  expect(Math.abs(mean(({ reported }) => reported))).toBeLessThan(3 * 0.047);
  expect(mean(({ seen }) => seen)).toBeLessThan(-1);
  expect(mean(({ isHeld }) => Number(isHeld))).toBeGreaterThanOrEqual(0.8);
});
