import { describe, expect, test } from '@jest/globals';
import { reportSections } from '../../../src/report/html/report-sections.ts';
import { summarize } from '../../../src/report/summary/summary.ts';
import { axisOf } from '../../../src/report/summary/input-axis.ts';
import { type ChosenAxes, EffectGatherer, type MainEffects } from '../../../src/report/summary/effects.ts';
import type { FacetedGrid, GridEffect } from '../../../src/report/summary/grid.ts';
import { colourScale } from '../../../src/report/pictures/scales.ts';
import { measureOf, measuresOf } from '../../../src/campaign/measures.ts';
import { pointsOf, valueOf } from '../../../src/report/summary/points.ts';
import {
  countsOf,
  doubles,
  failedRow,
  gridOf,
  sampleRecord,
  sampleRow,
  sampleRows,
  SEED,
  stream,
} from '../support.ts';

const policy = { name: 'Policy', type: 'STRING', units: null, values: ['none', 'all'] } as const;
const plain = {
  base: [SEED],
  strategy: { by: 'design' as const },
  precision: null,
  commonRandomNumbers: false,
};
const one = (mean: number) => ({ count: 1, mean, variance: 0, majority: null });
const gather = (varied: Parameters<typeof doubles>[1][], points: [string[], number][]) => {
  const grid = gridOf(varied.map((values, i) => doubles(`Input ${i}`, values)));
  const effects = new EffectGatherer({ ...grid, ...plain });
  for (const [values, mean] of points) effects.add(values, one(mean));
  return effects.result();
};
const meansOf = ({ effects }: MainEffects) =>
  effects.map(({ axis, means }) => [axis.input.name, means.map(({ bin, mean }) => [bin, mean])]);

