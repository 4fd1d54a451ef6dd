import type { VariedInput } from '../../campaign/types.ts';
import { CONFIDENCE } from '../../statistics/sample.ts';
import { fewestPoints, LocalRegression, type SmoothValue } from '../../statistics/local-regression.ts';
import { areaOf, hullOf, isWithin, type Place } from '../../statistics/hull.ts';
import { quantile } from '../../statistics/quantile.ts';
import { isWide } from '../pictures/scales.ts';

/** A point of a sampled design: the values of all inputs that vary, and the mean, share or quantile of an output. */
export interface SampledPoint {
  values: readonly string[];
  mean: number;
  /** The mean square by which results of draws of the point differ from `mean`; 0 for a point that was drawn once. */
  noise: number;
}

/** The points of sampled inputs, and for each input a smooth curve of the output over it. */
export interface ScatterEffects {
  kind: 'scatter';
  effects: ScatterEffect[];
  /** Whether only a part of the points is shown, spread evenly. */
  isPart: boolean;
  /** Whether the output has values of very different size. The smooth is then a fit of their logarithms. */
  isLog: boolean;
}

export interface ScatterEffect {
  input: VariedInput;
  isLog: boolean;
  /** The values of all inputs that vary, in the order of the campaign, and the value of `input` as a number. */
  points: { x: number; mean: number; values: readonly string[] }[];
  /** The smooth curve by ascending x; empty if there are too few points. */
  smooth: ({ x: number } & SmoothValue)[];
  /**
   * The share of the variance that the smooth explains at points that were not used for the fit; 0 without a smooth.
   */
  explained: number;
}

/** A smooth over two sampled inputs, and the points of the fit. */
export interface SurfaceEffect {
  kind: 'surface';
  x: SurfaceAxis;
  y: SurfaceAxis;
  points: { x: number; y: number; mean: number; values: readonly string[] }[];
  /** Values at the middles of equal cells, row by row from the lowest; null outside of the surface. */
  cells: (number | null)[];
  columns: number;
  rows: number;
  isPart: boolean;
  isLog: boolean;
}

/** An input along an axis, which goes from its lowest to its highest value at the points. */
export interface SurfaceAxis {
  input: VariedInput;
  isLog: boolean;
  from: number;
  to: number;
}

/** The value at a position along an axis, from 0 to 1. */
export function valueAt(
  { isLog, from, to }: Pick<SurfaceAxis, 'isLog' | 'from' | 'to'>,
  share: number,
): number {
  return isLog ? from * (to / from) ** share : from * (1 - share) + to * share;
}

/** A sampled input and its index among the varied inputs. */
export interface SampledInput {
  input: VariedInput;
  at: number;
}

/** The number of places at which a smooth is drawn. */
const PLACES = 81;
/** The number of cells of a surface along the horizontal axis. */
const COLUMNS = 72;
/** The number of cells of a surface along the vertical axis. */
const ROWS = 48;
/**
 * A surface ends at this distance from the nearest point, or at the convex hull of all points. The unit is about the
 * mean distance between neighbouring points.
 */
const FURTHEST = 2;

/** The inputs whose points are drawn one by one, and those over which a surface may be drawn. */
interface DrawnInputs {
  inputs: readonly SampledInput[];
  /** All inputs with enough values for a smooth, also those with few enough values for a mean at each. */
  spread: readonly SampledInput[];
  /** The names of inputs that the surface must have. @default the two that explain the most */
  axes?: readonly (string | undefined)[];
}

/**
 * Finds how an output depends on each sampled input. If there are enough points, the two spread inputs that explain the
 * most also get a surface.
 *
 * @param points - a point that counts several times is there several times, with the same array of values
 * @param options - `confidence` is the confidence of the bands; with null there are no bands. A share has no band either,
 * because its variance depends on the share itself, and the regression assumes the same variance everywhere
 */
export function scatterOf(
  { inputs, spread, axes = [] }: DrawnInputs,
  points: readonly SampledPoint[],
  { isPart, confidence, isShare = false }: { isPart: boolean; confidence: number | null; isShare?: boolean },
): (ScatterEffects | SurfaceEffect)[] {
  const means = points.map(({ mean }) => mean);
  const isLog = !isShare && means.every((mean) => mean > 0) && isWide(withoutOutliers(means));
  const output = {
    values: isLog ? means.map(Math.log) : means,
    // the derivative of the logarithm is 1 / mean
    noise: points.map(({ mean, noise }) => (isLog ? noise / mean ** 2 : noise)),
    back: backOf({ isLog, isShare }),
    isLog,
  };
  const distinct = [...new Map(points.map((point) => [point.values, point])).values()];
  const all = spread.map(({ input, at }) => {
    const scale = new Scale(points.map(({ values }) => Number(values[at])));
    const { smooth, explained } = smoothOver(scale, output, isShare ? null : confidence);
    const effect: ScatterEffect = {
      input,
      isLog: scale.isLog,
      points: distinct.map(({ values, mean }) => ({ x: Number(values[at]), mean, values })),
      smooth,
      explained,
    };
    return { effect, scale };
  });
  const [x, y] = surfaceInputs(all, axes);
  const surface = x && y && surfaceOver(x, y, output);
  const effects = all
    .map(({ effect }) => effect)
    .filter((effect) => inputs.some(({ input }) => input === effect.input));
  return [...(surface ? [{ ...surface, isPart }] : []), { kind: 'scatter', effects, isPart, isLog }];
}

