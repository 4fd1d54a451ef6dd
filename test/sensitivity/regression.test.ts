import { expect, test } from '@jest/globals';
import { doubledRanks } from '../../src/sensitivity/ranks.ts';
import { regressionOf } from '../../src/sensitivity/regression.ts';
import { uniforms } from '../support/uniforms.ts';

/** Random rows of three inputs and an output. The reference values come from the same numbers. */
function sample(rows: number, seed: number) {
  const random = uniforms(seed);
  const inputs = [0, 1, 2].map(() => new Float64Array(rows));
  const output = new Float64Array(rows);
  for (let row = 0; row < rows; row += 1) {
    const [a, b, c] = [random(), 10 * random(), random()];
    for (const [at, value] of [a, b, c].entries()) inputs[at]![row] = value;
    output[row] = Math.exp(2 * a) - 0.3 * b + 0.1 * c + random();
  }
  return { inputs, output };
}

test('coefficients and R² equal the values of NumPy', () => {
  const { inputs, output } = sample(50, 7);
  const found = regressionOf(inputs, output, 0.95);
  const ranks = regressionOf(
    inputs.map((column) => doubledRanks(column)),
    doubledRanks(output),
    0.95,
  );
  expectNear(found.src, [0.7853341374476074, -0.49349743371877386, -0.010879305742305084]);
  expectNear([found.r2, ranks.r2], [0.9389284352144079, 0.9418308011857072]);
  expectNear(ranks.src, [0.7482545515477707, -0.5341341428574738, -0.05904914654869262]);
  expectNear(ranks.partial, [0.9506763875808446, -0.9066378871110133, -0.2323886441376153]);
});

function expectNear(found: readonly number[], wanted: readonly number[]): void {
  for (const [at, value] of wanted.entries()) expect(Math.abs(found[at]! - value)).toBeLessThan(1e-10);
}

test('the regression explains all variance of a linear function, and intervals contain the coefficients', () => {
  const { inputs } = sample(400, 3);
  const output = inputs[0]!.map((a, row) => 3 * a - 0.2 * inputs[1]![row]!);
  const { src, r2, srcIntervals, partial } = regressionOf(inputs, output, 0.95);
  expect(r2).toBeCloseTo(1, 12);
  expect(src[2]).toBeCloseTo(0, 12);
  expect(partial[0]).toBeCloseTo(1, 9);
  for (const [at, [low, high]] of srcIntervals.map((one) => one!).entries()) {
    expect(low).toBeLessThanOrEqual(src[at]! + 1e-12);
    expect(high).toBeGreaterThanOrEqual(src[at]! - 1e-12);
  }
});

test('at least 93 % of the 95 % intervals contain the true coefficient, also if the output is nonlinear', () => {
  // the coefficient of very many rows counts as the true one
  const truth = regressionOf(sample(100_000, 1).inputs, sample(100_000, 1).output, 0.95).src;
  let held = 0;
  for (let repeat = 0; repeat < 200; repeat += 1) {
    const { inputs, output } = sample(150, 1_000 + repeat);
    const [low, high] = regressionOf(inputs, output, 0.95).srcIntervals[0]!;
    if (low <= truth[0]! && truth[0]! <= high) held += 1;
  }
  expect(held).toBeGreaterThanOrEqual(186);
});

test('an input that is a linear function of another input has no coefficient', () => {
  const { inputs, output } = sample(60, 5);
  const double = inputs[0]!.map((value) => 2 * value + 1);
  const { src, r2 } = regressionOf([...inputs, double], output, 0.95);
  expect(src[3]).toBeNaN();
  expect(r2).toBeGreaterThan(0.8);
});

test('doubledRanks assigns twice the mean rank to equal values', () => {
  expect([...doubledRanks(Float64Array.of(3, 1, 3, 2, 3))]).toEqual([8, 2, 8, 4, 8]);
});

test('the adjusted R² equals the value of statsmodels, and no p-value is below its p-value', () => {
  const rows = Array.from({ length: 24 }, (_, row) => row);
  const inputs = [
    Float64Array.from(rows, (row) => (7 * row) % 24),
    Float64Array.from(rows, (row) => (11 * row + 5) % 24),
    Float64Array.from(rows, (row) => (row * row) % 13),
  ];
  const output = Float64Array.from(
    rows,
    (row) => 3 * inputs[0]![row]! - inputs[2]![row]! + ((5 * row * row + 3 * row) % 17),
  );
  const { adjustedR2, ps, r2 } = regressionOf(inputs, output, 0.95);
  // statsmodels 0.14: OLS(y, add_constant(x)).fit(): rsquared, rsquared_adj, pvalues
  expectNear([r2, adjustedR2!], [0.9665718394305649, 0.9615576153451496]);
  for (const [at, theirs] of [3.1649138749361066e-16, 0.7541317705621985, 0.0018470431672817976].entries()) {
    expect(ps[at]).toBeGreaterThanOrEqual(theirs * (1 - 1e-9));
    expect(ps[at]).toBeLessThan(theirs + 0.15);
  }
});

/** Six rows of two inputs. The spread of the rows that are left changes much with the row that is left out. */
const few = [Float64Array.of(0, 1, 0, 1, 5, 2), Float64Array.of(1, 0, 3, 2, 0, 7)];

test('a linear function of few rows has clear effects, although the standardized coefficients change with the rows', () => {
  const output = few[0]!.map((a, row) => 2 * a + few[1]![row]!);
  for (const p of regressionOf(few, output, 0.95).ps) expect(p).toBeLessThan(1e-6);
});

test('the known chance counts if few rows lie on a plane by luck', () => {
  const output = few[0]!.map((a, row) => 2 * a + 0.1 * few[1]![row]!);
  const [a, b] = regressionOf(few, output, 0.95, [], [], { noise: 1 }).ps as [number, number];
  // t = 2 / √(1 / 17.1) and 0.1 / √(1 / 33.7) with 3 degrees of freedom (NumPy: the inverse of the cross products)
  expect(a).toBeLessThan(0.01);
  expect(b).toBeGreaterThan(0.4);
});

test('without a jackknife, because one row alone determines a slope, the test is that of Student', () => {
  const inputs = [Float64Array.of(0, 0, 0, 0, 0, 0, 1), Float64Array.of(0, 1, 2, 3, 4, 5, 2)];
  const output = Float64Array.of(0.1, 0.9, 2.1, 2.9, 4.1, 4.9, 9);
  const [a, b] = regressionOf(inputs, output, 0.95).ps as [number, number];
  expect(a).toBeGreaterThan(0);
  expect(a).toBeLessThan(1e-4);
  expect(b).toBeLessThan(1e-4);
});

test('an input without effect has a coefficient of 0, without rounding errors', () => {
  const { inputs } = sample(60, 5);
  const { src, srcIntervals, ps, partial } = regressionOf(inputs, inputs[0]!, 0.95);
  expect(src).toEqual([expect.closeTo(1, 12), 0, 0]);
  expect(srcIntervals[1]).toEqual([0, 0]);
  expect(ps).toEqual([0, 1, 1]);
  // a part of no variance is nothing
  expect(partial.slice(1)).toEqual([NaN, NaN]);
});
