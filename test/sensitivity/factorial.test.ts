import { describe, expect, test } from '@jest/globals';
import { aliasesOf, factorialIndices } from '../../src/sensitivity/factorial.ts';
import type { LevelPoints } from '../../src/sensitivity/factorial-table.ts';
import { fisherTail } from '../../src/statistics/tests.ts';
import { uniforms } from '../support/uniforms.ts';
import { names } from './functions.ts';

/** All combinations of levels. The last input varies fastest. */
function full(levels: readonly number[]): LevelPoints {
  const points = levels.reduce((product, count) => product * count, 1);
  const codes = levels.map((count, at) => {
    const stride = levels.slice(at + 1).reduce((product, other) => product * other, 1);
    return Uint16Array.from({ length: points }, (_, point) => Math.floor(point / stride) % count);
  });
  const values = levels.map((count) => ({
    names: Array.from({ length: count }, (_, level) => String(level)),
    areNumbers: true,
  }));
  return { inputs: names(levels.length), levels, values, codes, isFull: true, aliases: () => [] };
}

test('a replicated 2 × 2 × 2 design has the effects and tests of the textbook', () => {
  // D. C. Montgomery, Design and Analysis of Experiments, example 6.1: plasma etching with the factors gap, flow and
  // power
  const rows = [
    [550, 604],
    [1_037, 1_052],
    [633, 601],
    [1_075, 1_063],
    [669, 650],
    [749, 868],
    [642, 635],
    [729, 860],
  ];
  const design = full([2, 2, 2]);
  const found = factorialIndices(
    design,
    {
      means: Float64Array.from(rows, ([a, b]) => (a! + b!) / 2),
      replicates: (point) => rows[point]!.map((value, at) => ({ replication: at + 1, value })),
      isPaired: false,
    },
    0.95,
  );
  expect(found.warnings).toEqual([]);
  expect(found.indices.map(({ effect }) => effect!.toFixed(3))).toEqual(['-101.625', '7.375', '306.125']);
  const pairs = Object.fromEntries(found.secondOrder!.map(({ inputs, effect }) => [inputs.join(), effect]));
  expect(pairs['x1,x3']).toBeCloseTo(-153.625, 9);
  expect(found.indices[0]!.p).toBeCloseTo(0.0027, 4);
  expect(found.indices[1]!.p).toBeCloseTo(0.7639, 4);
  expect(found.secondOrder!.find(({ inputs }) => inputs.join() === 'x1,x3')!.p).toBeCloseTo(0.0002, 4);
  const [low, high] = found.indices[1]!.effectInterval!;
  // the standard error is 23.73, with 8 degrees of freedom
  expect((high - low) / 2).toBeCloseTo(2.306004 * Math.sqrt(2_252.5625 / 4), 4);
});

test('the shares of a full grid have the sum 1, and total indices are exact', () => {
  const design = full([3, 4]);
  const means = Float64Array.from({ length: 12 }, (_, point) => {
    const [a, b] = design.codes.map((codes) => codes[point]!) as [number, number];
    return a + 2 * b + a * b;
  });
  const { indices, secondOrder, warnings } = factorialIndices(design, { means, isPaired: false }, 0.95);
  const [a, b] = indices as [(typeof indices)[0], (typeof indices)[0]];
  expect(a.first! + b.first! + secondOrder![0]!.value!).toBeCloseTo(1, 12);
  expect(a.total).toBeCloseTo(1 - b.first!, 12);
  expect(b.total).toBeCloseTo(1 - a.first!, 12);
  expect(a.effect).toBeCloseTo(5, 12);
  expect(a).not.toHaveProperty('p');
  expect(warnings.join()).toContain('no estimate of the error');
});

test('the p-value of an effect of several levels comes from the F distribution', () => {
  // one factor has three levels, the other has two, and each point has two runs; the expected values come from a
  // computation by hand
  const design = full([3, 2]);
  const rows = [
    [1, 3],
    [2, 4],
    [5, 7],
    [6, 8],
    [9, 11],
    [10, 12],
  ];
  const { indices } = factorialIndices(
    design,
    {
      means: Float64Array.from(rows, ([a, b]) => (a! + b!) / 2),
      replicates: (point) => rows[point]!.map((value, at) => ({ replication: at + 1, value })),
      isPaired: false,
    },
    0.95,
  );
  // F(2, 6) = (128 / 2) / 2 = 32, with the tail probability (1 + 2 × 32 / 6)^-3
  expect(indices[0]!.p).toBeCloseTo((1 + 64 / 6) ** -3, 12);
});

