import { describe, expect, test } from '@jest/globals';
import { levelsOf, mostRows, sizeOf, type WrittenDesign } from '../../../src/campaign/designs/index.ts';
import type { Saltelli } from '../../../src/campaign/designs/saltelli.ts';
import { saltelliRows } from '../../../src/campaign/sampling/saltelli.ts';
import { aboutDesign, warningsOf } from '../../../src/client/plan-design.ts';
import { expectRefused, HEAD } from '../support.ts';
import { checkedDesign, expectDesignRefused, pointsOf, rowsIn } from './support.ts';

const rates = { 'Contact rate': { min: 1, max: 3 }, 'Recovery rate': { min: 0.2, max: 1 } };

describe('morris', () => {
  test('has trajectories with one point more than inputs, and all points lie on the levels of the inputs', () => {
    const written: WrittenDesign = {
      morris: { trajectories: 3, inputs: { ...rates, Days: { min: 1, max: 4 } } },
    };
    const { design } = checkedDesign(written);
    expect(design).toMatchObject({ kind: 'morris', trajectories: 3, levels: 4, seed: 0 });
    expect([mostRows(design), sizeOf(design), pointsOf(written).length]).toEqual([12, undefined, 12]);
    const column = (at: number): string[] => pointsOf(written).map(({ values }) => values[at]!);
    expect(['1', '1.66666666667', '2.33333333333', '3']).toEqual(expect.arrayContaining(column(0)));
    expect(['0.2', '0.466666666667', '0.733333333333', '1']).toEqual(expect.arrayContaining(column(1)));
    expect(['1', '2', '3', '4']).toEqual(expect.arrayContaining(column(2)));
    expect(aboutDesign(design)).toEqual(['3 trajectories of 4 points, over 4 levels']);
  });

  test('takes choices, whole numbers and all kinds of distributions, and uses their lowest and highest values', () => {
    const inputs = {
      'Contact rate': { distribution: 'log-uniform', min: 0.1, max: 10 },
      'Recovery rate': { distribution: 'normal', mean: 0.5, sd: 0.2, min: 0.1, max: 0.9 },
      Population: { distribution: 'triangular', min: 10, mode: 20, max: 90 },
      Days: { min: 1, max: 2 },
      Stochastic: [false, true],
      Title: { values: ['a', 'b', 'c'], weights: [1, 2, 1] },
    } as const;
    const written = { morris: { trajectories: 20, levels: 6, inputs } } as unknown as WrittenDesign;
    const names = checkedDesign(written).varied.map(({ name }) => name);
    const valuesOf = (name: string): Set<string> =>
      new Set(pointsOf(written).map(({ values }) => values[names.indexOf(name)]!));
    expect(valuesOf('Contact rate')).toContain('0.1');
    expect(valuesOf('Contact rate')).toContain('10');
    expect(valuesOf('Recovery rate')).toContain('0.1');
    expect(valuesOf('Recovery rate')).toContain('0.9');
    expect(valuesOf('Population').size).toBe(6);
    expect(valuesOf('Days')).toEqual(new Set(['1', '2']));
    expect(valuesOf('Stochastic')).toEqual(new Set(['true', 'false']));
    expect(valuesOf('Title')).toEqual(new Set(['a', 'b', 'c']));
    expect([...levelsOf(checkedDesign(written).design).keys()]).toEqual(['Stochastic', 'Title']);
  });

  test("depends on its seed, which is by default the campaign's seed, and keeps its points when it gets more trajectories", () => {
    const written = (trajectories: number, seed?: number): WrittenDesign => ({
      morris: { trajectories, inputs: rates, ...(seed !== undefined && { seed }) },
    });
    expect(rowsIn(written(4), { seed: 7 })).toEqual(rowsIn(written(4, 7)));
    expect(rowsIn(written(4, 0))).toEqual(rowsIn(written(4)));
    expect(rowsIn(written(4, 7))).not.toEqual(rowsIn(written(4)));
    const few = rowsIn(written(4));
    expect(rowsIn(written(9)).slice(0, few.length)).toEqual(few);
  });

  test.each([
    ['{trajectories: §1, inputs: {Days: [1, 2]}}', 'DEFINITION_INVALID', /at least 2/, undefined],
    ['§{inputs: {Days: [1, 2]}}', 'DEFINITION_INVALID', /trajectories" is missing/, undefined],
    [
      '{trajectories: 4, levels: §5, inputs: {Days: [1, 2]}}',
      'DEFINITION_INVALID',
      /an even number/,
      undefined,
    ],
    ['{trajectories: 4, inputs: {§Dayz: [1, 2]}}', 'UNKNOWN_INPUT', /no input "Dayz"/, /mean "Days"/],
    [
      '{trajectories: 4, inputs: {Days: §{min: 1.2, max: 1.4}}}',
      'INVALID_VALUE',
      /no whole number/,
      undefined,
    ],
    [
      '{trajectories: 4, inputs: {Contact rate: §{distribution: normal, mean: 2, sd: 1, min: 0}}}',
      'INVALID_VALUE',
      /the greatest value of each input, and "Contact rate" is unbounded/,
      /a "min" and a "max"/,
    ],
    [
      '{trajectories: 4, inputs: {Days: [1, 2]}, §correlations: []}',
      'DEFINITION_INVALID',
      /no setting "correlations"/,
      /foray cannot draw correlated inputs: these designs assume/,
    ],
  ] as const)('refuses %s', (design, code, says, hint) => {
    expectDesignRefused(code, `{morris: ${design}}`, says, hint);
  });
});

describe('saltelli', () => {
  const saltelli = (points: number, rest: object = {}): WrittenDesign => ({
    saltelli: { points, inputs: rates, ...rest },
  });

  test('divides its base points over scrambles; each base point gives two points and one more for each input, or two more for each input with secondOrder', () => {
    const { design } = checkedDesign(saltelli(64, { scrambles: 8 }));
    expect(design).toMatchObject({ kind: 'saltelli', points: 8, scrambles: 8, secondOrder: false, seed: 0 });
    expect([mostRows(design), sizeOf(design)]).toEqual([256, undefined]);
    expect(pointsOf(saltelli(64, { scrambles: 8 }))).toHaveLength(256);
    expect(aboutDesign(design)).toEqual([
      '64 base points in 8 scrambles, 4 points for each',
      'indices within about ± 0.38, or better',
    ]);
    const second = checkedDesign({
      saltelli: { points: 64, secondOrder: true, inputs: { ...rates, Days: { min: 1, max: 9 } } },
    });
    expect(mostRows(second.design)).toBe(64 * 8);
    expect(warningsOf(second, 64 * 8)).toEqual([]);
  });

  test('has a warning if the number of base points in each scramble is not a power of 2', () => {
    expect(warningsOf(checkedDesign(saltelli(96, { scrambles: 8 })), 384)).toEqual([
      '96 base points (12 in each scramble) are spread less evenly than 128 (16 in each, a power of 2).',
    ]);
  });

  test.each([
    [16_384, 8, 2_048],
    [8_192, 8, 1_024],
    [4_096, 4, 1_024],
    [2_048, 1, 2_048],
    [64, 1, 64],
    [2, 1, 2],
  ])('divides %d base points over %d scrambles by default', (all, scrambles, points) => {
    expect(checkedDesign(saltelli(all)).design).toMatchObject({ scrambles, points });
  });

  test('converts its coordinates to values of the distributions, in the order of its rows', () => {
    const { design } = checkedDesign(saltelli(32, { secondOrder: true }));
    const rows = [...saltelliRows(design as Saltelli)].map(({ unit: [contact, recovery] }) =>
      [1 + 2 * contact!, 0.2 + 0.8 * recovery!]
        .map((value) => String(Number(value.toPrecision(12))))
        .join(' '),
    );
    // with two inputs, secondOrder adds no new points, because AB of one input equals BA of the other input
    expect(rowsIn(saltelli(32, { secondOrder: true }))).toEqual([...new Set(rows)]);
  });

  test('keeps its points when it gets more base points', () => {
    const few = rowsIn(saltelli(64));
    expect(rowsIn(saltelli(128)).slice(0, few.length)).toEqual(few);
  });

  test.each([
    [
      '{points: §100, scrambles: 8, inputs: {Days: {min: 1, max: 9}}}',
      'INVALID_VALUE',
      /100 base points cannot be divided over 8 scrambles/,
      /^Give 96 or 104 points, or "scrambles": 2 or 4 or 5\.$/,
    ],
    [
      '{points: §3, scrambles: 4, inputs: {Days: {min: 1, max: 9}}}',
      'INVALID_VALUE',
      /cannot be divided over 4/,
      /^Give 4 points, or "scrambles": 1 or 3\.$/,
    ],
    ['{points: §1, inputs: {Days: [1, 2]}}', 'DEFINITION_INVALID', /at least 2/, undefined],
    [
      '{points: 8, secondOrder: §2, inputs: {Days: [1, 2]}}',
      'DEFINITION_INVALID',
      /true or false/,
      undefined,
    ],
    [
      '{points: 8, inputs: {Days: [1, 2]}, §correlation: 0.5}',
      'DEFINITION_INVALID',
      /no setting "correlation"/,
      /cannot draw correlated inputs/,
    ],
  ] as const)('refuses %s', (design, code, says, hint) => {
    expectDesignRefused(code, `{saltelli: ${design}}`, says, hint);
  });

  test('refuses more inputs than half the dimensions of the sequence', () => {
    const inputs = Array.from({ length: 129 }, (_, at) => `x${at}: [1, 2]`).join(', ');
    expectDesignRefused(
      'INVALID_VALUE',
      `{saltelli: {points: 8, §inputs: {${inputs}}}}`,
      /varies 129 inputs/,
      /saltelli takes at most 128 inputs/,
    );
  });
});

describe('designs that need all of their points', () => {
  const designs = {
    'morris design': 'morris: {trajectories: 2, inputs: {Days: {min: 1, max: 9}}}',
    'saltelli design': 'saltelli: {points: 4, inputs: {Days: {min: 1, max: 9}}}',
    'fractional factorial':
      'factorial: {resolution: 3, inputs: {Days: [1, 2], Population: [1, 2], Budget: [1, 2]}}',
  };

  test.each(Object.entries(designs))('refuse a condition: a %s', (name, design) => {
    const says = new RegExp(`"where" cannot leave points out of a ${name}`);
    expectDesignRefused('INVALID_VALUE', `{${design}, §where: Days > 3}`, says, /all/);
  });

  test.each(Object.entries(designs))('cannot be part of other designs: a %s', (name, design) => {
    for (const kind of ['product', 'union']) {
      const says = new RegExp(`A ${name} cannot be part of a ${kind}`);
      expectDesignRefused('INVALID_VALUE', `{${kind}: [{§${design}}]}`, says, /campaign of its own/);
      const nested = `{union: [{${kind}: [{grid: {Title: [a]}}, {§${design}}]}]}`;
      expectDesignRefused('INVALID_VALUE', nested, says);
    }
  });

  test('may have derived inputs', () => {
    const written: WrittenDesign = {
      morris: { trajectories: 2, inputs: rates },
      derive: { Days: 'round(10 * `Contact rate`)' },
    };
    expect(pointsOf(written)).toHaveLength(6);
    for (const { values } of pointsOf(written)) {
      expect(Number(values[2])).toBe(Math.round(10 * Number(values[0])));
    }
    expect(aboutDesign(checkedDesign(written).design)).toHaveLength(1);
  });
});

describe('a design that grows', () => {
  const growing = { min: 64, max: 1000, width: 0.1 };

  test('begins with the minimum of points, and has the number of scrambles that its maximum needs', () => {
    const { design, strategy: growth } = checkedDesign(
      { saltelli: { points: growing, inputs: rates } },
      { outputs: ['Fit error', 'Infected', 'P(`Peak day` > 7)'] },
    );
    expect(design).toMatchObject({ points: 8, scrambles: 8 });
    expect(growth).toEqual({
      by: 'growing',
      rounds: [],
      first: 64,
      most: 1000,
      width: 0.1,
      confidence: 0.95,
      outputs: ['Fit error', 'Peak day', 'P(`Peak day` > 7)'],
    });
    const morris = checkedDesign({
      morris: { trajectories: { ...growing, output: 'fit error' }, inputs: rates },
    });
    expect(morris.design).toMatchObject({ trajectories: 64 });
    expect(morris.strategy).toMatchObject({ most: 1000, outputs: ['Fit error'] });
  });

  test.each([
    [
      '{saltelli: {points: §{min: 9, max: 8, width: 0.1}, inputs: {Days: [1, 2]}}}',
      'DEFINITION_INVALID',
      /"min" not above/,
    ],
    [
      '{saltelli: {points: {min: §60, max: 640, width: 0.1}, inputs: {Days: [1, 2]}}}',
      'INVALID_VALUE',
      /60 base points cannot be divided over 8/,
    ],
    [
      '{saltelli: {points: {min: 64, max: 640, width: 0.1, output: §Peek}, inputs: {Days: [1, 2]}}}',
      'UNKNOWN_OUTPUT',
      /no output "Peek"/,
    ],
    [
      '{morris: {trajectories: {min: 4, max: §10000001, width: 0.1}, inputs: {Days: [1, 2]}}}',
      'DEFINITION_INVALID',
      /at most 10,000,000/,
    ],
  ] as const)('is refused: %s', (design, code, says) => {
    expectDesignRefused(code, design, says);
  });

  test.each([
    ['§select: {minimize: Fit error, indifference: 1}', /known from the beginning/],
    ['§replications: {min: 2, max: 9, output: Fit error, relative: 0.1}', /the same number of replications/],
  ])('cannot be used with %s', (rest, says) => {
    const design = '{morris: {trajectories: {min: 4, max: 8, width: 0.1}, inputs: {Days: [1, 2]}}}';
    expectRefused(`${HEAD}design: ${design}\n${rest}\n`, { code: 'INVALID_VALUE', says });
  });
});
