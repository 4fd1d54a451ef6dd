import { expect, test } from '@jest/globals';
import { streamKey, uniformAt } from '../../src/campaign/sampling/threefry.ts';
import { saltelliRows } from '../../src/campaign/sampling/saltelli.ts';
import { sobolIndices, type SaltelliLayout } from '../../src/sensitivity/sobol-indices.ts';
import { ISHIGAMI, ishigami, names, SOBOL_G, sobolG } from './functions.ts';

type Function = (unit: readonly number[]) => number;

/** The values of a function at the points of a Saltelli design, in the order of its rows. */
function design(of: Function, size: Omit<SaltelliLayout, 'inputs'> & { inputs: number; seed: number }) {
  const layout: SaltelliLayout = { ...size, inputs: names(size.inputs) };
  const rows = saltelliRows({ ...size, inputs: layout.inputs.map((name) => ({ name })) });
  return { layout, values: Float64Array.from(rows, ({ unit }) => of(unit)) };
}

test.each([
  ['Ishigami', ishigami, ISHIGAMI],
  ['Sobol G', sobolG, SOBOL_G],
])('the indices of %s are exact to 0.03 in each of ten scrambles of 1,024 points', (_, of, exact) => {
  for (let seed = 0; seed < 10; seed += 1) {
    const { layout, values } = design(of, {
      inputs: exact.first.length,
      points: 1_024,
      scrambles: 1,
      secondOrder: false,
      seed,
    });
    const { indices } = sobolIndices(layout, values, 0.95);
    for (const [at, { first, total }] of indices.entries()) {
      expect(Math.abs(first! - exact.first[at]!)).toBeLessThan(0.03);
      expect(Math.abs(total! - exact.total[at]!)).toBeLessThan(0.03);
    }
  }
});

test('a second-order index is close to the exact joint effect of two inputs', () => {
  const { layout, values } = design(ishigami, {
    inputs: 3,
    points: 512,
    scrambles: 8,
    secondOrder: true,
    seed: 1,
  });
  const { secondOrder } = sobolIndices(layout, values, 0.95);
  expect(secondOrder!.map(({ inputs }) => inputs.join())).toEqual(['x1,x2', 'x1,x3', 'x2,x3']);
  for (const [at, exact] of [0, 0.243684, 0].entries()) {
    const { value, interval } = secondOrder![at]!;
    expect(Math.abs(value! - exact)).toBeLessThan(0.02);
    expect(interval![0]).toBeLessThan(interval![1]);
  }
});

test.each([
  ['from scrambles', 8, 32],
  ['from a bootstrap', 1, 64],
])('intervals %s contain at least 93 %% of the indices of 200 repeats', (_, scrambles, points) => {
  const held = { first: 0, total: 0 };
  for (let seed = 0; seed < 200; seed += 1) {
    const { layout, values } = design(ishigami, { inputs: 3, points, scrambles, secondOrder: false, seed });
    for (const [at, one] of sobolIndices(layout, values, 0.95).indices.entries()) {
      const isIn = ([low, high]: [number, number], exact: number) => low <= exact && exact <= high;
      if (isIn(one.firstInterval!, ISHIGAMI.first[at]!)) held.first += 1;
      if (isIn(one.totalInterval!, ISHIGAMI.total[at]!)) held.total += 1;
    }
  }
  expect(held.first / 600).toBeGreaterThanOrEqual(0.93);
  expect(held.total / 600).toBeGreaterThanOrEqual(0.93);
});

test('a base point with a missing value is left out, and a constant has no indices', () => {
  const { layout, values } = design(ishigami, {
    inputs: 3,
    points: 64,
    scrambles: 2,
    secondOrder: false,
    seed: 1,
  });
  values[7] = NaN;
  const found = sobolIndices(layout, values, 0.95);
  expect(found).toMatchObject({ used: 127, scrambles: 2 });
  expect(sobolIndices(layout, values.fill(0.1), 0.95).indices).toEqual([]);
});

test('indices are corrected for chance, also if rows are often the same point', () => {
  // x is continuous, On has two values, and Rule three. The variances of their parts are 1/3, 1/16 and 0
  const levels = [Infinity, 2, 3];
  const sums = new Float64Array(6);
  const size = { points: 128, scrambles: 4, secondOrder: false };
  const repeats = 40;
  for (let seed = 0; seed < repeats; seed += 1) {
    const seen = new Map<string, number>();
    const noise = streamKey('chance', seed, 'y');
    const points: number[] = [];
    const { layout, values } = design(
      (unit) => {
        const [x, on, rule] = unit.map((u, at) =>
          levels[at] === Infinity ? u : Math.floor(u * levels[at]!),
        );
        const key = [x, on, rule].join();
        if (!seen.has(key)) seen.set(key, seen.size);
        points.push(seen.get(key)!);
        return 2 * x! + on! / 2 + Math.sqrt(3) * (uniformAt(noise, seen.get(key)!, 0) - 0.5);
      },
      { ...size, inputs: 3, seed },
    );
    // the variance of chance is 1/4
    const variances = new Float64Array(seen.size).fill(1 / 4);
    const chance = { kind: 'estimated', variances, points: Int32Array.from(points), freedom: 1_000 } as const;
    const { indices } = sobolIndices(layout, values, 0.95, chance);
    for (const [at, { first, total }] of indices.entries()) {
      sums[at]! += first! / repeats;
      sums[3 + at]! += total! / repeats;
    }
  }
  const exact = [16 / 19, 3 / 19, 0];
  for (const [at, mean] of sums.entries()) expect(Math.abs(mean - exact[at % 3]!)).toBeLessThan(0.02);
});
