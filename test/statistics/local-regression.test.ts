import { describe, expect, test } from '@jest/globals';
import { LocalRegression } from '../../src/statistics/local-regression.ts';
import { studentQuantile } from '../../src/statistics/student.ts';

const GOLDEN = 0.6180339887498949;
const LINE = Array.from({ length: 30 }, (_, i) => [((i + 1) * GOLDEN) % 1]);
const ON_LINE = LINE.map(([x], i) => Math.sin(6 * x!) + 0.3 * Math.cos(37 * (i + 1)));
const PLANE = Array.from({ length: 40 }, (_, i) => [
  ((i + 1) * GOLDEN) % 1,
  (0.1 + (i + 1) * 0.41421356237309515 + 0.1 * Math.sin((i + 1) ** 2)) % 1,
]);
const ON_PLANE = PLANE.map(([x, y], i) => Math.exp(x!) * y! + 0.1 * Math.cos(37 * (i + 1)));

function found(smooth: LocalRegression, places: number[][]) {
  const quantile = studentQuantile(0.975, smooth.freedom);
  return places.map((place) => {
    const { value, low, high } = smooth.at(place, 0.95);
    return [value, (high! - low!) / 2 / quantile];
  });
}

function expectClose(values: number[][], expected: number[][]): void {
  for (const [i, row] of expected.entries())
    for (const [j, value] of row.entries()) expect(values[i]![j]).toBeCloseTo(value, 10);
}

// The expected values come from Cleveland's own Fortran program, in scikit-misc 0.5.3 for Python: loess(x, y, span=…,
// degree=2, normalize=False, surface='direct', statistics='exact'). The function expects all values of the first input,
// then all values of the second input. predict(…, stderror=True) gives the value and the standard error, and
// outputs.one_delta gives the degrees of freedom.
describe('local regression agrees with Cleveland and Devlin', () => {
  test('for one input', () => {
    const smooth = new LocalRegression(LINE, ON_LINE, { spans: [0.5] });
    expectClose(found(smooth, [[0.05], [0.31], [0.5], [0.97]]), [
      [0.2121275977200116, 0.1440110791897923],
      [0.960949979062766, 0.1044274478227017],
      [0.12318825552666544, 0.10151599211923666],
      [-0.44247739394269103, 0.15823094481283784],
    ]);
    expect(smooth.freedom).toBeCloseTo(22.389731334197165, 10);
  });

  test('for two inputs', () => {
    const smooth = new LocalRegression(PLANE, ON_PLANE, { spans: [0.75] });
    const places = [
      [0.5, 0.5],
      [0.2, 0.9],
      [0.35, 0.1],
    ];
    expectClose(found(smooth, places), [
      [0.8437390616801859, 0.04056493108605368],
      [1.0753345524864484, 0.044173417624232755],
      [0.1506490743321261, 0.038020359437066484],
    ]);
    expect(smooth.freedom).toBeCloseTo(26.752601286662237, 10);
  });
});

test('the regression reproduces a quadratic polynomial, and the interval has no width', () => {
  const values = PLANE.map(([x, y]) => 3 - x! + 2 * y! + 4 * x! * y! - y! * y!);
  const smooth = new LocalRegression(PLANE, values);
  const { value, low, high } = smooth.at([0.4, 0.7], 0.95);
  expect(value).toBeCloseTo(3 - 0.4 + 1.4 + 1.12 - 0.49, 9);
  expect(high! - low!).toBeLessThan(1e-9);
  expect(smooth.explained).toBeCloseTo(1, 9);
});

test('the regression uses few neighbours for a curve, and all neighbours for noise', () => {
  const places = Array.from({ length: 60 }, (_, i) => [i / 59]);
  const noise = (i: number): number => 0.2 * Math.cos(37 * i * i);
  expect(
    new LocalRegression(
      places,
      places.map(([x]) => Math.sin(20 * x!)),
    ).span,
  ).toBe(0.25);
  const flat = new LocalRegression(
    places,
    places.map((_, i) => noise(i)),
  );
  expect(flat.span).toBe(1);
  expect(flat.explained).toBeLessThan(0.1);
});

test('if the points have only one or two distinct places, the regression leaves terms out', () => {
  const places = Array.from({ length: 20 }, (_, i) => [i % 2]);
  const smooth = new LocalRegression(
    places,
    places.map(([x], i) => 10 * x! + (i % 4 < 2 ? 1 : -1)),
  );
  expect(smooth.at([1], 0.95).value).toBeCloseTo(10, 9);
  const alike = new LocalRegression(
    places.map(() => [5]),
    places.map((_, i) => i),
  );
  expect(alike.at([5], 0.95).value).toBeCloseTo(9.5, 9);
});

test('means with the spread of their results give the same band as these results', () => {
  const results = LINE.flatMap((place, at) =>
    [-1, 1].map((sign) => ({ place, mean: ON_LINE[at]!, value: ON_LINE[at]! + 0.1 * sign * (1 + (at % 3)) })),
  );
  const places = results.map(({ place }) => place);
  const plain = new LocalRegression(
    places,
    results.map(({ value }) => value),
  );
  const merged = new LocalRegression(
    places,
    results.map(({ mean }) => mean),
    { noise: results.map(({ mean, value }) => (value - mean) ** 2) },
  );
  expect(merged.explained).toBeCloseTo(plain.explained, 9);
  const [one, other] = [plain.at([0.31], 0.95), merged.at([0.31], 0.95)];
  for (const key of ['value', 'low', 'high'] as const) expect(other[key]).toBeCloseTo(one[key]!, 9);
});

test('the regression fits very large values', () => {
  const smooth = new LocalRegression(
    LINE,
    ON_LINE.map((value) => 1e307 * value),
  );
  const { value, low, high } = smooth.at([0.31], 0.95);
  const [plain] = [new LocalRegression(LINE, ON_LINE).at([0.31], 0.95)];
  for (const [big, small] of [
    [value, plain.value],
    [low!, plain.low!],
    [high!, plain.high!],
  ] as const)
    expect(big / 1e307).toBeCloseTo(small, 9);
});

test('the regression needs at least twice as many points as terms', () => {
  expect(() => new LocalRegression(LINE.slice(0, 5), ON_LINE.slice(0, 5))).toThrow(RangeError);
  expect(() => new LocalRegression(PLANE.slice(0, 11), ON_PLANE.slice(0, 11))).toThrow(RangeError);
});

test('near many points at the same place, the smooth line stays close to the values', () => {
  const places = Array.from({ length: 60 }, (_, at) => [at < 40 ? 0 : (at - 38) / 22]);
  const smooth = new LocalRegression(
    places,
    places.map(([x], at) => 1_000 + 10 * x! + 0.1 * Math.cos(37 * at)),
  );
  for (const place of [0, 0.02, 0.04, 0.06, 0.5]) {
    expect(smooth.at([place], 0.95).value).toBeGreaterThan(995);
    expect(smooth.at([place], 0.95).value).toBeLessThan(1_015);
  }
});
