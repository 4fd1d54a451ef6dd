import { type Measure, measureOf } from '../../campaign/measures.ts';
import { pointKeyOf } from '../../campaign/points.ts';
import type { Campaign, CampaignBy, VariedInput } from '../../campaign/types.ts';
import { bestMark, knownMark, type MarkedPoint } from './best-mark.ts';
import { type Figure, sentences } from './figure.ts';
import { binCells, inputColumn, measureCell, measureColumnOf, PictureNumbers } from './numbers.ts';
import { colourScale, legendTitle, wholeTicks } from './scales.ts';
import { type Spec, WIDTH } from './vega.ts';
import type { FacetedGrid, GridEffect } from '../summary/grid.ts';
import { type Axis, binTexts, hasBinEach } from '../summary/input-axis.ts';
import { type Ranking, summarize } from '../summary/summary.ts';
import { ticksBetween } from '../words/ticks.ts';
import { counted, shortNumber, titleOf } from '../words/words.ts';
import type { SearchStory } from '../../search/story.ts';
import type { CampaignRecord, ResultRow } from '../../store/index.ts';

export function gridFigure(
  campaign: Campaign,
  output: Measure,
  effect: GridEffect,
  best: MarkedPoint | undefined,
  { wants, isGoal }: Ranking,
): Figure {
  const { x, y, cells } = effect;
  const { varied } = campaign;
  const numbers = cellNumbers([x.input, y.input], output);
  const binOfBest = ({ input, binOf }: Axis) => best && binOf.get(best.values[varied.indexOf(input)]!);
  const [column, row] = [binOfBest(x), binOfBest(y)];
  // the best point may belong to an earlier design, with a value that this grid does not have
  const isInGrid = column !== undefined && row !== undefined;
  const marked = isInGrid ? { ...best!, x: column, y: row } : undefined;
  const isFull = cells.length === x.bins.length * y.bins.length;
  return {
    title: `${output.name} over ${x.input.name} and ${y.input.name}`,
    caption: `${cellText(effect, varied.length > 2)}. A lighter cell has a lower value.${isFull ? '' : ' An empty cell has no completed run, or is not a point of the campaign.'}`,
    id: 'grid',
    spec: heatMap(
      withRows(effect, output, numbers, keyOfCell(campaign, effect)),
      output,
      marked,
      isGoal ? 'best' : wants,
    ),
    numbers,
    inputs: [{ x: x.input.name, y: y.input.name }],
  };
}

/** @param isMean - whether further inputs vary, so that several points have the values of a cell */
function cellText({ x, y }: Pick<GridEffect, 'x' | 'y'>, isMean: boolean): string {
  if (isMean) return 'Each cell is the mean over all points with its values';
  return hasBinEach(x) && hasBinEach(y)
    ? 'Each cell is a point of the design'
    : 'Each cell is the mean of neighbouring points of the design';
}

function cellNumbers(inputs: readonly VariedInput[], output: Measure): PictureNumbers {
  return new PictureNumbers([...inputs.map(inputColumn), measureColumnOf(output)]);
}

type RowedGrid = Pick<GridEffect, 'x' | 'y'> & { cells: RowedCell[] };

type RowedCell = GridEffect['cells'][number] & { row: number };

/** Gives the key of the point of a cell; undefined if cells are not points. */
type KeyOfCell = (column: number, row: number, by?: string) => string | undefined;

function keyOfCell(campaign: Campaign, { x, y }: Pick<GridEffect, 'x' | 'y'>, by?: VariedInput): KeyOfCell {
  const inputs = [x.input, y.input, ...(by ? [by] : [])];
  if (inputs.length !== campaign.varied.length || !hasBinEach(x) || !hasBinEach(y)) return () => undefined;
  const keyOf = pointKeyOf(campaign);
  const places = campaign.varied.map(({ name }) => inputs.findIndex((input) => input.name === name));
  const [textsOfX, textsOfY] = [binTexts(x), binTexts(y)];
  return (column, row, by) => keyOf(places.map((place) => [textsOfX[column]!, textsOfY[row]!, by!][place]!));
}

