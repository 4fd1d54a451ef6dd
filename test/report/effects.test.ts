import { describe, expect, test } from '@jest/globals';
import { axisOf } from '../../src/report/axis.ts';
import { EffectGatherer, type GridEffect, type MainEffects } from '../../src/report/effects.ts';
import { colourScale } from '../../src/report/pictures/scale.ts';
import { meanOf, pointsOf } from '../../src/report/points.ts';
import { doubles, failedRow, gridOf, sampleRecord, sampleRow, stream } from './support.ts';

const policy = { name: 'Policy', type: 'STRING', units: null, values: ['none', 'all'] } as const;
const gather = (varied: Parameters<typeof doubles>[1][], points: [string[], number][]) => {
  const effects = new EffectGatherer(gridOf(varied.map((values, i) => doubles(`Input ${i}`, values))));
  for (const [values, mean] of points) effects.add(values, mean);
  return effects.result();
};

describe('effects', () => {
  test('two numeric inputs make a grid, in the order of numbers', () => {
    const grid = gather(
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
    ) as GridEffect;
    expect(grid.kind).toBe('grid');
    expect(grid.x.bins.map(({ label }) => label)).toEqual(['9', '10', '100']);
    expect(grid.cells).toEqual([
      { x: 1, y: 0, mean: 4 },
      { x: 0, y: 1, mean: 6 },
    ]);
  });

  test('an input with one value does not count as varied', () => {
    const main = gather([[1, 2], [5]], [[['2', '5'], 3]]) as MainEffects;
    expect(main.kind).toBe('main');
    expect(main.effects.map(({ axis, means }) => [axis.input.name, means])).toEqual([
      ['Input 0', [{ bin: 1, mean: 3 }]],
    ]);
  });

  test('texts keep the order of the design and make main effects', () => {
    const gatherer = new EffectGatherer(
      gridOf([doubles('x', [1, 2]), { ...policy, values: [...policy.values] }]),
    );
    gatherer.add(['1', 'none'], 2);
    gatherer.add(['2', 'none'], 4);
    const { effects } = gatherer.result() as MainEffects;
    expect(effects[1]!.axis.bins.map(({ label }) => label)).toEqual(['none', 'all']);
    expect(effects[1]!.means).toEqual([{ bin: 0, mean: 3 }]);
  });

  test('nothing varied, or nothing there: no effect', () => {
    expect(gather([], [[[], 1]])).toBeUndefined();
    expect(gather([[1, 2]], [])).toBeUndefined();
  });

  test('many values are put together with their neighbours', () => {
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

test('points put their replications together, those that failed counted apart', async () => {
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
  const [first, second, ...others] = await Array.fromAsync(pointsOf(stream(rows), outputs));
  expect(others).toEqual([]);
  expect(first).toMatchObject({ runs: 3, failed: 1, curves: { Infected: '{"r":1}' } });
  expect(second).toMatchObject({ runs: 1, failed: 0 });
  expect(first!.samples['Fit error']).toMatchObject({ count: 2, mean: 1.5, variance: 0.5, min: 1, max: 2 });
  expect([meanOf(first!, 'Fit error'), meanOf(second!, 'Fit error')]).toEqual([1.5, 5]);
  expect(meanOf(first!, 'Peak day')).toBeUndefined();
});

test('the colour scale follows the span', () => {
  expect(colourScale([10, 90])).toBe('linear');
  expect(colourScale([10, 110])).toBe('log');
  expect(colourScale([0, 1, 90])).toBe('sqrt');
  expect(colourScale([-1, 1, 90])).toBe('linear');
  expect(colourScale([0, 0])).toBe('linear');
});
