import { describe, expect, test } from '@jest/globals';
import { type Value } from '../../../src/campaign/expressions/index.ts';
import { evaluate, refusal } from './support.ts';

describe('an expression is refused', () => {
  const inBackticks = /^Put backticks around a name/;
  const inQuotes = 'Put quotes around texts, and around nothing else.';
  const negation = 'Put brackets around everything that "not" negates, such as not (Days > 3).';
  const chain = 'Combine comparisons with "and", such as 3 < Days and Days < 9.';

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
    ['Policy == lifo', 10, 'There is no input "lifo".', /^Known: .*\. A text needs quotes\.$/],
    ['``', 0, 'There is no input "".', /^Known: .*"\.$/],
    ['Days > abs', 7, 'The function "abs" has no brackets.', /^Write abs\(…\)/],
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
    // operators of other languages
    ['Days === 3', 5, '"===" is not part of an expression.', 'Write == for "is equal to".'],
    ['Days !== 3', 5, '"!==" is not part of an expression.', 'Write != for "is not equal to".'],
    ['Days = 3', 5, '"=" is not part of an expression.', 'Write == for "is equal to".'],
    ['Days <> 3', 5, '"<>" is not part of an expression.', 'Write != for "is not equal to".'],
    ['Days =< 3', 5, '"=<" is not part of an expression.', 'Write <= for "at most".'],
    ['x => 1', 2, '"=>" is not part of an expression.', 'Write >= for "at least".'],
    ['2 ^ 3', 2, '"^" is not part of an expression.', 'Write ** for "to the power of".'],
    ['Open & Open', 5, '"&" is not part of an expression.', 'Write "and" or "&&".'],
    ['Open | Open', 5, '"|" is not part of an expression.', 'Write "or" or "||".'],
    ['7 // 2', 2, '"//" is not part of an expression.', /^Write floor\(a \/ b\)/],
    ['Days++', 4, '"++" is not part of an expression.', 'Put a blank between the two signs.'],
    ['1 --Days', 2, '"--" is not part of an expression.', 'Put a blank between the two signs.'],
    ['-2 ** 2', 3, '"**" is not expected here.', /^Put brackets around .* -\(2 \*\* 2\)\.$/],
    // code that is not an expression
    ['Days.length', 4, '"." is not part of an expression.', inBackticks],
    ['Days[0]', 4, '"[" is not part of an expression.', inBackticks],
    ['{RANDOM_SEED}', 0, '"{" is not part of an expression.', inBackticks],
    ['1; 2', 1, '";" is not part of an expression.', inBackticks],
    ['“fifo”', 0, '"“" is not part of an expression.', inBackticks],
    ['1 + 😀', 4, '"😀" is not part of an expression.', inBackticks],
    ['3,5 < Days', 0, '"3,5 < Days" is not part of an expression.', /^Write decimals after a point/],
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
    ['1) + (2', 1, 'The closing bracket has no opening bracket.', undefined],
    [
      '1 + `Days',
      4,
      'The text or name that begins with ` here has no end.',
      /twice inside the (name|text)\.$/,
    ],
    [
      "Policy == 'fifo",
      10,
      "The text or name that begins with ' here has no end.",
      /twice inside the (name|text)\.$/,
    ],
    ['"a\nb"', 0, 'The text or name that begins with " here has no end.', /twice inside the (name|text)\.$/],
    ['1e999', 0, '"1e999" is too large.', undefined],
  ])('with a message, a hint and a place: %j', (text, offset, message, hint) => {
    const error = refusal(text);
    expect(error.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
    expect(error.hint).toEqual(hint instanceof RegExp ? expect.stringMatching(hint) : hint);
    expect(error.offset).toBe(offset);
  });

  test('if its type is not the wanted type', () => {
    expect(refusal('  Days + 1', 'boolean')).toMatchObject({
      message: 'The expression gives a number, not true or false.',
      hint: 'Compare it with something, such as Days > 3.',
      offset: 2,
    });
    expect(refusal('Policy', 'number').message).toBe('The expression gives a text, not a number.');
    expect(refusal('Open', 'text').message).toBe('The expression gives true or false, not a text.');
  });

  test('without a list of known inputs if there are none; only a name without backticks has a hint about texts', () => {
    expect(refusal('fifo', undefined, new Map()).hint).toBe('A text needs quotes.');
    expect(refusal('`fifo`', undefined, new Map()).hint).toBeUndefined();
  });

  test('if it is too long or too deeply nested', () => {
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
  ])('if it has more than 500 operators: %s', (_, text, value) => {
    expect(evaluate(text(500))).toBe(value);
    expect(refusal(text(501)).message).toBe('The expression has more than 500 operators.');
  });
});
