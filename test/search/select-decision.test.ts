import { expect, test } from '@jest/globals';
import { chosenByKn, RULES, slippage } from '../../bench/search/selection.ts';
import type { SearchEvent } from '../../src/campaign/search/log.ts';
import type { Requirement, Selection } from '../../src/campaign/search/search.ts';
import type { CampaignBy } from '../../src/campaign/types.ts';
import { Stream } from '../../src/campaign/sampling/stream.ts';
import { nextOfSelection } from '../../src/search/select.ts';
import { selectStoryOf } from '../../src/search/select-story.ts';
import { REPORT, selectInMemory, selectionOf } from './select-in-memory.ts';

/** Tests the decisions of a selection without a service. */

const kn = { method: 'kn', indifference: RULES.indifference, confidence: RULES.confidence } as const;

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Simulates a campaign whose runs have a `Fit error`; null for a failed run. */
function played(
  campaign: CampaignBy<'selection'>,
  points: number,
  valueOf: (point: number, replication: number) => number | null,
) {
  return selectInMemory(campaign, points, (point, replication): Record<string, string> => {
    const value = valueOf(point, replication);
    return value === null ? {} : { 'Fit error': String(value) };
  });
}

test.each([2, 5])('the decision compares %i points by the procedure of Kim and Nelson', (systems) => {
  for (let seed = 0; seed < 40; seed += 1) {
    const { values, extendTo } = slippage(systems, seed);
    // more values than the 2,000 replications that a point can get in the comparison
    extendTo(2_100);
    const { events, counts } = played(
      selectionOf(kn, RULES.first),
      systems,
      (point, n) => values[point]![n - 1]!,
    );
    const expected = chosenByKn(systems, seed);
    expect(events.find((event) => event.kind === 'winner')).toMatchObject({
      ordinal: expected.best,
      isSure: true,
    });
    expect(sum(counts)).toBe(expected.runs + REPORT);
  }
});

test('the decision divides a budget as in the textbook', () => {
  // C.-H. Chen and L. H. Lee, Stochastic Simulation Optimization, World Scientific 2011, page 49: the points get 11, 9,
  // 19, 9 and 2 of 50 runs
  const deviations = [1, 1, 3, 3, 2];
  const { counts, events } = played(
    selectionOf({ method: 'ocba', runs: 50 }, 2),
    5,
    // the mean and the standard deviation are the same after each pair of replications
    (point, n) => point + 1 + (n % 2 === 0 ? 1 : -1) * deviations[point]!,
  );
  expect(events.find((event) => event.kind === 'winner')).toMatchObject({ ordinal: 0, isSure: false });
  expect(sum(counts)).toBe(50 + REPORT);
  counts[0]! -= REPORT;
  // the rounds and the estimated variances may change a number by one
  for (const [at, expected] of [11, 9, 19, 9, 2].entries())
    expect(Math.abs(counts[at]! - expected)).toBeLessThanOrEqual(1);
});

test('points without a value rank last, and count as failed', () => {
  const { events, story } = played(selectionOf({ ...kn, indifference: 5 }, 4), 3, (point, n) =>
    point === 0 ? null : point + (n % 2),
  );
  expect(events.find((event) => event.kind === 'winner')).toMatchObject({ ordinal: 1 });
  expect(story.summary).toMatchObject({ stage: 'over', points: 3, failed: 1 });
  expect(story.points.map(({ ordinal }) => ordinal)).toEqual([1, 2, 0]);
  expect(story.points.at(-1)).toMatchObject({ mean: null });
  const { story: none } = played(selectionOf(kn, 4), 2, () => null);
  expect(none.summary).toMatchObject({ stage: 'over', failed: 2, best: null });
});

test('the runs of the best point without a value are counted', () => {
  const { story } = played(selectionOf({ ...kn, report: 6 }, 10), 2, (point, n) =>
    n % 3 === 0 ? null : 50 * point + (n % 2),
  );
  expect(story.summary.best).toMatchObject({ ordinal: 0, runs: 4, failed: 2 });
});

test('the value of the best point comes from runs that were not used to choose it', () => {
  const { values, extendTo } = slippage(3, 1);
  extendTo(2_100);
  const { events, story } = played(selectionOf(kn, RULES.first), 3, (point, n) => values[point]![n - 1]!);
  const { ordinal, after } = events.find((event) => event.kind === 'winner')!;
  const own = values[ordinal]!.slice(after, after + REPORT);
  const mean = own.reduce((sum, value) => sum + value, 0) / REPORT;
  expect(story.summary.best).toMatchObject({ ordinal, runs: REPORT, choice: 'compared' });
  expect(story.summary.best!.value).toBeCloseTo(mean, 12);
});