describe('effects', () => {
  test('two numeric inputs give main effects and a grid whose values are in numeric order', () => {
    const [grid, main] = gather(
      [
        [10, 9, 100],
        [1, 2],
      ],
      [
        [['10', '1'], 4],
        [['9', '2'], 5],
        [['9', '2'], 7],
        [['100', '3'], 9],
      ],
    ) as [GridEffect, MainEffects];
    expect([grid.kind, main.kind, main.effects.length]).toEqual(['grid', 'main', 2]);
    expect(grid.x.bins.map(({ label }) => label)).toEqual(['9', '10', '100']);
    expect(grid.cells).toEqual([
      { x: 1, y: 0, mean: 4, runs: 1 },
      { x: 0, y: 1, mean: 6, runs: 2 },
    ]);
  });

  test('an input with one value does not count as varied', () => {
    const [main] = gather([[1, 2], [5]], [[['2', '5'], 3]]) as [MainEffects];
    expect(main.kind).toBe('main');
    expect(meansOf(main)).toEqual([['Input 0', [[1, 3]]]]);
  });

  test('an input with texts keeps the order of the design and has main effects', () => {
    const grid = gridOf([doubles('x', [1, 2]), { ...policy, values: [...policy.values] }]);
    const gatherer = new EffectGatherer({ ...grid, ...plain });
    gatherer.add(['1', 'none'], one(2));
    gatherer.add(['2', 'none'], one(4));
    const [main] = gatherer.result() as [MainEffects];
    expect(main.effects[1]!.axis.bins.map(({ label }) => label)).toEqual(['none', 'all']);
    expect(meansOf(main)[1]).toEqual(['Policy', [[0, 3]]]);
  });

  test('texts with line breaks do not share a cell', () => {
    const texts = [
      ['x\ny', 'x'],
      ['z', 'y\nz'],
    ];
    const grid = gridOf(texts.map((values, i) => ({ ...policy, name: `Input ${i}`, values })));
    const gatherer = new EffectGatherer({ ...grid, ...plain });
    gatherer.add(['x\ny', 'z'], one(2));
    gatherer.add(['x', 'y\nz'], one(4));
    const [{ cells }] = gatherer.result({ x: 'Input 0', y: 'Input 1' }) as [GridEffect];
    expect(cells.map(({ mean }) => mean)).toEqual([2, 4]);
  });

  test('there are no effects without varied inputs or without values', () => {
    expect(gather([], [[[], 1]])).toEqual([]);
    expect(gather([[1, 2]], [])).toEqual([]);
  });

  test('the effect of a single input has all values of the input, even if each value has only one point', () => {
    const values = Array.from({ length: 41 }, (_, i) => i);
    const [main] = gather(
      [values],
      values.map((value) => [[String(value)], value]),
    ) as [MainEffects];
    expect(meansOf(main)).toEqual([['Input 0', values.map((value) => [value, value])]]);
  });

  test('a list of points has a bin for each value of an input that repeats, like a grid', () => {
    const points = Array.from({ length: 84 }, (_, i) => [String(i % 21), String(i % 4)]);
    const names = ['Input 0', 'Input 1'];
    const varied = names.map((name) => doubles(name, []));
    const design = { kind: 'list', inputs: names, rows: points } as const;
    const effects = new EffectGatherer({ varied, design, ...plain });
    for (const point of points) effects.add(point, one(1));
    const [main] = effects.result().filter(({ kind }) => kind === 'main') as [MainEffects];
    expect(main.effects.map(({ axis }) => axis.bins.length)).toEqual([21, 4]);
  });

  test('three inputs give main effects, and one grid for each value of the input with the fewest values', () => {
    const levels = [
      [1, 2],
      [3, 4, 5],
      [6, 7, 8, 9],
    ] as const;
    const points = levels[0].flatMap((a) =>
      levels[1].flatMap((b) =>
        levels[2].map((c): [string[], number] => [[a, b, c].map(String), 100 * a + 10 * b + c]),
      ),
    );
    const [main, facets] = gather(
      levels.map((values) => [...values]),
      points,
    ) as [MainEffects, FacetedGrid];
    expect(meansOf(main)[0]).toEqual([
      'Input 0',
      [
        [0, 147.5],
        [1, 247.5],
      ],
    ]);
    expect([facets.x, facets.y, { input: facets.by }].map(({ input }) => input.name)).toEqual([
      'Input 1',
      'Input 2',
      'Input 0',
    ]);
    expect(facets.facets.map(({ label, cells }) => [label, cells.length])).toEqual([
      ['1', 12],
      ['2', 12],
    ]);
    expect(facets.facets[1]!.cells).toContainEqual({ x: 2, y: 3, mean: 259, runs: 1 });
    // two values of the second input are too few for a grid
    expect(
      gather(
        [
          [1, 2],
          [3, 4],
          [6, 7, 8],
        ],
        points,
      ),
    ).toHaveLength(1);
  });

  test('means have an interval if all of their points have replications', () => {
    const grid = gridOf([doubles('x', [1, 2, 3])]);
    const gatherer = new EffectGatherer({ ...grid, ...plain });
    gatherer.add(['1'], { count: 4, mean: 10, variance: 16, majority: null });
    gatherer.add(['2'], one(20));
    const [main] = gatherer.result() as [MainEffects];
    const [first, second] = main.effects[0]!.means;
    // the 0.975 quantile of Student's t with 3 degrees of freedom is 3.18245
    expect(first!.high! - 10).toBeCloseTo(2 * 3.18245, 4);
    expect(10 - first!.low!).toBeCloseTo(2 * 3.18245, 4);
    expect(second).toMatchObject({ mean: 20, low: null, high: null });
  });

  test('the shares of a model have intervals only if it has chance', () => {
    const grid = gridOf([doubles('Rate', [1, 2]), doubles('Cost', [1, 2, 3])]);
    const sharesOf = (base: (typeof SEED)[]) => {
      const gatherer = new EffectGatherer({ ...grid, ...plain, base }, 'share');
      for (const rate of [1, 2])
        for (const cost of [1, 2, 3]) gatherer.add([rate, cost].map(String), one(Number(rate === cost)));
      return (gatherer.result().find(({ kind }) => kind === 'main') as MainEffects).effects[0]!.means[0];
    };
    expect(sharesOf([])).toEqual({ bin: 0, mean: 1 / 3, low: null, high: null });
    expect(sharesOf([SEED])!.low).not.toBeNull();
  });

  test('the effects name inputs with too many values, and say whether they leave out points of an earlier design', () => {
    const nothing = { axes: [], crowded: [], cut: [], isBeside: false };
    const values = Array.from({ length: 20_001 }, (_, i) => i);
    const leftOut = (varied: number[][], points: number[][]) => {
      const gatherer = new EffectGatherer({
        ...gridOf(varied.map((all, i) => doubles(`Input ${i}`, all))),
        ...plain,
      });
      for (const point of points) gatherer.add(point.map(String), one(1));
      return gatherer.leftOut();
    };
    const line = values.map((value) => [value]);
    expect(leftOut([values], line.slice(1))).toEqual(nothing);
    expect(leftOut([values], line)).toEqual({ ...nothing, cut: ['Input 0'] });
    expect(leftOut([[1, 2]], [])).toEqual(nothing);
    expect(leftOut([[1, 2]], [[1], [3]])).toEqual({ ...nothing, isBeside: true });
    // the second input has few values, so only the first input is cut
    expect(
      leftOut(
        [values, [1, 2]],
        line.flatMap(([value]) => [
          [value!, 1],
          [value!, 2],
        ]),
      ),
    ).toEqual({ ...nothing, cut: ['Input 0'] });
  });

  test('an axis with too many values groups neighbouring values', () => {
    const values = Array.from({ length: 1_000 }, (_, i) => i);
    const axis = axisOf(doubles('x', []), values.map(String), 150);
    expect(axis.bins).toHaveLength(150);
    expect(axis.bins[0]!.from).toBe(-0.5);
    expect(axis.bins.at(-1)!.to).toBe(999.5);
    for (const value of values) {
      const { from, to } = axis.bins[axis.binOf.get(String(value))!]!;
      expect(from < value && value < to).toBe(true);
    }
  });
});

