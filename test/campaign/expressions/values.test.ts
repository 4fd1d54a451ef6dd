import { describe, expect, test } from '@jest/globals';
import { compileExpression, type Value } from '../../../src/campaign/expressions/index.ts';
import { values, types, evaluate } from './support.ts';

describe('the value of an expression', () => {
  test.each<[string, Value]>([
    ['1.5', 1.5],
    ['.5', 0.5],
    ['2e-3', 0.002],
    ['7 + 2', 9],
    ['7 - 2 - 1', 4],
    ['7 * 2', 14],
    ['7 / 2', 3.5],
    ['-7 % 3', -1],
    ['2 ** 3 ** 2', 512],
    ['(-2) ** 2', 4],
    ['-(2 ** 2)', -4],
    ['5 - -Days', 19],
    ['+Days', 14],
    ['1 / 0', Infinity],
    ['-1 / 0', -Infinity],
    ['0 / 0', NaN],
    ['sqrt(-1)', NaN],
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
  ])('numbers: %s is %d', (text, value) => {
    expect(evaluate(text)).toBe(value);
  });

  test.each<[string, Value]>([
    ['abs(-3)', 3],
    ['min(3)', 3],
    ['min(3, 1)', 1],
    ['min(3, 1, 2)', 1],
    ['max(3, 1)', 3],
    ['max(1, 3, 2, Days)', 14],
    ['floor(-1.5)', -2],
    ['ceil(1.2)', 2],
    ['sqrt(9)', 3],
    ['exp(0)', 1],
    ['log(1)', 0],
    ['log10(1000)', 3],
    ['pow(2, 10)', 1024],
    ['ROUND( 2.4 )', 2],
    ['round(2.5)', 3],
    ['round(-2.5)', -3],
    ['round(`Recovery rate`, 2)', 1.01],
    ['round(-1.005, 2)', -1.01],
    ['round(1.00499, 2)', 1],
    ['round(1234, -2)', 1200],
    ['round(1e300, 5)', 1e300],
    ['round(1.5e-7, 7)', 2e-7],
    ['round(1 / 0)', Infinity],
    ['round(0 / 0)', NaN],
    ['round(1, 0.5)', NaN],
    ['round(1, 500)', NaN],
  ])('functions: %s is %d', (text, value) => {
    expect(evaluate(text)).toBe(value);
  });

  test.each<[string, Value]>([
    ['Days == 14', true],
    ['Days != 14', false],
    ['Days < 14', false],
    ['Days <= 14', true],
    ['Days > 14', false],
    ['Days >= 14', true],
    ["Policy == 'fifo'", true],
    ["Policy != 'fifo'", false],
    ["Policy == 'FIFO'", false],
    ["'10' < '9'", true],
    ["Start >= '2026-01-31'", true],
    ["Start > '2026-02'", false],
    ['Open == true', true],
    ['Open != True', false],
  ])('comparisons: %s is %s', (text, value) => {
    expect(evaluate(text)).toBe(value);
  });

  test.each<[string, Value]>([
    ['true && false', false],
    ['true and true', true],
    ['false || true', true],
    ['false or false', false],
    ['!Open', false],
    ['not false', true],
    ['not Open or Open', true],
    ['not (Open or Open)', false],
    ['true or true and false', true],
    ['(true or true) and false', false],
    ['OPEN AND NOT FALSE', true],
    ['not`Open`or`Open`and(Open)', true],
    ['Days > 3 ? 1 : 2', 1],
    ['Days < 3 ? 1 : Days < 20 ? 2 : 3', 2],
    ["Open ? 'a' : 'b'", 'a'],
    ['not Open ?.5 : 1', 1],
  ])('truth values and choices: %s is %s', (text, value) => {
    expect(evaluate(text)).toBe(value);
  });

  test('"and", "or" and "?" do not evaluate an operand that they do not need', () => {
    const read: string[] = [];
    const logged = (text: string): Value =>
      compileExpression(text, types).evaluate((name) => {
        read.push(name);
        return values[name]!;
      });
    logged('false and Days > 3 or true or Open');
    expect(read).toEqual([]);
    logged('true ? Days : `Contact rate`');
    expect(read).toEqual(['Days']);
  });

  test.each([
    [`'it''s "so"'`, `it's "so"`],
    [`"it's ""so"""`, `it's "so"`],
    [String.raw`'C:\new'`, String.raw`C:\new`],
    [`''`, ''],
    ["'`Days`'", '`Days`'],
    ["'a and b # { not'", 'a and b # { not'],
  ])('texts: %s is %s', (text, value) => {
    expect(evaluate(text)).toBe(value);
  });
});
