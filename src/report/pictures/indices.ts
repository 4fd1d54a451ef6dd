import type { CurveAxis } from '../../api/index.ts';
import type { Measure } from '../../campaign/measures.ts';
import { ranked, sizeOf } from '../analysis/claims.ts';
import { courseSentence } from '../analysis/course-words.ts';
import { type Figure, partText, sentences } from './figure.ts';
import { colourKey } from './key.ts';
import { estimateCells, PictureNumbers, withoutRow } from './numbers.ts';
import { colours, COURSE_COLOURS, type Spec, WIDTH } from './vega.ts';
import { type XAxis, xAxis } from './x-axis.ts';
import { inputText, numberText, percent, unitText } from '../words/words.ts';
import type { Analysis, InputIndices, Interval, Method } from '../../sensitivity/analysis.ts';

/** The maximum number of inputs in a picture or a table. */
export const MOST_INPUTS = 20;

/**
 * Makes pictures of the effects of inputs on an output. The most important inputs come first. If chance hides all shares,
 * there is no picture of shares.
 */
export function analysisFigures(analysis: Analysis, measure: Measure): Figure[] {
  return figuresOf(analysis, measure).filter(({ numbers }) => numbers.rows.length > 0);
}

function figuresOf(analysis: Analysis, measure: Measure): Figure[] {
  const all = ranked(analysis);
  const inputs = all.slice(0, MOST_INPUTS);
  const units = measure.units ? ` (${unitText(measure.units)})` : '';
  const part = partText(all.length, inputs.length, 'inputs');
  switch (analysis.method) {
    case 'sobol':
    case 'gaussian-process': {
      const bars = shareBars(inputs);
      return [
        {
          title: `Shares of the variance of ${measure.name}`,
          caption: sentences(
            `First order is the effect of an input alone; total includes its interactions with other inputs${analysis.hasUnknownChance ? ', and chance' : ''}`,
            linesText(analysis, bars),
            part,
          ),
          id: 'indices',
          ...indexBars(bars, [ALONE, TOTAL], 'Share of the variance'),
        },
      ];
    }
    case 'morris': {
      const screened = inputs.map(({ input, muStar, muStarInterval, sigma }) => ({
        input,
        muStar: muStar!,
        interval: muStarInterval,
        sigma: sigma ?? 0,
      }));
      return [
        {
          title: `Screening of ${measure.name}`,
          caption: sentences(
            'Inputs to the right matter; inputs further up have effects that are not linear, or interact with other inputs; inputs near the origin hardly matter',
            linesText(analysis, screened),
            part,
          ),
          id: 'screening',
          ...screeningPlane(screened, units),
        },
      ];
    }
    case 'regression': {
      const bars = coefficientBars(inputs);
      return [
        {
          title: `How inputs change ${measure.name}`,
          caption: sentences(
            'Standardized regression coefficients of the values and of their ranks: the change of the output in standard deviations when the input changes by one standard deviation',
            linesText(analysis, bars),
            part,
          ),
          id: 'tornado',
          ...indexBars(bars, [VALUES, RANKS], 'Standardized coefficient'),
        },
      ];
    }
    case 'factorial': {
      const bars = shareBars(inputs);
      return [
        {
          title: `Effects on ${measure.name}`,
          caption: sentences(
            'How much of the variance between the points each input explains, without the part of chance: alone, and with its interactions if the design has all combinations',
            linesText(analysis, bars),
            part,
          ),
          id: 'indices',
          ...indexBars(bars, sharesIn(inputs), 'Share of the variance'),
        },
        ...tornado(analysis, inputs, measure.name, units, part),
      ];
    }
    case 'one-at-a-time':
      return tornado(analysis, inputs, measure.name, units, part);
  }
}

const ALONE = 'alone (first order)';
const TOTAL = 'with all others (total)';
const VALUES = 'of values';
const RANKS = 'of ranks';

function sharesIn(inputs: readonly InputIndices[]): string[] {
  return inputs.some(({ total }) => total !== undefined) ? [ALONE, TOTAL] : [ALONE];
}