/** Adds a row for each cell of a grid. @param by - the value of the third input, if the grid is one of several */
function withRows<G extends Pick<GridEffect, 'x' | 'y' | 'cells'>>(
  grid: G,
  output: Measure,
  numbers: PictureNumbers,
  keyOf: KeyOfCell,
  by?: string,
): G & { cells: RowedCell[] } {
  const [cellsOfX, cellsOfY] = [binCells(grid.x), binCells(grid.y)];
  const cells = grid.cells.map((cell) => {
    const value = measureCell(output, cell.mean, cell.runs);
    const values = [cellsOfX[cell.x], cellsOfY[cell.y], ...(by === undefined ? [] : [by]), value];
    return { ...cell, ...numbers.add(values, keyOf(cell.x, cell.y, by)) };
  });
  return { ...grid, cells };
}

export function facetsFigure(campaign: Campaign, output: Measure, effect: FacetedGrid): Figure {
  const { x, y, by } = effect;
  const numbers = cellNumbers([x.input, y.input, by], output);
  const keyOf = keyOfCell(campaign, effect, by);
  const facets = effect.facets.map(({ label, cells }) =>
    withRows({ x, y, label, cells }, output, numbers, keyOf, label),
  );
  return {
    title: `${output.name} over ${x.input.name} and ${y.input.name}, by ${by.name}`,
    caption: `One picture for each value of ${by.name}, all with the same colours. ${cellText(effect, campaign.varied.length > 3)}. A lighter cell has a lower value.`,
    id: 'grids',
    spec: heatMaps({ ...effect, facets }, output),
    numbers,
    inputs: [{ x: x.input.name, y: y.input.name }],
  };
}

/** A campaign with a grid over the inputs of a search. Its heat map is drawn under the points of the search. */
export interface Ground {
  record: CampaignRecord;
  rows: AsyncIterable<ResultRow>;
  /** A known point: its values by input name, and its label. */
  known?: { inputs: Record<string, number>; label: string } | undefined;
}

/** Draws the points of a search over the heat map of a grid. Returns no picture until both have values. */
export async function groundFigures(
  { goal, outputs, strategy }: Pick<CampaignBy<'search'>, 'goal' | 'outputs' | 'strategy'>,
  { points, summary: { best } }: SearchStory,
  { record, rows, known }: Ground,
): Promise<Figure[]> {
  const output = measureOf(outputs, goal!.output);
  const { effects } = await summarize(record.campaign, rows, [output]);
  const grid = effects[0]?.effects.find((effect): effect is GridEffect => effect.kind === 'grid');
  if (!grid || !best) return [];
  const [x, y] = [grid.x.input.name, grid.y.input.name];
  const placeOf = (inputs: Record<string, unknown>): Place => ({
    x: Number(inputs[x]),
    y: Number(inputs[y]),
  });
  const names = strategy.inputs.map(({ name }) => name);
  const numbers = cellNumbers([grid.x.input, grid.y.input], output);
  const cells = withRows(grid, output, numbers, () => undefined);
  const asked = points.map(({ values, value, runs, key }) => {
    const place = placeOf(Object.fromEntries(names.map((name, at) => [name, values[at]])));
    return { ...place, ...numbers.add([place.x, place.y, measureCell(output, value, runs)], key) };
  });
  return [
    {
      title: `${output.name} over ${x} and ${y}`,
      caption: sentences(
        `The circles are the ${counted(asked.length, 'point')} of the search`,
        `The cells are the grid of ${record.campaign.name} (${counted(grid.cells.length, 'point')})`,
        'The search did not use these points',
        'A lighter cell has a lower value',
      ),
      id: 'ground',
      numbers,
      spec: heatMapUnder(cells, output, {
        points: asked,
        best: { ...placeOf(best.inputs), mean: best.value, interval: best.interval },
        known: known && { ...placeOf(known.inputs), label: known.label },
      }),
    },
  ];
}

/**
 * Draws the mean of an output over two numeric inputs as coloured cells, with the best point marked. A lighter colour
 * is a lower value.
 *
 * @param best - the bins of the best point, and its mean with its interval
 * @param word - the word beside the best point
 */
