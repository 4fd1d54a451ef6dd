import { describe, expect, test } from '@jest/globals';
import { sizeOf, type WrittenDesign } from '../../../src/campaign/designs/index.ts';
import { expectRefused, HEAD } from '../support.ts';
import { checkedDesign, expectDesignRefused, keysOf, pointsOf, rowsIn } from './support.ts';

describe('a product', () => {
  test('has every combination of the points of its members, and the points of the last member vary fastest', () => {
    const product = [{ zip: { Days: [7, 14], Title: ['a', 'b'] } }, { grid: { Stochastic: [true, false] } }];
    expect(rowsIn({ product })).toEqual(['7 a true', '7 a false', '14 b true', '14 b false']);
    expect(sizeOf(checkedDesign({ product }).design)).toBe(4);
  });

  test('drops repeated points', () => {
    const drawn = { random: { points: 50, inputs: { Stochastic: [true, false] } } };
    const product = [{ grid: { Days: [7, 14] } }, drawn];
    expect(rowsIn({ product }).toSorted()).toEqual(['14 false', '14 true', '7 false', '7 true']);
    expect(sizeOf(checkedDesign({ product }).design)).toBeUndefined();
  });

  test('has a point as often as its members have its parts', () => {
    const drawn = { random: { points: 50, inputs: { Stochastic: [true, false] } } };
    const [first, second] = pointsOf(drawn);
    expect(first!.draws! + second!.draws!).toBe(50);
    const product = [{ grid: { Days: [7, 14] } }, drawn, { random: { points: 3, inputs: { Title: ['a'] } } }];
    expect(pointsOf({ product }).map(({ draws }) => draws)).toEqual(
      [first, second, first, second].map((one) => 3 * one!.draws!),
    );
  });

  test('with one member has the points of this member', () => {
    expect(keysOf({ product: [{ grid: { Days: [7, 14] } }] })).toEqual(keysOf({ grid: { Days: [7, 14] } }));
  });

  test.each([
    [
      'INVALID_VALUE',
      '{product: [{grid: {Days: [1]}}, {points: [{Title: a, §days: 2}]}]}',
      /^The input "Days" is given more than once\.$/,
      /one of inputs, files, design, search, calibrate and fresh/,
    ],
    [
      'INVALID_VALUE',
      '{product: [{grid: {Days: [1]}, derive: {Budget: "1"}}, {sobol: {points: 2, inputs: {§Budget: [2]}}}]}',
      /"Budget" is given more than once/,
      undefined,
    ],
    ['UNKNOWN_INPUT', '{product: [{grid: {Days: [1]}}, {zip: {§Titel: [a]}}]}', /"Titel"/, /mean "Title"/],
    ['INVALID_VALUE', '{product: [{grid: {Days: [1]}}, {zip: {Population: [§8.5]}}]}', /8\.5/, /INTEGER/],
    ['DEFINITION_INVALID', '{product: §[]}', /expected at least one design/, undefined],
    ['DEFINITION_INVALID', '{product: §{grid: {Days: [1]}}}', /expected a list of designs/, undefined],
    ['DEFINITION_INVALID', '{product: [{grid: {Days: [1]}}, §{}]}', /expected one of grid, zip/, undefined],
    ['DEFINITION_INVALID', '{product: [{§gird: {Days: [1]}}]}', /no setting "gird"/, /Did you mean "grid"\?/],
  ] as const)('is refused with %s: %s', (code, design, says, hint) => {
    expectDesignRefused(code, design, says, hint);
  });
});