test('a few further runs do not overrule the many runs by which the winner meets a requirement', () => {
  const require = [{ output: 'Fit error', min: 0, max: null, chance: null }];
  const kept = (further: number) =>
    played(selectionOf({ ...kn, require }, 100), 2, (point, n) =>
      point === 1 ? 50 + (n % 2) : n <= 100 ? 1 + (n % 2) : further,
    );
  // 100 runs have a mean of 1.5, and 2 further runs a mean of -10: all together 1.27
  const { events, story } = kept(-10);
  expect(events.map(({ kind }) => kind)).toEqual(['finalists', 'winner', 'over']);
  expect(story.summary.best).toMatchObject({ ordinal: 0, value: -10, runs: REPORT });
  expect(story.summary.best!.required[0]!.value).toBeCloseTo((150 - 20) / 102, 9);
  // further runs that outweigh them reject the point
  const { events: others, story: next } = kept(-100);
  expect(others).toContainEqual({ kind: 'rejected', ordinal: 0 });
  expect(next.summary.best).toMatchObject({ ordinal: 1 });
});

test('a required quantile has an interval, which allows for the choice', () => {
  const require = [{ output: 'Q(`Fit error`, 0.5)', min: null, max: 8, chance: null }];
  const { story } = played(
    selectionOf({ method: 'kn', indifference: 50, confidence: 0.95, require }, 10),
    2,
    (point, n) => 100 * point + n,
  );
  // 12 values: with 97.5 %, the median is between the second and the second last value, because 2 * 13 / 4,096 is at most
  // 0.025, and 2 * 79 / 4,096 is more
  expect(story.summary.best!.required).toEqual([
    { requirement: require[0], value: 6.5, runs: 12, isShare: false, interval: [2, 11] },
  ]);
});

test.each<[string, Pick<Requirement, 'output'> & Partial<Requirement>]>([
  ['a mean', { output: 'Fit error', min: 0 }],
  ['a share of runs', { output: 'Fit error', min: 0, chance: 0.9 }],
  ['a share', { output: 'P(`Fit error` > 0)', min: 0.9 }],
  ['a quantile', { output: 'Q(`Fit error`, 0.1)', min: 0 }],
])(
  'a better point that may miss the requirement of %s by luck gets more runs, up to the most',
  (_, asked) => {
    const require = [{ min: null, max: null, chance: null, ...asked }];
    const chosen = (better: (replication: number) => number) => {
      const { counts, story } = played(selectionOf({ ...kn, require }, 10), 2, (point, n) =>
        point === 1 ? 50 + (n % 2) : better(n),
      );
      const { ordinal, choice } = story.summary.best!;
      return { ordinal, choice, runs: counts[0] };
    };
    // the first ten runs miss it, and all runs together meet it
    const lucky = chosen((n) => (n <= 10 && n % 5 === 0 ? -6 : 1));
    expect(lucky).toMatchObject({ ordinal: 0, choice: 'compared' });
    expect(lucky.runs).toBeLessThanOrEqual(100);
    // the further runs of the winner miss it for a while
    const again = chosen((n) => (n > 10 && n <= 12 ? -6 : 1));
    expect(again).toMatchObject({ ordinal: 0, choice: 'compared' });
    expect(again.runs).toBeLessThanOrEqual(100);
    expect(chosen((n) => -6 - (n % 2))).toEqual({ ordinal: 1, choice: 'compared', runs: 10 });
    // one run too many misses it, however many runs there are
    const close = chosen((n) => (n === 1 || n % 10 === 0 ? -9 : 1));
    expect(close).toEqual({ ordinal: 1, choice: 'undecided', runs: 2_000 });
  },
);

test('a point is left out for the mean of its runs when the budget is spent, and at once if one run is exact', () => {
  const require = [{ output: 'Fit error', min: 0, max: null, chance: null }];
  const costs = (point: number, n: number) => (point === 1 ? 50 + (n % 2) : n % 5 === 0 ? -6 : 1);
  const { counts, story } = played(selectionOf({ method: 'ocba', runs: 100, require }, 10), 2, costs);
  expect(story.summary.best).toMatchObject({ ordinal: 1 });
  expect(sum(counts)).toBe(100 + REPORT);
  const exact = played(selectionOf({ ...kn, require }, 1), 2, (point) => (point === 1 ? 50 : -6));
  expect(exact.counts).toEqual([1, 1]);
  expect(exact.story.summary.best).toMatchObject({ ordinal: 1, choice: 'alone' });
  expect(exact.events).toContainEqual({ kind: 'winner', ordinal: 1, isSure: true, after: 1 });
});

test('of points that are equal except for rounding, a selection without chance takes the first', () => {
  const { story } = played(selectionOf(kn, 1), 2, (point) => (point === 0 ? 0.1 + 0.2 : 0.3));
  expect(story.summary.best).toMatchObject({ ordinal: 0 });
});