function heatMap(grid: RowedGrid, output: Measure, best: MarkedPlace | undefined, word = 'lowest'): Spec {
  return withMarks(
    grid,
    output,
    best ? bestMark({ ...placeOf(grid, best), output }, word, 2 * best.x >= grid.x.bins.length) : [],
  );
}

/** A heat map under marks. */
function withMarks(grid: RowedGrid, output: Measure, marks: readonly object[]): Spec {
  const map = { data: { values: rectsOf(grid) }, ...coloured(grid, output, 380, [12, 16]) };
  return { width: WIDTH - 170, height: 460, layer: [map, ...marks] } as Spec;
}

/** A place on a heat map, as values of its two inputs. */
interface Place {
  x: number;
  y: number;
}

/** A place, and the mean there with its interval. */
type MarkedPlace = Place & Omit<MarkedPoint, 'values'>;

/** The points over a heat map: all points of a search, the best point, and a known point. */
interface Overlay {
  points: readonly (Place & { row: number })[];
  best: MarkedPlace;
  known: (Place & { label: string }) | undefined;
}

/** Draws a heat map under the points of a search. */
function heatMapUnder(grid: RowedGrid, output: Measure, over: Overlay): Spec {
  const { x, y } = grid;
  const along = <P extends Place>(place: P): P => ({
    ...place,
    x: alongOf(x, place.x),
    y: alongOf(y, place.y),
  });
  const best = { ...over.best, ...along(over.best) };
  const isOnRight = 2 * best.x >= edgesOf(x, 0)[0] + edgesOf(x, x.bins.length - 1)[1];
  return withMarks(grid, output, [
    {
      data: { values: over.points.map(along) },
      mark: {
        type: 'point',
        shape: 'circle',
        size: 34,
        filled: true,
        opacity: 1,
        color: 'white',
        stroke: '#1a1a1a',
        strokeWidth: 1,
      },
      encoding: {
        x: { field: 'x', type: 'quantitative' },
        y: { field: 'y', type: 'quantitative' },
      },
    },
    ...bestMark({ ...best, output }, 'best', isOnRight),
    ...(over.known ? knownMark({ ...over.known, ...along(over.known) }, !isOnRight) : []),
  ]);
}

/** The maximum number of heat maps side by side. */
const COLUMNS = 3;

/** Draws a heat map for each value of a third input. All have the same scales. */
function heatMaps(
  {
    x,
    y,
    by,
    facets,
  }: Pick<FacetedGrid, 'x' | 'y' | 'by'> & { facets: { label: string; cells: RowedCell[] }[] },
  output: Measure,
): Spec {
  const columns = Math.min(COLUMNS, facets.length);
  const cells = facets.flatMap((facet) => facet.cells);
  const size = Math.floor((WIDTH - 150) / columns) - 24;
  return {
    data: {
      values: facets.flatMap(({ label, cells }) =>
        rectsOf({ x, y, cells }).map((rect) => ({ ...rect, label })),
      ),
    },
    facet: {
      field: 'label',
      type: 'ordinal',
      sort: facets.map(({ label }) => label),
      title: titleOf(by),
      header: {
        titleFontSize: 13,
        labelFontSize: 12,
        labelColor: 'currentColor',
        titleColor: 'currentColor',
      },
    },
    columns,
    spacing: 20,
    spec: {
      width: size,
      height: Math.min(size, 240),
      ...coloured({ x, y, cells }, output, 200, [columns > 2 ? 4 : 6, 8]),
    },
  } as Spec;
}

function rectsOf({ x, y, cells }: RowedGrid) {
  return cells.map((cell) => {
    const [x0, x1] = edgesOf(x, cell.x);
    const [y0, y1] = edgesOf(y, cell.y);
    return { x0, x1, y0, y1, mean: cell.mean, row: cell.row };
  });
}

/**
 * The position of a bin along its axis. If each value has its own bin, bins have equal sizes, because the values may be
 * far apart.
 */
