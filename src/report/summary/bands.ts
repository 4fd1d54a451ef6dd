import { type Curve, valueAt } from '../../campaign/curves.ts';
import { weightedQuantile } from '../../search/abc/population.ts';
import { quantile } from '../../statistics/quantile.ts';

/** Quantiles of the values of many curves at one x. */
export interface Band {
  x: number;
  q05: number;
  q25: number;
  q50: number;
  q75: number;
  q95: number;
  /** The number of curves that have a value there. */
  curves: number;
}

/** The number of x values at which curves with different x values are compared. */
const PLACES = 121;
/** The maximum number of points of a curve that are kept. */
export const MOST_POINTS = 512;

/**
 * Keeps at most `most` points of a curve, ascending by x: the first, the last, and others spread evenly between them.
 */
export function thinned(curve: Curve, most: number = MOST_POINTS): Curve {
  const sorted = curve.toSorted(([a], [b]) => a - b);
  if (sorted.length <= most) return sorted;
  return Array.from({ length: most }, (_, i) => sorted[Math.round((i * (sorted.length - 1)) / (most - 1))]!);
}

/**
 * The quantiles across curves at each x. If all curves have the same x values, the quantiles are at these values.
 * Otherwise the quantiles are at equal distances from the lowest to the highest x, with linear interpolation between
 * the points of a curve. An x is left out if fewer than half of the curves have a value there, because the quantiles
 * would jump where curves end.
 *
 * @param curves - each with its points ascending by x
 * @param weights - the weight of each curve. @default equal weights
 */
export function bandsOf(curves: readonly Curve[], weights?: readonly number[]): Band[] {
  const filled = curves
    .map((curve, at) => ({ curve, weight: weights?.[at] ?? 1 }))
    .filter(({ curve }) => curve.length > 0);
  const places = placesOf(filled.map(({ curve }) => curve));
  return places.flatMap((x) => {
    const there = filled.flatMap(({ curve, weight }) => {
      const value = valueAt(curve, x);
      return value === undefined ? [] : [{ value, weight }];
    });
    if (2 * there.length < filled.length) return [];
    const quantileAt = weights ? weightedQuantiles(there) : equalQuantiles(there);
    const [q05, q25, q50, q75, q95] = [0.05, 0.25, 0.5, 0.75, 0.95].map(quantileAt);
    return [{ x, q05: q05!, q25: q25!, q50: q50!, q75: q75!, q95: q95!, curves: there.length }];
  });
}

function equalQuantiles(there: readonly { value: number }[]): (p: number) => number {
  const sorted = Float64Array.from(there, ({ value }) => value).sort();
  return (p) => quantile(sorted, p);
}

function weightedQuantiles(there: readonly { value: number; weight: number }[]): (p: number) => number {
  const sum = there.reduce((total, { weight }) => total + weight, 0);
  const values = there.map(({ value }) => value);
  const weights = there.map(({ weight }) => weight / sum);
  return (p) => weightedQuantile(values, weights, p);
}

/** The x values at which the curves are compared. */
function placesOf(curves: readonly Curve[]): number[] {
  const [first] = curves;
  if (!first) return [];
  const haveSamePlaces = curves.every(
    (curve) => curve.length === first.length && curve.every(([x], i) => x === first[i]![0]),
  );
  if (haveSamePlaces) return [...new Set(first.map(([x]) => x))];
  const from = Math.min(...curves.map((curve) => curve[0]![0]));
  const to = Math.max(...curves.map((curve) => curve.at(-1)![0]));
  // rounding must not move the last place beyond the longest curve
  return Array.from({ length: PLACES }, (_, i) =>
    i === PLACES - 1 ? to : from + ((to - from) * i) / (PLACES - 1),
  );
}