function shareBars(inputs: readonly InputIndices[]): IndexBar[] {
  return inputs.flatMap(({ input, first, firstInterval, total, totalInterval }) => [
    ...bar(input, ALONE, first, firstInterval),
    ...bar(input, TOTAL, total, totalInterval),
  ]);
}

function coefficientBars(inputs: readonly InputIndices[]): IndexBar[] {
  return inputs.flatMap(({ input, src, srcInterval, srrc, srrcInterval }) => [
    ...bar(input, VALUES, src, srcInterval),
    ...bar(input, RANKS, srrc, srrcInterval),
  ]);
}

function bar(
  input: string,
  name: string,
  value: number | undefined,
  interval: Interval | undefined,
): IndexBar[] {
  return value === undefined ? [] : [{ input, name, value, interval }];
}

/** What the lines in a picture of indices are; undefined if no index has an interval. */
function linesText(
  { confidence }: Analysis,
  indices: readonly Pick<IndexBar, 'interval'>[],
): string | undefined {
  return indices.some(({ interval }) => interval) ? `Lines are ${percent(confidence)} intervals` : undefined;
}

function tornado(
  analysis: Analysis,
  inputs: readonly InputIndices[],
  output: string,
  units: string,
  part: string | undefined,
): Figure[] {
  const bySize = inputs.toSorted((a, b) => Math.abs(b.effect ?? 0) - Math.abs(a.effect ?? 0));
  const bars = bySize.flatMap(({ input, effect, effectInterval }) =>
    bar(input, 'effect', effect, effectInterval),
  );
  const others =
    analysis.method === 'factorial'
      ? 'averaged over the values of the other inputs'
      : 'with the other inputs unchanged';
  const unordered = bySize.filter(({ lowAt }) => lowAt !== undefined);
  return [
    {
      title: `How inputs change ${output}`,
      caption: sentences(
        `The change of the output from the lowest to the highest value of each input, ${others}`,
        unordered.length > 0
          ? `The change is from the lowest to the highest output if the values are not numbers, or if the output does not always rise or fall with them: ${unordered.map(({ input, lowAt, highAt }) => `${input} from ${inputText(lowAt!)} to ${inputText(highAt!)}`).join(', ')}`
          : undefined,
        linesText(analysis, bars),
        part,
      ),
      id: 'tornado',
      ...indexBars(bars, ['effect'], `Change of ${output}${units}`),
    },
  ];
}

/** The index that a picture over time shows for each method. */
const COURSES: Record<
  Method,
  { title: string; of: (one: InputIndices) => [value: number | undefined, interval: Interval | undefined] }
> = {
  sobol: { title: 'Total index', of: (one) => [one.total, one.totalInterval] },
  factorial: { title: 'Share of the variance', of: (one) => [one.first, one.firstInterval] },
  morris: { title: 'μ*', of: (one) => [one.muStar, one.muStarInterval] },
  regression: { title: 'Standardized coefficient', of: (one) => [one.src, one.srcInterval] },
  'gaussian-process': { title: 'Total index', of: (one) => [one.total, one.totalInterval] },
  'one-at-a-time': { title: 'Effect', of: (one) => [one.effect, one.effectInterval] },
};

/**
 * Makes a picture of the indices of a curve over time; undefined if the analysis has fewer than two times.
 *
 * @param at - the place of the curve among the curves of the campaign, for the id of the picture
 * @param declared - the x axis of the curve
 */
export function courseFigure(analysis: Analysis, at: number, declared?: CurveAxis): Figure | undefined {
  const { times = [], method, output } = analysis;
  if (times.length < 2) return undefined;
  const { title, of } = COURSES[method];
  const axis = xAxis(
    declared,
    times.map(({ time }) => time),
  );
  const wordsOf = (x: number): string => {
    const cell = axis.textOf(x);
    return typeof cell === 'number' ? numberText(cell) : cell.text;
  };
  const names = times[0]!.indices.map(({ input }) => input);
  const courses = names.map((input): IndexCourse & { size: number } => {
    const own = times.flatMap(({ time, indices }) => {
      const one = indices.find((found) => found.input === input);
      return one ? [{ time, one }] : [];
    });
    const points = own.flatMap(({ time, one }) => {
      const [value, interval] = of(one);
      return value === undefined ? [] : [{ time, value, interval }];
    });
    return { input, points, size: own.reduce((sum, { one }) => sum + sizeOf(method, one), 0) };
  });
  const shown = courses.toSorted((a, b) => b.size - a.size).slice(0, MOST_COURSES);
  return {
    title: `${axis.word === 'time' ? 'When' : 'Where'} inputs matter for ${output}`,
    caption: sentences(
      courseSentence(analysis, wordsOf, axis.word).replace(/\.$/, ''),
      `${title} of each input at each ${axis.word}`,
      courses.some(({ points }) => points.some(({ interval }) => interval))
        ? `Bands are ${percent(analysis.confidence)} intervals`
        : undefined,
      axis.note,
      partText(courses.length, shown.length, 'inputs'),
    ),
    id: `courses-${at + 1}`,
    ...indexCourses(shown, title, axis, method === 'sobol' || method === 'factorial'),
  };
}

