import { expect, test } from '@jest/globals';
import { type Design, rowsOf } from '../../../src/campaign/designs/index.ts';
import { contourOf } from '../../../src/report/pictures/contour.ts';
import { EffectGatherer, type MainEffects } from '../../../src/report/summary/effects.ts';
import { renderReport } from '../../../src/report/html/html.ts';
import type { ScatterEffects, SurfaceEffect } from '../../../src/report/summary/scatter.ts';
import { areaOf, hullOf, isWithin } from '../../../src/statistics/hull.ts';
import { countsOf, sampleRecord, sampleRow, SEED, stream } from '../support.ts';

const plain = {
  base: [SEED],
  strategy: { by: 'design' as const },
  precision: null,
  commonRandomNumbers: false,
};

/** A design with a list of points, and its inputs. */
function listed(points: readonly (readonly number[])[]) {
  const names = points[0]!.map((_, at) => `Input ${at}`);
  const varied = names.map((name) => ({ name, type: 'DOUBLE' as const, units: null }));
  const design: Design = { kind: 'list', inputs: names, rows: points.map((point) => point.map(String)) };
  return { varied, design };
}

function gathered(points: readonly (readonly number[])[], valueOf: (point: readonly number[]) => number) {
  const effects = new EffectGatherer({ ...listed(points), ...plain });
  for (const point of points)
    effects.add(point.map(String), { count: 1, mean: valueOf(point), variance: 0, majority: null });
  return effects;
}

/** Evenly spread points: multiples of irrational numbers, modulo 1. */
const spread = (count: number, inputs: number): number[][] =>
  Array.from({ length: count }, (_, i) =>
    [0.6180339887498949, 0.41421356237309515, 0.7320508075688772]
      .slice(0, inputs)
      .map((step) => ((i + 1) * step) % 1),
  );

test('points without a grid give a scatter plot with a smooth line, and a surface over the two inputs that explain most', () => {
  const effects = gathered(spread(80, 3), ([a, b, c]) => 5 * a! + 0.1 * b! + 3 * c! ** 2);
  const [surface, scatter, ...others] = effects.result() as [SurfaceEffect, ScatterEffects];
  expect(others).toEqual([]);
  expect([surface.x, surface.y].map(({ input }) => input.name)).toEqual(['Input 0', 'Input 2']);
  expect(scatter.effects.map(({ points, smooth }) => [points.length, smooth.length])).toEqual([
    [80, 81],
    [80, 81],
    [80, 81],
  ]);
  for (const { smooth } of scatter.effects)
    for (const { value, low, high } of smooth) expect(low! <= value && value <= high!).toBe(true);
});

test('points for Sobol indices also give a scatter plot, although many points have the same value of an input', () => {
  const names = ['A', 'B', 'C', 'D'];
  const inputs = names.map((name) => ({
    name,
    isWhole: false,
    distribution: { kind: 'uniform' as const, min: 0, max: 1 },
  }));
  const design = { kind: 'saltelli' as const, inputs, points: 32, scrambles: 1, secondOrder: true, seed: 1 };
  const varied = names.map((name) => ({ name, type: 'DOUBLE' as const, units: null }));
  const effects = new EffectGatherer({ varied, design, ...plain });
  for (const row of rowsOf(design, { base: [], contents: new Map() })) {
    const [a, , , d] = row.map(Number);
    effects.add(row, { count: 1, mean: a! + 2 * d!, variance: 0, majority: null });
  }
  const [surface, scatter, ...others] = effects.result() as [SurfaceEffect, ScatterEffects];
  expect(others).toEqual([]);
  expect([surface.x, surface.y].map(({ input }) => input.name).sort()).toEqual(['A', 'D']);
  expect(scatter.effects.map(({ input, points }) => [input.name, points.length])).toEqual(
    names.map((name) => [name, 320]),
  );
});

test('a surface may be over an input with few whole numbers, whose means are drawn at each value', () => {
  const names = ['Servers', 'B', 'C'];
  const inputs = names.map((name, at) => ({
    name,
    isWhole: at === 0,
    distribution: { kind: 'uniform' as const, min: 0, max: at === 0 ? 15 : 1 },
  }));
  const design = { kind: 'saltelli' as const, inputs, points: 64, scrambles: 1, secondOrder: false, seed: 1 };
  const varied = names.map((name, at) => ({
    name,
    type: at === 0 ? ('INTEGER' as const) : ('DOUBLE' as const),
    units: null,
  }));
  const effects = new EffectGatherer({ varied, design, ...plain });
  for (const row of rowsOf(design, { base: [], contents: new Map() })) {
    const [a, b, c] = row.map(Number);
    effects.add(row, { count: 1, mean: a! + 2 * b! + c!, variance: 0, majority: null });
  }
  const [surface, scatter, main] = effects.result() as [SurfaceEffect, ScatterEffects, MainEffects];
  expect([surface.x, surface.y].map(({ input }) => input.name)).toEqual(['Servers', 'B']);
  expect(scatter.effects.map(({ input }) => input.name)).toEqual(['B', 'C']);
  expect(main.effects.map(({ axis }) => axis.input.name)).toEqual(['Servers']);
});

