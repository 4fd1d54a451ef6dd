import { expect, test } from '@jest/globals';
import { stepTests } from '../../src/sensitivity/exchange.ts';
import type { Replicate } from '../../src/sensitivity/replicates.ts';

/** The p-value of pairs of points. Pair n has the points 2 n and 2 n + 1. */
function pOf(points: readonly (readonly number[])[], isPaired = false): number {
  const runs = points.map((own) => own.map((value, at): Replicate => ({ replication: at + 1, value })));
  const steps = Array.from({ length: points.length / 2 }, (_, pair) => ({
    input: 0,
    from: 2 * pair,
    to: 2 * pair + 1,
    length: 1,
  }));
  const means = Float64Array.from(points, (own) => own.reduce((sum, one) => sum + one, 0) / own.length);
  return stepTests(1, steps, { means, replicates: (point) => runs[point]!, isPaired })[0]!;
}

/** The exact p-values of the difference and of the sum of squares, over all exchanges of pairs with two runs each. */
function exactOf(points: readonly (readonly number[])[]): { difference: number; squares: number } {
  const choices = [
    [0, 1],
    [0, 2],
    [0, 3],
    [1, 2],
    [1, 3],
    [2, 3],
  ];
  const pairs = Array.from({ length: points.length / 2 }, (_, pair) => {
    const pooled = [...points[2 * pair]!, ...points[2 * pair + 1]!];
    const all = pooled.reduce((sum, one) => sum + one, 0);
    return choices.map(([a, b]) => all / 2 - pooled[a!]! - pooled[b!]!);
  });
  const observed = pairs.map(([first]) => first!);
  const sum = (list: readonly number[]): number => list.reduce((total, one) => total + one, 0);
  const squares = (list: readonly number[]): number => sum(list.map((one) => one ** 2));
  let [count, ofDifference, ofSquares] = [0, 0, 0];
  const visit = (chosen: number[]): void => {
    if (chosen.length < pairs.length) {
      for (const one of pairs[chosen.length]!) visit([...chosen, one]);
      return;
    }
    count += 1;
    if (Math.abs(sum(chosen)) >= Math.abs(sum(observed)) - 1e-9) ofDifference += 1;
    if (squares(chosen) >= squares(observed) - 1e-9) ofSquares += 1;
  };
  visit([]);
  return { difference: ofDifference / count, squares: ofSquares / count };
}

test.each([
  [
    [
      [3.1, 2.2],
      [4.7, 5.2],
      [1.9, 0.3],
      [2.2, 4.1],
      [7.3, 6.6],
      [8.4, 9.9],
      [0.2, 1.4],
      [2.8, 1.1],
      [5, 4.4],
      [6.1, 7.7],
    ],
  ],
  [
    [
      [3.1, 9.2],
      [4.7, 5.2],
      [1.9, 0.3],
      [-2.2, 4.1],
      [7.3, 6.6],
      [1.4, 9.9],
      [0.2, 1.4],
      [2.8, 1.1],
      [5, 4.4],
      [6.1, -7.7],
    ],
  ],
  [
    [
      [3, 3.5],
      [9, 9.2],
      [9.1, 8.9],
      [3.3, 3.1],
      [2.9, 3.2],
      [8.7, 9.1],
      [9.4, 9],
      [3, 3.4],
      [3.3, 3.6],
      [9.2, 9.5],
    ],
  ],
])('a p-value is near twice the smaller one of both exact permutation tests', (points) => {
  const { difference, squares } = exactOf(points);
  const p = pOf(points);
  const exact = Math.min(1, 2 * difference, 2 * squares);
  expect(p).toBeGreaterThan(exact / 1.3);
  expect(p).toBeLessThan(1.7 * exact + 0.01);
});

test('an effect is never more certain than the number of exchanges allows', () => {
  // two of 6² exchanges have the largest difference
  const p = pOf([
    [0, 0.001],
    [100, 100.001],
    [0, 0.001],
    [100, 100.001],
  ]);
  expect(p).toBeGreaterThanOrEqual((2 * 2) / 36);
});

