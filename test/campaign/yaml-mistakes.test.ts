import { describe, test } from '@jest/globals';
import { expectRefused } from './support.ts';

/** Expects an error at the `§`. The YAML parser itself may report the mistake only at a later line. */
function expectMistake(text: string, says: RegExp, hint?: RegExp): void {
  expectRefused(text, { code: 'DEFINITION_SYNTAX', says, ...(hint && { hint }) });
}

describe('the error for a line with wrong indentation', () => {
  test.each([
    ['one blank too few', 'model:\n  name: E\n §version: 1\nseed: 1\n', 'by 1, and the line before it by 2'],
    [
      'one blank too many',
      'model:\n  name: E\n   §version: 1\nseed: 1\n',
      'by 3, and the line before it by 2',
    ],
    [
      'one blank too many, one level deeper',
      'a:\n  b:\n    c: 1\n     §d: 2\n',
      'by 5, and the line before it by 4',
    ],
    [
      'two blanks too few, one level deeper',
      'a:\n    b: 1\n  §c: 2\nd: 1\n',
      'by 2, and the line before it by 4',
    ],
    ['under a value', 'campaign: a\n  §model: b\n', 'by 2, and the line before it by 0'],
    ['under a mapping', 'model: {name: E}\n  §seed: 1\n', 'by 2, and the line before it by 0'],
    ['after a comment', 'campaign: a\n\n# why\n  §model: b\n', 'by 2, and the line before it by 0'],
    [
      'a list item with one blank too few',
      'Days:\n      - 1\n     §- 2\n',
      'by 5, and the line before it by 6',
    ],
    ['a name within a list item', 'a:\n  - b: 1\n   §c: 2\n', 'by 3, and the line before it by 2'],
  ])('names the indentation of the line and of the line before: %s', (_, text, says) => {
    expectMistake(text, new RegExp(`The line is indented ${says}\\.$`), /begin in the same column/);
  });

  test.each(['model:\n§\tname: E\n', 'model:\n  name: E\n§\tversion: 1\n', 'a:\n§\t- 1\n'])(
    'says that the line is indented by a tab: %j',
    (text) => expectMistake(text, /indented by a tab\.$/, /by blanks/),
  );

  test.each(['a:\n  - 1\n  §b: 2\n', 'a:\n  b: 2\n  §- 1\n'])(
    'says that items of a list and names are mixed: %j',
    (text) => expectMistake(text, /Items of a list and names are mixed\.$/),
  );
});

describe('the error for a missing blank or sign', () => {
  test.each([
    'campaign§:a\nmodel: {name: E}\n',
    'campaign: a\nseed§:5\nmodel: {name: E}\n',
    'model:\n  name§:E\n  version: 1\n',
    'model:\n  name: E\n  version§:1\nseed: 3\n',
    'a: x\nb§:http://x.y\nc: 1\n',
  ])('says that there is no blank after the colon: %j', (text) =>
    expectMistake(text, /There is no blank after the colon\.$/),
  );

  test('says that there is no blank after the dash', () => {
    expectMistake('outputs:\n  - a\n  §-b\nseed: 2\n', /There is no blank after the dash\.$/);
  });

  test('says that there is no colon after the name', () => {
    expectMistake('campaign: a\n§model\n  name: E\nseed: 1\n', /There is no colon after this name\.$/);
  });

  test.each(['{"a": 1,\n "b": §2\n "c": 3}', 'model: {name: §E\n  version: 1}\n'])(
    'says that there is no comma after a value: %j',
    (text) => expectMistake(text, /There is no comma after this\.$/),
  );
});

test.each(['{"a": {"x": 1} §"b": 2}', 'a: [{x: 1} §{x: 2}]\n', '{"a": [1] §"b": 2}'])(
  'the error says that there is no comma between two values: %j',
  (text) => expectMistake(text, /There is no comma before this\.$/, /separates/),
);

test.each([
  'design: {grid: {Days: [1, 2]}} §seed: 3\n',
  'a: [1] §x\n',
  '- [1] §x\n',
  '{"a": 1}\n§{"b": 2}\n',
  '{"a": 1}§x',
])('the error says that text follows the closing bracket: %j', (text) =>
  expectMistake(text, /More text follows the closing bracket\.$/, /on a line of its own/),
);

test('the error says that a second document begins', () => {
  expectMistake('a: b\n...\n§c: d\n', /A second document begins here\.$/, /the line "\.\.\."/);
  expectMistake('campaign: a\n§---\ncampaign: b\n', /A second document begins here\.$/, /another file/);
});

test('the error says that merge keys are not supported', () => {
  expectMistake('a: &a {x: 1}\nb: {§<<: *a, x: 2}\n', /Merge keys \(<<\) are not supported\.$/, /names/);
});

describe('the error for an unclosed quote or bracket', () => {
  test.each(['campaign: §"a\nmodel: {name: E}\nseed: 1\n', "campaign: §'a\nmodel: {name: E}\n"])(
    'names the place of the opening quote: %j',
    (text) => expectMistake(text, /The quote that begins here has no end\.$/, /Close it/),
  );

  test('names the place of the opening quote if a quote in a later line closes the text', () => {
    expectMistake('  a: §"x\n  b: "y" z "\n', /The quote that begins here (has no end|ends in a later line)/);
  });

  test.each([
    ['campaign: a\nDays: §[1, 2\nmodel: {name: E}\nseed: 1\n', '\\['],
    ['grid:\n  Days: §[1, 2\n  Rate: [1, 3]\nseed: 1\n', '\\['],
    ['grid:\n  Days: §[1, 2\n\nseed: 1\n', '\\['],
    ['a: §[1, [2, 3]\nb: 1\n', '\\['],
    ['a: §[b: 1\nc: d\n', '\\['],
    ['a: [1, §{x: 2]\nb: 1', '\\{'],
    ['campaign: a\nmodel: §{name: E\n', '\\{'],
    ['{"a": 1,\n "b": §[1,2\n}', '\\['],
  ])('names the place of the opening bracket: %j', (text, bracket) =>
    expectMistake(text, new RegExp(`The bracket ${bracket} that is opened here is not closed\\.$`), /Write/),
  );

  test('says that a bracket closes nothing', () => {
    expectMistake('model: {name: E}§}\nseed: 1\n', /The bracket } closes nothing\.$/);
  });
});

describe('the error for a text that needs quotes', () => {
  test.each(['campaign: a\nwhere: §`Contact rate` > 2\n', 'campaign: §@a\n', 'x: §%b\n'])(
    'says that the text cannot begin with the sign: %j',
    (text) => expectMistake(text, /A text without quotes cannot begin with .\.$/, /in quotes/),
  );

  test('says that the line has a second colon', () => {
    expectMistake('campaign: §a: b\nseed: 1\n', /The line has a second colon\.$/, /in quotes/);
    expectMistake('inputs: { Title: §a: b }\n', /The line has a second colon\.$/, /in quotes/);
  });

  test('says that more text follows the closing quote', () => {
    expectMistake('campaign: "a" §b\nseed: 1\n', /More text follows the closing quote\.$/);
  });
});