test('if there are very many points, an evenly spread sample of them is drawn, and nothing counts as left out', () => {
  const points = spread(30_000, 1);
  const effects = gathered(points, ([a]) => a!);
  const [scatter] = effects.result() as [ScatterEffects];
  expect(scatter.isPart).toBe(true);
  expect(scatter.effects[0]!.points.length).toBeLessThanOrEqual(800);
  expect(scatter.effects[0]!.points.length).toBeGreaterThan(200);
  expect(effects.leftOut()).toEqual({ axes: [], crowded: [], cut: [], isBeside: false });
});

test('the surface is empty where there are no points', () => {
  // the points lie in two distant corners
  const points = spread(120, 2).map(([a, b], i) =>
    i % 2 === 0 ? [a! / 4, b! / 4] : [1 - a! / 4, 1 - b! / 4],
  );
  const [surface] = gathered(points, ([a, b]) => a! + b!).result() as [SurfaceEffect];
  const at = (x: number, y: number) =>
    surface.cells[Math.floor(y * surface.rows) * surface.columns + Math.floor(x * surface.columns)];
  expect(at(0.12, 0.12)).toBeCloseTo(0.24, 1);
  expect(at(0.88, 0.88)).toBeCloseTo(1.76, 1);
  expect([at(0.5, 0.5), at(0.9, 0.1), at(0.1, 0.9)]).toEqual([null, null, null]);
});

test('there is no surface if the points lie on a line', () => {
  const kinds = gathered(
    spread(40, 1).map(([a]) => [a!, 2 * a!]),
    ([a]) => a!,
  ).result();
  expect(kinds.map(({ kind }) => kind)).toEqual(['scatter']);
});

test('the smooth line has no band if the points have common random numbers', () => {
  const points = spread(40, 1);
  const effects = new EffectGatherer({ ...listed(points), ...plain, commonRandomNumbers: true });
  for (const [i, point] of points.entries())
    effects.add(point.map(String), { count: 1, mean: i, variance: 0, majority: null });
  const [scatter] = effects.result() as [ScatterEffects];
  expect(scatter.effects[0]!.smooth[40]).toMatchObject({ low: null, high: null });
});

test('the page draws the points, and shows numbers with four digits and the full value in a tooltip', async () => {
  const points = spread(40, 2);
  const { varied, design } = listed(points);
  const base = varied.map((input) => ({ ...input, value: '0' }));
  const rows = points.map((point, i) => sampleRow(i, point.map(String)));
  const page = await renderReport(sampleRecord({ varied, design, base }), countsOf(40), stream(rows));
  expect(page).toContain('<h2>Fit error over Input 0 and Input 1</h2>');
  expect(page).toContain('<h2>Fit error by Input 0, Input 1</h2>');
  expect(page).toContain(
    'All 40 points. The line is a local regression (loess) with its 95 % confidence band.',
  );
  const [, full, short] = /<td class="number"><span title="(0\.\d+)">([\d.]+)</.exec(page)!;
  expect(points.flat().map(String)).toContain(full);
  expect(short!.length).toBeLessThanOrEqual(6);
});

test('a convex hull has the right corners and area, and the right points are inside', () => {
  const hull = hullOf([
    [0, 0],
    [2, 0],
    [1, 0.5],
    [2, 1],
    [0, 1],
    [1, 0],
  ]);
  expect(hull).toEqual([
    [0, 0],
    [2, 0],
    [2, 1],
    [0, 1],
  ]);
  expect(areaOf(hull)).toBe(2);
  expect([isWithin(hull, [1, 0.5]), isWithin(hull, [2, 0.5]), isWithin(hull, [2.1, 0.5])]).toEqual([
    true,
    true,
    false,
  ]);
  expect(
    areaOf(
      hullOf([
        [0, 0],
        [1, 1],
        [2, 2],
      ]),
    ),
  ).toBe(0);
});

test('contour lines of a plane are straight, and end where cells are empty', () => {
  const cells = [0, 1, 2, 0, 1, 2, 0, 1, null];
  expect(contourOf(cells, 3, 0.5)).toEqual([
    { x: 1, y: 0.5, x2: 1, y2: 1.5 },
    { x: 1, y: 1.5, x2: 1, y2: 2.5 },
  ]);
  expect(contourOf(cells, 3, 1.5)).toEqual([{ x: 2, y: 0.5, x2: 2, y2: 1.5 }]);
  // opposite corners are low, and the value in the middle separates them
  expect(contourOf([1, 0, 0, 1], 2, 0.4)).toHaveLength(2);
});
