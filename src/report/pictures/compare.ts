import type { VariedInput } from '../../campaign/types.ts';
import { type OutputSummary, type ShownPoint, waysOf } from '../comparison/summary.ts';
import { shownDifference } from '../comparison/differences.ts';
import { kindOfInput } from '../tables/value-kinds.ts';
import { shortNumber, titleOf, titleOfMeasure, unitText } from '../words/words.ts';
import type { Figure } from './figure.ts';
import { wholeTicks } from './scales.ts';
import { estimateCells, inputCell, inputColumn, PictureNumbers } from './numbers.ts';
import { colours, type Spec, WIDTH } from './vega.ts';

/** The maximum number of points that are drawn with their names. */
const MOST_NAMED = 30;

const OPEN = 'no clear difference';

type Words = ReturnType<typeof waysOf>;

interface Datum {
  row: number;
  /** Where the point is along the axis of points: the value of the only input, a rank, or a name. */
  place: number | string;
  difference: number;
  /** The ends of the interval; without an interval, the difference. */
  low: number;
  high: number;
  verdict: string;
}

/**
 * Draws the difference of an output, with its interval, at each point, and a line at 0. If only one input varies and it
 * is numeric, the x axis shows its values. Otherwise the points are sorted, the largest difference first: up to
 * `MOST_NAMED` points are rows with names, and more points lie along the x axis without names.
 */
export function differences(
  summary: OutputSummary,
  varied: readonly VariedInput[],
): Pick<Figure, 'spec' | 'numbers'> {
  const { output } = summary;
  const numbers = new PictureNumbers([
    ...varied.map(inputColumn),
    { title: `${titleOfMeasure(output)}, B − A${shownDifference(output).unit}` },
    ...['From', 'To', 'Result'].map((title) => ({ title })),
  ]);
  const words = waysOf(summary);
  const rows = new Map(
    summary.sample.map((shown) => {
      const { difference, low, high } = intervalOf(shown, output);
      const inputs = shown.values.map((value, at) => inputCell(varied[at]!, value));
      const estimate = estimateCells({ statistic: 'mean' }, difference, low, high);
      const cells = [...inputs, ...estimate, verdictOf(shown, words)];
      return [shown, numbers.add(cells, shown.key)];
    }),
  );
  return { spec: specOf(summary, varied, (shown) => rows.get(shown)!), numbers };
}

/** The difference at a point and the ends of its interval, as they are shown. */
function intervalOf({ found: { difference, low, high } }: ShownPoint, output: OutputSummary['output']) {
  const { valueOf } = shownDifference(output);
  return {
    difference: valueOf(difference),
    low: low === null ? null : valueOf(low),
    high: high === null ? null : valueOf(high),
  };
}

type RowOf = (shown: ShownPoint) => { row: number };

function specOf(summary: OutputSummary, varied: readonly VariedInput[], rowOf: RowOf): Spec {
  const { sample, output } = summary;
  const words = waysOf(summary);
  const datum = (shown: ShownPoint, place: number | string): Datum => {
    const { difference, low, high } = intervalOf(shown, output);
    const ends = { low: low ?? difference, high: high ?? difference };
    return { place, difference, ...ends, verdict: verdictOf(shown, words), ...rowOf(shown) };
  };
  const changing = varied.filter((_, at) => new Set(sample.map(({ values }) => values[at])).size > 1);
  const [only] = changing;
  if (changing.length === 1 && only && kindOfInput(only.type) === 'number') {
    const at = varied.indexOf(only);
    const data = sample.map((shown) => datum(shown, Number(shown.values[at])));
    const x = {
      title: titleOf(only),
      scale: { zero: false, nice: false, padding: 14 },
      axis: { grid: false, tickCount: 10, ...wholeTicks(only) },
    };
    return upright(data, summary, x);
  }
  const sorted = sample.toSorted((a, b) => b.found.difference - a.found.difference);
  if (sorted.length > MOST_NAMED) {
    const x = {
      title: 'Points, greatest difference first',
      scale: { nice: false, padding: 10 },
      axis: { grid: false, labels: false, ticks: false },
    };
    return upright(
      sorted.map((shown, rank) => datum(shown, rank)),
      summary,
      x,
    );
  }
  const names = (isShort: boolean): string[] =>
    sorted.map((shown) => nameOf(shown, varied, changing, isShort));
  const areShortNamesUnique = new Set(names(true)).size === sorted.length;
  const places = names(areShortNamesUnique);
  return lying(
    sorted.map((shown, at) => datum(shown, places[at]!)),
    summary,
  );
}

