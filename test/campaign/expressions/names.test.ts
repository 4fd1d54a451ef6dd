import { describe, expect, test } from '@jest/globals';
import fc, { anyCharacter } from '../../support/fast-check.ts';
import { compileExpression, type ValueType } from '../../../src/campaign/expressions/index.ts';
import { values, types, evaluate, refusal } from './support.ts';

describe('names', () => {
  test("are found in any case and with blanks around them, and get the model's spelling", () => {
    const expression = compileExpression(
      '` contact RATE ` > days and DAYS > `{random_seed}`',
      types,
      'boolean',
    );
    expect(expression.names).toEqual(['Contact rate', 'Days', '{RANDOM_SEED}']);
    expect(expression.type).toBe('boolean');
    expect(expression.evaluate((name) => values[name]!)).toBe(false);
  });

  test('mean the first of two inputs whose names differ only in case', () => {
    const inputs = new Map<string, ValueType>([
      ['A', 'number'],
      ['a', 'text'],
    ]);
    expect(compileExpression('a + 1', inputs).names).toEqual(['A']);
  });

  test.each(['new', 'in', 'this', 'null', 'class', 'round', 'Größe', 'x_1', '$', '__proto__', 'constructor'])(
    '%s is an ordinary name',
    (name) => {
      const expression = compileExpression(`${name} + 1`, new Map([[name, 'number']]), 'number');
      expect(expression.names).toEqual([name]);
      expect(expression.evaluate((asked) => (asked === name ? 3 : NaN))).toBe(4);
    },
  );

  test.each(['and', 'OR', 'not', 'true', 'False'])('%s is a name if it is in backticks', (name) => {
    const expression = compileExpression(`\`${name}\` + 1`, new Map([[name, 'number']]));
    expect(expression.evaluate(() => 3)).toBe(4);
  });

  test.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])(
    '%s is unknown if no input has this name',
    (name) => {
      expect(refusal(name).message).toBe(`There is no input "${name}".`);
      expect(refusal(`${name}(1)`).message).toBe(`There is no function "${name}".`);
    },
  );

  test('any name in backticks is found', () => {
    const anyName = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.string({
        unit: fc.constantFrom('`', "'", '"', '\\', '$', '{', '}', ' ', 'a', '\n', 'é', '😀', '\u2028'),
      }),
    );
    fc.assert(
      fc.property(anyName, fc.constantFrom('', ' ', '\n'), (name, blank) => {
        const written = `\`${blank}${name.replaceAll('`', '``')}${blank}\``;
        const expression = compileExpression(`1+${written}+1`, new Map([[name, 'number']]), 'number');
        expect(expression.names).toEqual([name]);
        expect(expression.evaluate((asked) => (asked === name ? 40 : NaN))).toBe(42);
      }),
      { numRuns: 500 },
    );
  });

  test('any text of one line in quotes keeps its value', () => {
    const line = fc.string({ unit: anyCharacter }).filter((text) => !/[\r\n]/.test(text));
    fc.assert(
      fc.property(line, fc.constantFrom("'", '"'), (text, quote) => {
        expect(evaluate(quote + text.replaceAll(quote, quote + quote) + quote)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});