test('points collect their replications, and count failed ones separately', async () => {
  const { outputs } = sampleRecord().campaign;
  const row = (index: number, replication: number, error: string) => {
    const sample = sampleRow(index, ['1', '2'], replication);
    return { ...sample, outputs: { 'Fit error': error, Infected: `{"r":${replication}}` } };
  };
  const rows = [
    row(0, 1, '1'),
    row(0, 2, '2'),
    failedRow(0, ['1', '2'], 'no'),
    row(0, 3, 'null'),
    row(1, 1, '5'),
  ];
  const [first, second, ...others] = await Array.fromAsync(
    pointsOf(stream(rows), measuresOf({ outputs, precision: null }), ['Infected']),
  );
  expect(others).toEqual([]);
  expect(first).toMatchObject({ runs: 3, failed: 1, curves: { Infected: '{"r":1}' } });
  expect(second).toMatchObject({ runs: 1, failed: 0 });
  expect(first!.samples['Fit error']).toMatchObject({ count: 2, mean: 1.5, variance: 0.5, min: 1, max: 2 });
  const [error, peak] = outputs.slice(0, 2).map(({ name }) => measureOf(outputs, name));
  expect([valueOf(first!, error!), valueOf(second!, error!)]).toEqual([1.5, 5]);
  expect(valueOf(first!, peak!)).toBeUndefined();
});

test('the range of the values decides whether the scale of the colours is linear, logarithmic or a square root', () => {
  expect(colourScale([10, 90])).toBe('linear');
  expect(colourScale([10, 110])).toBe('log');
  expect(colourScale([0, 1, 90])).toBe('sqrt');
  expect(colourScale([-1, 1, 90])).toBe('linear');
  expect(colourScale([0, 0])).toBe('linear');
});

