import { describe, expect, test } from '@jest/globals';
import { sizeOf } from '../../../src/campaign/designs/index.ts';
import { expectRefused, HEAD } from '../support.ts';
import { checkedDesign, expectDesignRefused, pointsOf, rowsIn } from './support.ts';

describe('a grid', () => {
  test('has every combination, and the last input varies fastest', () => {
    expect(rowsIn({ grid: { Days: [7, 14], Stochastic: [true, false] } })).toEqual([
      '7 true',
      '7 false',
      '14 true',
      '14 false',
    ]);
  });

  test.each([
    ['a range with a step', { from: 1.2, to: 1.5, step: 0.1 }, ['1.2', '1.3', '1.4', '1.5']],
    ['a range with a step that does not reach the end', { from: 1, to: 2, step: 0.4 }, ['1', '1.4', '1.8']],
    ['a range with a count', { from: 0, to: 1, count: 5 }, ['0', '0.25', '0.5', '0.75', '1']],
    [
      'a range with a count that gives thirds',
      { from: 0, to: 1, count: 4 },
      ['0', '0.333333333333', '0.666666666667', '1'],
    ],
    ['a range with a count of 1', { from: 2, to: 5, count: 1 }, ['2']],
    ['a range of one value', { from: 2, to: 2, count: 1 }, ['2']],
    ['a range of one value with a step', { from: 3, to: 3, step: 5 }, ['3']],
    [
      'a range with equal ratios',
      { from: 0.01, to: 100, count: 5, scale: 'log' },
      ['0.01', '0.1', '1', '10', '100'],
    ],
    ['a range with a linear scale', { from: 1, to: 2, count: 2, scale: 'linear' }, ['1', '2']],
    ['a range with the units of the input', { from: 1, to: 2, count: 2, units: 'PER_DAY' }, ['1', '2']],
    ['a list with units', { values: [1, 2.5], units: 'PER_DAY' }, ['1', '2.5']],
    ['a range that begins below 0', { from: -1, to: 1, count: 3 }, ['-1', '0', '1']],
    [
      'a range of large numbers',
      { from: 1000, to: 1001, count: 4 },
      ['1000', '1000.33333333', '1000.66666667', '1001'],
    ],
    [
      'a range of large numbers that are near to each other',
      { from: 1700000000000, to: 1700000000001, count: 5 },
      ['1700000000000', '1700000000000.25', '1700000000000.5', '1700000000000.75', '1700000000001'],
    ],
    [
      'a range of times in seconds, with 12 digits',
      { from: 1700000000, to: 1700000010, count: 4 },
      ['1700000000', '1700000003.33', '1700000006.67', '1700000010'],
    ],
    ['a range of the largest numbers', { from: 0, to: 1.6e308, count: 3 }, ['0', '8e+307', '1.6e+308']],
  ] as const)('takes the numbers of %s', (_, values, wanted) => {
    expect(rowsIn({ grid: { 'Contact rate': values as never } })).toEqual(wanted);
  });

  test.each([
    [{ from: 1, to: 10, count: 4 }, ['1', '4', '7', '10']],
    [{ from: 1, to: 4, count: 7 }, ['1', '2', '3', '4']],
    [{ from: 1, to: 1000, count: 4, scale: 'log' }, ['1', '10', '100', '1000']],
    [{ from: 1, to: 8, count: 3, scale: 'log' }, ['1', '3', '8']],
    [{ from: -2, to: 2, count: 5 }, ['-2', '-1', '0', '1', '2']],
    [{ from: 7, to: 21, step: 7 }, ['7', '14', '21']],
  ] as const)(
    'rounds the numbers of a range for an INTEGER input, and drops repeated numbers: %j',
    (values, wanted) => {
      expect(rowsIn({ grid: { Days: values as never } })).toEqual(wanted);
    },
  );

  test.each([
    [
      { from: 1700000000000, to: 1700000000003, count: 4 },
      ['1700000000000', '1700000000001', '1700000000002', '1700000000003'],
    ],
    [
      { from: 1e12, to: 2e12, count: 4 },
      ['1000000000000', '1333333333333', '1666666666667', '2000000000000'],
    ],
    [
      { from: 1e12, to: 1e15, count: 4, scale: 'log' },
      ['1000000000000', '10000000000000', '100000000000000', '1000000000000000'],
    ],
  ] as const)('keeps all digits of the numbers of a range for a LONG input: %j', (values, wanted) => {
    expect(rowsIn({ grid: { Budget: values as never } })).toEqual(wanted);
    expect(rowsIn({ factorial: { inputs: { Budget: values } } })).toEqual(wanted);
  });

  test('takes values of several types, also in other spellings', () => {
    const grid = {
      ' contact RATE ': ['1.50'],
      Stochastic: ['TRUE'],
      Begin: ['1978-01-22T00:00'],
      Budget: ['9223372036854775807'],
      Title: ['a, b', ' '],
    };
    expect(pointsOf({ grid }).map(({ values }) => values)).toEqual([
      ['1.5', 'true', '1978-01-22T00:00:00', '9223372036854775807', 'a, b'],
      ['1.5', 'true', '1978-01-22T00:00:00', '9223372036854775807', ' '],
    ]);
  });

  test('has a size that foray knows before it makes the points', () => {
    const grid = { Days: { from: 1, to: 1000, step: 1 }, Population: { from: 1, to: 1000, count: 1000 } };
    expect(sizeOf(checkedDesign({ grid }).design)).toBe(1_000_000);
  });

  test.each([
    ['{grid: {Days: §[]}}', /^The list of values for "Days" is empty\.$/, /at least one/],
    ['{grid: {Days: {values: §[]}}}', /^The list of values for "Days" is empty\.$/, /at least one/],
    ['{grid: {Days: §{from: 2, to: 1, step: 1}}}', /from 2 to 1 by 1, is empty/, /"from" must not exceed/],
    ['{grid: {Days: §{from: 2, to: 1, count: 3}}}', /from 2 to 1 with 3 values, is empty/, /must not exceed/],
    ['{grid: {Days: §{from: 1, to: 2, step: 0}}}', /is empty/, /step must be above 0/],
    ['{grid: {Days: §{from: 1, to: 2, step: -1}}}', /is empty/, /step must be above 0/],
    ['{grid: {Days: §{from: 1, to: 1, count: 2}}}', /is empty/, /"from" must be below "to"/],
    ['{grid: {Days: §{from: 0, to: 1, count: 2, scale: log}}}', /is empty/, /"from" must be above 0/],
  ])('without values is refused: %s', (design, says, hint) => {
    expectDesignRefused('EMPTY_DESIGN', design, says, hint);
  });

  test.each([
    ['{grid: {Contact rate: {values: [1], units: §PER_HOUR}}}', /is in PER_DAY, not in PER_HOUR/, /Convert/],
    ['{grid: {Contact rate: {from: 1, to: 2, step: 1, units: §PER_HOUR}}}', /not in PER_HOUR/, /Convert/],
    ['{grid: {Population: {values: [1], units: §DAY}}}', /is without units, not in DAY/, /Convert/],
    ['{grid: {Days: [7, §8.5]}}', /is 8\.5, which is not a whole number/, /takes INTEGER, in DAY/],
    ['{grid: {Days: {values: [7, §8.5]}}}', /is 8\.5, which is not a whole number/, /takes INTEGER, in DAY/],
    ['{grid: {Days: §{from: 1, to: 2, step: 0.5}}}', /is 1\.5, which is not a whole number/, /INTEGER/],
    ['{grid: {Days: §{from: 0, to: 3e9, count: 2}}}', /out of range/, /INTEGER/],
    ['{grid: {Stochastic: [true, §yes]}}', /is "yes", which is not true or false/, /BOOLEAN/],
    ['{grid: {Begin: [§"1978-02-30T00:00"]}}', /not a date and time/, /DATE_TIME/],
    ['{grid: {Stochastic: §{from: 0, to: 1, step: 1}}}', /takes BOOLEAN, not a range/, /list of values/],
    ['{grid: {Title: §{from: 0, to: 1, count: 2}}}', /takes STRING, not a range/, /list of values/],
    ['{grid: {Begin: §{from: 1, to: 2, step: 1}}}', /takes DATE_TIME, not a range/, /list of values/],
    [
      '{grid: {Contact rate: [1, 2, §"1.0"]}}',
      /^The value 1 for "Contact rate" appears twice/,
      /replications/,
    ],
    ['{grid: {Contact rate: {values: [1, §1]}}}', /appears twice/, /replications/],
    ['{grid: {Contact rate: [0, §-0]}}', /^The value 0 for "Contact rate" appears twice/, /replications/],
    ['{grid: {Contact rate: [1.5, §15e-1]}}', /^The value 1\.5 for "Contact rate" app/, /replications/],
    [
      '{grid: {Contact rate: §{from: 1e16, to: 1.0000000000000004e16, step: 1}}}',
      /too close together/,
      /larger step/,
    ],
    [
      '{grid: {Contact rate: §{from: 1e16, to: 1.0000000000000004e16, count: 5}}}',
      /too close together/,
      /smaller count/,
    ],
    [
      '{grid: {Contact rate: §{from: 1e-200, to: 1e200, count: 5, scale: log}}}',
      /spread too widely/,
      /Narrow/,
    ],
    ['{grid: {Contact rate: §{from: -1.7e308, to: 1.7e308, count: 3}}}', /spread too widely/, /Narrow/],
    ['{grid: {Contact rate: §{from: 0, to: 1, step: 1e-7}}}', /has too many values/, /At most 1,000,000/],
    ['{grid: {Contact rate: §{from: 0, to: 1, step: 1e-300}}}', /has too many values/, /At most 1,000,000/],
    ['{grid: {Contact rate: §{from: -1e308, to: 1e308, step: 1}}}', /has too many values/, /At most 1,00/],
    ['{grid: {Contact rate: §{from: 0, to: 1, count: 1000001}}}', /has too many values/, /At most 1,000,000/],
  ])(
    'refuses values that its inputs do not take, repeated values, and too many values: %s',
    (design, says, hint) => {
      expectDesignRefused('INVALID_VALUE', design, says, hint);
    },
  );

  test('refuses unknown inputs', () => {
    const says = /^The model "Epidemic" has no input "Contact rat"\.$/;
    expectDesignRefused(
      'UNKNOWN_INPUT',
      '{grid: {§Contact rat: [1]}}',
      says,
      /^Did you mean "Contact rate"\?$/,
    );
  });

  test.each([
    ['{grid: §{}}', /expected at least one input/],
    ['{grid: §[1]}', /expected input names with their values/],
    ['{grid: {Days: §7}}', /expected a list of values/],
    ['{grid: {Days: §{from: 1, to: 2}}}', /expected a step or a count/],
    ['{grid: {Days: §{from: 1, to: 2, step: 1, count: 2}}}', /expected a step or a count/],
    ['{grid: {Days: §{from: 1, to: 2, step: 1, scale: log}}}', /expected a count with a scale/],
    ['{grid: {Days: {from: 1, to: 2, count: §0}}}', /expected at least 1/],
    ['{grid: {Days: {from: 1, to: 2, count: §2.5}}}', /expected a whole number/],
    ['{grid: {Days: {from: 1, to: 2, count: 2, scale: §square}}}', /expected linear or log/],
    ['{grid: {Days: {from: §a, to: 2, count: 2}}}', /expected a number/],
    ['{grid: {Days: {from: 1, to: 2, §cuont: 2}}}', /has no setting "cuont"/],
  ])('refuses a wrong shape: %s', (design, says) => {
    expectDesignRefused('DEFINITION_INVALID', design, says);
  });
});