interface ScaledEffect {
  effect: ScatterEffect;
  scale: Scale;
}

/**
 * The inputs on the axes of a surface: the chosen ones, and the ones that explain the most for axes that were not chosen.
 * Without any choice, the two inputs are in the order of the design.
 */
function surfaceInputs(
  all: readonly ScaledEffect[],
  axes: readonly (string | undefined)[],
): (ScaledEffect | undefined)[] {
  const [x, y] = axes.map((name) => all.find(({ effect }) => effect.input.name === name));
  const others = all
    .filter((one) => one !== x && one !== y)
    .toSorted((a, b) => b.effect.explained - a.effect.explained);
  if (!x && !y) return all.filter((one) => others.slice(0, 2).includes(one));
  return [x ?? others[0], y ?? others[0]];
}

/** The 5 % and 95 % quantiles, so that a single outlier does not decide whether the scale is logarithmic. */
function withoutOutliers(values: readonly number[]): number[] {
  const sorted = Float64Array.from(values).sort();
  return [quantile(sorted, 0.05), quantile(sorted, 0.95)];
}

interface Output {
  /** The values for the fit. With `isLog`, these are the logarithms of the values of the output. */
  values: readonly number[];
  /** The mean square by which the results behind each value differ from it. */
  noise: readonly number[];
  isLog: boolean;
  /** Converts a fitted value into a value of the output. */
  back: (fitted: number) => number;
}

function backOf({ isLog, isShare }: { isLog: boolean; isShare: boolean }): Output['back'] {
  if (isLog) return Math.exp;
  // a regression may give shares below 0 or above 1
  return isShare ? (fitted) => Math.min(1, Math.max(0, fitted)) : (fitted) => fitted;
}

function smoothOver(
  scale: Scale,
  { values, noise, back }: Output,
  confidence: number | null,
): Pick<ScatterEffect, 'smooth' | 'explained'> {
  if (values.length < fewestPoints(1)) return { smooth: [], explained: 0 };
  const fit = new LocalRegression(
    scale.shares.map((share) => [share]),
    values,
    { noise },
  );
  const smooth = Array.from({ length: PLACES }, (_, i) => i / (PLACES - 1)).map((share) => {
    const { value, low, high } = fit.at([share], confidence ?? CONFIDENCE);
    const hasBand = confidence !== null && low !== null && high !== null;
    const band = hasBand ? { low: back(low), high: back(high) } : { low: null, high: null };
    return { x: valueAt(scale, share), value: back(value), ...band };
  });
  const isDrawn = smooth.every(({ value }) => Number.isFinite(value));
  return { smooth: isDrawn ? smooth : [], explained: Math.max(0, fit.explained) };
}

function surfaceOver(
  x: ScaledEffect,
  y: ScaledEffect,
  { values, noise, isLog, back }: Output,
): Omit<SurfaceEffect, 'isPart'> | undefined {
  const places = x.scale.shares.map((share, at) => [share, y.scale.shares[at]!] as Place);
  const hull = hullOf(places);
  const area = areaOf(hull);
  if (places.length < fewestPoints(2) || area === 0) return undefined;
  const fit = new LocalRegression(places, values, { noise });
  const reach = FURTHEST * Math.sqrt(area / places.length);
  const cells = Array.from({ length: COLUMNS * ROWS }, (_, cell) => {
    const place: Place = [((cell % COLUMNS) + 0.5) / COLUMNS, (Math.floor(cell / COLUMNS) + 0.5) / ROWS];
    const isNear =
      isWithin(hull, place) && places.some(([a, b]) => Math.hypot(a - place[0], b - place[1]) <= reach);
    if (!isNear) return null;
    const { value } = fit.at(place, CONFIDENCE);
    return back(value);
  });
  const axis = ({ effect, scale }: ScaledEffect): SurfaceAxis => ({
    input: effect.input,
    isLog: scale.isLog,
    from: scale.from,
    to: scale.to,
  });
  return {
    kind: 'surface',
    x: axis(x),
    y: axis(y),
    points: x.effect.points.map((point, at) => ({ ...point, y: y.effect.points[at]!.x })),
    cells,
    columns: COLUMNS,
    rows: ROWS,
    isLog,
  };
}

/**
 * The positions of values along an axis, from 0 to 1. The axis is logarithmic if the values are positive and far apart,
 * and their median is closer to the middle of a logarithmic scale.
 */
class Scale {
  readonly from: number;
  readonly to: number;
  readonly isLog: boolean;
  readonly shares: readonly number[];

  constructor(values: readonly number[]) {
    const sorted = Float64Array.from(values).sort();
    const median = sorted[Math.floor(sorted.length / 2)]!;
    this.from = sorted[0]!;
    this.to = sorted.at(-1)!;
    const fromMiddle = (isLog: boolean): number => Math.abs(this.#shareOf(median, isLog) - 0.5);
    this.isLog = isWide([this.from, this.to]) && fromMiddle(true) < fromMiddle(false);
    this.shares = values.map((value) => this.#shareOf(value, this.isLog));
  }

  #shareOf(value: number, isLog: boolean): number {
    const { from, to } = this;
    if (isLog) return Math.log(value / from) / Math.log(to / from);
    // the values are halved first, because the difference of two large numbers may overflow
    return (value / 2 - from / 2) / (to / 2 - from / 2);
  }
}
