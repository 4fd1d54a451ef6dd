import { describe, expect, test } from '@jest/globals';
import type { WrittenDesign } from '../../../src/campaign/designs/index.ts';
import type { Spread } from '../../../src/campaign/designs/spread-input.ts';
import { warningsOf } from '../../../src/client/plan-design.ts';
import { checkedDesign, expectDesignRefused, keysOf, pointsOf, rowsIn } from './support.ts';

const methods = ['random', 'lhs', 'sobol', 'halton'] as const;

/** The values of an input in a sample of many points. */
function valuesOf(method: (typeof methods)[number], input: string, spread: Spread, points = 256): string[] {
  return pointsOf({ [method]: { points, inputs: { [input]: spread } } }).map(({ values }) => values[0]!);
}

describe.each(methods)('%s', (method) => {
  test.each<[string, Spread, number, number]>([
    ['uniform', { min: 1.2, max: 2.2 }, 1.2, 2.2],
    ['uniform, with its name', { distribution: 'uniform', min: -3, max: -2, units: 'PER_DAY' }, -3, -2],
    ['log-uniform', { distribution: 'log-uniform', min: 0.01, max: 100 }, 0.01, 100],
    ['triangular', { distribution: 'triangular', min: 1, mode: 1.2, max: 3 }, 1, 3],
    ['normal', { distribution: 'normal', mean: 1.6, sd: 0.2 }, 0, 3.2],
    ['normal with limits', { distribution: 'normal', mean: 1.6, sd: 5, min: 1, max: 2 }, 1, 2],
    ['normal with a lower limit', { distribution: 'normal', mean: 0, sd: 1, min: 0 }, 0, 9],
  ])('draws numbers in the range of a distribution: %s', (_, spread, min, max) => {
    const numbers = valuesOf(method, 'Contact rate', spread).map(Number);
    expect(numbers).toHaveLength(256);
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(min);
    expect(Math.max(...numbers)).toBeLessThanOrEqual(max);
    expect(numbers.every((number) => Number.isInteger(number))).toBe(false);
  });

  test.each<[string, Spread, string[]]>([
    ['uniform', { min: 1, max: 6 }, ['1', '2', '3', '4', '5', '6']],
    ['uniform with fractional limits', { min: 0.5, max: 3.5 }, ['1', '2', '3']],
    ['uniform with one whole number', { min: 0.5, max: 1.5 }, ['1']],
    ['log-uniform', { distribution: 'log-uniform', min: 1, max: 4 }, ['1', '2', '3', '4']],
    ['triangular', { distribution: 'triangular', min: -1, mode: 0, max: 1 }, ['-1', '0', '1']],
    ['normal with limits', { distribution: 'normal', mean: 2, sd: 9, min: 1, max: 3 }, ['1', '2', '3']],
    ['choices', ['8', 9], ['8', '9']],
  ])('draws whole numbers for an input of whole numbers: %s', (_, spread, all) => {
    for (const input of ['Days', 'Budget']) {
      expect(valuesOf(method, input, spread).toSorted()).toEqual(all);
    }
  });

  test('draws from values by their weights', () => {
    const shareOf = (input: string, spread: Spread, value: string): number => {
      // another input makes all points different, so foray removes none of them as repeated
      const inputs = { [input]: spread, 'Contact rate': { min: 0, max: 1 } };
      const points = pointsOf({ [method]: { points: 1_000, inputs } });
      expect(points).toHaveLength(1_000);
      return points.filter(({ values }) => values[0] === value).length / 1_000;
    };
    expect(shareOf('Stochastic', [true, false], 'true')).toBeCloseTo(0.5, 1);
    expect(shareOf('Title', { values: ['a', 'b', 'c'], weights: [1, 0, 3] }, 'c')).toBeCloseTo(0.75, 1);
    expect(shareOf('Title', { values: ['a', 'b', 'c'], weights: [1, 0, 3] }, 'b')).toBe(0);
    expect(shareOf('Begin', ['1978-01-22T00:00', '1978-02-22T00:00'], '1978-02-22T00:00:00')).toBeCloseTo(
      0.5,
      1,
    );
    expect(shareOf('Title', { distribution: 'choice', values: ['a', 'a', 'b', 'b'] }, 'a')).toBeCloseTo(
      0.5,
      1,
    );
  });

  test('drops repeated points', () => {
    expect(valuesOf(method, 'Stochastic', [true, false], 100).toSorted()).toEqual(['false', 'true']);
  });

  test("depends on its seed, which is by default the campaign's seed, or 0 if the campaign has no seed", () => {
    const sample = { points: 5, inputs: { 'Contact rate': { min: 0, max: 1 } } };
    const zero = rowsIn({ [method]: { ...sample, seed: 0 } });
    expect(rowsIn({ [method]: sample })).toEqual(zero);
    expect(rowsIn({ [method]: sample }, { seed: 7 })).toEqual(rowsIn({ [method]: { ...sample, seed: 7 } }));
    expect(rowsIn({ [method]: sample }, { seed: 7 })).not.toEqual(zero);
    expect(rowsIn({ [method]: { ...sample, seed: 0 } }, { seed: 7 })).toEqual(zero);
  });

  test.each([
    ['{points: 9, inputs: {§Dayz: [1]}}', 'UNKNOWN_INPUT', /no input "Dayz"/, /mean "Days"/],
    [
      '{points: 9, inputs: {Contact rate: {min: 0, max: 1, units: §PER_HOUR}}}',
      'INVALID_VALUE',
      /is in PER_DAY, not in PER_HOUR/,
      /Convert/,
    ],
    [
      '{points: 9, inputs: {Title: {values: [a], units: §DAY}}}',
      'INVALID_VALUE',
      /without units, not in DAY/,
      /Convert/,
    ],
    ['{points: 9, inputs: {Days: [7, §8.5]}}', 'INVALID_VALUE', /8\.5, which is not a whole/, /INTEGER/],
    ['{points: 9, inputs: {Days: {values: [7, §8.5]}}}', 'INVALID_VALUE', /8\.5/, /INTEGER/],
    ['{points: 9, inputs: {Stochastic: [§ja]}}', 'INVALID_VALUE', /not true or false/, /BOOLEAN/],
    ['{points: 9, inputs: {Begin: [§today]}}', 'INVALID_VALUE', /not a date and time/, /DATE_TIME/],
    [
      '{points: 9, inputs: {Stochastic: §{min: 0, max: 1}}}',
      'INVALID_VALUE',
      /takes BOOLEAN, not a distribution of numbers/,
      /list of values/,
    ],
    [
      '{points: 9, inputs: {Days: §{min: 1.2, max: 1.8}}}',
      'INVALID_VALUE',
      /^There is no whole number between 1\.2 and 1\.8\.$/,
      /"Days" takes INTEGER/,
    ],
    [
      '{points: 9, inputs: {Days: §{min: 0, max: 3e9}}}',
      'INVALID_VALUE',
      /3000000000.* out of range/,
      /INTEGER/,
    ],
    [
      '{points: 9, inputs: {Days: §{distribution: normal, mean: 2147483640, sd: 1}}}',
      'INVALID_VALUE',
      /2147483649.* out of range/,
      /INTEGER/,
    ],
    [
      '{points: 9, inputs: {Budget: §{distribution: normal, mean: 0, sd: 1e16}}}',
      'INVALID_VALUE',
      /too large to be read exactly/,
      undefined,
    ],
    [
      '{points: 9, inputs: {Contact rate: §{distribution: normal, mean: 0, sd: 1, min: 50}}}',
      'INVALID_VALUE',
      /^No part of the normal distribution of "Contact rate" is between its limits\.$/,
      undefined,
    ],
    [
      '{points: 9, inputs: {Contact rate: §{min: -1e308, max: 1e308}}}',
      'INVALID_VALUE',
      /^The values of "Contact rate" are spread too widely\.$/,
      /1\.8e308/,
    ],
    [
      '{points: 9, inputs: {Contact rate: §{distribution: normal, mean: 0, sd: 1e308}}}',
      'INVALID_VALUE',
      /spread too widely/,
      /1\.8e308/,
    ],
    ['{points: 9, inputs: {Days: [7], §days: [8]}}', 'INVALID_VALUE', /given more than once/, /one of/],
  ] as const)('refuses values that its inputs do not take: %s', (sample, code, says, hint) => {
    expectDesignRefused(code, `{${method}: ${sample}}`, says, hint);
  });

  test.each([
    ['{points: §0, inputs: {Days: [1]}}', /expected at least 1/],
    ['{points: §1.5, inputs: {Days: [1]}}', /expected a whole number of points/],
    ['{points: §10000001, inputs: {Days: [1]}}', /expected at most 10,000,000/],
    ['{points: 9, inputs: §{}}', /expected at least one input/],
    ['{points: 9, inputs: {Days: §[]}}', /expected at least one value/],
    ['{points: 9, inputs: {Days: {values: §[]}}}', /expected at least one value/],
    ['{points: 9, inputs: {Days: §3}}', /expected a list of values, \{min, max\} or \{distribution/],
    ['{points: 9, inputs: {Days: §{min: 1}}}', /expected "max": uniform needs min, max/],
    ['{points: 9, inputs: {Days: §{min: 2, max: 2}}}', /expected "min" below "max"/],
    ['{points: 9, inputs: {Days: §{min: 1, max: 2, mode: 1}}}', /expected no "mode": uniform takes min, max/],
    ['{points: 9, inputs: {Days: {min: 1, max: 2, §maen: 1}}}', /has no setting "maen"/],
    ['{points: 9, inputs: {Days: {distribution: §gamma}}}', /expected uniform, log-uniform, normal/],
    ['{points: 9, inputs: {Days: §{distribution: normal, mean: 1}}}', /expected "sd": normal needs mean, sd/],
    ['{points: 9, inputs: {Days: {distribution: normal, mean: 1, sd: §0}}}', /expected more than 0/],
    ['{points: 9, inputs: {Days: §{distribution: log-uniform, min: 0, max: 1}}}', /expected "min" above 0/],
    [
      '{points: 9, inputs: {Days: §{distribution: triangular, min: 0, mode: 2, max: 1}}}',
      /"mode" between "min" and "max"/,
    ],
    ['{points: 9, inputs: {Days: §{distribution: choice}}}', /expected "values": choice needs values/],
    ['{points: 9, inputs: {Days: §{values: [1, 2], weights: [1]}}}', /a weight for each of the 2 values/],
    ['{points: 9, inputs: {Days: §{values: [1, 2], weights: [0, 0]}}}', /expected a weight above 0/],
    ['{points: 9, inputs: {Days: §{values: [1, 2], weights: [1e308, 1e308]}}}', /expected smaller weights/],
    ['{points: 9, inputs: {Days: {values: [1, 2], weights: [1, §-1]}}}', /expected no less than 0/],
    ['{points: 9, seed: §0.5, inputs: {Days: [1]}}', /expected a whole number/],
    ['§{inputs: {Days: [1]}}', /"design\.[a-z]+\.points" is missing/],
    ['§{points: 9}', /"design\.[a-z]+\.inputs" is missing/],
    ['§9', /expected \{points: NUMBER, inputs: …\}/],
    ['{points: 9, §input: {Days: [1]}}', /has no setting "input"/],
  ])('refuses a wrong shape: %s', (sample, says) => {
    expectDesignRefused('DEFINITION_INVALID', `{${method}: ${sample}}`, says);
  });
});

describe('sobol and halton', () => {
  const plain = (points: number) => ({
    points,
    scramble: false,
    inputs: { 'Contact rate': { min: 0, max: 1 }, 'Recovery rate': { min: 0, max: 1 } },
  });

  test('without scrambling are the plain sequences, for any seed', () => {
    const sobol = ['0 0', '0.5 0.5', '0.75 0.25', '0.25 0.75'];
    expect(rowsIn({ sobol: plain(4) })).toEqual(sobol);
    expect(rowsIn({ sobol: { ...plain(4), seed: 9 } })).toEqual(sobol);
    const halton = rowsIn({ halton: plain(4) });
    expect(halton.map((row) => row.split(' ')[0])).toEqual(['0', '0.5', '0.25', '0.75']);
  });

  test('are scrambled by default, and then differ from the plain sequences', () => {
    for (const method of ['sobol', 'halton'] as const) {
      const { points, inputs } = plain(4);
      const byDefault = { points, inputs };
      const scrambled = { ...byDefault, scramble: true };
      expect(keysOf({ [method]: byDefault })).toEqual(keysOf({ [method]: scrambled }));
      expect(keysOf({ [method]: plain(4) })).not.toEqual(keysOf({ [method]: scrambled }));
    }
  });

  test('have the setting "scramble", which random and lhs do not have', () => {
    const sample = '{points: 9, scramble: §maybe, inputs: {Days: [1]}}';
    expectDesignRefused('DEFINITION_INVALID', `{sobol: ${sample}}`, /expected true or false/);
    const without = '{points: 9, §scramble: false, inputs: {Days: [1]}}';
    for (const method of ['random', 'lhs']) {
      expectDesignRefused('DEFINITION_INVALID', `{${method}: ${without}}`, /has no setting "scramble"/);
    }
  });
});

test('a Latin hypercube has as many strata as points, and one value in each stratum', () => {
  const inputs = { 'Contact rate': { min: 0, max: 20 }, Days: { min: 1, max: 20 } };
  const points = pointsOf({ lhs: { points: 20, inputs } });
  const strata = Array.from({ length: 20 }, (_, at) => at);
  const byNumber = (a: number, b: number): number => a - b;
  expect(points.map(({ values }) => Math.floor(Number(values[0]))).toSorted(byNumber)).toEqual(strata);
  expect(points.map(({ values }) => Number(values[1]) - 1).toSorted(byNumber)).toEqual(strata);
});

test.each<[string, Spread]>([
  ['Contact rate', { min: 1700000000000, max: 1700000000010 }],
  ['Budget', { distribution: 'triangular', min: 1700000000000, mode: 1700000000005, max: 1700000000010 }],
  ['Contact rate', { distribution: 'normal', mean: 1700000000000, sd: 1 }],
  ['Budget', { distribution: 'normal', mean: 1700000000000, sd: 10, min: 1699999999990, max: 1700000000010 }],
])('a sample of %s has different values if they are large and near to each other: %j', (name, spread) => {
  expect(new Set(rowsIn({ lhs: { points: 6, inputs: { [name]: spread } } })).size).toBeGreaterThan(3);
});

test('a campaign has the description of a sample, not the points of the sample', () => {
  const { design } = checkedDesign({ random: { points: 3, seed: 4, inputs: { Days: { min: 1, max: 9 } } } });
  expect(design).toEqual({
    kind: 'sample',
    method: 'random',
    points: 3,
    seed: 4,
    scramble: true,
    inputs: [{ name: 'Days', isWhole: true, distribution: { kind: 'uniform', min: 1, max: 9 } }],
  });
});

test('foray refuses a plain sequence for a normal distribution without a lower limit, because the sequence begins at 0', () => {
  const normal = 'Contact rate: {distribution: normal, mean: 2, sd: 1}';
  const says = /^The plain sequence begins at 0, but the distribution of "Contact rate" has no lower end\.$/;
  const hint = /"min", or leave "scramble" out/;
  for (const method of ['sobol', 'halton'] as const) {
    const design = `{${method}: {points: 4, scramble: §false, inputs: {${normal}}}}`;
    expectDesignRefused('INVALID_VALUE', design, says, hint);
    const spread = { distribution: 'normal', mean: 2, sd: 1 } as const;
    const of = (scramble: boolean, more: { min?: number }) =>
      checkedDesign({
        [method]: { points: 4, scramble, inputs: { 'Contact rate': { ...spread, ...more } } },
      });
    expect([of(true, {}), of(false, { min: 0 })]).toMatchObject([{}, {}]);
  }
});

describe('with a condition', () => {
  const two = { 'Contact rate': { min: 0, max: 1 }, 'Recovery rate': { min: 0, max: 1 } };
  const numbersOf = (design: WrittenDesign): number[][] =>
    pointsOf(design).map(({ values }) => values.map(Number));
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;

  test.each(methods)('%s has as many points as asked for, and all meet it', (method) => {
    for (const limit of [1, 0.2, 0.001]) {
      const where = `\`Contact rate\` < ${limit} * \`Recovery rate\``;
      const rows = numbersOf({ [method]: { points: 500, inputs: two }, where });
      expect(rows).toHaveLength(500);
      expect(new Set(rows.map(String)).size).toBe(500);
      expect(rows.filter(([one, other]) => !(one! < limit * other!))).toEqual([]);
    }
  });

  test.each(methods)('%s is uniform over the region that meets it', (method) => {
    // the larger of two uniform numbers has the mean 2/3 and the standard deviation √(1/18)
    const where = '`Contact rate` < `Recovery rate`';
    const rows = numbersOf({ [method]: { points: 4_000, inputs: two }, where });
    const error = 4 * Math.sqrt(1 / 18 / rows.length);
    expect(Math.abs(mean(rows.map(([, larger]) => larger!)) - 2 / 3)).toBeLessThan(error);
    expect(Math.abs(mean(rows.map(([smaller]) => smaller!)) - 1 / 3)).toBeLessThan(error);
  });

  test('random is the part of a larger sample that meets it, so more points come after the first ones', () => {
    const where = '`Contact rate` < `Recovery rate`';
    const all = rowsIn({ product: [{ random: { points: 400, inputs: two } }], where });
    expect(rowsIn({ random: { points: 100, inputs: two }, where })).toEqual(all.slice(0, 100));
  });

  test('an lhs that meets it everywhere is the same as without it', () => {
    const lhs = { points: 50, inputs: two };
    expect(rowsIn({ lhs, where: '`Contact rate` >= 0' })).toEqual(rowsIn({ lhs }));
  });

  test('an lhs has at most one point in each stratum of the larger sample', () => {
    const rows = numbersOf({ lhs: { points: 1_000, inputs: two }, where: '`Contact rate` < 0.5' });
    // half of the draws meet it, so the larger sample has about 2,000 strata
    const strata = rows.map(([, free]) => Math.floor(free! * 1_800));
    expect(new Set(strata).size).toBeGreaterThan(850);
  });

  test('a strip of a hundred-thousandth gets all points, along its whole length', () => {
    const where = 'abs(`Contact rate` - `Recovery rate`) < 0.000005';
    const rows = numbersOf({ random: { points: 1_000, inputs: two }, where });
    expect(rows).toHaveLength(1_000);
    const along = rows.map(([one]) => one!);
    expect(Math.abs(mean(along) - 0.5)).toBeLessThan(0.05);
    expect([Math.min(...along) < 0.02, Math.max(...along) > 0.98]).toEqual([true, true]);
  });

  test('whole numbers that rarely meet it give fewer points, and none that does not meet it', () => {
    const inputs = { Population: { min: 1, max: 100_000 }, Days: { min: 1, max: 100_000 } };
    const design = { random: { points: 1_000, inputs }, where: 'Population < Days / 500' };
    const rows = numbersOf(design);
    expect(warningsOf(checkedDesign(design), rows.length)).toEqual([
      `The design has ${1_000 - rows.length} points fewer than asked for: less than one draw of a hundred meets "where".`,
    ]);
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.length).toBeLessThan(1_000);
    expect(rows.filter(([population, days]) => !(population! < days! / 500))).toEqual([]);
  });

  test('a derived value counts in the condition', () => {
    const design = {
      random: { points: 200, inputs: { 'Contact rate': { min: 0, max: 1 } } },
      derive: { 'Recovery rate': '1 - `Contact rate`' },
      where: '`Recovery rate` > 0.9',
    };
    const rows = numbersOf(design);
    expect(rows).toHaveLength(200);
    expect(rows.filter(([, derived]) => !(derived! > 0.9))).toEqual([]);
  });
});