test('tests and shares come from the analysis of variance of statsmodels', () => {
  const rows = [
    [3, 5],
    [4, 8],
    [9, 6],
    [12, 13],
    [2, 4],
    [3, 2],
  ];
  const { indices, secondOrder } = factorialIndices(
    full([3, 2]),
    {
      means: Float64Array.from(rows, ([a, b]) => (a! + b!) / 2),
      replicates: (point) => rows[point]!.map((value, at) => ({ replication: at + 1, value })),
      isPaired: false,
    },
    0.95,
  );
  // statsmodels 0.14: anova_lm(ols('y ~ C(a) * C(b)').fit())
  const squares = {
    a: 110.16666666666667,
    b: 14.083333333333334,
    ab: 15.166666666666666,
    error: 2.9166666666666665,
  };
  expect(indices[0]!.p).toBeCloseTo(0.0025756188110947534, 9);
  expect(indices[1]!.p).toBeCloseTo(0.07035363560972019, 9);
  expect(secondOrder![0]!.p).toBeCloseTo(0.15374453352769657, 9);
  // each sum of squares without its degrees of freedom times the error
  const all = squares.a + squares.b + squares.ab - 5 * squares.error;
  expect(indices[0]!.first).toBeCloseTo((squares.a - 2 * squares.error) / all, 9);
  expect(indices[1]!.first).toBeCloseTo((squares.b - squares.error) / all, 9);
  expect(secondOrder![0]!.value).toBeCloseTo((squares.ab - 2 * squares.error) / all, 9);
});

test.each([false, true])(
  'an effect on a share is not certain after two runs per point (paired: %s)',
  (isPaired) => {
    const rows = [
      [0, 0],
      [1, 1],
    ];
    const [found] = factorialIndices(
      full([2]),
      {
        means: Float64Array.of(0, 1),
        replicates: (point) => rows[point]!.map((value, replication) => ({ replication, value })),
        isPaired,
        isShare: true,
      },
      0.95,
    ).indices;
    expect(found).toMatchObject({ effect: 1, effectInterval: [expect.any(Number), 1] });
    expect(found!.effectInterval![0]).toBeLessThan(0);
    expect(found!.p).toBeGreaterThan(0.1);
  },
);

describe('a grid in which points have no value', () => {
  /** The analysis of a function of the levels with two replications, whose values are 0.1 above and below it. */
  function found(design: LevelPoints, of: (codes: number[]) => number | undefined) {
    const rows = Array.from({ length: design.codes[0]!.length }, (_, point) => {
      const value = of(design.codes.map((codes) => codes[point]!));
      return value === undefined ? [] : [value - 0.1, value + 0.1];
    });
    return factorialIndices(
      design,
      {
        means: Float64Array.from(rows, (row) => (row.length > 0 ? (row[0]! + row[1]!) / 2 : NaN)),
        replicates: (point) => rows[point]!.map((value, at) => ({ replication: at + 1, value })),
        isPaired: false,
      },
      0.95,
    );
  }

  test('has no effect of an input that only decides which points fail', () => {
    // the second value of x2 fails at the higher values of x1, so its mean is the lowest
    const { indices, secondOrder, warnings } = found(full([3, 6]), ([a, b]) =>
      b === 1 && a! > 0 ? undefined : a! ** 2 + b! / 100,
    );
    const [x1, x2] = indices as [(typeof indices)[0], (typeof indices)[0]];
    expect(x1.effect).toBeCloseTo(4, 9);
    expect(x1.p).toBeLessThan(1e-9);
    // F(5, 16) of the values 0, 0.01, …, 0.05 at the lowest value of x1, whose error variance is 0.02
    expect(x2.p).toBeCloseTo(fisherTail((2 * 0.00175) / 5 / 0.02, 5, 16), 9);
    expect(x2.first).toBeLessThan(0.001);
    // the interaction is unknown, and total indices would include it
    for (const one of indices) expect(one).not.toHaveProperty('total');
    expect(secondOrder).toEqual([]);
    expect(warnings).toEqual([
      expect.stringContaining('2 of 18 points have no value, so the factorial is not balanced: '),
      'x1 × x2: unknown, because there is no such combination.',
    ]);
  });

  test('has no effect of an input that is not in the function, whatever the interactions of the others are', () => {
    const { indices, secondOrder } = found(full([2, 2, 2, 2]), ([a, b, c, d]) =>
      a! + b! + c! + d! === 4 ? undefined : 10 * a! * b! * c!,
    );
    expect(indices.map(({ effect }) => effect === 0)).toEqual([false, false, false, true]);
    // the shares are without the part of chance, so an estimate may be a little below 0
    expect(indices[3]).toMatchObject({ p: 1 });
    for (const share of [indices[3]!.first!, indices[3]!.total!]) expect(Math.abs(share)).toBeLessThan(0.001);
    const ofLast = secondOrder!.filter(({ inputs }) => inputs.includes('x4'));
    expect(ofLast.map(({ p }) => p)).toEqual([1, 1, 1]);
  });

  test('has no share above 1, even if the compared points vary more than all points', () => {
    // x2 has both values only at the lowest and the highest value of x1
    const { indices } = found(full([5, 2]), ([a, b]) =>
      a! % 4 > 0 ? (b === 0 ? 0 : undefined) : 10 * b! - 5,
    );
    expect(indices[1]!.first).toBeCloseTo(1, 9);
    expect(indices[1]).not.toHaveProperty('total');
  });

  test('leaves out a value at which all points fail', () => {
    const { indices } = found(full([3, 2]), ([a, b]) => (a === 2 ? undefined : a! + b!));
    // the two runs of a point differ by 0.2, so the error adds 0.01 to each sum of squares of 1, and 0.03 to the whole of 2
    expect(indices.map(({ first }) => first!.toFixed(3))).toEqual(['0.503', '0.503']);
    expect(indices[0]).not.toHaveProperty('effect');
  });

  test('does not know an effect without a combination of the other inputs that has all values', () => {
    const { indices, warnings } = found(full([3, 2]), ([a, b]) => (a === b ? undefined : a! + b!));
    expect(indices[0]).toEqual({ input: 'x1' });
    expect(indices[1]!.effect).toBeCloseTo(1, 9);
    expect(warnings.join()).toContain('x1: unknown');
    expect(found(full([2, 2]), ([a, b]) => (a === b ? undefined : a)).indices).toEqual([]);
  });
});

