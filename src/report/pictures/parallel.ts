import { isWholeType } from '../../api/index.ts';
import type { Measure } from '../../campaign/measures.ts';
import type { SearchedInput } from '../../campaign/search/search.ts';
import type { Goal, VariedInput } from '../../campaign/types.ts';
import { evenly, searchCells, type Searched, searchNumbers } from './search-progress.ts';
import { type Figure, sentences } from './figure.ts';
import { colourScale, steps } from './scales.ts';
import { colours, layerIf, type Spec, WIDTH } from './vega.ts';
import { ticksBetween } from '../words/ticks.ts';
import { counted, numberText, titleOf, titleOfMeasure } from '../words/words.ts';
import type { AskedPoint, SearchStory } from '../../search/story.ts';

/** The maximum number of ticks of an axis. */
const MOST_TICKS = 7;

/** The maximum number of values of an input with a label beside its axis. */
const MOST_LABELS = 12;

/**
 * Draws each point as a line over its inputs. Returns no picture if the search has only one input, or if fewer than two
 * points within the bounds have a value.
 */
export function parallelFigure(
  { strategy, goal, varied }: Searched,
  { points, summary: { best }, isNoisy }: SearchStory,
  output: Measure,
): Figure[] {
  const known = points.filter(({ value, isOutside }) => value !== null && !isOutside);
  if (strategy.inputs.length < 2 || known.length < 2) return [];
  const [drawn, isPart] = evenly(known, best?.ordinal);
  const scales = strategy.inputs.map((input) =>
    scaleOf(
      input,
      varied.find(({ name }) => name === input.name),
    ),
  );
  const numbers = searchNumbers(strategy.inputs, output);
  const lineOf = (point: AskedPoint, row: number): PointLine => ({
    row,
    isFeasible: point.isFeasible,
    places: point.values.map((text, at) => scales[at]!.placeOf(text)),
    value: point.value!,
  });
  const lines = drawn.map((point) =>
    lineOf(point, numbers.add(...searchCells(point, strategy.inputs, output)).row),
  );
  const front = lines[drawn.findIndex(({ ordinal }) => ordinal === best?.ordinal)];
  return [
    {
      title: 'All points of the search',
      caption: sentences(
        `${isPart ? `${counted(drawn.length, 'point')} spread evenly over all` : `All ${counted(drawn.length, 'point')} that have a value`}, each a line over its inputs; better points have warmer colours`,
        front ? 'The best point is the thick line' : undefined,
        drawn.some(({ isFeasible }) => !isFeasible)
          ? 'Dashed grey lines do not meet the requirements'
          : undefined,
        isNoisy ? 'Colours show the values during the search' : undefined,
      ),
      id: 'search-points',
      spec: parallelCoordinates(
        scales.map(({ axis }) => axis),
        lines,
        { output, wants: goal!.wants, best: front },
      ),
      numbers,
    },
  ];
}

/** Makes the axis of an input, and a function that gives the position of a value along the axis, from 0 to 1. */
function scaleOf(
  input: SearchedInput,
  varied: VariedInput | undefined,
): { axis: UprightAxis; placeOf: (value: string) => number } {
  const title = titleOf(varied ?? input);
  if (input.kind === 'choice') {
    const { values } = input;
    const places = new Map(
      values.map((value, at) => [value, values.length === 1 ? 0.5 : at / (values.length - 1)]),
    );
    const every = Math.ceil(values.length / MOST_LABELS);
    const labels = values.flatMap((text, at) => (at % every === 0 ? [{ at: places.get(text)!, text }] : []));
    return { axis: { title, labels }, placeOf: (value) => places.get(value)! };
  }
  const { min, max, scale } = input;
  const along = scale === 'log' ? Math.log : (value: number) => value;
  const [low, high] = [along(min), along(max)];
  const shareOf = (value: number): number => (along(value) - low) / (high - low);
  const ticks =
    scale === 'log'
      ? steps(min, max).map((value) => ({ value, text: numberText(value) }))
      : ticksBetween(min, max, MOST_TICKS, isWholeType(input.type));
  return {
    axis: { title, labels: ticks.map(({ value, text }) => ({ at: shareOf(value), text })) },
    placeOf: (value) => shareOf(Number(value)),
  };
}

/** An input as a vertical axis. */
interface UprightAxis {
  title: string;
  /** The labels of the axis, each with its position between 0 (bottom) and 1 (top). */
  labels: { at: number; text: string }[];
}

