import { expect, test } from '@jest/globals';
import { sliceFigures } from '../../src/report/pictures/slices.ts';
import { analysisSentence } from '../../src/report/analysis/words.ts';
import { askedPoints } from '../../src/search/story.ts';
import { searchedAnalysis } from '../../src/sensitivity/searched.ts';
import { searched } from './searches.ts';
import { Stream } from '../../src/campaign/sampling/stream.ts';

test('the indices are exact to 0.05, although most points lie near one place', () => {
  const { campaign, asks } = searched((x) => 4 * x[0]! + 2 * x[1]!, { count: 60, near: 35 });
  const { indices, r2, warnings, runs } = searchedAnalysis(campaign, asks, false);
  expect([runs, warnings]).toEqual([60, []]);
  expect(r2).toBeGreaterThan(0.99);
  for (const [at, exact] of [0.8, 0.2, 0].entries()) {
    const { first, total, totalInterval } = indices![at]!;
    expect(Math.abs(first! - exact)).toBeLessThan(0.05);
    expect(Math.abs(total! - exact)).toBeLessThan(0.05);
    expect(totalInterval![0]).toBeLessThanOrEqual(exact + 0.03);
    expect(totalInterval![1]).toBeGreaterThanOrEqual(exact - 0.03);
  }
  // the same log gives the same analysis
  expect(searchedAnalysis(campaign, asks, false).indices).toEqual(indices);
});

test('failed points have a warning with their number and the inputs on which failures depend', () => {
  const { campaign, asks } = searched((x) => 4 * x[0]! + 2 * x[1]!, { count: 60, near: 0 });
  const failing = (fails: (a: number, at: number) => boolean) => {
    const lost = asks.map((ask, at) =>
      fails(Number(ask.values[0]), at) ? { ...ask, told: { ...ask.told!, value: null } } : ask,
    );
    const { warnings } = searchedAnalysis(campaign, lost, false);
    return { count: lost.filter(({ told }) => told!.value === null).length, warnings };
  };
  const rare = failing((_, at) => at % 20 === 7);
  expect(rare.warnings).toEqual([
    '3 of 60 points have no value of f. No dependence on the inputs is visible.',
  ]);
  expect(failing((_, at) => at === 7).warnings[0]).toMatch(/^1 of 60 points has no value of f\. /);
  const above = failing((a) => a > 0.6);
  expect(above.warnings).toEqual([
    `${above.count} of 60 points have no value of f. Whether a point has a value depends on a, so the model knows nothing of a part of the space.`,
  ]);
});

test('a model that predicts nothing gives no indices and no slices, and says why', () => {
  const stream = new Stream(2, 'noise');
  const { campaign, asks } = searched(() => stream.normal(), { count: 40, near: 10 });
  const analysis = searchedAnalysis(campaign, asks, true);
  const { r2, indices, slices, warnings } = analysis;
  expect(r2).toBeLessThan(0.5);
  expect([indices, slices]).toEqual([[], undefined]);
  expect(warnings).toEqual([
    expect.stringMatching(
      /^There are no indices, because the model of the search predicts only \d+ % of the variance of points outside the fit\. /,
    ),
  ]);
  expect(analysisSentence(analysis)).toMatch(
    /^It is unknown which inputs matter for f, because the model of the search predicts only \d+ % .* outside the fit\.$/,
  );
});

test('a model whose predictions have no shares of the variance gives no indices, and says why', () => {
  // the squares of such values are beyond the largest number
  const { campaign, asks } = searched((x) => 1e200 * (4 * x[0]! + 2 * x[1]!), { count: 40, near: 0 });
  const analysis = searchedAnalysis(campaign, asks, false);
  const why =
    'the predictions of the model of the search are too large, too small, or the same at nearly all points';
  expect(analysis.r2).toBeGreaterThan(0.99);
  expect([analysis.indices, analysis.warnings]).toEqual([[], [`There are no indices, because ${why}.`]]);
  expect(analysisSentence(analysis)).toBe(`It is unknown which inputs matter for f, because ${why}.`);
});

test('a sentence about a search names only inputs without which the model fits worse; the others are unknown', () => {
  const stream = new Stream(3, 'noise');
  const exact = searched((x) => 4 * x[0]! + 2 * x[1]!, { count: 40, near: 10 });
  const clear = searchedAnalysis(exact.campaign, exact.asks, false);
  expect(clear.indices!.map(({ p }) => p! < 0.001)).toEqual([true, true, false]);
  expect(analysisSentence(clear)).toMatch(/^a and b explain .*; the effect of c is unknown\.$/);
  // every total index is above 0, also that of an input without effect
  expect(clear.indices![2]!.totalInterval![0]).toBeGreaterThan(0);
  // with so few points and so much chance, nothing is sure
  const few = searched((x) => 2 * x[0]! + stream.normal(), { count: 10, near: 0 });
  expect(analysisSentence(searchedAnalysis(few.campaign, few.asks, true))).toMatch(
    /^It is unknown which inputs matter for f, because the (points of the search are too few to tell|model of the search predicts only \d+ % of the variance of points outside the fit)\.$/,
  );
});

test('slices go through the best point, and their values have the sign of the output', () => {
  const hill = (x: readonly number[]): number => (x[0]! - 0.25) ** 2 + 0.1 * x[1]!;
  const { campaign, asks } = searched(
    hill,
    { count: 40, near: 15 },
    { goal: { output: 'f', wants: 'highest' } },
  );
  const analysis = searchedAnalysis(campaign, asks, false);
  const { slices } = analysis;
  expect(slices!.map(({ input }) => input)).toEqual(['a', 'b', 'c']);
  for (const { points } of slices!)
    expect(points.every(({ value, low, high }) => low <= value && value <= high)).toBe(true);
  // the told values are the maximized output with the opposite sign
  const top = slices![0]!.points.reduce((one, other) => (other.value > one.value ? other : one));
  expect(Math.abs(top.x - 0.25)).toBeLessThan(0.05);
  const [figure] = sliceFigures(campaign, { points: askedPoints(campaign, { asks }) }, analysis);
  expect(figure).toMatchObject({ id: 'slices', title: 'f through the best point' });
});

test.each([
  [
    'a search with few points',
    { count: 5, near: 0 },
    (x: readonly number[]) => x[0]!,
    /5 points with a value are too few/,
  ],
  ['a search with a constant output', { count: 20, near: 0 }, () => 1, /the same at all points/],
])('%s has no indices, but a warning', (_, size, of, says) => {
  const { campaign, asks } = searched(of, size);
  const { indices, warnings } = searchedAnalysis(campaign, asks, false);
  expect(indices).toEqual([]);
  expect(warnings).toEqual([expect.stringMatching(says)]);
});