describe('a union', () => {
  test('has a point as often as samples drew it, in any order of its members', () => {
    const grid = { grid: { Stochastic: [true, false] } };
    const drawn = { random: { points: 20, seed: 1, inputs: { Stochastic: [true, false] } } };
    const others = { random: { points: 7, seed: 2, inputs: { Stochastic: [true] } } };
    const drawsOf = (union: WrittenDesign[]): Record<string, number> =>
      Object.fromEntries(pointsOf({ union }).map(({ values, draws = 1 }) => [values[0]!, draws]));
    const { true: often, false: seldom } = drawsOf([drawn]);
    for (const union of [
      [grid, drawn, others],
      [others, drawn, grid],
      [drawn, grid, others, grid],
    ])
      expect(drawsOf(union)).toEqual({ true: often! + 7, false: seldom! });
    expect(drawsOf([grid, others])).toEqual({ true: 7, false: 1 });
    expect(drawsOf([grid, grid])).toEqual({ true: 1, false: 1 });
  });

  test('may have members that vary different inputs; an input that a member does not vary keeps its value', () => {
    const union: WrittenDesign[] = [{ grid: { Days: [7, 14] } }, { grid: { Title: ['a', 'none'] } }];
    // 14 and none are the base values of the inputs
    expect(rowsIn({ union })).toEqual(['7 none', '14 none', '14 a']);
    expect(rowsIn({ union }, { experiment: 'Baseline' })).toEqual(['7 none', '14 none', '21 a', '21 none']);
  });

  test.each([
    ['INVALID_VALUE', '{union: [{grid: {Days: [1]}}, {grid: {Days: [§8.5]}}]}', /8\.5/, /INTEGER/],
    ['INVALID_VALUE', '{union: [{grid: {Days: [1, §1]}}]}', /appears twice/, undefined],
    ['UNKNOWN_INPUT', '{union: [{grid: {Days: [1]}}, {grid: {§Titel: [1]}}]}', /"Titel"/, /"Title"/],
    ['DEFINITION_INVALID', '{union: §[]}', /expected at least one design/, undefined],
    ['DEFINITION_INVALID', '{union: [§3]}', /expected \{grid \| zip/, undefined],
    ['DEFINITION_INVALID', '{union: [{§uniom: []}]}', /no setting "uniom"/, /Did you mean "union"\?/],
  ] as const)('is refused with %s: %s', (code, design, says, hint) => {
    expectDesignRefused(code, design, says, hint);
  });

  test('refuses an input that is also given beside the design', () => {
    const body = '{union: [{grid: {Title: [a]}}, {grid: {§Days: [1]}}]}\ninputs: {days: 3}';
    expectDesignRefused('INVALID_VALUE', body, /"Days" is given more than once/);
  });
});

describe('nested designs', () => {
  test('a product can combine a sample with a union, whose condition leaves points out', () => {
    const union = [{ points: [{ Days: 7 }] }, { grid: { Title: ['a', 'b'] } }];
    const product = [
      { union, where: 'Title != "b"' },
      { sobol: { points: 2, scramble: false, inputs: { 'Contact rate': { min: 1, max: 2 } } } },
    ];
    const rows = ['7 none 1', '7 none 1.5', '14 a 1', '14 a 1.5'];
    expect(rowsIn({ product })).toEqual(rows);
    expect(rowsIn({ union: [{ product }, { grid: { Title: ['c'] } }] })).toEqual([...rows, '14 c 1.66']);
  });

  test('a member can derive an input; in the other members of a union this input keeps its value', () => {
    const product: WrittenDesign[] = [
      { grid: { Days: [7, 8] }, derive: { Population: 'Days * 100' } },
      { grid: { Title: ['a'] } },
    ];
    expect(rowsIn({ product })).toEqual(['7 700 a', '8 800 a']);
    const union = [{ grid: { Days: [7] }, derive: { Population: 'Days * 100' } }, { grid: { Days: [8] } }];
    expect(rowsIn({ union })).toEqual(['7 700', '8 763']);
  });

  test('may have 30 levels', () => {
    const deep = Array.from({ length: 30 }).reduce<object>(
      (inner, _, at) => ({ [at % 2 ? 'product' : 'union']: [inner] }),
      { grid: { Days: [7, 14] } },
    );
    expect(rowsIn(deep)).toEqual(['7', '14']);
  });

  test('an error in an inner design names its place', () => {
    const inner = '{product: [{zip: {Title: [a]}}, {lhs: {points: 2, inputs: {Days: [§8.5]}}}]}';
    expectDesignRefused('INVALID_VALUE', `{union: [{grid: {Days: [1]}}, ${inner}]}`, /8\.5/);
    const broken = '{product: [{zip: {Title: [a]}}, {lhs: {points: §0, inputs: {Days: [8]}}}]}';
    expectDesignRefused('DEFINITION_INVALID', `{union: [{grid: {Days: [1]}}, ${broken}]}`, /at least 1/);
  });
});

describe('where', () => {
  test('keeps the points that meet the condition, in their order', () => {
    const design = {
      grid: { Days: [7, 14, 21], Title: ['a', 'b'] },
      where: 'Days < 20 and (Title == "b" or Days == 7)',
    };
    expect(rowsIn(design)).toEqual(['7 a', '7 b', '14 b']);
    expect(sizeOf(checkedDesign(design).design)).toBeUndefined();
  });

  test('can use inputs that do not vary, dates and BOOLEAN inputs', () => {
    const grid = { Begin: ['1978-01-22T00:00', '1978-03-01T00:00'], Stochastic: [false, true] };
    const where = '`Contact rate` > 1.5 and Begin < "1978-02" and not stochastic';
    expect(rowsIn({ grid, where })).toEqual(['1978-01-22T00:00:00 false']);
    expect(rowsIn({ grid, where }, { inputs: { 'Contact rate': 1 } })).toEqual([]);
  });

  test('can use derived inputs', () => {
    const design = {
      grid: { Days: [7, 14] },
      derive: { Population: 'Days * 100' },
      where: 'Population > 700',
    };
    expect(rowsIn(design)).toEqual(['14 1400']);
  });

  test.each([
    [
      '{grid: {Days: [1]}, where: §"Dayz > 3"}',
      /^The expression is wrong at "Dayz > 3": There is no input "Dayz"\.$/,
      /mean "Days"/,
    ],
    ['{grid: {Days: [1]}, where: §"Days + 1"}', /gives a number, not true or false/, /Days > 3/],
    ['{grid: {Days: [1]}, where: §"Days > "}', /^The expression is wrong: .* ends too early/, undefined],
    ['{grid: {Days: [1]}, where: §""}', /^The expression is wrong: The expression is empty/, undefined],
    ['{grid: {Days: [1]}, where: §"Days = 1"}', /at "= 1": "=" is not part/, /Write ==/],
    [
      '{grid: {Days: [1]}, where: §"`Observed cases` == \'\'"}',
      /The input "Observed cases" is a file/,
      /numbers, texts/,
    ],
    ['{product: [{grid: {Days: [1]}, where: §"1"}]}', /gives a number/, undefined],
    [`{grid: {Days: [1]}, where: §"Days > 1 and ${'x'.repeat(99)}"}`, /at "x{20}": /, undefined],
  ])('a wrong condition is refused: %s', (design, says, hint) => {
    expectDesignRefused('INVALID_EXPRESSION', design, says, hint);
  });

  test('must be an expression in quotes, and needs a kind of design beside it', () => {
    expectDesignRefused('DEFINITION_INVALID', '{grid: {Days: [1]}, where: §true}', /an expression in quotes/);
    expectDesignRefused('DEFINITION_INVALID', '§{where: "Days > 1"}', /expected one of grid, zip/);
  });
});

describe('a design', () => {
  test.each([
    [
      '§{}',
      /^"design" is wrong: expected one of grid, zip, points, .*; product and union combine several\.$/,
    ],
    ['§{grid: {Days: [1]}, zip: {Title: [a]}}', /expected one of grid, zip/],
    ['§{union: [{grid: {Days: [1]}}], lhs: {points: 1, inputs: {Title: [a]}}}', /expected one of grid, zip/],
    ['§[]', /expected \{grid \| zip \| points/],
    ['§grid', /expected \{grid \| zip \| points/],
    ['{§taguchi: {Days: [1]}}', /has no setting "taguchi"/],
  ])('is refused unless it has exactly one known kind: %s', (design, says) => {
    expectDesignRefused('DEFINITION_INVALID', design, says);
  });

  const thousand = (name: string): string => `{grid: {${name}: {from: 1, to: 1000, step: 1}}}`;
  const million = `{product: [${thousand('Days')}, ${thousand('Population')}]}`;
  test.each([
    [
      '{grid: {Days: {from: 1, to: 1000, step: 1}, Population: {from: 1, to: 1000, step: 1}, Title: [a, b, c, d, e, f, g, h, i, j, k]}}',
      '11,000,000',
    ],
    [`{product: [${million}, ${thousand('Contact rate')}]}`, '1,000,000,000'],
    // the number of points that meet a condition is known only after all points are made
    [`{product: [${million}, ${thousand('Contact rate')}], where: "Days == 1"}`, '1,000,000,000'],
    ['{union: [{random: {points: 10000000, inputs: {Days: [1, 2]}}}, {grid: {Days: [3]}}]}', '10,000,001'],
  ])('with more than ten million points is refused: %s', (design, count) => {
    expectRefused(`${HEAD}§design: ${design}\n`, {
      code: 'INVALID_VALUE',
      says: new RegExp(`^The design has ${count} points\\.$`),
      hint: /^At most 10,000,000 are allowed\.$/,
    });
  });

  test('may have ten million points', () => {
    const random = { points: 10_000_000, inputs: { 'Contact rate': { min: 0, max: 1 } } };
    expect(checkedDesign({ random }).design).toMatchObject({ points: 10_000_000 });
  });
});
