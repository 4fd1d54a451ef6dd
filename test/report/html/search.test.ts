import type { StrategyBy } from '../../../src/campaign/strategy.ts';
import { describe, expect, test } from '@jest/globals';
import { renderReport } from '../../../src/report/html/html.ts';
import { searchAnswer } from '../../../src/report/html/search-section.ts';
import { groundFigures } from '../../../src/report/pictures/heat-map.ts';
import { formatTable } from '../../../src/report/formats/format.ts';
import { bestParts, bestTable, bestText, requirementsText } from '../../../src/report/words/search-words.ts';
import { finalistsFigure } from '../../../src/report/pictures/finalists.ts';
import { searchFigures } from '../../../src/report/pictures/search.ts';
import type { AskedPoint, SearchStory } from '../../../src/search/story.ts';
import { countsOf, sampleRecord, sampleRow, sampleRows, stream } from '../support.ts';

/** Tests the report of a search. The tests invent the points and their values, so no service runs them. */

const search: StrategyBy<'search'> = {
  by: 'search',
  inputs: [
    {
      name: 'Contact rate',
      type: 'DOUBLE',
      kind: 'range',
      min: 1,
      max: 3,
      scale: 'log',
      step: null,
      digits: 4,
    },
    { name: 'Policy', type: 'STRING', kind: 'choice', values: ['a', 'b', '<i>'], isOrdered: false },
  ],
  where: null,
  require: [],
  method: 'cma',
  parallel: 4,
  stop: { points: 10, runs: null, value: null, gain: null, stall: null },
  confirm: null,
  most: null,
};

const record = sampleRecord({
  varied: [
    { name: 'Contact rate', type: 'DOUBLE', units: 'PER_DAY' },
    { name: 'Policy', type: 'STRING', units: null },
  ],
  design: { kind: 'list', inputs: ['Contact rate', 'Policy'], rows: [] },
  goal: { output: 'Fit error', wants: 'lowest' },
  strategy: search,
});

function point(ask: number, value: number | null, more: Partial<AskedPoint> = {}): AskedPoint {
  return {
    ask,
    ordinal: ask,
    key: ask.toString(16).padStart(16, '0'),
    values: ['1.5', 'b'],
    by: 'generation 1',
    seen: 0,
    runs: 1,
    value,
    isFeasible: value !== null,
    isOutside: false,
    state: value === null ? 'failed' : 'known',
    ...more,
  };
}

function storyWith(points: AskedPoint[], changes: Partial<SearchStory['summary']> = {}): SearchStory {
  const [best] = points.filter(({ isFeasible }) => isFeasible).toSorted((a, b) => a.value! - b.value!);
  return {
    summary: {
      method: 'cma',
      stage: 'over',
      asked: points.length,
      told: points.length,
      failed: 0,
      lastFailure: null,
      known: 0,
      unused: [],
      stoppedBy: 'points',
      best: best
        ? {
            ordinal: best.ordinal,
            key: best.key,
            inputs: { 'Contact rate': 1.5, Policy: 'b' },
            value: best.value!,
            interval: null,
            among: 1,
            tied: 0,
            runs: 1,
            failed: 0,
            isEqual: false,
            required: [],
            seen: best.value!,
            choice: 'alone',
          }
        : null,
      ...changes,
    },
    isNoisy: false,
    points,
    finalists: [],
  };
}

async function pageOf(story: SearchStory, of: Parameters<typeof renderReport>[0] = record): Promise<string> {
  const rows = stream(story.points.map(({ ordinal, values }) => sampleRow(ordinal, values)));
  const options = { story: { by: 'search' as const, ...story } };
  return (await renderReport(of, countsOf(story.points.length), rows, options)).replaceAll(/\s+/g, ' ');
}