test('a comparison ends although the points are equal with common random numbers; if the model has no chance, each point has one run', () => {
  const { values, extendTo } = slippage(1, 1);
  extendTo(50);
  const { counts, events } = played(selectionOf(kn, 10), 3, (_, n) => values[0]![n - 1]!);
  expect(events.find((event) => event.kind === 'winner')).toMatchObject({ ordinal: 0, isSure: true });
  expect(counts).toEqual([23 + REPORT, 23, 23]);
  const exact = played(selectionOf(kn, 1), 3, (point) => 3 - point);
  expect(exact.counts).toEqual([1, 1, 1]);
  expect(exact.story.summary.best).toMatchObject({ ordinal: 2, value: 1, interval: null, runs: 1 });
});

test('a comparison of points with equal values ends after some 300 replications of each, and the value has no interval', () => {
  const { counts, story } = played(selectionOf({ ...kn, indifference: 1 }, 10), 3, (point) => 3 - point);
  expect(story.summary.best).toMatchObject({ ordinal: 2, value: 1, interval: null });
  expect(sum(counts)).toBeGreaterThanOrEqual(3 * 300);
  expect(sum(counts)).toBeLessThanOrEqual(3 * 450);
});

test('the decision keeps its promise for rare results, which may be missing from the first runs of each point', () => {
  const [rare, rarer] = [0.115, 0.0003];
  const campaign = selectionOf({ ...kn, indifference: 0.05 }, 10);
  campaign.goal = { output: 'P(`Fit error` > 0)', wants: 'highest' };
  const winners = Array.from({ length: 60 }, (_, seed) => {
    const streams = [rarer, rare].map((_, at) => new Stream(seed, `point ${at}`));
    const values = streams.map((stream, at) =>
      Array.from({ length: 2_100 }, () => Number(stream.uniform() < (at === 0 ? rarer : rare))),
    );
    const { events } = played(campaign, 2, (point, n) => values[point]![n - 1]!);
    return events.find((event) => event.kind === 'winner')!;
  });
  expect(winners.every(({ isSure }) => isSure)).toBe(true);
  // if equal results of a point counted as a proof that there is no chance, about 18 of 60 decisions would be wrong
  expect(winners.filter(({ ordinal }) => ordinal === 0).length).toBeLessThanOrEqual(3);
});

test('the share of runs with a property has an interval even if all runs have it, and the best point has further runs', () => {
  const shares = (rule: Partial<Selection>, replications = 10) => {
    const campaign = selectionOf(rule, replications);
    campaign.goal = { output: 'P(`Fit error` > 0)', wants: 'highest' };
    return played(campaign, 2, (point) => point);
  };
  const { story, counts } = shares({ ...kn, indifference: 0.1, report: 30 });
  const interval = [expect.closeTo(0.8865, 4), 1];
  expect(story.summary.best).toMatchObject({ ordinal: 1, value: 1, interval, runs: 30, choice: 'compared' });
  expect(counts).toEqual([10, 40]);
  expect(sum(shares({ method: 'ocba', runs: 50, report: 5 }).counts)).toBe(55);
  // without a seed each point has one run, and its result is certain
  const exact = shares({ ...kn, indifference: 0.1 }, 1);
  expect(exact.counts).toEqual([1, 1]);
  expect(exact.story.summary.best).toMatchObject({ ordinal: 1, value: 1, interval: null, runs: 1 });
});

test('while points are compared, the interval of the best one has the variance of the others', () => {
  const campaign = selectionOf(kn, 4);
  // the best point varies less by luck: the variances are 0.01, 1 and 4
  const values = [
    [0.9, 1.1, 1.1, 0.9, 1],
    [2, 4, 3, 2, 4],
    [5, 9, 7, 5, 9],
  ];
  const points = values.map((own, ordinal) => ({
    ordinal,
    key: `key ${ordinal}`,
    values: [String(ordinal)],
    isWhole: true,
    runs: own.map((value, at) => ({ replication: at + 1, outputs: { 'Fit error': String(value) } })),
  }));
  const { best } = selectStoryOf(campaign, [], points).summary;
  expect(best).toMatchObject({ ordinal: 0, value: 1, among: 3 });
  // Student's t with 4 degrees of freedom at a confidence of 1 - 0.05 / 3 (SciPy), and the mean variance of the others
  const half = 3.9608 * Math.sqrt((1 + 4) / 2 / 5);
  expect(best!.interval![0]).toBeCloseTo(1 - half, 3);
  expect(best!.interval![1]).toBeCloseTo(1 + half, 3);
});

test('no decision is made before all runs have finished', () => {
  const campaign = selectionOf(kn, 2);
  const finalists: SearchEvent = { kind: 'finalists', ordinals: [0, 1], after: 0 };
  const runs = [1, 2].map((replication) => ({ replication, outputs: { 'Fit error': '1' } }));
  const next = nextOfSelection(campaign, 2, [finalists], new Map([[0, runs]]));
  expect(next).toEqual({ events: [], replications: [] });
});