function edgesOf(axis: Axis, bin: number): [from: number, to: number] {
  if (hasBinEach(axis)) return [bin, bin + 1];
  const { from, to } = axis.bins[bin]!;
  return [from, to];
}

/** The position of a value along its axis. Between the middles of two bins, the position is linear in the value. */
function alongOf(axis: Axis, value: number): number {
  const { bins } = axis;
  if (!hasBinEach(axis) || bins.length < 2) return value;
  const next = bins.findIndex((bin) => bin.value > value);
  // outside the outer bins, the scale of the nearest two bins continues
  const right = next < 0 ? bins.length - 1 : Math.max(1, next);
  const [a, b] = [bins[right - 1]!.value, bins[right]!.value];
  return right - 0.5 + (value - a) / (b - a);
}

function middleOf(axis: Axis, bin: number): number {
  const [from, to] = edgesOf(axis, bin);
  return (from + to) / 2;
}

function placeOf<P extends Place>({ x, y }: Pick<GridEffect, 'x' | 'y'>, cell: P): P {
  return { ...cell, x: middleOf(x, cell.x), y: middleOf(y, cell.y) };
}

/** The scale of an axis, with labels at some values. */
function scaleOf(axis: Axis, mostLabels: number) {
  const { bins } = axis;
  const scale = {
    zero: false,
    nice: false,
    domain: [edgesOf(axis, 0)[0], edgesOf(axis, bins.length - 1)[1]],
  };
  if (!hasBinEach(axis)) return { scale, axis: { grid: false, ...wholeTicks(axis.input) } };
  const labelled = labelledBins(axis, mostLabels);
  const labels = JSON.stringify(Object.fromEntries(labelled.map(({ bin, text }) => [bin, text])));
  return {
    scale,
    axis: {
      grid: false,
      values: labelled.map(({ bin }) => middleOf(axis, bin)),
      labelExpr: `${labels}[floor(datum.value)]`,
    },
  };
}

/** The bins with a label: all if they are few, else those of round numbers, and without such numbers every nth one. */
function labelledBins({ bins, isNumeric }: Axis, most: number): { bin: number; text: string }[] {
  const every = Math.ceil(bins.length / most);
  const some = bins.flatMap(({ label }, bin) =>
    bin % every === 0 ? [{ bin, text: isNumeric ? shortNumber(label) : label }] : [],
  );
  if (every === 1 || !isNumeric) return some;
  // the value of a bin may differ from a round number by rounding
  const round = ticksBetween(bins[0]!.value, bins.at(-1)!.value, most).flatMap(({ value, text }) => {
    const bin = bins.findIndex((one) => Math.abs(one.value - value) <= 1e-9 * Math.abs(value));
    return bin < 0 ? [] : [{ bin, text }];
  });
  return round.length < 2 ? some : round;
}

/** The cells of a heat map and their legend. `mostLabels` is for the horizontal and the vertical axis. */
function coloured(
  { x, y, cells }: Pick<GridEffect, 'x' | 'y' | 'cells'>,
  output: Measure,
  legendLength: number,
  mostLabels: [across: number, up: number],
) {
  const isShare = output.statistic === 'share';
  const type = isShare ? 'linear' : colourScale(cells.map(({ mean }) => mean));
  const edge = (field: string, axis: Axis, labels: number) => ({
    field,
    type: 'quantitative',
    title: titleOf(axis.input),
    ...scaleOf(axis, labels),
  });
  return {
    mark: { type: 'rect', strokeWidth: 0 },
    encoding: {
      x: edge('x0', x, mostLabels[0]),
      x2: { field: 'x1' },
      y: edge('y0', y, mostLabels[1]),
      y2: { field: 'y1' },
      color: {
        field: 'mean',
        type: 'quantitative',
        scale: {
          type,
          scheme: 'viridis',
          reverse: true,
          nice: false,
          ...(type !== 'log' && { zero: false }),
        },
        legend: {
          title: legendTitle(output),
          ...(isShare && { format: '~%' }),
          gradientLength: legendLength,
          gradientThickness: 14,
          offset: 24,
        },
      },
    },
  };
}