function verdictOf({ found }: ShownPoint, words: Words): string {
  if (found.differs !== true) return OPEN;
  return found.difference > 0 ? words.higher : words.lower;
}

/**
 * The name of a point, "Servers 2, Policy fifo".
 *
 * @param isShort - whether numbers are rounded. Two points with nearly equal values may then have the same name
 */
function nameOf(
  { key, values }: ShownPoint,
  varied: readonly VariedInput[],
  changing: readonly VariedInput[],
  isShort: boolean,
) {
  const parts = changing.map((input) => {
    const value = values[varied.indexOf(input)]!;
    return `${input.name} ${isShort && kindOfInput(input.type) === 'number' ? shortNumber(value) : value}`;
  });
  return parts.join(', ') || key;
}

type PlotAxis = Record<string, unknown>;

/** Draws the points along the x axis. */
function upright(values: Datum[], summary: OutputSummary, axis: PlotAxis): Spec {
  const size = values.length > 120 ? 18 : values.length > 40 ? 34 : 64;
  const place = { field: 'place', type: 'quantitative', ...axis };
  return {
    width: WIDTH - 100,
    height: 340,
    layer: layers(values, size, waysOf(summary), {
      place: ['x', place],
      along: ['y', amountAxis(summary.output)],
    }),
  } as Spec;
}

/** Draws one row per point. */
function lying(values: Datum[], summary: OutputSummary): Spec {
  const place = {
    field: 'place',
    type: 'nominal',
    sort: null,
    title: null,
    axis: { labelLimit: 440, domain: false, ticks: false },
  };
  return {
    width: WIDTH - 360,
    height: { step: 26 },
    layer: layers(values, 80, waysOf(summary), {
      place: ['y', place],
      along: ['x', amountAxis(summary.output)],
    }),
  } as Spec;
}

interface Frame {
  /** The channel that shows the position of a point, and its encoding. */
  place: ['x' | 'y', PlotAxis];
  /** The channel that shows the difference, and its encoding. */
  along: ['x' | 'y', PlotAxis];
}

function layers(
  values: Datum[],
  size: number,
  words: Words,
  { place: [at, place], along: [to, along] }: Frame,
) {
  const amount = (field: string) => ({ field, type: 'quantitative', ...along, scale: { zero: true } });
  const color = {
    field: 'verdict',
    type: 'nominal',
    scale: {
      domain: [words.higher, words.lower, OPEN],
      range: [colours.best, colours.line, colours.muted],
    },
    legend: { title: null, orient: 'top', symbolType: 'circle', symbolSize: 90, symbolStrokeWidth: 0 },
  };
  return [
    {
      data: { values: [{ zero: 0 }] },
      mark: { type: 'rule', color: colours.ink, opacity: 0.7, strokeWidth: 1.5 },
      encoding: { [to]: { field: 'zero', type: 'quantitative', ...along } },
    },
    {
      data: { values },
      mark: { type: 'rule', strokeWidth: size > 20 ? 2.5 : 1.2, opacity: 0.55, strokeCap: 'round' },
      encoding: { [at]: place, [to]: amount('low'), [`${to}2`]: { field: 'high' }, color },
    },
    {
      data: { values },
      mark: { type: 'point', filled: true, size, opacity: 1 },
      encoding: { [at]: place, [to]: amount('difference'), color },
    },
  ];
}

function amountAxis(output: OutputSummary['output']): PlotAxis {
  const { name, units } = output;
  return { title: `${name}, B − A${units ? ` (${unitText(units)})` : ''}${shownDifference(output).unit}` };
}
