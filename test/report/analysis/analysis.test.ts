import { describe, expect, test } from '@jest/globals';
import type { SpreadInput } from '../../../src/campaign/designs/spread-input.ts';
import { measureOf } from '../../../src/campaign/measures.ts';
import { whyNotAnalyzed } from '../../../src/client/analysis.ts';
import { courseSentence } from '../../../src/report/analysis/course-words.ts';
import { analysisFigures, courseFigure } from '../../../src/report/pictures/indices.ts';
import { analysisAnswer, analysisSection } from '../../../src/report/analysis/section.ts';
import { pairsTable } from '../../../src/report/analysis/pairs-table.ts';
import { analysisTable } from '../../../src/report/analysis/table.ts';
import { analysisSentence } from '../../../src/report/analysis/words.ts';
import { formatTable } from '../../../src/report/index.ts';
import { draw } from '../../../src/report/pictures/vega.ts';
import { RANDOM_SEED } from '../../../src/api/index.ts';
import type { Design } from '../../../src/campaign/designs/index.ts';
import type { Analysis } from '../../../src/sensitivity/analysis.ts';
import { analyzed, numericBase, OUTPUTS, type Played } from '../../sensitivity/campaigns.ts';
import { cellText } from '../../../src/report/analysis/numbers.ts';

const inputs = ['A', 'B', 'C'].map((name): SpreadInput => {
  return { name, isWhole: false, distribution: { kind: 'uniform', min: 0, max: 1 } };
});
const SEED = { name: RANDOM_SEED, type: 'LONG' as const, units: null, value: '1' };
const levels = inputs.map(() => ['0', '1']);
const names = inputs.map(({ name }) => name);
const designs: [title: string, played: Played][] = [
  ['Shares', { design: { kind: 'saltelli', inputs, points: 32, scrambles: 4, secondOrder: true, seed: 1 } }],
  ['Screening', { design: { kind: 'morris', inputs, trajectories: 10, levels: 4, seed: 1 } }],
  [
    'How inputs change',
    { design: { kind: 'sample', method: 'lhs', points: 60, seed: 1, scramble: true, inputs } },
  ],
  [
    'Effects',
    { design: { kind: 'factorial', inputs: names, values: levels, generators: [null, null, null] } },
  ],
  [
    'How inputs change',
    {
      design: { kind: 'onePerInput', inputs: names, values: names.map(() => ['0.5', '1.5']) },
      base: numericBase({ A: 1, B: 1, C: 1 }),
    },
  ],
];

const analysisOf = (played: Played): Analysis =>
  analyzed(played, ([a, b]) => ({ Y: 4 * a! - b!, Course: { dataX: [0, 1], dataY: [a, b] } }))[0]!;

async function csvOf(analyses: readonly Analysis[]): Promise<string[]> {
  const pieces = await Array.fromAsync(formatTable('csv', analysisTable(analyses)));
  return pieces.join('').trimEnd().split('\n');
}

describe.each(designs)('the analysis "%s"', (title, played) => {
  const analysis = analysisOf(played);

  test('has a sentence, a table and pictures', async () => {
    expect(analysisSentence(analysis)).toMatch(/^A and B .*Y.*; C has no visible (linear )?effect\.$/);
    const { text } = analysisSection(analysis);
    expect(text).toContain('<h2>Which inputs matter</h2>');
    expect(text).not.toMatch(/undefined|NaN|-0\.000/);
    const figures = analysisFigures(analysis, measureOf(OUTPUTS, 'Y'));
    expect(figures[0]!.title).toContain(title);
    for (const { spec, id } of figures) expect((await draw(spec, id, id)).svg).toContain('>A</text>');
  });

  test('gives a table with one row per input and one row per pair of inputs', async () => {
    const [head, ...rows] = await csvOf([analysis]);
    expect(head).toMatch(/^output,input,/);
    const pairs = analysis.secondOrder?.length ?? 0;
    expect(rows).toHaveLength(3 + pairs);
    expect(rows[0]).toMatch(/^Y,A,/);
  });
});