describe('the report of a search', () => {
  test('draws the points of the search over the heat map of a grid', async () => {
    const grid = sampleRecord();
    const range = search.inputs[0]!;
    const inputs = ['Contact rate', 'Recovery rate'].map((name) => ({ ...range, name }));
    const campaign = { ...grid.campaign, goal: record.campaign.goal!, strategy: { ...search, inputs } };
    const story = storyWith([
      point(0, 20, { values: ['1.2', '0.3'] }),
      point(1, 17, { values: ['1.7', '0.45'] }),
    ]);
    story.summary.best!.inputs = { 'Contact rate': 1.7, 'Recovery rate': 0.45 };
    const known = { inputs: { 'Contact rate': 2.2, 'Recovery rate': 0.6 }, label: 'published' };
    const [figure] = await groundFigures(campaign, story, { record: grid, rows: sampleRows(grid), known });
    expect(figure!.caption).toBe(
      'The circles are the 2 points of the search. The cells are the grid of flu-calibration (1,271 points). The search did not use these points. A lighter cell has a lower value.',
    );
    const { layer } = figure!.spec as unknown as { layer: { data: { values: object[] } }[] };
    // the points are at the middles of cells; the axes have 41 and 31 cells
    expect(layer[1]!.data.values).toEqual([
      { x: 0.5, y: 0.5, row: 1271 },
      { x: expect.closeTo(20.5, 9), y: expect.closeTo(15.5, 9), row: 1272 },
    ]);
    expect(layer.at(-1)!.data.values[0]).toMatchObject({ x: 40.5, y: 30.5 });
  });

  test('lists only points that meet the requirements, and explains the marks of the other points', async () => {
    const page = await pageOf(storyWith([point(0, 5, { isFeasible: false }), point(1, 30), point(2, null)]));
    expect(page).toContain('Lowest Fit error <strong>30</strong>');
    const [row] = /<tr class="first">.*?<\/tr>/.exec(page)!;
    expect(row).toContain(point(1, 30).key);
    expect(page).not.toContain(`<code>${point(0, 5).key}</code>`);
    expect(page).toContain('Hollow points do not meet the requirements');
    expect(page).toContain('Points that failed are marked below');
  });

  test('says that no point meets the requirements', async () => {
    const page = await pageOf(
      storyWith([point(0, 5, { isFeasible: false }), point(1, 6, { isFeasible: false })]),
      sampleRecord({
        ...record.campaign,
        strategy: { ...search, require: [{ output: 'Fit error', min: null, max: 1, chance: null }] },
      }),
    );
    expect(page).toContain('No point has a value and meets the requirements.');
    expect(page).not.toContain('Lowest Fit error <strong>');
    expect(page).not.toContain('class="first"');
    // the page still draws the points
    expect(page).toContain('-search-points"');
  });

  test.each([
    [[], 'over', 'No point has a value.'],
    [[], 'searching', 'No point has a value yet.'],
    [
      [{ output: 'Fit error', min: null, max: 1, chance: null }],
      'searching',
      'No known point meets the requirements so far.',
    ],
  ] as const)(
    'with the requirements %j and without a best point, a search that is %s says so',
    (require, stage, said) => {
      const { campaign } = sampleRecord({
        ...record.campaign,
        strategy: { ...search, require: [...require] },
      });
      const answer = searchAnswer(campaign, { best: null, stage }, false);
      expect(answer.text).toBe(`<div class="answer">${said}</div>`);
    },
  );

  test('escapes the value of an input that looks like HTML', async () => {
    const page = await pageOf(storyWith([point(0, 5, { values: ['2', '<i>'] }), point(1, 30)]));
    expect(page).not.toContain('<i>');
    expect(page).toContain('&#60;i&#62;');
  });

  test('draws an even sample of many points that includes the best point, and the best value so far of all points', () => {
    const low = new Map([
      [2, 50],
      [4_321, 1],
    ]);
    const points = Array.from({ length: 5_000 }, (_, ask) => point(ask, low.get(ask) ?? 100 + (ask % 7)));
    const figures = searchFigures(record.campaign, storyWith(points));
    expect(figures.map(({ id }) => id)).toEqual(['search-progress', 'search-points']);
    for (const { caption, spec } of figures) {
      expect(Number(/^(\d+) points spread evenly/.exec(caption)![1])).toBeLessThanOrEqual(801);
      expect(JSON.stringify(spec)).toMatch(/"value":1[,}]/);
    }
    // point 2 is not in the sample, but the best value so far has a step there
    const [progress, lines] = figures.map(({ spec }) => JSON.stringify(spec));
    expect(lines).not.toContain('"value":50');
    expect(progress).toContain('{"ask":2,"value":50}');
  });

  test('draws no parallel coordinates if the search has one input, and no picture if no point has a value', () => {
    const one = { ...record.campaign, strategy: { ...search, inputs: search.inputs.slice(0, 1) } };
    expect(searchFigures(one, storyWith([point(0, 1), point(1, 2)])).map(({ id }) => id)).toEqual([
      'search-progress',
    ]);
    expect(searchFigures(one, storyWith([point(0, null)]))).toEqual([]);
  });
});