test('with common random numbers only the differences of replications count', () => {
  // the runs differ much, but each pair of runs differs by about 1
  const points = Array.from({ length: 10 }, (_, pair) => [
    [10 * pair, 50, 7].map((value) => value + 0.01 * pair),
    [10 * pair, 50, 7].map((value, at) => value + 1 + 0.02 * at),
  ]).flat();
  // on average over the pairs, the three differences are 0.955, 0.975 and 0.995
  expect(pOf(points, true)).toBeLessThan(1e-3);
  expect(pOf(points, false)).toBeGreaterThan(0.1);
});

test('equal values at all points show no effect', () => {
  expect(
    pOf([
      [1, 1],
      [1, 1],
    ]),
  ).toBe(1);
});

test('differences that come only from rounding are no effect', () => {
  const runs = [0.1, 0.2, 0.3, 0.4, 0.7, 0.9, 1.1, 1.3];
  const rounded = runs.map((one) => one * (1 + 4e-16));
  expect(rounded.every((one, at) => one > runs[at]!)).toBe(true);
  expect(pOf([runs, rounded], true)).toBe(1);
  // a small difference beyond rounding is one
  expect(pOf([runs, runs.map((one) => one + 1e-9)], true)).toBeLessThan(0.05);
  // the same sum in another order
  const [one, other] = [0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1];
  expect(one).not.toBe(other);
  expect(pOf([new Array<number>(8).fill(one), new Array<number>(8).fill(other)])).toBe(1);
});

test('with common random numbers, equal runs are as sure as equal signs of their number', () => {
  const runs = Array.from({ length: 40 }, (_, point) =>
    [1, 2, 3].map((replication) => ({ replication, value: point % 2 })),
  );
  const steps = Array.from({ length: 20 }, (_, pair) => ({
    input: 0,
    from: 2 * pair,
    to: 2 * pair + 1,
    length: 1,
  }));
  const values = {
    means: Float64Array.from(runs, ([run]) => run!.value),
    replicates: (point: number) => runs[point]!,
    error: { variance: 0.1, freedom: 80, isUnseen: true as const },
  };
  expect(stepTests(1, steps, { ...values, isPaired: true })).toEqual([1 / 4]);
  expect(stepTests(1, steps, { ...values, isPaired: false })[0]).toBeLessThan(1e-3);
});

test('with common random numbers, more pairs with the same chance are not more evidence', () => {
  // all pairs have the differences 1, 2 and 4 in their three replications: Student's t is 2.65 with 2 degrees of freedom
  const points = Array.from({ length: 40 }, (_, pair) => [
    [0, 5, 7].map((value) => value + pair),
    [1, 7, 11].map((value) => value + pair),
  ]).flat();
  expect(pOf(points, true)).toBeCloseTo(2 * 0.11808, 4);
  expect(pOf(points.slice(0, 2), true)).toBeCloseTo(2 * 0.11808, 4);
});

test('a pair of points counts as much as its step is long', () => {
  // long steps have an effect, and as many short ones have chance alone
  const runs = Array.from({ length: 40 }, (_, point) => {
    const value = point % 4 === 1 ? 1.4 : [0, 0.3, -0.4, 0.2][point % 3]!;
    return [value - 0.7, value + 0.7].map((one, at): Replicate => ({ replication: at + 1, value: one }));
  });
  const means = Float64Array.from(runs, ([one, other]) => (one!.value + other!.value) / 2);
  const pOfLengths = (long: number): number =>
    stepTests(
      1,
      Array.from({ length: 20 }, (_, pair) => ({
        input: 0,
        from: 2 * pair,
        to: 2 * pair + 1,
        length: pair % 2 === 0 ? long : 1,
      })),
      { means, replicates: (point) => runs[point]!, isPaired: false },
    )[0]!;
  expect(pOfLengths(5)).toBeLessThan(pOfLengths(1) / 5);
});
