import { key } from './key.ts';
import { colours, type Spec, WIDTH } from './vega.ts';

/** An index of an input with its interval. It is one bar in the row of the input. */
export interface IndexBar {
  input: string;
  /** The name of the index in the key. */
  name: string;
  value: number;
  interval: readonly [number, number] | undefined;
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
export function indexBars(bars: readonly IndexBar[], names: readonly string[], title: string): Spec {
  const inputs = [...new Set(bars.map(({ input }) => input))];
  const shown = key(names.map((name, at) => ({ name, colour: BARS[at]!, opacity: 0.75 })));
  const y = {
    field: 'input',
    type: 'nominal',
    sort: inputs,
    title: null,
    axis: { labelLimit: 260, domain: false, ticks: false },
  };
  const x = (field: string) => ({ field, type: 'quantitative', title, axis: { tickCount: 8 } });
  const offset = { yOffset: { field: 'name', sort: names } };
  const rows = bars.map(({ interval, ...bar }) => ({ ...bar, low: interval?.[0], high: interval?.[1] }));
  const layers = names.flatMap((name) => {
    const own = rows.filter((row) => row.name === name);
    const intervals = own.filter(({ low }) => low !== undefined);
    return [
      {
        data: { values: own },
        mark: { type: 'bar', opacity: 0.75, height: { band: 0.8 } },
        encoding: { y, ...offset, x: x('value'), ...(names.length > 1 ? { color: shown(name) } : BLUE) },
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
  return { width: WIDTH - 300, height: { step: names.length > 1 ? 18 : 30 }, layer: layers } as Spec;
}

const BLUE = { color: { value: colours.line } };

/** An input of a screening by Morris. */
export interface ScreenedInput {
  input: string;
  muStar: number;
  interval: readonly [number, number] | undefined;
  sigma: number;
}

/** Draws inputs by the mean size of their effects (μ*) and by how much the effects differ (σ), each with its name. */
export function screeningPlane(inputs: readonly ScreenedInput[], units: string): Spec {
  const rows = inputs.map(({ interval, ...one }) => ({ ...one, low: interval?.[0], high: interval?.[1] }));
  const most = Math.max(...rows.map(({ muStar, sigma, high }) => Math.max(high ?? muStar, sigma)));
  const x = (field: string) => ({
    field,
    type: 'quantitative',
    title: `μ*: mean size of the effect${units}`,
    scale: { domain: [0, 1.05 * Math.max(...rows.map(({ muStar, high }) => high ?? muStar))], nice: true },
  });
  const y = {
    field: 'sigma',
    type: 'quantitative',
    title: 'σ: standard deviation of the effect',
    scale: { zero: true },
  };
  const highest = Math.max(...rows.map(({ sigma }) => sigma), 0.1 * most);
  return {
    width: WIDTH - 100,
    height: 340,
    layer: [
      {
        data: { values: [{ at: 0 }, { at: Math.min(most, highest) }] },
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
}

/** An index of an input over time. */
export interface IndexCourse {
  input: string;
  points: readonly { time: number; value: number; interval: readonly [number, number] | undefined }[];
}

const COURSES = ['#4c7fd9', '#e8590c', '#2f9e6e', '#a06cd5', '#d6455d', '#8b919c'];

/** The maximum number of inputs that a picture over time can show. */
export const MOST_COURSES = COURSES.length;

/** Draws an index of inputs over time. Each input is a line, with its interval as a band. */
export function indexCourses(courses: readonly IndexCourse[], title: string, isShare: boolean): Spec {
  const shown = key(courses.map(({ input }, at) => ({ name: input, colour: COURSES[at]!, opacity: 1 })));
  const x = {
    field: 'time',
    type: 'quantitative',
    title: null,
    scale: { nice: false },
    axis: { grid: false },
  };
  const scale = isShare ? { domain: [0, 1], clamp: true } : { zero: true };
  const y = (field: string) => ({ field, type: 'quantitative', title, scale });
  const layers = courses.flatMap(({ input, points }) => {
    const rows = points.map(({ time, value, interval }) => ({
      time,
      value,
      low: interval?.[0],
      high: interval?.[1],
    }));
    const color = shown(input);
    return [
      {
        data: { values: rows.filter(({ low }) => low !== undefined) },
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
  return { width: WIDTH - 90, height: 320, layer: layers } as Spec;
}
