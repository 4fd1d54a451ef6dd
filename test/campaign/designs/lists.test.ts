import { describe, expect, test } from '@jest/globals';
import { sizeOf } from '../../../src/campaign/designs/index.ts';
import { checkedDesign, expectDesignRefused, rowsIn } from './support.ts';

describe('a zip', () => {
  test('has a point with the first values of all inputs, then a point with the second values', () => {
    const zip = { Days: { from: 7, to: 21, step: 7 }, Title: ['a', 'b', 'a'] };
    expect(rowsIn({ zip })).toEqual(['7 a', '14 b', '21 a']);
    expect(sizeOf(checkedDesign({ zip }).design)).toBe(3);
  });

  test.each([
    [
      'INVALID_VALUE',
      '{zip: {Days: [1, 2], Population: [1, 2], Title: §[a]}}',
      /^"Days" has 2 values, and "Title" has 1\.$/,
      /same number of values/,
    ],
    [
      'INVALID_VALUE',
      '{zip: {Days: [1], Title: §{values: [a, b]}}}',
      /"Title" has 2/,
      /same number of values/,
    ],
    [
      'INVALID_VALUE',
      '{zip: {Days: [1, 2, §1], Title: [a, b, a]}}',
      /^Point 3 is the same as point 1\.$/,
      /^Use replications/,
    ],
    ['INVALID_VALUE', '{zip: {Days: [1, §8.5]}}', /not a whole number/, /INTEGER/],
    ['INVALID_VALUE', '{zip: {Days: [1], §DAYS: [2]}}', /"Days" is given more than once/, /one of inputs/],
    ['EMPTY_DESIGN', '{zip: {Days: §[]}}', /is empty/, /at least one/],
    ['UNKNOWN_INPUT', '{zip: {§Dayz: [1]}}', /no input "Dayz"/, /mean "Days"/],
    ['DEFINITION_INVALID', '{zip: §{}}', /at least one input/, undefined],
  ] as const)('is refused with %s: %s', (code, design, says, hint) => {
    expectDesignRefused(code, design, says, hint);
  });
});

describe('a list of points', () => {
  test('has the points as listed, with the inputs in the order of the first point', () => {
    const points: Record<string, string | number>[] = [
      { Days: 7, Title: 'a' },
      { title: 'b', ' DAYS': '14.0' },
    ];
    expect(rowsIn({ points })).toEqual(['7 a', '14 b']);
    expect(sizeOf(checkedDesign({ points }).design)).toBe(2);
  });

  test.each([
    [
      'INVALID_VALUE',
      '{points: [{Days: 1, Title: a}, §{Days: 2}]}',
      /^The point does not give "Title", but the first point does\.$/,
      /Use a union to combine lists/,
    ],
    [
      'INVALID_VALUE',
      '{points: [{Days: 1}, {Days: 2, §Title: a}]}',
      /^The first point does not give "Title"\.$/,
      /Use a union to combine lists/,
    ],
    [
      'INVALID_VALUE',
      '{points: [{Days: 1}, {Days: 2}, §{days: "1.0"}]}',
      /^Point 3 is the same as point 1\.$/,
      /^Use replications/,
    ],
    ['INVALID_VALUE', '{points: [{Days: 1}, {Days: §8.5}]}', /is 8\.5, which is not a whole/, /INTEGER/],
    ['INVALID_VALUE', '{points: [{Stochastic: §on}]}', /not true or false/, /BOOLEAN/],
    ['INVALID_VALUE', '{points: [{Begin: §"1978-13-01T00:00"}]}', /not a date and time/, /DATE_TIME/],
    ['INVALID_VALUE', '{points: [{Days: 1, §days: 2}]}', /given more than once/, /one of inputs/],
    ['INVALID_VALUE', '{points: [§{}]}', /^The point gives no input\.$/, undefined],
    ['INVALID_VALUE', '{points: [{Days: 1}, §{}]}', /does not give "Days"/, undefined],
    ['UNKNOWN_INPUT', '{points: [{Days: 1}, {§Dayz: 2}]}', /no input "Dayz"/, /mean "Days"/],
    ['DEFINITION_INVALID', '{points: §[]}', /at least one point/, undefined],
    ['DEFINITION_INVALID', '{points: §3}', /expected the path of a CSV or JSON Lines file/, undefined],
    ['DEFINITION_INVALID', '{points: [{Days: §[1]}]}', /expected a number, a text, true or false/, undefined],
  ] as const)('is refused with %s: %s', (code, design, says, hint) => {
    expectDesignRefused(code, design, says, hint);
  });
});