test('a curve has a picture over time, and rows with times', async () => {
  const analysis = analysisOf({ ...designs[0]![1], outputs: ['Course'] });
  const figure = courseFigure(analysis, 0)!;
  expect((await draw(figure.spec, figure.id, figure.title)).svg).toContain('Total index');
  expect((await csvOf([analysis]))[0]).toMatch(/^output,time,input,with,first,/);
});

test('a picture over time has the x axis of its curve', async () => {
  const analysis = analysisOf({ ...designs[0]![1], outputs: ['Course'] });
  const dated = courseFigure(analysis, 0, { units: 'DAY', start: '2026-01-31' })!;
  expect(dated.numbers.columns[0]!.title).toBe('Date');
  expect(dated.numbers.rows.map(({ texts }) => texts[0])).toContain('2026-02-01');
  expect(dated.caption).toMatch(/2026-01-31, then .* 2026-02-01/);
  const named = courseFigure(analysis, 0, { name: 'Time', units: 'DAY', scale: 'log' })!;
  expect((await draw(named.spec, named.id, named.title)).svg).toContain('Time (day)');
  expect(named.caption).toContain('Points with x ≤ 0 are left out, because the axis is logarithmic.');
  expect(new Set(named.numbers.rows.map(({ values }) => values[0]))).toEqual(new Set([1]));
  for (const { title, caption } of [dated, named])
    expect(`${title} ${caption}`).toMatch(/^When .* at each time\./);
  const spectrum = courseFigure(analysis, 0, { name: 'Frequency', units: 'Hz' })!;
  expect(`${spectrum.title} ${spectrum.caption}`).toMatch(/^Where .* at each place\./);
  expect(spectrum.caption).not.toContain('time');
});

describe('a sentence about a curve says which input matters most at which times', () => {
  const told = (curve: (values: readonly number[]) => unknown, [, played] = designs[0]!): string =>
    courseSentence(analyzed({ ...played, outputs: ['Course'] }, (values) => ({ Course: curve(values) }))[0]!);

  test('if the same input matters most at all times', () => {
    expect(told(([a]) => ({ dataX: [0, 1, 5], dataY: [a, a, a] }))).toBe(
      'A matters most for Course at all 3 times from 0 to 5; B and C have no visible effect at any time.',
    );
  });

  test('if inputs matter one after another', () => {
    expect(told(([a, b]) => ({ dataX: [0, 1, 2], dataY: [a, a, b] }))).toBe(
      'The input that matters most for Course changes: A from 0 to 1, then B at 2; C has no visible effect at any time.',
    );
  });

  test('if the input changes often', () => {
    expect(told(([a, b]) => ({ dataX: [0, 1, 2, 3, 4], dataY: [a, b, a, b, a] }))).toMatch(
      /^The input that matters most for Course changes often: A at 3 of 5 times, B at 2 of 5 times; C has no visible effect/,
    );
  });

  test('if no input matters', () => {
    let run = 0;
    const chance = (): number => Math.sin((run += 1) * 2.3);
    expect(told(() => ({ dataX: [0, 1], dataY: [chance(), chance()] }), designs[2])).toBe(
      'No input has a visible linear effect on Course at any of 2 times.',
    );
  });

  test('if the effect of an input is unknown', () => {
    const oneAtATime: Played = {
      design: { kind: 'onePerInput', inputs: ['A', 'B', 'C'], values: [['1'], ['1'], ['1']] },
    };
    const [analysis] = analyzed({ ...oneAtATime, outputs: ['Course'] }, ([a, , c]) =>
      a === 1 ? undefined : { Course: { dataX: [0, 1], dataY: [0, c] } },
    );
    expect(courseSentence(analysis!)).toMatch(/; the effect of A is unknown\.$/);
    const [same] = analyzed(
      { ...oneAtATime, outputs: ['Course'], replications: 3, seed: 1 },
      ([a], replication) =>
        a === 1
          ? undefined
          : { Course: { dataX: [0, 1], dataY: [Math.sin(replication), Math.cos(replication)] } },
    );
    expect(courseSentence(same!)).toBe(
      'The effects of B and C on Course cannot be distinguished from chance at any of 2 times; the effect of A is unknown.',
    );
  });
});

