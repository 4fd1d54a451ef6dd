import { expect, test } from '@jest/globals';
import { Stream } from '../../../src/campaign/sampling/stream.ts';
import { allocateOcba, nextOfOcba, type OcbaInput } from '../../../src/search/selection/ocba.ts';
import fc from '../../support/fast-check.ts';

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const isWhole = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

test('the allocation equals the allocation in the textbook', () => {
  // C.-H. Chen and L. H. Lee, Stochastic Simulation Optimization, World Scientific 2011, page 49
  expect(allocateOcba([1, 2, 3, 4, 5], [1, 1, 9, 9, 4], 50)).toEqual([11, 9, 19, 9, 2]);
});

test('the allocation divides exactly the whole budget into whole numbers of runs, for any systems', () => {
  const system = fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: 0, max: 9 }));
  const systems = fc.array(system, { minLength: 2, maxLength: 12 });
  fc.assert(
    fc.property(systems, fc.integer({ min: 1, max: 500 }), (given, budget) => {
      const [means, variances] = [given.map(([mean]) => mean), given.map(([, variance]) => variance)];
      const runs = allocateOcba(means, variances, budget);
      expect(sum(runs)).toBe(budget);
      expect(runs.every(isWhole)).toBe(true);
    }),
  );
});

test('systems get equal shares of the budget if all are equal or none has a variance, and a single system without variance gets no run', () => {
  expect(allocateOcba([1, 1], [4, 4], 10)).toEqual([5, 5]);
  expect(allocateOcba([1, 2, 3], [4, 0, 4], 10)[1]).toBe(0);
  expect(allocateOcba([1, 2], [0, 0], 10)).toEqual([5, 5]);
});

/** Spends the budget on systems whose values are normal with the means 1, 2, ... and a standard deviation of 6. */
function chosen(systems: number, seed: number, input: Omit<OcbaInput, 'values'>) {
  const streams = Array.from({ length: systems }, (_, at) => new Stream(seed, `system ${at}`));
  const values: (number | null)[][] = streams.map(() => []);
  let hasFewer = false;
  for (;;) {
    const next = nextOfOcba({ ...input, values });
    if (next.decided) return { best: next.best, counts: values.map(({ length }) => length), hasFewer };
    for (const [at, own] of values.entries()) {
      hasFewer ||= next.replications[at]! < own.length;
      while (own.length < next.replications[at]!) own.push(at + 1 + 6 * streams[at]!.normal());
    }
  }
}

test('the allocation finds the best system more often than equal shares of the same number of runs', () => {
  const REPEATS = 200;
  const rule = { isShare: false, first: 5, step: 20, runs: 400 };
  const results = Array.from({ length: REPEATS }, (_, seed) => chosen(10, seed, rule));
  expect(results.every(({ counts, hasFewer }) => sum(counts) === 400 && !hasFewer)).toBe(true);
  const right = results.filter(({ best }) => best === 0).length;
  // equal shares find the best in 74 % of repeats and OCBA in 88 %; two standard errors are 5 %
  expect(right / REPEATS).toBeGreaterThan(0.83);
});

test('failed replications count as runs, and a system that always fails is never the best', () => {
  const rule = { isShare: false, first: 3, step: 6, runs: 30 };
  const failing = [null, null, null];
  const values = [failing, [2, 3, null], [4, null, null]];
  const next = nextOfOcba({ ...rule, values });
  expect(next).toMatchObject({ decided: false });
  if (next.decided) return;
  expect(next.replications[0]).toBe(3);
  expect(sum(next.replications)).toBe(15);
  expect(nextOfOcba({ ...rule, runs: 9, values })).toEqual({ decided: true, best: 1 });
  expect(nextOfOcba({ ...rule, values: [failing, failing] })).toEqual({ decided: true, best: null });
  // if only one system has values, there is nothing to compare
  expect(nextOfOcba({ ...rule, values: [failing, [1, 2, 3]] })).toEqual({ decided: true, best: 1 });
});

test('each system gets its first replications before the budget is divided', () => {
  const rule = { isShare: false, first: 4, step: 6, runs: 30 };
  expect(nextOfOcba({ ...rule, values: [[], [1, 2, 3, 4, 5]] })).toEqual({
    decided: false,
    replications: [4, 5],
  });
});

test('of systems with equal shares the first one is chosen, in whatever order their ones come', () => {
  const [ones, zeros] = [
    [1, 1, 1, 1],
    [0, 0, 0, 0, 0, 0],
  ];
  const values = [
    [...zeros, ...ones],
    [...ones, ...zeros],
    [0, 1, 0, 1, 0, 0, 1, 0, 1, 0],
  ];
  for (const order of [values, values.toReversed()])
    expect(nextOfOcba({ values: order, isShare: true, first: 10, step: 5, runs: 30 })).toEqual({
      decided: true,
      best: 0,
    });
});

test('rounding does not choose between equal means', () => {
  const input = { isShare: false, first: 2, step: 2, runs: 4 };
  // by rounding, the mean of 0.2 and 0.4 is larger than the mean of 0.1 and 0.5
  expect(
    nextOfOcba({
      ...input,
      values: [
        [0.2, 0.4],
        [0.1, 0.5],
      ],
    }),
  ).toEqual({ decided: true, best: 0 });
});