/** An index of an input with its interval. It is one bar in the row of the input. */
interface IndexBar {
  input: string;
  /** The name of the index in the key. */
  name: string;
  value: number;
  interval: Interval | undefined;
}

/** Colours of the bars of a row, in the order of their names. */
const BARS = [colours.line, colours.muted];

/**
 * Draws bars with intervals, one row per input, with the first input at the top. A row has at most one bar for each
 * name.
 *
 * @param names - the names of the indices, at most two
 * @param title - the title of the axis
 */
function indexBars(bars: readonly IndexBar[], names: readonly string[], title: string): DrawnNumbers {
  const inputs = [...new Set(bars.map(({ input }) => input))];
  const colourOf = colourKey(
    names.map((name, at) => ({ name, colour: BARS[at]!, opacity: 0.75, kind: 'area' })),
  );
  const y = {
    field: 'input',
    type: 'nominal',
    sort: inputs,
    title: null,
    axis: { labelLimit: 260, domain: false, ticks: false },
  };
  const x = (field: string) => ({ field, type: 'quantitative', title, axis: { tickCount: 8 } });
  const offset = { yOffset: { field: 'name', sort: names } };
  const numbers = new PictureNumbers([{ title: 'Input' }, { title: 'Index' }, { title }, ...ENDS]);
  const rows = bars.map(({ interval, ...bar }) => ({
    ...bar,
    low: interval?.[0],
    high: interval?.[1],
    ...numbers.add([bar.input, bar.name, ...indexCells(bar.value, interval)]),
  }));
  const layer = names.flatMap((name) => {
    const own = rows.filter((row) => row.name === name);
    const intervals = own.filter(({ low }) => low !== undefined).map(withoutRow);
    return [
      {
        data: { values: own },
        mark: { type: 'bar', opacity: 0.75, height: { band: 0.8 } },
        encoding: { y, ...offset, x: x('value'), ...(names.length > 1 ? { color: colourOf(name) } : BLUE) },
      },
      {
        data: { values: intervals },
        mark: { type: 'rule', strokeWidth: 1.5, color: colours.ink },
        encoding: { y, ...offset, x: x('low'), x2: { field: 'high' } },
      },
      ...(['low', 'high'] as const).map((end) => ({
        data: { values: intervals },
        mark: { type: 'tick', orient: 'vertical', size: 8, thickness: 1.5, color: colours.ink },
        encoding: { y, ...offset, x: x(end) },
      })),
    ];
  });
  const spec = { width: WIDTH - 300, height: { step: names.length > 1 ? 18 : 30 }, layer } as Spec;
  return { spec, numbers };
}

type DrawnNumbers = Pick<Figure, 'spec' | 'numbers'>;

const ENDS = [{ title: 'From' }, { title: 'To' }];

/** The cells of an index and of the ends of its interval. */
function indexCells(value: number, interval: Interval | undefined) {
  return estimateCells({ statistic: 'mean' }, value, interval?.[0], interval?.[1]);
}

const BLUE = { color: { value: colours.line } };

/** An input of a screening by Morris. */
interface ScreenedInput {
  input: string;
  muStar: number;
  interval: Interval | undefined;
  sigma: number;
}