test('the rows of the finalists are named by the inputs in which they differ, and no name is cut', () => {
  const rowsOf = (name: string, points: string[][]) => {
    const inputs = [{ ...search.inputs[0]!, name }, search.inputs[1]!];
    const campaign = { ...record.campaign, strategy: { ...search, inputs } };
    const finalists = points.map((values, at) => ({
      ...{
        ...point(at, 1),
        values,
        mean: at,
        interval: null,
        isRejected: false,
        isWinner: at === 0,
        required: [],
      },
    }));
    const { best } = storyWith([point(0, 1)]).summary;
    const [{ caption, spec }] = finalistsFigure(campaign, finalists, best) as [
      ReturnType<typeof finalistsFigure>[0],
    ];
    return { caption, names: /"sort":(\[.*?\])/.exec(JSON.stringify(spec))![1] };
  };
  const points = [
    ['0.27694097', 'b'],
    ['0.31950001', 'b'],
  ];
  const short = rowsOf('Contact rate', points);
  expect(short.names).toBe('["Contact rate 0.2769","Contact rate 0.3195"]');
  expect(short.caption).not.toContain('Each row');
  const long = rowsOf('The share of the persons who have a contact a day', points);
  expect(long.names).toBe('["0.2769","0.3195"]');
  expect(long.caption).toContain(
    'Each row has the values of The share of the persons who have a contact a day.',
  );
  expect(rowsOf('Contact rate', [points[0]!]).names).toBe('["Contact rate 0.2769, Policy b"]');
});

test('an axis of many powers of ten has no zeros at the end of its numbers', () => {
  const inputs = [{ ...search.inputs[0]!, min: 1e-6, max: 100 }, search.inputs[1]!] as typeof search.inputs;
  const campaign = { ...record.campaign, strategy: { ...search, inputs } };
  const lines = searchFigures(campaign, storyWith([point(0, 1), point(1, 2)])).at(-1)!;
  expect(JSON.stringify(lines.spec)).toContain('"text":"1e-6"');
});

test.each([
  ['Peak day', [17.2, 17.8], 17.5, /17\.50 ± 0\.30 days$/],
  ['P(`Fit error` > 20)', [0.2, 0.32], 0.25, /25\.0 % \(20\.0 % to 32\.0 %\)$/],
] as const)(
  'the value of the best point has the unit of %s after its interval',
  (output, ends, mean, value) => {
    const campaign = { ...record.campaign, goal: { output, wants: 'lowest' as const } };
    const { best } = storyWith([point(0, mean)]).summary;
    const known = { ...best!, interval: [...ends] as [number, number], runs: 5 };
    expect(bestParts(campaign, known).value).toMatch(value);
    expect(bestText(campaign, known)).toMatch(/ (\(|32\.0 %; )5 runs\)$/);
  },
);

test('the table of the best point has all digits of its inputs', async () => {
  const { best } = storyWith([point(0, 17.123456)]).summary;
  const inputs = { ...best!.inputs, 'Contact rate': 1.53627162 };
  const table = bestTable(record.campaign, { ...best!, inputs });
  let text = '';
  for await (const part of formatTable('table', table)) text += part;
  expect(text).toMatch(/ 1\.53627162 .* 17\.12 /);
});

test('the text of the requirements has the limits of each requirement, and there is none without requirements', () => {
  const outputs = ['Peak', 'Wait'].map((name) => ({ name, type: 'DOUBLE' as const, units: null }));
  const limits = { output: 'Peak', min: null, max: 320, chance: null };
  expect(requirementsText(outputs, [])).toBeUndefined();
  expect(requirementsText(outputs, [limits, { output: 'Wait', min: 1, max: 2.5, chance: 0.9 }])).toBe(
    'A point meets the requirements if all of these are true: the mean of Peak is at most 320; Wait is at least 1 and at most 2.5 in at least 90 % of the runs',
  );
  const quantile = { output: 'Q(Wait, 0.9)', min: null, max: 20, chance: null };
  const share = { output: 'P(Wait > 3)', min: 0.95, max: null, chance: null };
  expect(requirementsText(outputs, [quantile, share])).toBe(
    'A point meets the requirements if all of these are true: Q(Wait, 0.9) is at most 20; P(Wait > 3) is at least 95 %',
  );
});