describe('oneAtATime', () => {
  test('has the unchanged point, and then one point for each value of each input', () => {
    const oneAtATime = { Days: [7, 21], 'Contact rate': { from: 1, to: 2, count: 2 } };
    expect(rowsIn({ oneAtATime })).toEqual(['14 1.66', '7 1.66', '21 1.66', '14 1', '14 2']);
  });

  test('has the unchanged point only once, even if the design lists its values', () => {
    expect(rowsIn({ oneAtATime: { Days: [7, 14], Population: ['763.0'] } })).toEqual(['14 763', '7 763']);
    expect(rowsIn({ oneAtATime: { Days: [14] } })).toEqual(['14']);
  });

  test('starts from the values in `inputs`, which may have the same inputs', () => {
    expect(rowsIn({ oneAtATime: { Days: [7] } }, { inputs: { Days: 9 } })).toEqual(['9', '7']);
    const refused = (design: string) =>
      expectRefused(`${HEAD}inputs: {Days: 9}\ndesign: ${design}\n`, {
        code: 'INVALID_VALUE',
        says: /"Days" is given more than once/,
      });
    refused('{grid: {§Days: [7]}}');
    refused('{oneAtATime: {Population: [7]}, derive: {§Days: "1"}}');
    refused('{product: [{grid: {Population: [7]}}, {oneAtATime: {§Days: [7]}}]}');
  });

  test('starts from the values of the experiment, and other inputs keep the values in `inputs`', () => {
    expect(rowsIn({ oneAtATime: { Days: [7] } }, { experiment: 'Baseline' })).toEqual(['21', '7']);
    const alone = { inputs: { 'Contact rate': 3 } };
    const [first] = pointsOf({ oneAtATime: { Days: [7] } }, alone);
    expect(first!.key).toBe(pointsOf({ grid: { Days: [14] } }, alone)[0]!.key);
  });

  test.each([
    ['INVALID_VALUE', '{oneAtATime: {Days: [7, §7]}}', /appears twice/],
    ['INVALID_VALUE', '{oneAtATime: {Days: [§8.5]}}', /not a whole number/],
    ['INVALID_VALUE', '{oneAtATime: {Days: [7], §days: [8]}}', /given more than once/],
    ['EMPTY_DESIGN', '{oneAtATime: {Days: §[]}}', /is empty/],
    ['UNKNOWN_INPUT', '{oneAtATime: {§Dais: [7]}}', /no input "Dais"/],
    ['DEFINITION_INVALID', '{oneAtATime: §{}}', /at least one input/],
  ] as const)('is refused with %s: %s', (code, design, says) => {
    expectDesignRefused(code, design, says);
  });
});