test('a number and the ends of its interval have the digits that the interval allows', () => {
  expect(cellText(33.168, [31.149, 35.2], false)).toBe('33.2 (31.1 … 35.2)');
  expect(cellText(0.96712, [0.7891, 1.0712], true)).toBe('0.97 (0.79 … 1.07)');
  expect(cellText(33.168, undefined, false)).toBe('33.17');
  expect(cellText(0.96712, undefined, true)).toBe('0.967');
  expect(cellText(-0.0001, undefined, true)).toBe('0.000');
});

test('an input with a small effect is said to have little effect, even if no other input has a visible effect', () => {
  const indices = [
    { input: 'A', total: 1, totalInterval: [-0.2, 2] as [number, number], p: 0.3 },
    { input: 'B', total: 0.04, totalInterval: [0.01, 0.06] as [number, number], p: 0.001 },
  ];
  const analysis: Analysis = { ...analysisOf(designs[0]![1]), indices, secondOrder: [], r2: 0.9 };
  const ofModel: Analysis = { ...analysis, method: 'gaussian-process' };
  expect(analysisSentence(ofModel)).toBe('B has little effect on Y; the effect of A is unknown.');
  expect(analysisAnswer(ofModel)!.text).toContain('None with more than a little effect');
  // without chance, a total index above 0 comes from pairs of points whose outputs differ
  const untested = indices.map(({ p: _, ...one }) => one);
  expect(analysisSentence({ ...analysis, indices: untested, method: 'sobol' })).toMatch(
    /^A explains .*; B has little effect\.$/,
  );
});

describe('an interval that says nothing', () => {
  const ends = (low: number, high: number): [number, number] => [low, high];
  const base: Analysis = { ...analysisOf(designs[0]![1]), secondOrder: [], confidence: 0.9 };

  test('gives no share and no little effect, although its estimate is small', () => {
    const indices = [
      { input: 'A', first: 0.09, total: 0.13, totalInterval: ends(-2.7, 3.4), p: 0.015 },
      { input: 'B', first: 0.48, total: -0.16, totalInterval: ends(-4.5, 3.9), p: 0.0004 },
      { input: 'C', first: 0, total: 0, totalInterval: ends(-2, 2), p: 0.9 },
    ];
    expect(analysisSentence({ ...base, indices })).toBe(
      'A and B change Y, but it is uncertain by how much; C cannot be distinguished from chance.',
    );
    expect(analysisSentence({ ...base, indices: indices.slice(0, 2) })).toBe(
      'A and B change Y, but it is uncertain by how much.',
    );
  });

  test('of a small effect ends below a tenth of the largest share, or the effect is not called small', () => {
    const found = (high: number): string =>
      analysisSentence({
        ...base,
        indices: [
          { input: 'A', total: 0.9, totalInterval: ends(0.8, 1), p: 1e-9 },
          { input: 'B', total: 0.03, totalInterval: ends(0.01, high), p: 1e-5 },
          { input: 'C', total: 0.001, totalInterval: ends(-0.02, 0.02), p: 0.8 },
        ],
      });
    expect(found(0.08)).toMatch(/^A explains 97 % .*; B has little effect; C cannot/);
    expect(found(0.2)).toMatch(/^A and B explain 100 % .*; C cannot/);
    // effects are compared by their squares
    const morris = (high: number): string =>
      analysisSentence({
        ...base,
        method: 'morris',
        indices: [
          { input: 'A', muStar: 10, muStarInterval: ends(8, 12), p: 1e-9 },
          { input: 'B', muStar: 2, muStarInterval: ends(1, high), p: 1e-5 },
        ],
      });
    expect(morris(3)).toMatch(/^A changes Y most; .*; B has little effect\.$/);
    expect(morris(4)).toMatch(/^A and B change Y most; /);
  });

  test('at a time of a curve leaves open which of two inputs matters most', () => {
    const time = (at: number, low: number) => ({
      time: at,
      indices: [
        { input: 'A', total: 0.6, totalInterval: ends(low, 0.7), p: 1e-9 },
        { input: 'B', total: 0.4, totalInterval: ends(0.3, 0.5), p: 1e-9 },
      ],
    });
    const told = (...lows: number[]): string =>
      courseSentence({ ...base, output: 'Course', times: lows.map((low, at) => time(at, low)) });
    expect(told(0.55, 0.55)).toBe('A matters most for Course at all 2 times from 0 to 1.');
    expect(told(0.45, 0.45)).toBe('A or B matters most for Course at all 2 times from 0 to 1.');
    expect(told(0.55, 0.45)).toBe(
      'The input that matters most for Course changes: A at 0, then A or B at 1.',
    );
  });
});

