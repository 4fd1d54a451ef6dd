import { describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import {
  compileExpression,
  ExpressionError,
  type Value,
  type ValueType,
} from '../../src/campaign/expressions/index.ts';

const values: Record<string, Value> = {
  'Contact rate': 8,
  'Recovery rate': 1.005,
  Days: 14,
  Policy: 'fifo',
  Start: '2026-01-31T08:30:00',
  Open: true,
  '{RANDOM_SEED}': 42,
};
const types = new Map(
  Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'string' ? 'text' : (typeof value as ValueType),
  ]),
);

function evaluate(text: string): Value {
  return compileExpression(text, types).evaluate((name) => values[name]!);
}

function refusal(
  text: string,
  wanted?: ValueType,
  inputs: ReadonlyMap<string, ValueType> = types,
): ExpressionError {
  try {
    compileExpression(text, inputs, wanted);
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
  throw new Error(`${text} was compiled`);
}

describe('what an expression gives', () => {
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
  ])('true, false and choices: %s is %s', (text, value) => {
    expect(evaluate(text)).toBe(value);
  });

  test('what the left side of and, or and ? decides is not asked of the right', () => {
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
  ])('texts: %s', (text, value) => {
    expect(evaluate(text)).toBe(value);
  });
});

describe('names', () => {
  test('are found whatever their case and the blanks around them, and told as the model spells them', () => {
    const expression = compileExpression(
      '` contact RATE ` > days and DAYS > `{random_seed}`',
      types,
      'boolean',
    );
    expect(expression.names).toEqual(['Contact rate', 'Days', '{RANDOM_SEED}']);
    expect(expression.type).toBe('boolean');
    expect(expression.evaluate((name) => values[name]!)).toBe(false);
  });

  test('of two that differ in case only, the first is meant, as everywhere', () => {
    const inputs = new Map<string, ValueType>([
      ['A', 'number'],
      ['a', 'text'],
    ]);
    expect(compileExpression('a + 1', inputs).names).toEqual(['A']);
  });

  test.each(['new', 'in', 'this', 'null', 'class', 'round', 'Größe', 'x_1', '$', '__proto__', 'constructor'])(
    '%s is a name like others',
    (name) => {
      const expression = compileExpression(`${name} + 1`, new Map([[name, 'number']]), 'number');
      expect(expression.names).toEqual([name]);
      expect(expression.evaluate((asked) => (asked === name ? 3 : NaN))).toBe(4);
    },
  );

  test.each(['and', 'OR', 'not', 'true', 'False'])('%s is one in backticks', (name) => {
    const expression = compileExpression(`\`${name}\` + 1`, new Map([[name, 'number']]));
    expect(expression.evaluate(() => 3)).toBe(4);
  });

  test.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])(
    '%s is unknown where no input has it',
    (name) => {
      expect(refusal(name).message).toBe(`There is no input "${name}".`);
      expect(refusal(`${name}(1)`).message).toBe(`There is no function "${name}".`);
    },
  );

  test('any name in backticks is the one that was meant', () => {
    const anyName = fc.oneof(
      fc.string({ unit: 'binary' }),
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

  test('any text of one line in quotes is itself', () => {
    const line = fc.string({ unit: 'binary' }).filter((text) => !/[\r\n]/.test(text));
    fc.assert(
      fc.property(line, fc.constantFrom("'", '"'), (text, quote) => {
        expect(evaluate(quote + text.replaceAll(quote, quote + quote) + quote)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});

describe('what is refused', () => {
  const inBackticks = /stands in backticks/;
  const inQuotes = 'Texts stand in quotes, and nothing else does.';
  const negation = 'Put brackets around all that it negates, such as not (Days > 3).';
  const chain = 'Combine comparisons by and, such as 3 < Days and Days < 9.';

  test.each<[string, number, string | RegExp, string | RegExp | undefined]>([
    // types
    ["Days + 'x'", 7, `"'x'" is a text, but "+" takes a number.`, undefined],
    ['Open * 2', 0, '"Open" is true or false, but "*" takes a number.', undefined],
    ['-Policy', 1, '"Policy" is a text, but "-" takes a number.', undefined],
    ['!Days', 1, '"Days" is a number, but "not" takes true or false.', negation],
    ['not Days > 3', 4, '"Days" is a number, but "not" takes true or false.', negation],
    ['Open and Days', 9, '"Days" is a number, but "and" takes true or false.', undefined],
    ['Days || Open', 0, '"Days" is a number, but "or" takes true or false.', undefined],
    ['Policy > 3', 9, '"3" is a number, but "Policy" is a text.', inQuotes],
    ["Days == '14'", 8, `"'14'" is a text, but "Days" is a number.`, inQuotes],
    ['Days == Open', 8, '"Open" is true or false, but "Days" is a number.', undefined],
    ['1 < Days < 9', 0, '"1 < Days" is true or false, but "<" takes two numbers or two texts.', chain],
    ['9 > (Open)', 4, '"(Open)" is true or false, but ">" takes two numbers or two texts.', chain],
    ["Open ? 1 : 'a'", 11, `"'a'" is a text, but "1" is a number.`, inQuotes],
    ['Days ? 1 : 2', 0, '"Days" is a number, but "?" takes true or false.', undefined],
    ['1 + max(1, Policy)', 11, '"Policy" is a text, but "max" takes a number.', undefined],
    [
      '`Contact rate` * 1234567890123456789012345 and Open',
      0,
      /^"`Contact rate` \* .{22}…" is a number/,
      undefined,
    ],
    // names
    ['`Contact rat` > 3', 0, 'There is no input "Contact rat".', 'Did you mean "Contact rate"?'],
    ['3 + Day', 4, 'There is no input "Day".', 'Did you mean "Days"?'],
    ['Policy == lifo', 10, 'There is no input "lifo".', /^Known: .*\. A text stands in quotes\.$/],
    ['``', 0, 'There is no input "".', /^Known: .*"\.$/],
    ['Days > abs', 7, 'The function "abs" stands without brackets.', /^Write abs\(…\)/],
    // calls
    ['sqr(4)', 0, 'There is no function "sqr".', 'Did you mean "sqrt"?'],
    ['2 (3)', 0, '"2" is not a function.', 'Write * to multiply.'],
    ['1 + `abs`(3)', 4, '"`abs`" is not a function.', 'Write * to multiply.'],
    ['(abs)(3)', 0, '"(abs)" is not a function.', 'Write * to multiply.'],
    ['1 + abs()', 4, '"abs" takes 1 number, not 0.', undefined],
    ['max()', 0, '"max" takes at least 1 number, not 0.', undefined],
    ['round(1, 2, 3)', 0, '"round" takes 1 or 2 numbers, not 3.', undefined],
    ['pow(1)', 0, '"pow" takes 2 numbers, not 1.', undefined],
    ['max(1 2)', 6, '"2" is not expected here.', undefined],
    ['max(1,)', 6, '")" is not expected here.', undefined],
    // operators of elsewhere
    ['Days === 3', 5, '"===" is not part of an expression.', 'Write == for "is equal to".'],
    ['Days !== 3', 5, '"!==" is not part of an expression.', 'Write != for "is not equal to".'],
    ['Days = 3', 5, '"=" is not part of an expression.', 'Write == for "is equal to".'],
    ['Days <> 3', 5, '"<>" is not part of an expression.', 'Write != for "is not equal to".'],
    ['Days =< 3', 5, '"=<" is not part of an expression.', 'Write <= for "at most".'],
    ['x => 1', 2, '"=>" is not part of an expression.', 'Write >= for "at least".'],
    ['2 ^ 3', 2, '"^" is not part of an expression.', 'Write ** for "to the power of".'],
    ['Open & Open', 5, '"&" is not part of an expression.', 'Write && or and.'],
    ['Open | Open', 5, '"|" is not part of an expression.', 'Write || or or.'],
    ['7 // 2', 2, '"//" is not part of an expression.', /^Write floor\(a \/ b\)/],
    ['Days++', 4, '"++" is not part of an expression.', 'Put a blank between the two signs.'],
    ['1 --Days', 2, '"--" is not part of an expression.', 'Put a blank between the two signs.'],
    ['-2 ** 2', 3, '"**" is not expected here.', /^Put brackets around .* -\(2 \*\* 2\)\.$/],
    // what is more than an expression
    ['Days.length', 4, '"." is not part of an expression.', inBackticks],
    ['Days[0]', 4, '"[" is not part of an expression.', inBackticks],
    ['{RANDOM_SEED}', 0, '"{" is not part of an expression.', inBackticks],
    ['1; 2', 1, '";" is not part of an expression.', inBackticks],
    ['“fifo”', 0, '"“" is not part of an expression.', inBackticks],
    ['1 + 😀', 4, '"😀" is not part of an expression.', inBackticks],
    ['3,5 < Days', 0, '"3,5 < Days" is not part of an expression.', /^Decimals stand behind a point/],
    ['1 + /a/', 4, '"/a/" is not part of an expression.', undefined],
    ['`a${1}`', 0, 'There is no input "a${1}".', /^Known/],
    // syntax
    ['', 0, 'The expression is empty.', undefined],
    [' \n', 0, 'The expression is empty.', undefined],
    ['Days > ', 7, 'The expression ends too early.', undefined],
    ['Contact rate > 3', 8, '"rate" is not expected here.', inBackticks],
    ['new Days', 4, '"Days" is not expected here.', inBackticks],
    ['Days`Open`', 4, '"`Open`" is not expected here.', inBackticks],
    ['`Open`Days', 6, '"Days" is not expected here.', inBackticks],
    ['`Days`3', 6, '"3" is not expected here.', inBackticks],
    ['0x10', 1, '"x10" is not expected here.', inBackticks],
    ['Open ? 1', 8, 'The expression ends too early.', undefined],
    ['Open : 1', 5, '":" is not expected here.', undefined],
    ['1 + * 2', 4, '"*" is not expected here.', undefined],
    ['()', 1, '")" is not expected here.', undefined],
    ['1 + (2', 4, 'A bracket is not closed.', undefined],
    ['1) + (2', 1, 'A bracket is closed that was not opened.', undefined],
    ['1 + `Days', 4, 'What begins with ` here has no end.', /written twice\.$/],
    ["Policy == 'fifo", 10, "What begins with ' here has no end.", /written twice\.$/],
    ['"a\nb"', 0, 'What begins with " here has no end.', /written twice\.$/],
    ['1e999', 0, '"1e999" is too large.', undefined],
  ])('%j', (text, offset, message, hint) => {
    const error = refusal(text);
    expect(error.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
    expect(error.hint).toEqual(hint instanceof RegExp ? expect.stringMatching(hint) : hint);
    expect(error.offset).toBe(offset);
  });

  test('another type than is wanted', () => {
    expect(refusal('  Days + 1', 'boolean')).toMatchObject({
      message: 'The expression gives a number, not true or false.',
      hint: 'Compare it with something, such as Days > 3.',
      offset: 2,
    });
    expect(refusal('Policy', 'number').message).toBe('The expression gives a text, not a number.');
    expect(refusal('Open', 'text').message).toBe('The expression gives true or false, not a text.');
  });

  test('an input where there is none has no hint but of texts', () => {
    expect(refusal('fifo', undefined, new Map()).hint).toBe('A text stands in quotes.');
    expect(refusal('`fifo`', undefined, new Map()).hint).toBeUndefined();
  });

  test('more than is sensible', () => {
    expect(evaluate(`1${' '.repeat(9_999)}`)).toBe(1);
    expect(refusal(`1${' '.repeat(10_000)}`)).toMatchObject({
      message: 'The expression has 10,001 characters.',
      hint: 'At most 10,000 are allowed.',
      offset: 10_000,
    });
    const nested = (depth: number): string => `${'('.repeat(depth)}1${')'.repeat(depth)}`;
    expect(evaluate(nested(100))).toBe(1);
    expect(refusal(nested(101))).toMatchObject({
      message: 'The expression is nested deeper than 100 brackets.',
      offset: 100,
    });
  });

  test.each<[string, (count: number) => string, Value]>([
    ['a sum', (count) => `1${' + 1'.repeat(count)}`, 501],
    ['signs', (count) => `${'- '.repeat(count)}1`, 1],
    ['negations', (count) => `${'not '.repeat(count)}Open`, true],
    ['alternatives', (count) => `${'false ? 1 : '.repeat(count)}2`, 2],
    ['choices in choices', (count) => `${'Open ? '.repeat(count)}1${' : 2'.repeat(count)}`, 1],
    ['powers', (count) => `1${' ** 1'.repeat(count)}`, 1],
  ])('%s of more than 500 operators', (_, text, value) => {
    expect(evaluate(text(500))).toBe(value);
    expect(refusal(text(501)).message).toBe('The expression has more than 500 operators.');
  });
});

describe('any expression', () => {
  /** A tree with its text, the level of its outermost operator, and what it gives. */
  interface Tree {
    text: string;
    level: number;
    value: Value;
  }
  const ATOM = 20;
  /** Levels of JavaScript's operators, from MDN's table; all but ** group to the left. */
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
    (written: string, level: number, value: (a: never, b: never) => Value) =>
    (left: Tree, right: Tree): Tree => ({
      text: `${within(left, level)} ${written} ${within(right, level + 1)}`,
      level,
      value: value(left.value as never, right.value as never),
    });
  const atom = (text: string, value: Value): Tree => ({ text, level: ATOM, value });

  const calculate: ((left: Tree, right: Tree) => Tree)[] = [
    infix('+', SUM, (a: number, b: number) => a + b),
    infix('-', SUM, (a: number, b: number) => a - b),
    infix('*', PRODUCT, (a: number, b: number) => a * b),
    infix('/', PRODUCT, (a: number, b: number) => a / b),
    infix('%', PRODUCT, (a: number, b: number) => a % b),
    (a, b) => ({
      text: `${within(a, SIGN + 1)} ** ${within(b, POWER)}`,
      level: POWER,
      value: (a.value as number) ** (b.value as number),
    }),
    (a, b) => atom(`max(${a.text},${b.text})`, Math.max(a.value as number, b.value as number)),
    (a, b) => atom(`Min( ${a.text} , ${b.text} )`, Math.min(a.value as number, b.value as number)),
    (a, b) => atom(`pow(${a.text}, ${b.text})`, Math.pow(a.value as number, b.value as number)),
  ];
  const change: ((one: Tree) => Tree)[] = [
    (one) => ({ text: `- ${within(one, SIGN)}`, level: SIGN, value: -(one.value as number) }),
    (one) => ({ text: `+ ${within(one, SIGN)}`, level: SIGN, value: one.value }),
    ...(['abs', 'floor', 'ceil', 'sqrt', 'exp', 'log', 'log10'] as const).map(
      (name) => (one: Tree) => atom(`${name}(${one.text})`, Math[name](one.value as number)),
    ),
  ];
  const compare: ((left: Tree, right: Tree) => Tree)[] = [
    infix('==', EQUALITY, (a: Value, b: Value) => a === b),
    infix('!=', EQUALITY, (a: Value, b: Value) => a !== b),
    infix('<', ORDER, (a: number, b: number) => a < b),
    infix('<=', ORDER, (a: number, b: number) => a <= b),
    infix('>', ORDER, (a: number, b: number) => a > b),
    infix('>=', ORDER, (a: number, b: number) => a >= b),
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

  test('gives what a direct evaluation gives, with no more brackets than it needs', () => {
    let operators = 0;
    fc.assert(
      fc.property(fc.oneof(number, boolean), ({ text, value }) => {
        // within what an expression may have of operators and brackets
        fc.pre(text.length < 1_000);
        operators = Math.max(operators, text.split(' ').length);
        const expression = compileExpression(text, types);
        expect(expression.type).toBe(typeof value);
        expect(expression.evaluate((name) => values[name]!)).toBe(value);
      }),
      { numRuns: 3_000 },
    );
    // the trees were trees
    expect(operators).toBeGreaterThan(20);
  });

  test('that is none is refused by an ExpressionError within the text, and one that is gives its type', () => {
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
      fc.string({ unit: 'binary' }),
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
    // 95 to 126 of other seeds
    expect(seen.compiled).toBeGreaterThan(50);
    expect(seen.refused).toBeGreaterThan(1_000);
  });

  test('of the longest texts of one sort ends, too', () => {
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