describe('axes that a reader chooses', () => {
  const levels = { A: [1, 2, 3], B: [10, 20], C: [5, 6] };
  const grid = Object.entries(levels).map(([name, values]) => doubles(name, values));
  const { campaign } = sampleRecord({ grid });
  const gathered = (): EffectGatherer => {
    const effects = new EffectGatherer(campaign);
    for (const a of levels.A)
      for (const b of levels.B)
        for (const c of levels.C)
          effects.add([a, b, c].map(String), {
            count: 1,
            mean: a + b + 100 * c,
            variance: null,
            majority: null,
          });
    return effects;
  };

  test('make one heat map, whose cells are means over the third input', () => {
    const [first] = gathered().result({ x: 'C', y: 'A' });
    expect(first).toMatchObject({ kind: 'grid', x: { input: { name: 'C' } }, y: { input: { name: 'A' } } });
    const { cells } = first as { cells: { x: number; y: number; mean: number }[] };
    expect(cells).toHaveLength(6);
    // the mean of B is 15
    for (const { x, y, mean } of cells) expect(mean).toBeCloseTo(levels.A[y]! + 15 + 100 * levels.C[x]!, 9);
  });

  test('make a heat map for each value of a third input, and take a free input for an axis that was not chosen', () => {
    const last = gathered().result({ y: 'C', by: 'A' }).at(-1);
    expect(last).toMatchObject({
      kind: 'facets',
      x: { input: { name: 'B' } },
      y: { input: { name: 'C' } },
      by: { name: 'A' },
      facets: [{ label: '1' }, { label: '2' }, { label: '3' }],
    });
  });

  test('that name one input twice have it once, and the report says so', async () => {
    const [first] = gathered().result({ x: 'A', y: 'A', by: 'A' });
    expect(first).toMatchObject({ kind: 'grid', x: { input: { name: 'A' } }, y: { input: { name: 'B' } } });
    expect(gathered().leftOut({ x: 'A', y: 'A' }).axes).toEqual([{ name: 'A', why: 'twice' }]);
    expect(await textWith({ x: 'A', y: 'A' })).toContain(
      'A was chosen twice, so only the first choice counts.',
    );
  });

  const many = { A: [1, 2, 3], B: [10, 20], C: Array.from({ length: 10 }, (_, at) => at) };
  const wide = Object.entries(many).map(([name, values]) => doubles(name, values));

  test('get one heat map if the third input has too many values, and the report says so', async () => {
    const page = await textWith({ x: 'A', by: 'C' }, wide);
    expect(page).toContain('<h2>Fit error over A and B</h2>');
    expect(page).toContain('There is no picture for each value of C, because there are more than 9 values.');
  });

  test('that the pictures cannot have are named with the reason', async () => {
    const two = wide.slice(0, 2);
    expect(await textWith({ by: 'A' }, two)).toContain(
      'There is no picture for each value of A, because the axes need two other inputs.',
    );
    const list = Array.from({ length: 40 }, (_, at) => ({ x: at / 7, y: (at * 17) % 40, z: at % 3 }));
    const sampled = new EffectGatherer({
      ...campaign,
      varied: ['x', 'y', 'z'].map((name) => ({ name, type: 'DOUBLE', units: null })),
      design: {
        kind: 'list',
        inputs: ['x', 'y', 'z'],
        rows: list.map((point) => Object.values(point).map(String)),
      },
    });
    for (const point of list) sampled.add(Object.values(point).map(String), one(point.x + point.y));
    expect(sampled.leftOut({ x: 'x', y: 'x', by: 'z' }).axes).toEqual([
      { name: 'x', why: 'twice' },
      { name: 'z', why: 'whole' },
    ]);
    expect(sampled.leftOut({ x: 'z' }).axes).toEqual([{ name: 'z', why: 'sampled' }]);
    const surface = sampled.result({ x: 'y', y: 'y' }).find(({ kind }) => kind === 'surface');
    expect(surface).toMatchObject({ x: { input: { name: 'y' } }, y: { input: { name: 'x' } } });
  });

  test('of a sampled design have curves for each value of an input, and the report says that no heat map has', async () => {
    const rows = Array.from({ length: 40 }, (_, at) =>
      sampleRow(at, [at / 7, (at * 17) % 40].map(String).concat(policy.values[at % 2]!)),
    );
    const record = sampleRecord({
      varied: [
        ...['x', 'y'].map((name) => ({ name, type: 'DOUBLE', units: null }) as const),
        { name: 'Policy', type: 'STRING', units: null },
      ],
      design: { kind: 'list', inputs: ['x', 'y', 'Policy'], rows: rows.map(({ values }) => [...values]) },
    });
    const summary = await summarize(record.campaign, stream(rows), [], { axes: { by: 'Policy' } });
    expect(summary.courses[0]!.groups.map(({ value }) => value)).toEqual(['none', 'all']);
    const sections = await reportSections(record, countsOf(40), summary, {});
    expect(sections.find(({ id }) => id === 'left-out')!.markup.text).toContain(
      '>There is no heat map for each value of Policy, because inputs with many different numbers have no heat maps.<',
    );
  });

  /** The page of a campaign whose pictures have chosen axes. */
  async function textWith(axes: ChosenAxes, levels = grid): Promise<string> {
    const record = sampleRecord({ grid: levels });
    const summary = await summarize(record.campaign, sampleRows(record), [], { axes });
    const sections = await reportSections(record, countsOf(summary.points), summary, {});
    return sections.map(({ markup }) => markup.text).join('\n');
  }
});