describe('an effect that may be in an interaction', () => {
  const coded = ([a, b, c]: readonly number[]): number => (2 * a! - 1) * (2 * b! - 1) + 0.8 * (2 * c! - 1);

  test('is not small because the means of the input are equal', () => {
    let run = 0;
    const base = [...numericBase({ A: 0, B: 0, C: 0 }), SEED];
    // with one run per point there are no total indices
    const [found] = analyzed({ ...designs[3]![1], base, seed: 1 }, (values) => ({
      Y: coded(values) + 0.01 * Math.sin((run += 1)),
    }));
    expect(analysisSentence(found!)).toMatch(/^C, A and B explain 100 % |^A, B and C explain 100 % /);
  });

  test('is unknown if the design cannot distinguish the interaction from another one', () => {
    const design: Design = {
      kind: 'factorial',
      inputs: ['A', 'B', 'C', 'D'],
      values: ['A', 'B', 'C', 'D'].map(() => ['0', '1']),
      generators: [null, null, null, { of: [0, 1, 2], sign: 1 }],
    };
    const [found] = analyzed({ design }, (values) => ({ Y: coded(values) }));
    // A × B is C × D here
    expect(analysisSentence(found!)).toBe(
      'C explains 39 % of the variance of Y; the effects of A, B and D are unknown.',
    );
  });
});

test('a small coefficient is a little linear effect: the effect may be larger', () => {
  const [found] = analyzed(designs[2]![1], ([a, b]) => ({ Y: a! + 0.15 * b! + 0.3 * (b! - 0.5) ** 2 }));
  expect(analysisSentence(found!)).toMatch(/B has little linear effect/);
});

test('a share of the variance that is estimated below 0 counts as 0', () => {
  const indices = [
    { input: 'A', total: -0.9, totalInterval: [-1.2, -0.4] as [number, number] },
    { input: 'B', total: 0.6, totalInterval: [0.4, 0.8] as [number, number] },
  ];
  const analysis: Analysis = { ...analysisOf(designs[0]![1]), indices, secondOrder: [] };
  expect(analysisSentence(analysis)).toBe(
    'B changes Y, but it is uncertain by how much; A has no visible effect.',
  );
});

test('the sentence does not divide the whole variance if chance or interactions are unknown', () => {
  const indices = [
    { input: 'A', first: 0.5, total: 0.6 },
    { input: 'B', first: 0.3, total: 0.5 },
  ];
  const analysis: Analysis = { ...analysisOf(designs[3]![1]), indices, secondOrder: [] };
  expect(analysisSentence(analysis)).toMatch(/^All inputs matter for Y/);
  const told = 'A and B explain 80 % of the variance of Y.';
  const tested = indices.map((one) => ({ ...one, p: 0.001 }));
  expect(analysisSentence({ ...analysis, indices: tested, hasUnknownChance: true })).toBe(told);
  // without a test, nothing tells an effect from chance
  const unknown = { hasUnknownChance: true as const, unknown: 'each point has one run with its own seed' };
  expect(analysisSentence({ ...analysis, ...unknown })).toBe(
    'It is unknown which inputs matter for Y, because each point has one run with its own seed.',
  );
  const alone = indices.map(({ input, first }) => ({ input, first }));
  expect(analysisSentence({ ...analysis, indices: alone })).toBe(told);
});

