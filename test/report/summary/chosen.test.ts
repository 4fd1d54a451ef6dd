import { expect, test } from '@jest/globals';
import { renderReport } from '../../../src/report/html/html.ts';
import { bestOfDesign, BestPoints, chosenInterval } from '../../../src/report/summary/chosen.ts';
import { OutputSample } from '../../../src/report/summary/points.ts';
import type { ResultRow } from '../../../src/store/index.ts';
import { countsOf, doubles, sampleRecord, sampleRow, SEED, stream } from '../support.ts';

const measure = { name: 'f', statistic: 'mean' } as const;
/** A campaign with chance. */
const random = { base: [SEED], precision: null };

function pointOf(values: readonly number[]) {
  const f = new OutputSample();
  for (const value of values) f.add(value);
  return { samples: { f } };
}

test('the interval of the best of four points has a fourth of the error, and at least the variance of the next points', () => {
  // the best point has the variance 1 and the next ones 4 and 9; scipy 1.17: t.ppf(1 - 0.05 / 8, 2) is 8.860172
  const best = [pointOf([1, 2, 3]), pointOf([1, 3, 5]), pointOf([1, 4, 7])];
  const [low, high] = chosenInterval(random, measure, best, 4)!;
  const half = 8.860172 * Math.sqrt((4 + 9) / 2 / 3);
  expect(low).toBeCloseTo(2 - half, 4);
  expect(high).toBeCloseTo(2 + half, 4);
});

test('the best point has no interval if its values are equal', () => {
  expect(chosenInterval(random, measure, [pointOf([0, 0, 0]), pointOf([1, 5, 9])], 2)).toBeNull();
});

test('the best share has an interval only if the model has chance', () => {
  const share = { ...measure, statistic: 'share' } as const;
  expect(chosenInterval(random, share, [pointOf([1])], 2)).not.toBeNull();
  expect(chosenInterval({ ...random, base: [] }, share, [pointOf([1])], 2)).toBeNull();
});

test('the report says that the best value of a grid is lucky, what its interval knows, and how many points are tied', async () => {
  const rates = [1, 2, 3, 4];
  const record = sampleRecord({
    grid: [doubles('Contact rate', rates)],
    base: [SEED],
    replications: 3,
    outputs: [{ name: 'Peak day', type: 'DOUBLE', units: null }],
    goal: { output: 'Peak day', wants: 'lowest' },
  });
  // the points 2 and 4 have the same mean
  const rows = rates.flatMap((rate, at) =>
    [1, 2, 4].map((value, n) => ({
      ...sampleRow(at, [String(rate)], n + 1),
      outputs: { 'Peak day': String(value + (rate % 2 === 0 ? 0 : 5)) },
    })),
  );
  const page = await renderReport(record, countsOf(12), stream(rows), {
    goal: { output: 'Peak day', wants: 'lowest' },
  });
  expect(page).toContain('1 other point has exactly this value');
  expect(page).toContain('the interval allows for the choice among 4 points');
  expect(page).toContain('If chance affects the output, the best value tends to be too good');
  expect(page).toContain('2 points have exactly the value of the first one');
});

test('the best point counts its runs without a value: failed runs, and runs whose output is missing', async () => {
  const { campaign } = sampleRecord({
    grid: [doubles('Contact rate', [1])],
    outputs: [{ name: 'Peak day', type: 'DOUBLE', units: null }],
    goal: { output: 'Peak day', wants: 'lowest' },
  });
  const row = (n: number) => sampleRow(0, ['1'], n);
  const rows: ResultRow[] = [
    { ...row(1), outputs: { 'Peak day': '4' } },
    { ...row(2), status: 'failed', outputs: {} },
    { ...row(3), outputs: {} },
    { ...row(4), outputs: { 'Peak day': '6' } },
  ];
  expect(await bestOfDesign(campaign, stream(rows))).toMatchObject({ value: 5, runs: 2, failed: 2 });
});

test.each([
  ['whole numbers', [0, 0, 1], [0, 1, 0]],
  ['whole numbers in another order', [0, 1, 0], [0, 0, 1]],
  ['decimals', [0.1, 0.5], [0.2, 0.4]],
  ['decimals in another order', [0.2, 0.4], [0.1, 0.5]],
  ['decimals that cancel', [0.1, 0.2, -0.3], [-0.3, 0.2, 0.1]],
  ['decimals that cancel, and zeros', [0.1, 0.2, -0.3], [0, 0, 0]],
])('points with equal means of %s are tied, and the first one comes first', (_, ...points) => {
  const found = new BestPoints('lowest');
  for (const [at, values] of points.entries()) {
    const point = { ...pointOf(values), key: `p${at}`, values: [], draws: 1, runs: 3, failed: 0, curves: {} };
    found.add(point, point.samples.f.mean!);
  }
  expect(found.choice).toMatchObject({ among: 2, tied: 1 });
  expect(found.points.map(({ key }) => key)).toEqual(['p0', 'p1']);
});
