import { describe, expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import { compileExpression, difference, type Value } from '../../../src/campaign/expressions/index.ts';
import { drawCondition } from '../../../bench/truth/conditions.ts';
import { evaluate } from './support.ts';

const xyz = new Map(['x1', 'x2', 'x3'].map((name) => [name, 'number' as const]));

function at(text: string, ...values: number[]): Value {
  return compileExpression(text, xyz).evaluate((name) => values[Number(name.slice(1)) - 1]!);
}

/** The number of points of a grid of 0, 0.1 … 1 for each input at which a condition holds. */
function count(text: string, inputs: number): number {
  const levels = Array.from({ length: 11 }, (_, level) => level / 10);
  const points = Array.from({ length: inputs }).reduce<number[][]>(
    (all) => all.flatMap((point) => levels.map((level) => [...point, level])),
    [[]],
  );
  return points.filter((point) => at(text, ...point) === true).length;
}

describe('decimals', () => {
  test.each([
    ['x1 + x2 + x3 == 1', 3, 66],
    ['x1 + x2 <= 0.3', 2, 10],
    ['x1 - x2 >= 0.1', 2, 55],
    ['x1 * 3 == 0.3', 1, 1],
    ['x1 / 3 == 0.1', 1, 1],
    ['x1 % 0.1 == 0', 1, 11],
    ['abs(x1 - 0.3) <= 0.2', 1, 5],
    ['1 - x1 - x2 - x3 >= 0 and 1 - x1 - x2 - x3 <= 0', 3, 66],
    ['not (x1 + x2 > 0.3)', 2, 10],
  ])('%s holds at the right number of %d-dimensional points', (text, inputs, points) => {
    expect(count(text, inputs)).toBe(points);
  });

  test.each<[string, Value]>([
    ['0.1 + 0.2', 0.3],
    ['1 - 0.7 - 0.3', 0],
    ['1 - 0.3 - 0.7', 0],
    ['0.1 * 3', 0.3],
    ['1.1 ** 2', 1.21],
    ['10 ** -2', 0.01],
    ['0.3 / 3', 0.1],
    ['1 % 0.1', 0],
    ['floor(0.7 / 0.1)', 7],
    ['ceil(1.1 * 10)', 11],
    ['round(1.005 * 100)', 101],
    ['floor(log10(1000))', 3],
  ])('%s is %d', (text, value) => {
    expect(evaluate(text)).toBe(value);
  });

  test.each([
    '1 / 3 + 1 / 3 + 1 / 3 == 1',
    '1 / 49 * 49 == 1',
    'sqrt(2) * sqrt(2) == 2',
    '(1 / 3 + 0.1) - 1 / 3 == 0.1',
    'not (1 / 3 + 0.1 - 1 / 3 < 0.1)',
    '9007199254740991 != 9007199254740990',
    '0.1 + 0.2 != 0.30000001',
    '1e-30 < 2e-30',
    '1e300 * 1e300 > 1e308',
    '0.30000000000000004 == 0.3',
  ])('%s', (text) => {
    expect(evaluate(text)).toBe(true);
  });

  test('a drawn condition has the answer of whole numbers', () => {
    const seen = { true: 0, false: 0, equal: 0 };
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const { text, values, isTrue, isTie } = drawCondition(seed);
        expect(at(text, ...values)).toBe(isTrue);
        seen[`${isTrue}`] += 1;
        if (isTie) seen.equal += 1;
      }),
      { numRuns: 1_000 },
    );
    // both answers are frequent, and so are sides that are equal
    expect(Math.min(seen.true, seen.false)).toBeGreaterThan(200);
    expect(seen.equal).toBeGreaterThan(100);
  });

  test('the difference of equal numbers is 0, also of computed ones', () => {
    expect(difference((0.1 + 0.2 + 0.6) / 3, 0.3)).toBe(0);
    expect(difference(0.31, 0.3)).toBe(0.01);
    expect(difference(Infinity, 1)).toBe(Infinity);
  });
});