/** Draws inputs by the mean size of their effects (μ*) and by how much the effects differ (σ), each with its name. */
function screeningPlane(inputs: readonly ScreenedInput[], units: string): DrawnNumbers {
  const numbers = new PictureNumbers([
    { title: 'Input' },
    { title: `μ*${units}` },
    ...ENDS,
    { title: `σ${units}` },
  ]);
  const rows = inputs.map(({ interval, ...one }) => ({
    ...one,
    low: interval?.[0],
    high: interval?.[1],
    ...numbers.add([one.input, ...indexCells(one.muStar, interval), one.sigma]),
  }));
  const right = Math.max(...rows.map(({ muStar, high }) => high ?? muStar));
  const top = Math.max(...rows.map(({ sigma }) => sigma));
  const x = (field: string) => ({
    field,
    type: 'quantitative',
    title: `μ*: mean size of the effect${units}`,
    scale: { domain: [0, 1.05 * right], nice: true },
  });
  const y = {
    field: 'sigma',
    type: 'quantitative',
    title: 'σ: standard deviation of the effect',
    scale: { zero: true },
  };
  // the line of μ* = σ ends at the largest σ, and is visible even if all σ are small
  const end = Math.max(top, 0.1 * right);
  const spec = {
    width: WIDTH - 100,
    height: 340,
    layer: [
      {
        data: { values: [{ at: 0 }, { at: end }] },
        mark: { type: 'line', strokeDash: [4, 4], strokeWidth: 1, color: colours.muted },
        encoding: {
          x: { field: 'at', type: 'quantitative' },
          y: { field: 'at', type: 'quantitative' },
        },
      },
      {
        data: { values: rows.filter(({ low }) => low !== undefined) },
        mark: { type: 'rule', strokeWidth: 1.5, color: colours.line, opacity: 0.6 },
        encoding: { x: x('low'), x2: { field: 'high' }, y },
      },
      {
        data: { values: rows },
        mark: { type: 'point', filled: true, size: 80, opacity: 1, color: colours.line },
        encoding: { x: x('muStar'), y },
      },
      {
        data: { values: rows },
        mark: { type: 'text', align: 'left', dx: 8, dy: -9, fontSize: 12, color: colours.ink },
        encoding: { x: x('muStar'), y, text: { field: 'input' } },
      },
    ],
  } as Spec;
  return { spec, numbers };
}

/** An index of an input over time. */
interface IndexCourse {
  input: string;
  points: readonly { time: number; value: number; interval: Interval | undefined }[];
}

/** The maximum number of inputs that a picture over time can show. */
const MOST_COURSES = COURSE_COLOURS.length;

/** Draws an index of inputs over time. Each input is a line, with its interval as a band. */
function indexCourses(
  courses: readonly IndexCourse[],
  title: string,
  { title: xTitle, placeOf, textOf, isOnAxis, encoding: x }: XAxis,
  isShare: boolean,
): DrawnNumbers {
  const colourOf = colourKey(
    courses.map(({ input }, at) => ({ name: input, colour: COURSE_COLOURS[at]!, opacity: 1, kind: 'line' })),
  );
  const scale = isShare ? { domain: [0, 1], clamp: true } : { zero: true };
  const y = (field: string) => ({ field, type: 'quantitative', title, scale });
  const numbers = new PictureNumbers([{ title: xTitle }, { title: 'Input' }, { title }, ...ENDS]);
  const layer = courses.flatMap(({ input, points }) => {
    const rows = points
      .filter(({ time }) => isOnAxis(time))
      .map(({ time, value, interval }) => ({
        ...numbers.add([textOf(time), input, ...indexCells(value, interval)]),
        x: placeOf(time),
        value,
        low: interval?.[0],
        high: interval?.[1],
      }));
    const color = colourOf(input);
    const band = rows.filter(({ low }) => low !== undefined).map(withoutRow);
    return [
      {
        data: { values: band },
        mark: { type: 'area', opacity: 0.2 },
        encoding: { x, y: y('low'), y2: { field: 'high' }, color },
      },
      {
        data: { values: rows },
        mark: { type: 'line', strokeWidth: 2 },
        encoding: { x, y: y('value'), color },
      },
    ];
  });
  return { spec: { width: WIDTH - 90, height: 320, layer } as Spec, numbers };
}
