import { expect, test } from '@jest/globals';
import { certaintyOf } from '../../src/sensitivity/contrast.ts';
import { swings } from '../../src/sensitivity/one-at-a-time.ts';

const places = [
  { value: '8', point: 0 },
  { value: '12', point: 2 },
];
const line = { input: 'x', places, numbers: { low: 8, high: 12, base: 10 } };

test('a power function has its known swing and elasticity', () => {
  const means = Float64Array.from([8, 10, 12], (x) => x ** 2);
  const [found] = swings([line], 1, { means, isPaired: false }, 0.95).indices;
  expect(found).toEqual({ input: 'x', low: 64, high: 144, effect: 80, elasticity: 2 });
});

test('equal differences have no interval: they are sure if the runs differ, and otherwise only as sure as a sign test', () => {
  const of = (own: readonly number[], effect: number) =>
    certaintyOf(
      effect,
      [
        { weight: 1, replicates: own.map((y, replication) => ({ replication, value: y + effect })) },
        { weight: -1, replicates: own.map((value, replication) => ({ replication, value })) },
      ],
      0.95,
      { isPaired: true },
    );
  // 0.1 + 0.2 is not 0.3 as a double, so these differences are equal only apart from rounding
  expect(of([0.10001, 0.7, 0.4], 0.2)).toEqual({ p: 0 });
  expect(of([0.10001, 0.7, 0.4], 0)).toEqual({ p: 1 });
  // tenths have few values, so three equal differences may be luck
  expect(of([0.1, 0.7, 0.4], 0.2)).toEqual({ p: 2 ** -2 });
  expect(of([5, 5, 5], 0.2)).toEqual({ p: 2 ** -2 });
});

test('with common random numbers, an interval comes from paired differences and is narrower', () => {
  // each replication adds the same number to all points, and a small number to the effect
  const values = [
    [0, 10, 20],
    [5, 15, 25],
    [2, 13, 24],
  ];
  const runs = (point: number) => values.map((row, at) => ({ replication: at, value: row[point]! }));
  const means = Float64Array.of(7 / 3, 38 / 3, 23);
  const paired = swings([line], 1, { means, replicates: runs, isPaired: true }, 0.95).indices[0]!;
  const apart = swings([line], 1, { means, replicates: runs, isPaired: false }, 0.95).indices[0]!;
  const width = ({ effectInterval: [low, high] = [0, 0] }: typeof paired) => high - low;
  // the differences are 20, 20 and 22, so half the interval is t × sd / √3. t is 4.302653, the quantile of Student's t
  // with 2 degrees of freedom
  expect(width(paired) / 2).toBeCloseTo((4.302653 * Math.sqrt(4 / 3)) / Math.sqrt(3), 5);
  expect(width(apart)).toBeGreaterThan(width(paired));
  expect(paired.elasticityInterval![0]).toBeLessThan(paired.elasticity!);
});

test('a warning names an input with a missing point, and the input has no effect', () => {
  const means = Float64Array.of(1, 2, NaN);
  const { indices, warnings } = swings([line], 1, { means, isPaired: false }, 0.95);
  expect(indices).toEqual([{ input: 'x' }]);
  expect(warnings.join()).toContain('the effects of x are unknown');
});

test('the swing of texts is from the lowest to the highest output, and holds for each pair of values', () => {
  const texts = ['a', 'c', 'b'].map((value, point) => ({ value, point }));
  const means = Float64Array.of(71, 75, 66);
  const replicates = (point: number) =>
    [-1, 1].map((by, at) => ({ replication: at, value: means[point]! + by }));
  const of = { means, replicates, isPaired: false };
  const [found] = swings([{ input: 't', places: texts }], 0, of, 0.95).indices;
  expect(found).toMatchObject({ low: 66, lowAt: 'b', high: 75, highAt: 'c', effect: 9 });
  expect(found).not.toHaveProperty('elasticity');
  // three pairs of values
  const pair = texts.slice(1);
  const [single] = swings([{ input: 't', places: pair }], 0, of, 1 - 0.05 / 3).indices;
  expect(found!.effectInterval).toEqual(single!.effectInterval);
});

test('the p-value belongs to the swing, also if two other values differ more surely', () => {
  // values that rise and fall: b is far away but noisy, and a and c are surely apart
  const rows = [
    [0, 0.1],
    [-20, 40],
    [1, 1.1],
  ];
  const replicates = (point: number) => rows[point]!.map((value, replication) => ({ replication, value }));
  const means = Float64Array.from(rows, ([one, other]) => (one! + other!) / 2);
  const texts = ['a', 'b', 'c'].map((value, point) => ({ value, point }));
  const [found] = swings(
    [{ input: 't', places: texts }],
    0,
    { means, replicates, isPaired: false },
    0.95,
  ).indices;
  expect(found).toMatchObject({ lowAt: 'a', highAt: 'b', p: 1 });
  expect(found!.effectInterval![0]).toBeLessThan(0);
});

test('the change of a share has the interval of a comparison', () => {
  const change = (from: number[], to: number[], isPaired = false) => {
    const rows = [from, [0, 1], to];
    const replicates = (point: number) => rows[point]!.map((value, replication) => ({ replication, value }));
    const means = Float64Array.from(rows, (row) => row.reduce((sum, value) => sum + value, 0) / row.length);
    return swings([line], 1, { means, replicates, isPaired, isShare: true }, 0.95).indices[0]!;
  };
  // the Wilson interval of 0 of 2 is from 0 to 0.657620, and that of 1 of 2 from 0.094531 to 0.905469
  expect(change([0, 0], [0, 1]).effectInterval![0]).toBeCloseTo(0.5 - Math.hypot(0.405469, 0.65762), 5);
  // the Wilson interval of 0 of 5 is from 0 to 0.434482
  const five = (value: number): number[] => new Array<number>(5).fill(value);
  const [low, high] = change(five(0), five(1)).effectInterval!;
  expect(low).toBeCloseTo(1 - 0.434482 * Math.SQRT2, 5);
  expect(high).toBe(1);
  const paired = change(five(0), five(1), true);
  expect(paired).not.toHaveProperty('elasticityInterval');
  // no arrangement of so few runs is rarer: 1 / 3, 1 / 10 and 1 / 126 by Fisher's exact test, twice 2^-n in pairs
  const most = (n: number, isPaired = false) =>
    change(new Array<number>(n).fill(0), new Array<number>(n).fill(1), isPaired);
  for (const [found, p] of [
    [most(2), 1 / 3],
    [most(3), 1 / 10],
    [most(5), 1 / 126],
    [most(2, true), 1 / 2],
    [most(3, true), 1 / 4],
    [most(5, true), 1 / 16],
  ] as const) {
    expect(found.p).toBeCloseTo(p, 9);
    expect(found.effectInterval![0] <= 0).toBe(p > 0.05);
  }
});

test('an interval has the size of the values, also if the squares of their variances are no numbers', () => {
  const of = (size: number) =>
    certaintyOf(
      6 * size,
      [
        { weight: 1, replicates: [7, 9, 8].map((y, replication) => ({ replication, value: y * size })) },
        { weight: -1, replicates: [1, 2, 3].map((y, replication) => ({ replication, value: y * size })) },
      ],
      0.95,
      { isPaired: false },
    )!;
  const { interval, p } = of(1);
  for (const size of [1e-100, 1e100]) {
    const found = of(size);
    expect(found.interval!.map((end) => end / size)).toEqual(interval!.map((end) => expect.closeTo(end, 9)));
    expect(found.p).toBeCloseTo(p, 9);
  }
});