test('aliasesOf names the effects that a fraction cannot distinguish', () => {
  // the generator is x4 = x1 x2 x3
  const aliases = aliasesOf(names(4), [null, null, null, { of: [0, 1, 2], sign: 1 }]);
  expect(aliases([0])).toEqual([]);
  expect(aliases([0, 1])).toEqual(['x3 × x4']);
  // the generator is x3 = −x1 x2
  const small = aliasesOf(names(3), [null, null, { of: [0, 1], sign: -1 }]);
  expect(small([2])).toEqual(['−x1 × x2']);
  expect(small([0])).toEqual(['−x2 × x3']);
});

test('equal means have an effect of 0, without rounding errors', () => {
  // 0.1 + 0.7 and 0.3 + 0.5 differ by 1e-16
  const { indices } = factorialIndices(
    full([2, 2]),
    { means: Float64Array.of(0.1, 0.7, 0.3, 0.5), isPaired: false },
    0.95,
  );
  expect(indices.map(({ effect }) => effect)).toEqual([0, expect.closeTo(0.4, 12)]);
});

test('common random numbers whose chance is a function of the inputs are no effect at three levels', () => {
  const design = full([3, 3]);
  const random = uniforms(11);
  let [mains, pairs] = [0, 0];
  const campaigns = 200;
  for (let campaign = 0; campaign < campaigns; campaign += 1) {
    // each of 5 seeds has slopes of its own, whose mean is 0
    const seeds = Array.from({ length: 5 }, () => [random(), random(), random()].map((one) => one - 0.5));
    const runs = Array.from({ length: 9 }, (_, point) => {
      const [a, b] = design.codes.map((codes) => codes[point]!) as [number, number];
      return seeds.map(([ofA, ofB, both], at) => ({
        replication: at + 1,
        value: ofA! * a + ofB! * b + both! * a * b,
      }));
    });
    const found = factorialIndices(
      design,
      {
        means: Float64Array.from(runs, (own) => own.reduce((sum, { value }) => sum + value, 0) / 5),
        replicates: (point) => runs[point]!,
        isPaired: true,
      },
      0.95,
    );
    if (found.indices[0]!.p! < 0.05) mains += 1;
    if (found.secondOrder![0]!.p! < 0.05) pairs += 1;
  }
  // with residuals that count as independent, these shares are far above a half
  for (const count of [mains, pairs]) expect(count / campaigns).toBeLessThan(0.1);
});