/** A point as a line from axis to axis. */
interface PointLine {
  /** The row of the point in the numbers of the picture. */
  row: number;
  /** The position of the point on each axis, between 0 and 1. */
  places: number[];
  value: number;
  /** Whether the point meets the requirements. If it does not, its line is grey and behind the other lines. */
  isFeasible: boolean;
}

const HEIGHT = 320;

/**
 * Draws parallel coordinates: each point is a line over its inputs. Better points are in front and have warmer colours.
 *
 * @param lines - in any order
 * @param best - the best point, drawn in front
 */
function parallelCoordinates(
  axes: readonly UprightAxis[],
  lines: readonly PointLine[],
  { output, wants, best }: { output: Measure; wants: Goal['wants']; best: PointLine | undefined },
): Spec {
  const sign = wants === 'lowest' ? 1 : -1;
  // lines that are drawn later are in front of earlier ones
  const infeasible = lines.filter(({ isFeasible }) => !isFeasible);
  const ordered = lines.filter(({ isFeasible }) => isFeasible).toSorted((a, b) => sign * (b.value - a.value));
  const rows = (all: readonly PointLine[]) =>
    all.flatMap(({ places, value, row }, line) =>
      places.map((place, axis) => ({ line, axis, place, value, row })),
    );
  const x = {
    field: 'axis',
    type: 'quantitative',
    title: null,
    scale: { domain: [0, axes.length - 1], nice: false, padding: 0 },
    axis: null,
  };
  const y = { field: 'place', type: 'quantitative', scale: { domain: [0, 1], nice: false }, axis: null };
  const values = ordered.map(({ value }) => value);
  const type = colourScale(values);
  const warm =
    wants === 'lowest' ? [colours.best, '#9f6fb0', colours.line] : [colours.line, '#9f6fb0', colours.best];
  const color = {
    field: 'value',
    type: 'quantitative',
    scale: { type, range: warm, interpolate: 'rgb', nice: false, ...(type !== 'log' && { zero: false }) },
    legend: {
      title: titleOfMeasure(output),
      orient: 'top',
      direction: 'horizontal',
      gradientLength: 300,
      gradientOpacity: 1,
      gradientThickness: 12,
      offset: 40,
      titleLimit: 300,
      ...(output.statistic === 'share' && { format: '~%' }),
    },
  };
  const opacity = Math.max(0.25, Math.min(0.8, 40 / lines.length));
  const ticks = axes.flatMap(({ labels }, axis) => labels.map(({ at, text }) => ({ axis, place: at, text })));
  const heads = axes.map(({ title }, axis) => ({ axis, place: 1, text: title }));
  const text = { type: 'text', color: colours.ink, fontSize: 12, opacity: 0.8 };
  // the labels of the last axis are on its right side
  const side = (isLast: boolean) => ({
    data: { values: ticks.filter(({ axis }) => (axis === axes.length - 1) === isLast) },
    mark: { ...text, align: isLast ? 'left' : 'right', baseline: 'middle', dx: isLast ? 7 : -7 },
    encoding: { x, y, text: { field: 'text' } },
  });
  return {
    width: WIDTH - 160,
    height: HEIGHT,
    layer: [
      {
        data: { values: rows(infeasible) },
        mark: { type: 'line', strokeWidth: 1, opacity: 0.4, color: colours.muted, strokeDash: [4, 3] },
        encoding: { x, y, detail: { field: 'line', type: 'nominal' } },
      },
      ...layerIf(ordered.length > 0, () => ({
        data: { values: rows(ordered) },
        mark: { type: 'line', strokeWidth: 1.4, opacity, strokeJoin: 'round' },
        encoding: { x, y, detail: { field: 'line', type: 'nominal' }, color },
      })),
      ...layerIf(best !== undefined, () => ({
        data: { values: rows([best!]) },
        mark: { type: 'line', strokeWidth: 4, color: colours.best, strokeJoin: 'round' },
        encoding: { x, y },
      })),
      {
        data: { values: axes.map((_, axis) => ({ axis, place: 0, top: 1 })) },
        mark: { type: 'rule', color: colours.ink, opacity: 0.5 },
        encoding: { x, y, y2: { field: 'top' } },
      },
      side(false),
      side(true),
      {
        data: { values: heads },
        mark: {
          ...text,
          opacity: 1,
          fontWeight: 600,
          fontSize: 13,
          align: 'center',
          baseline: 'bottom',
          dy: -14,
        },
        encoding: { x, y, text: { field: 'text' } },
      },
    ],
  } as Spec;
}
