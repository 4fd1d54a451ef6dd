import { describe, expect, test } from '@jest/globals';
import fc, { anyCharacter } from '../../support/fast-check.ts';
import {
  compileExpression,
  ExpressionError,
  type Value,
  type ValueType,
} from '../../../src/campaign/expressions/index.ts';
import {
  compare as order,
  negative,
  type Quantity,
  quantity,
} from '../../../src/campaign/expressions/decimals.ts';
import { arithmetic, functions, orderOf } from '../../../src/campaign/expressions/operators.ts';
import { values, types, refusal } from './support.ts';

describe('any expression', () => {
  /** An expression tree with its text, the level of its outermost operator, and its value. */
  interface Tree {
    text: string;
    level: number;
    value: Computed;
  }
  type Computed = Quantity | string | boolean;
  const ATOM = 20;
  /** The precedence of JavaScript's operators, from MDN's table. All except ** and ?: group from the left. */
  const CHOICE = 2;
  const OR = 3;
  const AND = 4;
  const EQUALITY = 8;
  const ORDER = 9;
  const SUM = 11;
  const PRODUCT = 12;
  const POWER = 13;
  const SIGN = 14;

  const within = (tree: Tree, level: number): string => (tree.level < level ? `(${tree.text})` : tree.text);
  const infix =
    (written: string, level: number, value: (a: never, b: never) => Computed) =>
    (left: Tree, right: Tree): Tree => ({
      text: `${within(left, level)} ${written} ${within(right, level + 1)}`,
      level,
      value: value(left.value as never, right.value as never),
    });
  const atom = (text: string, value: Value): Tree => ({
    text,
    level: ATOM,
    value: typeof value === 'number' ? quantity(value) : value,
  });
  const called = (text: string, name: string, ...trees: Tree[]): Tree => ({
    text,
    level: ATOM,
    value: functions.get(name)!.apply(...trees.map(({ value }) => value as Quantity)),
  });
  /** Compares two values of one type. */
  const compared = (a: Computed, b: Computed): number =>
    typeof a === 'object' ? order(a, b as Quantity) : orderOf(a, b as typeof a);

  const calculate: ((left: Tree, right: Tree) => Tree)[] = [
    infix('+', SUM, arithmetic.get('+')!),
    infix('-', SUM, arithmetic.get('-')!),
    infix('*', PRODUCT, arithmetic.get('*')!),
    infix('/', PRODUCT, arithmetic.get('/')!),
    infix('%', PRODUCT, arithmetic.get('%')!),
    (a, b) => ({
      text: `${within(a, SIGN + 1)} ** ${within(b, POWER)}`,
      level: POWER,
      value: arithmetic.get('**')!(a.value as Quantity, b.value as Quantity),
    }),
    (a, b) => called(`max(${a.text},${b.text})`, 'max', a, b),
    (a, b) => called(`Min( ${a.text} , ${b.text} )`, 'min', a, b),
    (a, b) => called(`pow(${a.text}, ${b.text})`, 'pow', a, b),
  ];
  const change: ((one: Tree) => Tree)[] = [
    (one) => ({ text: `- ${within(one, SIGN)}`, level: SIGN, value: negative(one.value as Quantity) }),
    (one) => ({ text: `+ ${within(one, SIGN)}`, level: SIGN, value: one.value }),
    ...(['abs', 'floor', 'ceil', 'sqrt', 'exp', 'log', 'log10'] as const).map(
      (name) => (one: Tree) => called(`${name}(${one.text})`, name, one),
    ),
  ];
  const compare: ((left: Tree, right: Tree) => Tree)[] = [
    infix('==', EQUALITY, (a: Computed, b: Computed) => compared(a, b) === 0),
    infix('!=', EQUALITY, (a: Computed, b: Computed) => compared(a, b) !== 0),
    infix('<', ORDER, (a: Computed, b: Computed) => compared(a, b) < 0),
    infix('<=', ORDER, (a: Computed, b: Computed) => compared(a, b) <= 0),
    infix('>', ORDER, (a: Computed, b: Computed) => compared(a, b) > 0),
    infix('>=', ORDER, (a: Computed, b: Computed) => compared(a, b) >= 0),
  ];
  const combine: ((left: Tree, right: Tree) => Tree)[] = [
    ...['&&', 'and', 'AND'].map((written) => infix(written, AND, (a: boolean, b: boolean) => a && b)),
    ...['||', 'or', 'Or'].map((written) => infix(written, OR, (a: boolean, b: boolean) => a || b)),
    ...compare.slice(0, 2),
  ];
  const negate: ((one: Tree) => Tree)[] = ['!', 'not '].map((written) => (one: Tree) => ({
    text: `${written}${within(one, SIGN)}`,
    level: SIGN,
    value: !one.value,
  }));
  const choose = (test: Tree, first: Tree, second: Tree): Tree => ({
    text: `${within(test, OR)} ? ${first.text} : ${second.text}`,
    level: CHOICE,
    value: test.value ? first.value : second.value,
  });

  const named = (type: ValueType): fc.Arbitrary<Tree> =>
    fc
      .constantFrom(...[...types].filter(([, other]) => other === type).map(([name]) => name))
      .map((name) => atom(`\`${name}\``, values[name]!));
  const applied = (
    makers: readonly ((...trees: [Tree, Tree, Tree]) => Tree)[],
    ...trees: fc.Arbitrary<Tree>[]
  ): fc.Arbitrary<Tree> =>
    fc
      .tuple(fc.constantFrom(...makers), fc.tuple(...trees))
      .map(([make, made]) => make(...(made as [Tree, Tree, Tree])));

  const { number, boolean } = fc.letrec<{ number: Tree; boolean: Tree; text: Tree }>((tie) => ({
    number: fc.oneof(
      { depthSize: 'medium', maxDepth: 20 },
      named('number'),
      fc.nat(5).map((value) => atom(String(value), value)),
      fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map((value) => atom(String(value), value)),
      applied(calculate, tie('number'), tie('number')),
      applied(change, tie('number')),
      applied([choose], tie('boolean'), tie('number'), tie('number')),
    ),
    text: fc.oneof(
      { depthSize: 'small', maxDepth: 20 },
      named('text'),
      fc.constantFrom('', 'fifo', "it's").map((value) => atom(`"${value}"`, value)),
      applied([choose], tie('boolean'), tie('text'), tie('text')),
    ),
    boolean: fc.oneof(
      { depthSize: 'medium', maxDepth: 20 },
      named('boolean'),
      fc.boolean().map((value) => atom(String(value), value)),
      applied(compare, tie('number'), tie('number')),
      applied(compare, tie('text'), tie('text')),
      applied(combine, tie('boolean'), tie('boolean')),
      applied(negate, tie('boolean')),
      applied([choose], tie('boolean'), tie('boolean'), tie('boolean')),
    ),
  }));

  test('gives the same value as a direct evaluation, with no more brackets than the operators need', () => {
    let operators = 0;
    fc.assert(
      fc.property(fc.oneof(number, boolean), ({ text, value }) => {
        // longer texts may have too many operators or brackets
        fc.pre(text.length < 1_000);
        operators = Math.max(operators, text.split(' ').length);
        const expression = compileExpression(text, types);
        expect(expression.type).toBe(typeof value === 'object' ? 'number' : typeof value);
        const read = (name: string): Value => values[name]!;
        expect(expression.evaluate(read)).toBe(typeof value === 'object' ? value.value : value);
        // the distance from being true is 0 exactly where the expression is true
        if (typeof value === 'boolean') expect(expression.lack(read) === 0).toBe(value);
      }),
      { numRuns: 3_000 },
    );
    // this fails if the trees had hardly any operators
    expect(operators).toBeGreaterThan(20);
  });

  test('is either valid and gives a value of its type, or is refused with an ExpressionError that has a place in the text', () => {
    const scraps = fc.constantFrom(
      ...[
        'Days',
        'Open',
        'Policy',
        '`Contact rate`',
        '`',
        "'",
        '"',
        "'a'",
        '1',
        '.5',
        '1e9',
        '0x1',
        '010',
        'max',
        'round',
      ],
      ...[
        'and',
        'or',
        'not',
        'true',
        '+',
        '-',
        '*',
        '/',
        '%',
        '**',
        '^',
        '!',
        '=',
        '==',
        '===',
        '<',
        '>',
        '&&',
        '||',
        '<!--',
      ],
      ...[
        '?',
        ':',
        '?.',
        '(',
        ')',
        ',',
        '[',
        ']',
        '{',
        '}',
        ';',
        '.',
        '...',
        '=>',
        '${',
        '\\',
        '\\u0061',
        '#',
        '@',
        '//',
        '/*',
      ],
      ...[
        'new',
        'this',
        'function',
        'async',
        'await',
        'yield',
        'class',
        'import',
        'super',
        '__proto__',
        '\n',
        '\0',
        '\u2028',
      ],
    );
    const garbage = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.string({ unit: scraps, maxLength: 12 }),
      fc.array(scraps, { maxLength: 12 }).map((parts) => parts.join(' ')),
      fc.tuple(fc.oneof(number, boolean), fc.nat(), scraps).map(([{ text }, at, scrap]) => {
        const offset = at % (text.length + 1);
        return text.slice(0, offset) + scrap + text.slice(offset);
      }),
    );
    const seen = { compiled: 0, refused: 0 };
    fc.assert(
      fc.property(garbage, (text) => {
        try {
          const { type, evaluate: run } = compileExpression(text, types);
          const value = run((name) => values[name]!);
          expect(typeof value).toBe(type === 'text' ? 'string' : type);
          seen.compiled += 1;
        } catch (error) {
          if (!(error instanceof ExpressionError)) throw error;
          expect(error.offset).toBeGreaterThanOrEqual(0);
          expect(error.offset).toBeLessThanOrEqual(text.length);
          expect(error.message).toMatch(/^[^\n]+\.$/);
          seen.refused += 1;
        }
      }),
      { numRuns: 5_000 },
    );
    // other seeds gave 95 to 126 valid texts
    expect(seen.compiled).toBeGreaterThan(50);
    expect(seen.refused).toBeGreaterThan(1_000);
  });

  test('is refused with a short message if a very long text repeats one part', () => {
    for (const scrap of [
      '(',
      '!',
      '- ',
      '`',
      "'",
      'a',
      '`a` ',
      '1',
      '/',
      'f(',
      'Open?',
      '1+',
      '``',
      ' ',
      '\\',
      'not ',
    ]) {
      const text = scrap.repeat(Math.floor(9_999 / scrap.length));
      const { message, offset } = refusal(text);
      expect(offset).toBeLessThanOrEqual(text.length);
      expect(message.length).toBeLessThan(100);
    }
  });
});