test.each([
  { levels: [2, 8], seeds: 10, isShare: true },
  { levels: [2, 2], seeds: 8, isShare: true },
  { levels: [2, 8], seeds: 5, isShare: false },
  { levels: [3, 4], seeds: 10, isShare: false },
  { levels: [4, 2], seeds: 50, isShare: false },
])(
  'chance that is common to the points with a value of one input is no effect of it: $seeds seeds, $levels, shares: $isShare',
  ({ levels, seeds, isShare }) => {
    const design = full(levels);
    const random = uniforms(12);
    const points = design.codes[0]!.length;
    let [significant, missed, sure] = [0, 0, 0];
    const campaigns = 300;
    for (let campaign = 0; campaign < campaigns; campaign += 1) {
      const common = Array.from({ length: seeds }, () =>
        Array.from({ length: levels[0]! }, () => (isShare ? Number(random() < 0.5) : random())),
      );
      const runs = Array.from({ length: points }, (_, point) =>
        common.map((ofSeed, at) => {
          const value = ofSeed[design.codes[0]![point]!]!;
          const flipped = isShare ? (random() < 0.05 ? 1 - value : value) : value + 0.1 * random();
          return { replication: at + 1, value: flipped };
        }),
      );
      const { indices } = factorialIndices(
        design,
        {
          means: Float64Array.from(runs, (own) => own.reduce((sum, { value }) => sum + value, 0) / seeds),
          replicates: (point) => runs[point]!,
          isPaired: true,
          isShare,
        },
        0.95,
      );
      // all means may be equal
      const { p = 1, effectInterval, firstInterval } = indices[0] ?? {};
      if (p < 0.05) significant += 1;
      if (effectInterval && (effectInterval[0] > 0 || effectInterval[1] < 0)) missed += 1;
      if (firstInterval && firstInterval[0] > 0.1) sure += 1;
    }
    // the effects have the confidence 0.95
    for (const count of [significant, missed, sure]) expect(count / campaigns).toBeLessThan(0.09);
  },
);

describe('shares with common random numbers', () => {
  /** The analysis of runs by point and replication. */
  const of = (levels: readonly number[], rows: readonly (readonly number[])[], isShare = false) => {
    const means = Float64Array.from(rows, (own) => own.reduce((sum, one) => sum + one, 0) / own.length);
    const replicates = (point: number) => rows[point]!.map((value, at) => ({ replication: at + 1, value }));
    return factorialIndices(full(levels), { means, replicates, isPaired: true, isShare }, 0.95);
  };

  test('are without the chance that each part has between replications', () => {
    // 2 + 4 a + b, where chance changes only the effect of a: by -1, 0 and 1; the runs of a replication share a number
    const rows = [0, 1].flatMap((a) =>
      [0, 1].map((b) => [-1, 0, 1].map((chance) => 2 + 4 * a + b + chance * a + 3.7 * chance)),
    );
    const { indices, secondOrder } = of([2, 2], rows);
    // the sums of squares are 16 and 1; the mean effect of a has a variance of 1 / 3, which its sum of squares has too
    expect(indices.map(({ first }) => first)).toEqual([
      expect.closeTo((16 - 1 / 3) / (17 - 1 / 3), 9),
      expect.closeTo(1 / (17 - 1 / 3), 9),
    ]);
    expect(secondOrder![0]!.value).toBeCloseTo(0, 9);
  });

  test('reach from 0 to 1 at most, and to 0 if the test says nothing', () => {
    const random = uniforms(14);
    for (let campaign = 0; campaign < 200; campaign += 1) {
      const seeds = 2 + (campaign % 5);
      const isShare = campaign % 2 === 0;
      const rows = Array.from({ length: 8 }, (_, point) =>
        Array.from({ length: seeds }, () =>
          isShare ? Number(random() < 0.2 + 0.1 * (point % 4)) : random() ** 3,
        ),
      );
      const { indices, secondOrder = [] } = of([2, 4], rows, isShare);
      const parts = [
        ...indices.map(({ first, firstInterval, p }) => ({ value: first, interval: firstInterval, p })),
        ...indices.map(({ total, totalInterval }) => ({
          value: total,
          interval: totalInterval,
          p: undefined,
        })),
        ...secondOrder,
      ];
      for (const { value, interval, p } of parts) {
        if (value === undefined || !interval) continue;
        expect(interval[0]).toBeLessThanOrEqual(value);
        expect(interval[1]).toBeGreaterThanOrEqual(value);
        expect(interval[1]).toBeLessThanOrEqual(1);
        if (p !== undefined && p > 0.05) expect(interval[0]).toBeLessThanOrEqual(0);
      }
    }
  });
});

test('with many common replications, an effect at one of eight levels is still seen', () => {
  const design = full([8, 2]);
  const random = uniforms(13);
  let seen = 0;
  for (let campaign = 0; campaign < 50; campaign += 1) {
    const runs = Array.from({ length: 16 }, (_, point) =>
      Array.from({ length: 50 }, (_run, at) => ({
        replication: at + 1,
        value: random() + (design.codes[0]![point] === 3 ? 0.15 : 0),
      })),
    );
    const means = Float64Array.from(runs, (own) => own.reduce((sum, { value }) => sum + value, 0) / 50);
    const values = { means, replicates: (point: number) => runs[point]!, isPaired: true };
    if (factorialIndices(design, values, 0.95).indices[0]!.p! < 0.05) seen += 1;
  }
  // as often as an analysis of variance sees it, whose noncentrality is 23.6: 0.96
  expect(seen).toBeGreaterThanOrEqual(42);
});
