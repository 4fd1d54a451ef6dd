import { describe, expect, test } from '@jest/globals';
import { inputsOf, sizeOf } from '../../../src/campaign/designs/index.ts';
import { DeriveError } from '../../../src/campaign/designs/refined.ts';
import { checkedDesign, expectDesignRefused, keysOf, pointsOf, rowsIn } from './support.ts';

describe('derive', () => {
  test('computes inputs from other inputs, in the order of the definition', () => {
    const design = {
      grid: { Days: [7, 14] },
      derive: { Population: 'Days * 100', budget: 'Population + 1', Stochastic: 'Days > 7', Title: '"x"' },
    };
    expect(rowsIn(design)).toEqual(['7 700 701 false x', '14 1400 1401 true x']);
    const { design: checked, varied } = checkedDesign(design);
    expect(inputsOf(checked)).toEqual(['Days', 'Population', 'Budget', 'Stochastic', 'Title']);
    expect(varied.map(({ name }) => name)).toEqual(inputsOf(checked));
    expect(sizeOf(checked)).toBe(2);
  });

  test('an expression may read the base value of its own input', () => {
    expect(rowsIn({ grid: { Days: [7] }, derive: { 'Contact rate': '`Contact rate` * 2' } })).toEqual([
      '7 3.32',
    ]);
  });

  test('rounds fractional numbers to 12 digits, and keeps all digits of whole numbers', () => {
    const derive = { 'Contact rate': 'Days / 3', Budget: 'Days * 1e14 + 1' };
    expect(rowsIn({ grid: { Days: [7] }, derive })).toEqual(['7 2.33333333333 700000000000001']);
    const whole = { Budget: derive.Budget, 'Recovery rate': '0.1 + 0.2' };
    expect(rowsIn({ grid: { Days: [1] }, derive: whole })).toEqual(['1 100000000000001 0.3']);
  });

  test('computes with decimals, so a mixture never gets a rounding error', () => {
    const rate = { from: 0.1, to: 0.9, step: 0.1 };
    const grid = { 'Contact rate': rate, 'Recovery rate': rate };
    const where = '`Contact rate` + `Recovery rate` <= 1';
    // at 0.1 there are 9 partners, at 0.2 there are 8, and so on
    expect(rowsIn({ grid, where })).toHaveLength(45);
    const rests = rowsIn({
      grid,
      derive: { Title: "`Contact rate` + `Recovery rate` == 1 ? 'full' : 'rest'" },
    });
    expect(rests.filter((row) => row.endsWith('full'))).toHaveLength(9);
  });

  test('the values of a range cross 0 without a rounding error', () => {
    const across = (range: object) => rowsIn({ grid: { 'Contact rate': range as never } });
    expect(across({ from: -0.7, to: 0.7, count: 15 })[7]).toBe('0');
    expect(across({ from: -0.7, to: 0.7, step: 0.1 })[7]).toBe('0');
  });

  test('copies a LONG with all digits, but does not calculate with more than a number can have', () => {
    const grid = { Budget: ['9007199254740993'] };
    const copied = { grid, derive: { '{RANDOM_SEED}': 'Budget' } };
    expect(rowsIn(copied)).toEqual(['9007199254740993 9007199254740993']);
    const refused = expect.objectContaining({
      code: 'INVALID_VALUE',
      message: 'The value of "Budget" is 9007199254740993, which is too large to calculate with exactly.',
    });
    expect(() => rowsIn({ grid, derive: { '{RANDOM_SEED}': 'Budget - 1' } })).toThrow(refused);
    expect(() => rowsIn({ grid, where: 'Budget > 9007199254740992' })).toThrow(refused);
  });

  test('gives a point the key that the point has in a list of points', () => {
    expect(keysOf({ grid: { Days: [7] }, derive: { Population: 'Days * 100' } })).toEqual(
      keysOf({ points: [{ Population: 700, Days: 7 }] }),
    );
  });

  test.each([
    [
      '7.5 for a whole number',
      { Population: 'Days + 0.5' },
      'Population',
      'is 7.5, which is not a whole number where Days is 7',
    ],
    [
      'NaN',
      { 'Contact rate': 'sqrt(-Days)' },
      'Contact rate',
      'is NaN, which is not a number where Days is 7',
    ],
    ['infinity', { 'Contact rate': '1 / 0' }, 'Contact rate', 'is Infinity, which is not a number'],
    [
      'a number that is too large',
      { Population: 'Days * 1e9' },
      'Population',
      'is 7000000000, which is out of range where Days is 7',
    ],
    [
      'a text that is no date',
      { Begin: '"soon"' },
      'Begin',
      'is "soon", which is not a date and time like 2026-01-31T08:30',
    ],
    [
      'a result of two inputs',
      { Population: 'Days / (Days - Budget + 993)' },
      'Population',
      'is Infinity, which is not a number where Days is 7 and Budget is 1000',
    ],
  ])('refuses a result that its input does not take: %s', (_, derive, input, message) => {
    // foray finds the mistake only when it makes the point
    const points = (): unknown => pointsOf({ grid: { Days: [7] }, derive: derive });
    expect(points).toThrow(DeriveError);
    expect(points).toThrow(expect.objectContaining({ input, message }));
  });

  test.each([
    ['INVALID_VALUE', '{grid: {Days: [1]}, derive: {§days: "1"}}', /"Days" is given more than once/],
    [
      'INVALID_VALUE',
      '{grid: {Days: [1]}, derive: {Title: "\'a\'", §title: "\'b\'"}}',
      /"Title" is given more/,
    ],
    [
      'INVALID_VALUE',
      '{grid: {Days: [1]}, derive: {§Title: "\'a\'"}}\ninputs: {Title: b}',
      /"Title" is given/,
    ],
    ['INVALID_VALUE', '{grid: {Days: [1]}, derive: {§Observed cases: "1"}}', /cannot give a file/],
    ['UNKNOWN_INPUT', '{grid: {Days: [1]}, derive: {§Titel: "1"}}', /no input "Titel"/],
    ['INVALID_EXPRESSION', '{grid: {Days: [1]}, derive: {Title: §"Days"}}', /gives a number, not a text/],
    [
      'INVALID_EXPRESSION',
      '{grid: {Days: [1]}, derive: {Budget: §"Days > 1"}}',
      /gives true or false, not a num/,
    ],
    [
      'INVALID_EXPRESSION',
      '{grid: {Days: [1]}, derive: {Stochastic: §"1"}}',
      /gives a number, not true or false/,
    ],
    ['INVALID_EXPRESSION', '{grid: {Days: [1]}, derive: {Begin: §"Days"}}', /gives a number, not a text/],
    ['INVALID_EXPRESSION', '{grid: {Days: [1]}, derive: {Budget: §"Dais * 2"}}', /no input "Dais"/],
    ['DEFINITION_INVALID', '{grid: {Days: [1]}, derive: {Budget: §2}}', /expected an expression in quotes/],
    ['DEFINITION_INVALID', '{grid: {Days: [1]}, derive: §{}}', /expected at least one input/],
    ['DEFINITION_INVALID', '§{derive: {Budget: "2"}}', /expected one of grid, zip/],
  ] as const)('is refused with %s: %s', (code, design, says) => {
    expectDesignRefused(code, design, says);
  });
});