test('the caption names intervals only if there are intervals', () => {
  const analysis = analysisOf(designs[0]![1]);
  const measure = measureOf(OUTPUTS, 'Y');
  const indices = [{ input: 'A', first: 0.7, total: 0.8 }];
  expect(analysisFigures(analysis, measure)[0]!.caption).toContain('Lines are 95 % intervals');
  expect(analysisFigures({ ...analysis, indices }, measure)[0]!.caption).not.toContain('Lines are');
});

test('the captions of effects name the confidence of their lines, wherever the error comes from', () => {
  let run = 0;
  const noisy = ([a, b]: readonly number[]) => ({ Y: 4 * a! - b! + 0.1 * Math.sin((run += 1)) });
  const base = [...numericBase({ A: 0, B: 0, C: 0 }), SEED];
  const [factorial, oneAtATime] = [designs[3]![1], designs[4]![1]];
  // the error is from interactions, and then from replications
  const cases = [
    { ...factorial, base, seed: 1 },
    { ...factorial, replications: 4 },
    { ...oneAtATime, replications: 4 },
  ];
  for (const played of cases) {
    const figures = analysisFigures(analyzed(played, noisy)[0]!, measureOf(OUTPUTS, 'Y'));
    expect(figures.length).toBeGreaterThan(0);
    for (const { caption } of figures) expect(caption).toContain('Lines are 95 % intervals.');
  }
});

test.each([0, 3])('without any share there is no picture of shares (design %i)', (at) => {
  let run = 0;
  const base = [...numericBase({ A: 0, B: 0, C: 0 }), SEED];
  // nearly all variance between the points is chance
  const [analysis] = analyzed({ ...designs[at]![1], base, replications: 2, seed: 1 }, () => ({
    Y: Math.sin((run += 1) * 2.3),
  }));
  expect(analysis!.indices!.map(({ first, total }) => [first, total])).toEqual(
    names.map(() => [undefined, undefined]),
  );
  const figures = analysisFigures(analysis!, measureOf(OUTPUTS, 'Y'));
  for (const { numbers } of figures) expect(numbers.rows).not.toEqual([]);
});

test('a picture of the shares of a factorial over time has their intervals', async () => {
  const played = { ...designs[3]![1], replications: 4, outputs: ['Course'] };
  let run = 0;
  const [analysis] = analyzed(played, ([a, b]) => {
    const chance = 0.1 * Math.sin((run += 1));
    return { Course: { dataX: [0, 1], dataY: [a! + chance, b! + chance] } };
  });
  const figure = courseFigure(analysis!, 0)!;
  expect(figure.caption).toContain('Bands are 95 % intervals.');
  const [low, high] = analysis!.times![0]!.indices[0]!.firstInterval!;
  expect(JSON.stringify(figure.spec)).toContain(`"low":${low},"high":${high}`);
  expect((await draw(figure.spec, figure.id, figure.title)).svg).toContain('Share of the variance');
});

test('the table, the picture and the report name the values of a swing that are not numbers', async () => {
  const indices = [{ input: 'A', low: 1, high: 3, lowAt: 'fifo', highAt: 'lifo', effect: 2 }];
  const analysis: Analysis = { ...analysisOf(designs[4]![1]), indices };
  expect(await csvOf([analysis])).toEqual([
    'output,input,low,high,effect,lowAt,highAt',
    'Y,A,1,3,2,fifo,lifo',
  ]);
  expect(analysisFigures(analysis, measureOf(OUTPUTS, 'Y'))[0]!.caption).toContain('A from fifo to lifo');
  expect(analysisSection(analysis).text.replaceAll(/\s+/g, ' ')).toContain('1 (fifo)');
});

