import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Ask, SearchLog } from '../../src/campaign/search/log.ts';
import type { Search } from '../../src/campaign/search/search.ts';
import type { CampaignBy } from '../../src/campaign/types.ts';
import { Stream } from '../../src/campaign/sampling/stream.ts';
import { summaryOf, summarizedPoints } from '../../src/search/summary.ts';
import { SearchCourse } from '../../src/search/course.ts';
import { draws } from '../support/fast-check.ts';
import { bowl, campaignOf, noisy, type Run, SearchInMemory, searchCampaign, stopAfter } from './in-memory.ts';

/** Tests searches without a store and a service. A function gives the outputs of the runs. */

// no time passes, because a step that takes long asks for fewer points, and in free order the log depends on it
let clock: jest.SpiedFunction<typeof performance.now>;
beforeEach(() => {
  clock = jest.spyOn(performance, 'now').mockReturnValue(0);
});
afterEach(() => clock.mockRestore());

describe.each(['cma', 'gp', 'direct'] as const)('%s', (method) => {
  test('asks for the same points, in whatever order runs finish, and also after restarts', async () => {
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

test('with common random numbers, the best point is at least as good as each other point in the replications of both', async () => {
  for (const seed of Array.from({ length: draws(8) }, (_, at) => at)) {
    const run: Run = ([x, y], ordinal, replication) => {
      const ofAll = new Stream(seed, `replication ${replication}`).normal();
      const own = new Stream(ordinal, `replication ${replication} of ${seed}`).normal();
      return { f: String((x! - 0.5) ** 2 + (y! + 0.25) ** 2 + ofAll + 0.1 * own) };
    };
    const raced = { commonRandomNumbers: true, replications: 3, seed };
    const campaign = campaignOf({ most: 12, parallel: 8, stop: stopAfter(30) }, raced);
    const log = await new SearchInMemory(campaign, run, 1).toTheEnd(0);
    expect(await new SearchInMemory(campaign, run, 2).toTheEnd(0.3)).toEqual(log);
    const { asks } = log;
    const best = asks.find(({ ordinal }) => ordinal === summarizedPoints(log)[0])!;
    const meanOf = ({ ordinal, values }: Ask, runs: number): number => {
      const replications = Array.from({ length: runs }, (_, at) => at + 1);
      return (
        replications.reduce((sum, each) => sum + Number(run(values.map(Number), ordinal!, each).f), 0) / runs
      );
    };
    for (const ask of asks) {
      const runs = Math.min(ask.told!.runs, best.told!.runs);
      expect(meanOf(best, runs)).toBeLessThanOrEqual(meanOf(ask, runs));
    }
  }
});

test('a search by gp has the same log, even if it restarts at a moment when it has no proposal', async () => {
  // each step takes long, so that a restart can come between any two asks
  let now = 0;
  clock.mockImplementation(() => (now += 3_000));
  const inputs = ['x', 'y'].map((name) => {
    const range = { kind: 'range', scale: 'log', step: null, digits: null, min: 1, max: 5 } as const;
    return { name, type: 'INTEGER' as const, units: null, ...range };
  });
  const base = ['x', 'y'].map((name) => ({ name, type: 'INTEGER' as const, units: null, value: '1' }));
  const box = { min: 1, max: 5, digits: 0 };
  const search = { stop: stopAfter(40), method: 'gp' as const, parallel: 10, inputs };
  const campaign = searchCampaign({ x: box, y: box }, search, { seed: 19, base });
  const twoMinima: Run = ([x, y]) => {
    const [far, near] = [(x! - 4) ** 2 + (y! - 1) ** 2, 0.3 + 0.5 * (x! - 2) ** 2 + (y! - 5) ** 2];
    return { f: String(Math.min(far, near) / 10), g: '0' };
  };
  const logs: SearchLog[] = [];
  for (const order of [1, 2, 3])
    for (const rebuilds of [0, 0.4])
      logs.push(await new SearchInMemory(campaign, twoMinima, order).toTheEnd(rebuilds));
  for (const log of logs) expect(log).toEqual(logs[0]);
});

test.each([
  [12, 2, 0.3, 1, 3],
  [41, 4, 0.2, 1.5, 28],
] as const)(
  'a search has the same log after restarts if it begins with %i known points, stops at a small expected gain, and then asks for the recommended point',
  async (count, parallel, gain, sd, seed) => {
    const confirm = { best: 2, replications: 4, indifference: 0.5, confidence: 0.95, report: 4 };
    const search = { method: 'gp' as const, parallel, confirm, stop: { ...stopAfter(12), gain } };
    const campaign = campaignOf(search, { seed, replications: 2 });
    const stream = new Stream(seed, 'known');
    const points = Array.from({ length: count }, () => {
      const values = [3 * stream.uniform() - 1, 3 * stream.uniform() - 1].map((value) => value.toFixed(3));
      const value = Number(bowl(values.map(Number), 0, 1)['f']) + (sd / 1.414) * stream.normal();
      return { values, told: { value, variance: (sd * sd) / 2, runs: 2, excess: [] } };
    });
    const logAfter = (rebuilds: number): Promise<SearchLog> => {
      const world = new SearchInMemory(campaign, noisy(sd), seed);
      world.log.events.push({ kind: 'known', campaign: 'known', points });
      return world.toTheEnd(rebuilds);
    };
    const log = await logAfter(0);
    expect(log.events[1]).toEqual({ kind: 'stopped', by: 'gain' });
    expect(log.asks.at(-1)!.by).toBe('recommended');
    expect(await logAfter(1)).toEqual(log);
  },
);

test('a noisy search that may have all of its points open at once has the same log after restarts', async () => {
  const inputs = ['x', 'y'].map((name) => ({
    name,
    type: 'DOUBLE' as const,
    kind: 'choice' as const,
    values: ['0', '1', '2'],
    isOrdered: true,
  }));
  const campaign = campaignOf({ inputs, method: 'gp', parallel: 9, order: 'free' }, { seed: 2 });
  const log = await new SearchInMemory(campaign, noisy(0.5), 2).toTheEnd(0);
  expect(await new SearchInMemory(campaign, noisy(0.5), 2).toTheEnd(1)).toEqual(log);
});

describe('searches in free and in fixed order', () => {
  test.each(['cma', 'gp', 'direct'] as const)(
    '%s has the same log with and without restarts in free order',
    async (method) => {
      const campaign = campaignOf({ method, order: 'free', stop: stopAfter(method === 'gp' ? 16 : 40) });
      for (const seed of [1, 2]) {
        const log = await new SearchInMemory(campaign, bowl, seed).toTheEnd(0);
        expect(await new SearchInMemory(campaign, bowl, seed).toTheEnd(0.5)).toEqual(log);
        expect(log.asks.every(({ seen, told }, at) => seen <= at && told !== null)).toBe(true);
      }
    },
  );

  test.each([
    ['free', 3],
    ['fixed', 0],
  ] as const)(
    'in %s order, a search asks for %i more points when only the first of four points is open',
    async (order, more) => {
      const course = await SearchCourse.of(campaignOf({ order }), { asks: [], events: [] });
      const { asks } = await course.step(new Map());
      expect(asks).toHaveLength(4);
      course.written([0, 1, 2, 3]);
      const outputs = bowl([0, 0], 0, 1);
      const finished = new Map([1, 2, 3].map((ordinal) => [ordinal, [{ replication: 1, outputs }]]));
      expect((await course.step(finished)).asks).toHaveLength(more);
    },
  );
});

test.each(['cma', 'gp', 'direct'] as const)(
  '%s continues when its conditions for stopping change',
  async (method) => {
    const least = { method, stop: stopAfter(10), parallel: 4 };
    const most = { method, stop: stopAfter(18), parallel: 7 };
    const logs: SearchLog[] = [];
    for (const rebuilds of [0, 0.5]) {
      const world = new SearchInMemory(campaignOf(least), bowl, 1);
      const before = structuredClone(await world.toTheEnd(rebuilds));
      world.change(campaignOf(most));
      const log = await world.toTheEnd(rebuilds);
      expect(log.asks.slice(0, before.asks.length)).toEqual(before.asks);
      expect(log.events.map(({ kind }) => kind)).toEqual(['stopped', 'over', 'continued', 'stopped', 'over']);
      expect(summaryOf(campaignOf(most), log, new Map())).toMatchObject({ asked: 18, stoppedBy: 'points' });
      logs.push(log);
    }
    expect(logs[1]).toEqual(logs[0]);
  },
);

test.each(['cma', 'gp', 'direct'] as const)(
  '%s searches outside the old bounds when the bounds become wider',
  async (method) => {
    const within = (max: number, search: Partial<Search>): CampaignBy<'search'> => {
      const box = { min: -1, max, digits: 3 };
      return searchCampaign({ x: box, y: { ...box, min: -2 } }, { method, stop: stopAfter(12), ...search });
    };
    const few = method === 'gp';
    const narrow = within(0, {});
    const wide = within(2, { parallel: 7, stop: stopAfter(few ? 20 : 40) });
    const logs: SearchLog[] = [];
    for (const [seed, rebuilds] of [
      [1, 0],
      [2, 0.1],
      [3, few ? 0.1 : 1],
    ] as const) {
      const world = new SearchInMemory(narrow, bowl, seed);
      const before = structuredClone(await world.toTheEnd(rebuilds));
      expect(summaryOf(narrow, before, new Map()).best!.inputs['x']).toBeLessThanOrEqual(0);
      world.change(wide);
      const log = await world.toTheEnd(rebuilds);
      expect(log.asks.slice(0, before.asks.length)).toEqual(before.asks);
      expect(log.events[2]).toEqual({
        kind: 'restarted',
        parallel: 4,
        from: before.asks.length,
        outside: [],
        excess: null,
      });
      expect(summaryOf(wide, log, new Map()).best!.inputs['x']).toBeGreaterThan(0.1);
      // after another change of the conditions for stopping, the search continues again
      world.change(within(2, { parallel: 2, stop: stopAfter(few ? 24 : 50) }));
      logs.push(await world.toTheEnd(rebuilds));
      expect(log.events.at(-3)).toEqual({ kind: 'continued', parallel: 7 });
    }
    expect(logs[1]).toEqual(logs[0]);
    expect(logs[2]).toEqual(logs[0]);
  },
);

/**
 * Checks that a change of a search gives the same log, however often the course is rebuilt. Returns the logs before and
 * after the change.
 */
async function changedLogs(
  before: CampaignBy<'search'>,
  after: CampaignBy<'search'>,
): Promise<[SearchLog, SearchLog]> {
  const logs: [SearchLog, SearchLog][] = [];
  for (const [seed, rebuilds] of [
    [1, 0],
    [2, 0.1],
    [3, 0.3],
  ] as const) {
    const world = new SearchInMemory(before, bowl, seed);
    const log = structuredClone(await world.toTheEnd(rebuilds));
    world.change(after);
    logs.push([log, structuredClone(await world.toTheEnd(rebuilds))]);
  }
  expect(logs[1]).toEqual(logs[0]);
  expect(logs[2]).toEqual(logs[0]);
  return logs[0]!;
}

describe.each(['cma', 'gp', 'direct'] as const)('%s', (method) => {
  const few = method === 'gp';
  const box = { min: -1, max: 2, digits: 3 };
  const campaignIn = (max: number, search: Partial<Search> & Pick<Search, 'stop'>): CampaignBy<'search'> =>
    searchCampaign({ x: { ...box, max }, y: { ...box, min: -2 } }, { method, ...search });
  const wide = campaignIn(2, { stop: stopAfter(few ? 12 : 30) });

  test('finds the best point within narrower bounds, and keeps the points outside the bounds in its log', async () => {
    const narrow = campaignIn(0, { stop: stopAfter(few ? 20 : 60) });
    const [before, after] = await changedLogs(wide, narrow);
    const valuesOf = ({ asks }: SearchLog) => asks.map(({ values, told }) => [values, told?.value]);
    expect(valuesOf(after).slice(0, before.asks.length)).toEqual(valuesOf(before));
    const isOutside = ({ values }: Ask): boolean => Number(values[0]) > 0;
    expect(before.asks.some(isOutside)).toBe(true);
    expect(after.asks.map((ask) => ask.isOutside ?? false)).toEqual(after.asks.map(isOutside));
    expect(after.asks.slice(before.asks.length).some(isOutside)).toBe(false);
    const [was, is] = [summaryOf(wide, before, new Map()).best!, summaryOf(narrow, after, new Map()).best!];
    expect(was.inputs['x']).toBeGreaterThan(0);
    expect(is.inputs['x']).toBeLessThanOrEqual(0);
    expect(is.value).toBeGreaterThan(was.value);
  });

  test('finds the best point that meets new requirements, and judges each earlier point again', async () => {
    // g is x, and x is above the limit at the lowest f
    const require = [{ output: 'g', min: null, max: 0, chance: null }];
    const strict = campaignIn(2, { require, stop: stopAfter(few ? 20 : 60) });
    const [before, after] = await changedLogs(wide, strict);
    for (const { values, told } of after.asks) expect(told!.excess).toEqual([Number(values[0])]);
    expect(after.events.filter(({ kind }) => kind === 'restarted')).toMatchObject([
      { from: before.asks.length, excess: before.asks.map(() => [expect.any(Number)]) },
    ]);
    const best = (campaign: CampaignBy<'search'>, log: SearchLog) =>
      summaryOf(campaign, log, new Map()).best!.inputs['x'];
    expect(best(wide, before)).toBeGreaterThan(0);
    expect(best(strict, after)).toBeLessThanOrEqual(0);
  });
});
