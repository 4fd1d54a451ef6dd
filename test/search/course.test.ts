import { describe, expect, test } from '@jest/globals';
import type { Ask, SearchLog, SearchStep } from '../../src/campaign/search/log.ts';
import type { Search } from '../../src/campaign/search/search.ts';
import type { Campaign } from '../../src/campaign/types.ts';
import { SearchCourse } from '../../src/search/course.ts';
import { Stream } from '../../src/search/methods/stream.ts';
import type { FinishedRun } from '../../src/search/point-value.ts';
import { summaryOf, summarizedPoints } from '../../src/search/summary.ts';

/** Searches without a store and a service: a point is run by a function, when the test lets it finish. */

function campaignOf(search: Partial<Search>, rest: Partial<Campaign> = {}): Campaign {
  const real = (name: string) => ({ name, type: 'DOUBLE' as const, units: null });
  const input = (name: string) => ({
    ...real(name),
    kind: 'range' as const,
    min: -1,
    max: 2,
    scale: 'linear' as const,
    step: null,
    digits: 3,
  });
  return {
    id: 'campaign',
    base: [
      { name: '{RANDOM_SEED}', type: 'LONG', units: null, value: '1' },
      ...['x', 'y'].map((name) => ({ ...real(name), value: '0' })),
    ],
    varied: ['x', 'y'].map(real),
    outputs: [real('f'), real('g')],
    goal: { output: 'f', wants: 'lowest' },
    replications: 1,
    seed: 7,
    commonRandomNumbers: false,
    failures: null,
    fresh: null,
    search: {
      inputs: ['x', 'y'].map(input),
      where: null,
      require: [],
      method: 'cma',
      parallel: 4,
      stop: { points: 20, runs: null, value: null, gain: null, stall: null },
      confirm: null,
      most: null,
      ...search,
    },
    ...rest,
  } as unknown as Campaign;
}

type Run = (values: readonly number[], ordinal: number, replication: number) => Record<string, string>;

const bowl: Run = ([x, y]) => ({ f: String((x! - 0.5) ** 2 + (y! + 0.25) ** 2), g: String(x) });
function noisy(sd: number): Run {
  return (values, ordinal, replication) => {
    const noise = new Stream(ordinal, `replication ${replication}`).normal();
    const { f, g } = bowl(values, ordinal, replication);
    return { f: String(Number(f) + sd * noise), g: g! };
  };
}

/** A store of one search. Runs finish in an order that the seed gives, some at a time. */
class World {
  readonly log: SearchLog = { asks: [], events: [] };
  private readonly runs = new Map<number, { replication: number; isFinished: boolean }[]>();
  private readonly values = new Map<number, string[]>();
  private readonly ordinals = new Map<string, number>();
  private readonly campaign: Campaign;
  private readonly run: Run;
  private readonly order: Stream;

  constructor(campaign: Campaign, run: Run, seed: number) {
    this.campaign = campaign;
    this.run = run;
    this.order = new Stream(seed, 'order');
  }

  /** Goes on to the end. @param rebuilds - the share of steps before which the course is made anew from the log */
  async toTheEnd(rebuilds: number): Promise<SearchLog> {
    let course = await SearchCourse.of(this.campaign, structuredClone(this.log));
    while (course.stage !== 'over') {
      if (this.order.uniform() < rebuilds)
        course = await SearchCourse.of(this.campaign, structuredClone(this.log));
      const step = await course.step(this.finishedAt(course.awaited()));
      course.written(this.write(step));
      this.finishSome();
    }
    return this.log;
  }

  finishedAt(ordinals: readonly number[]): Map<number, FinishedRun[]> {
    return new Map(
      ordinals.flatMap((ordinal) => {
        const runs = this.runs.get(ordinal)!;
        if (!runs.every(({ isFinished }) => isFinished)) return [];
        const values = this.values.get(ordinal)!.map(Number);
        return [
          [
            ordinal,
            runs.map(({ replication }) => ({ replication, outputs: this.run(values, ordinal, replication) })),
          ],
        ];
      }),
    );
  }

  private write(step: SearchStep): (number | null)[] {
    for (const { ask, told } of step.tells) this.log.asks[ask]!.told = structuredClone(told);
    const ordinals = step.asks.map(({ point, ...ask }) => {
      const ordinal = point && (this.ordinals.get(point.key) ?? this.ordinals.size);
      if (point && !this.ordinals.has(point.key)) {
        this.ordinals.set(point.key, ordinal!);
        this.values.set(ordinal!, point.values);
        this.add(ordinal!, 1, point.replications);
      }
      const added: Ask = { ...ask, ordinal };
      this.log.asks.push(structuredClone(added));
      return ordinal;
    });
    this.log.events.push(...structuredClone(step.events));
    for (const { ordinal, from, to } of step.replications) this.add(ordinal, from, to);
    return ordinals;
  }

  private add(ordinal: number, from: number, to: number): void {
    const runs = this.runs.get(ordinal) ?? [];
    for (let replication = from; replication <= to; replication += 1)
      runs.push({ replication, isFinished: false });
    this.runs.set(ordinal, runs);
  }

  private finishSome(): void {
    const open = [...this.runs.values()].flat().filter(({ isFinished }) => !isFinished);
    for (const run of open) if (this.order.uniform() < 0.4) run.isFinished = true;
    if (open.length > 0) open[this.order.below(open.length)]!.isFinished = true;
  }
}

describe.each(['cma', 'gp', 'direct'] as const)('%s', (method) => {
  test('asks the same whatever finishes first, and however often its course is made anew', async () => {
    const stop = { points: method === 'gp' ? 16 : 40, runs: null, value: null, gain: null, stall: null };
    for (const rest of [{}, { replications: 2 }]) {
      const campaign = campaignOf({ method, stop }, rest);
      const run = rest.replications ? noisy(0.3) : bowl;
      const log = await new World(campaign, run, 1).toTheEnd(0);
      expect(log.asks.length).toBeGreaterThanOrEqual(stop.points);
      for (const [seed, rebuilds] of [
        [2, 0.3],
        [3, 1],
      ] as const)
        expect(await new World(campaign, run, seed).toTheEnd(rebuilds)).toEqual(log);
    }
  });
});

test('a point that may not be run is told as failed, and the others are within the condition', async () => {
  const campaign = campaignOf({ where: 'x > y' });
  const log = await new World(campaign, bowl, 1).toTheEnd(0.2);
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
    const log = await new World(campaignOf({ inputs, method }), bowl, 1).toTheEnd(0.2);
    const points = new Set(log.asks.map(({ ordinal }) => ordinal));
    expect(points.size).toBeLessThanOrEqual(9);
    expect(log.events[0]).toEqual({ kind: 'stopped', by: 'exhausted' });
  }
});

test('when all points fail, it ends and has no best one', async () => {
  const campaign = campaignOf({});
  const world = new World(
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
  const world = new World(campaign, bowl, 1);
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
    const world = new World(
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