test('an empty text, or no file, leaves no gap in a sentence', () => {
  const indices = [{ input: 'A', low: 1, high: 3, lowAt: '', highAt: 'a.csv', effect: 2 }];
  const analysis: Analysis = { ...analysisOf(designs[4]![1]), indices };
  expect(analysisSentence(analysis)).toContain('from (empty) to a.csv of A');
  expect(analysisFigures(analysis, measureOf(OUTPUTS, 'Y'))[0]!.caption).toContain('A from (empty) to a.csv');
  expect(analysisSection(analysis).text.replaceAll(/\s+/g, ' ')).toContain('1 (empty)');
});

test('the answer names the inputs that matter', () => {
  expect(analysisAnswer(analysisOf(designs[0]![1]))!.text.replaceAll(/\s+/g, ' ')).toContain(
    'The inputs that matter for Y <strong>A and B</strong> of 3 inputs; C has no visible effect',
  );
});

test('an input that only interacts with another input matters in a factorial design with replications', () => {
  let run = 0;
  const [found] = analyzed({ ...designs[3]![1], replications: 4 }, ([a, b]) => ({
    Y: (2 * a! - 1) * (2 * b! - 1) + 0.1 * Math.sin((run += 1)),
  }));
  expect(analysisSentence(found!)).toMatch(
    /^A and B explain 100 % of the variance of Y; C cannot be distinguished from chance\.$/,
  );
  expect(pairsTable(found!)!.text).toMatch(/<td>A × B<\/td>/);
});

test('an input whose effect is unknown does not count as an input without effect', () => {
  const played = { ...designs[3]![1], replications: 2 };
  // each pair of points that differ only in A lacks a value
  const [found] = analyzed(played, ([a, b, c], replication) =>
    a === b ? undefined : { Y: c! + replication / 10 },
  );
  expect(analysisSentence(found!)).toBe(
    'C explains 100 % (97–100 %) of the variance of Y; the effects of A and B are unknown.',
  );
  expect(analysisAnswer(found!)!.text.replaceAll(/\s+/g, ' ')).toContain(
    '<strong>C</strong> of 3 inputs; the effects of A and B are unknown',
  );
});

test('an output without indices has no picture', () => {
  const [analysis] = analyzed(designs[2]![1], () => ({ Y: 1 }));
  expect(analysisFigures(analysis!, measureOf(OUTPUTS, 'Y'))).toEqual([]);
  expect(analysisSection(analysis!).text).toContain('the same at all points');
});

test('a campaign with one point has nothing to analyze', () => {
  const strategy = { by: 'design' } as const;
  const campaign = { varied: [], outputs: OUTPUTS, precision: null, strategy };
  expect(whyNotAnalyzed(campaign)!.problem).toContain('no input varies');
  const varied = [{ name: 'A', type: 'DOUBLE' as const, units: null }];
  expect(whyNotAnalyzed({ ...campaign, varied })).toBeUndefined();
});

test('an effect that is a fifth of the largest one counts as small, because effects are compared by their squares', () => {
  const sizes = { Demand: 40, Holding: 23, Level: 8, Lag: 2 };
  const indices = Object.entries(sizes).map(([input, muStar]) => ({ input, muStar }));
  const analysis = {
    campaign: 'a',
    output: 'Cost',
    method: 'morris' as const,
    runs: 50,
    indices,
    warnings: [],
  };
  expect(analysisSentence({ ...analysis, confidence: 0.95 })).toBe(
    'Demand and Holding change Cost most; over the range of Demand, Cost changes by 40 on average; Level and Lag have little effect.',
  );
  // the digits follow the interval, also from 1,000 on
  const large = indices.map((one) => ({ ...one, p: 0.001, muStar: 12_000 + one.muStar }));
  large[0] = { ...large[0]!, ...{ muStarInterval: [12_039.81, 12_040.21] as const } };
  expect(analysisSentence({ ...analysis, indices: large, confidence: 0.95 })).toContain(
    'Cost changes by 12,040.00 (12,039.81 to 12,040.21) on average',
  );
});
