import type { Measure } from '../../campaign/measures.ts';
import { pointKeyOf } from '../../campaign/points.ts';
import type { Campaign } from '../../campaign/types.ts';
import { bestMark, type MarkedPoint } from './best-mark.ts';
import { contourOf } from './contour.ts';
import { type Figure, sentences } from './figure.ts';
import { inputCell, inputColumn, measureColumnOf, PictureNumbers } from './numbers.ts';
import { legendTitle, levelsWithin, steps, wholeTicks } from './scales.ts';
import { colours, type Spec, WIDTH } from './vega.ts';
import { type SurfaceAxis, type SurfaceEffect, valueAt } from '../summary/scatter.ts';
import type { Ranking } from '../summary/summary.ts';
import { counted, titleOf } from '../words/words.ts';

export function surfaceFigure(
  campaign: Campaign,
  output: Measure,
  surface: SurfaceEffect,
  marked: MarkedPoint | undefined,
  { wants, isGoal }: Ranking,
): Figure {
  const { varied, strategy } = campaign;
  const { x, y, isPart, isLog, points } = surface;
  const numbers = new PictureNumbers([
    ...varied.map(inputColumn),
    measureColumnOf(output),
    { ...measureColumnOf(output), title: 'Fit' },
  ]);
  const placeOf = ({ input }: typeof x): number =>
    Number(marked!.values[varied.findIndex(({ name }) => name === input.name)]);
  const first = marked && { ...marked, x: placeOf(x), y: placeOf(y) };
  const names = `${x.input.name} and ${y.input.name}`;
  return {
    title: `${output.name} over ${names}`,
    caption: sentences(
      `A local regression (loess) over only ${names}, through ${isPart ? `${counted(points.length, 'point')} spread evenly over all` : 'all points'}`,
      'A lighter colour is a lower value',
      isLog ? 'The scale and the fit are logarithmic' : undefined,
      'The surface ends where no points are near',
      strategy.by === 'search' && strategy.require.length > 0
        ? 'It also has points that do not meet the requirements'
        : undefined,
    ),
    id: 'surface',
    spec: surfacePlot(surface, output, first, isGoal ? 'best' : wants, rowsOf(campaign, surface, numbers)),
    numbers,
    inputs: [{ x: x.input.name, y: y.input.name }],
  };
}

/** Adds the rows of a surface: its cells and its points. */
function rowsOf(campaign: Campaign, surface: SurfaceEffect, numbers: PictureNumbers) {
  const { varied } = campaign;
  const keyOf = pointKeyOf(campaign);
  const { x, y, cells, columns, rows } = surface;
  return {
    cells: cells.map((value, cell) => {
      if (value === null) return undefined;
      const middle = new Map([
        [x.input.name, valueAt(x, ((cell % columns) + 0.5) / columns)],
        [y.input.name, valueAt(y, (Math.floor(cell / columns) + 0.5) / rows)],
      ]);
      return numbers.add([...varied.map(({ name }) => middle.get(name)), null, value]);
    }),
    points: surface.points.map(({ values, mean }) =>
      numbers.add([...values.map((value, at) => inputCell(varied[at]!, value)), mean], keyOf(values)),
    ),
  };
}

/** How far a cell reaches over the next cell, as a fraction of a cell. */
const OVER = 0.1;

/**
 * Draws a smooth surface over two inputs as coloured cells, with contour lines at the values of the legend, and the
 * points of the fit. A lighter colour is a lower value. Places far from all points are empty.
 *
 * @param first - the place of the lowest or highest point, which is marked
 * @param word - the word beside this point
 */
function surfacePlot(
  surface: SurfaceEffect,
  output: Measure,
  first: ({ x: number; y: number } & MarkedPoint) | undefined,
  word: string,
  rowOf: ReturnType<typeof rowsOf>,
): Spec {
  const { x, y, cells, columns, rows, points, isLog } = surface;
  const known = cells.flatMap((value) => value ?? []);
  const levels = levelsWithin(known, isLog);
  const across = (column: number) => valueAt(x, column / columns);
  const up = (row: number) => valueAt(y, row / rows);
  const rects = cells.flatMap((value, cell) => {
    const [column, row] = [cell % columns, Math.floor(cell / columns)];
    if (value === null) return [];
    // cells overlap a little, because rounding would leave thin lines between them
    const [end, top] = [Math.min(columns, column + 1 + OVER), Math.min(rows, row + 1 + OVER)];
    return { x: across(column), x2: across(end), y: up(row), y2: up(top), value, ...rowOf.cells[cell] };
  });
  const lines = levels.flatMap((level) =>
    contourOf(cells, columns, level).map((line) => ({
      x: across(line.x),
      x2: across(line.x2),
      y: up(line.y),
      y2: up(line.y2),
    })),
  );
  const place = { x: axisOf('x', x), y: axisOf('y', y) };
  const stretch = { ...place, x2: { field: 'x2' }, y2: { field: 'y2' } };
  return {
    width: WIDTH - 170,
    height: 460,
    layer: [
      {
        data: { values: rects },
        mark: { type: 'rect', strokeWidth: 0 },
        encoding: {
          ...stretch,
          color: {
            field: 'value',
            type: 'quantitative',
            scale: { ...scaleOf(isLog), scheme: 'viridis', reverse: true },
            legend: {
              title: legendTitle(output),
              gradientLength: 380,
              gradientThickness: 14,
              offset: 24,
              values: levels,
              format: output.statistic === 'share' ? '~%' : ',.6~r',
            },
          },
        },
      },
      {
        data: { values: lines },
        mark: { type: 'rule', color: 'white', strokeWidth: 1.2, opacity: 0.75, strokeCap: 'round' },
        encoding: stretch,
      },
      {
        data: { values: points.map(({ x, y }, at) => ({ x, y, ...rowOf.points[at] })) },
        mark: {
          type: 'point',
          filled: true,
          size: Math.max(9, Math.min(40, 6_000 / points.length)),
          color: '#1a1a1a',
          opacity: Math.max(0.45, Math.min(0.9, 80 / points.length)),
          ...(points.length < 300 && { stroke: 'white', strokeWidth: 0.8 }),
        },
        encoding: place,
      },
      ...(first ? bestMark({ ...first, output }, word, first.x > valueAt(x, 0.5)) : []),
    ],
    view: { stroke: colours.ink, strokeOpacity: 0.2 },
  } as Spec;
}

function axisOf(field: 'x' | 'y', { input, isLog, from, to }: SurfaceAxis) {
  return {
    field,
    type: 'quantitative',
    title: titleOf(input),
    scale: { ...scaleOf(isLog), domain: [from, to], padding: 8 },
    axis: {
      grid: false,
      tickCount: field === 'x' ? 10 : 8,
      ...wholeTicks(input),
      ...(isLog && { values: steps(from, to), format: ',~r' }),
    },
  };
}

function scaleOf(isLog: boolean) {
  return isLog ? { type: 'log', nice: false } : { type: 'linear', nice: false, zero: false };
}
