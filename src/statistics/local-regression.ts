import { dotOf, sumOf } from './sample.ts';
import { studentQuantile } from './student.ts';

/**
 * The value of a smooth at a place, with the ends of its pointwise confidence interval. The ends are null if the fit
 * has less than one degree of freedom for the errors.
 */
export interface SmoothValue {
  value: number;
  low: number | null;
  high: number | null;
}

/** The fewest points of a regression over one or two inputs: twice the number of terms of its polynomial. */
export function fewestPoints(inputs: 1 | 2): number {
  return inputs === 1 ? 6 : 12;
}

/**
 * The possible shares of the points in a fit. The largest comes first, so that the smoothest of equally good fits is
 * chosen.
 */
const SPANS = [1, 0.75, 0.5, 0.35, 0.25];

/**
 * Local regression (loess) of degree 2 over one or two inputs. At each place it fits a quadratic polynomial to the
 * nearest points, by least squares with tricube weights.
 *
 * W. S. Cleveland, "Robust locally weighted regression and smoothing scatterplots", Journal of the American Statistical
 * Association 74 (1979) 829-836; W. S. Cleveland and S. J. Devlin, "Locally weighted regression: an approach to
 * regression analysis by local fitting", same journal 83 (1988) 596-610. The share of points in each fit is the share
 * with the lowest AICc, by C. M. Hurvich, J. S. Simonoff and C.-L. Tsai, "Smoothing parameter selection in
 * nonparametric regression using an improved Akaike information criterion", Journal of the Royal Statistical Society B
 * 60 (1998) 271-293.
 *
 * The time of a regression grows about with the square of the number of points. Its memory is proportional to the
 * number of points.
 */
export class LocalRegression {
  /** The share of the points in each fit. */
  readonly span: number;
  /**
   * The share of the variance that the smooth explains when each point is left out of the fit that predicts it. It is
   * at most 1.
   */
  readonly explained: number;
  /** The degrees of freedom of the estimated standard deviation of the errors. */
  readonly freedom: number;
  readonly #places: readonly Coordinates[];
  /** The values, divided by `#scale`, so that squares do not overflow. */
  readonly #values: Float64Array;
  /** The standard deviation of the errors of the divided values. */
  readonly #sd: number;
  /** The largest absolute value; 1 if all values are 0. */
  readonly #scale: number;

  /**
   * @param places - the places of the points, with one or two coordinates each, in units in which distances are
   * comparable
   * @param values - one finite number for each point
   * @param options `spans` are the possible shares of the points in a fit, each above 0 and at most 1. If the values are
   * means, `noise` is the mean square by which the results behind each value differ from it
   * @throws RangeError when there are too few points
   */
  constructor(
    places: readonly Coordinates[],
    values: readonly number[],
    { spans = SPANS, noise = [] }: { spans?: readonly number[]; noise?: readonly number[] } = {},
  ) {
    const scale = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
    this.#places = places;
    this.#scale = scale;
    this.#values = Float64Array.from(values, (value) => value / scale);
    const within = values.map((_, at) => (noise[at] ?? 0) / scale ** 2);
    const least = fewestPoints(places[0]?.length === 2 ? 2 : 1);
    if (places.length < least) throw new RangeError(`${places.length} points are too few`);
    // spans with fewer than four points per term are left out if others remain: their criterion depends mostly on noise
    const usable = spans.filter((span) => nearestOf(span, places.length) >= 2 * least);
    const fits = (usable.length > 0 ? usable : [1]).map((span) => new Fit(span, places.length));
    for (const [at, place] of places.entries()) {
      const distances = distancesFrom(place, places);
      const sorted = distances.toSorted();
      for (const fit of fits) {
        const row = hatRow(place, places, distances, reachOf(sorted, fit.nearest));
        fit.add(at, row, this.#values, within[at]!);
      }
    }
    const mean = this.#values.reduce((sum, value) => sum + value, 0) / values.length;
    const total = sumOfSquares(this.#values.map((value) => value - mean)) + sumOf(within);
    // rounding must not decide between two exact fits
    const floor = total * 1e-20;
    const best = fits.reduce((a, b) => (b.criterion(floor) < a.criterion(floor) ? b : a));
    this.span = best.span;
    this.explained = total > 0 ? 1 - best.squaresLeftOut / total : 0;
    this.freedom = best.freedom;
    this.#sd = best.freedom > 0 ? Math.sqrt(best.squares / best.freedom) : NaN;
  }

  /**
   * The value of the smooth at a place. The interval assumes that errors are independent and have the same standard
   * deviation everywhere.
   *
   * @param confidence - between 0 and 1, such as 0.95
   */
  at(place: Coordinates, confidence: number): SmoothValue {
    const distances = distancesFrom(place, this.#places);
    const sorted = distances.toSorted();
    const row = hatRow(place, this.#places, distances, reachOf(sorted, nearestOf(this.span, sorted.length)));
    const value = this.#scale * dotOf(row, this.#values);
    if (!(this.freedom >= 1)) return { value, low: null, high: null };
    const error = this.#scale * this.#sd * Math.sqrt(sumOfSquares(row));
    const half = studentQuantile((1 + confidence) / 2, this.freedom) * error;
    return { value, low: value - half, high: value + half };
  }
}

type Coordinates = readonly number[];

/** The fits at all points with one span, summarized. */
class Fit {
  readonly span: number;
  readonly nearest: number;
  /** The sum of the squared residuals of the fit. */
  squares = 0;
  /** The same sum if each point is left out of the fit that predicts it. */
  squaresLeftOut = 0;
  #trace = 0;
  #norm = 0;
  readonly #count: number;

  constructor(span: number, count: number) {
    this.span = span;
    this.nearest = nearestOf(span, count);
    this.#count = count;
  }

  /**
   * @param row - the weights of all values in the fit at the point `at`
   * @param within - the mean square by which results of the point differ from its value
   */
  add(at: number, row: Float64Array, values: Float64Array, within: number): void {
    const residual = values[at]! - dotOf(row, values);
    const own = row[at]!;
    this.squares += residual ** 2 + within;
    const rest = Math.max(1 - own, Number.EPSILON);
    this.squaresLeftOut += (residual / rest) ** 2 + within / rest ** 2;
    this.#trace += own;
    this.#norm += sumOfSquares(row);
  }

  /** The expected sum of squares of the residuals for errors with variance 1: Cleveland and Devlin's delta 1. */
  get freedom(): number {
    return this.#count - 2 * this.#trace + this.#norm;
  }

  /**
   * The AICc, with a sum of squares of at least `floor`. It is infinite if there are not more points than `#trace` + 2,
   * the number of parameters.
   */
  criterion(floor: number): number {
    const free = this.#count - this.#trace - 2;
    if (free <= 0) return Infinity;
    return Math.log(Math.max(this.squares, floor) / this.#count) + (2 * (this.#trace + 1)) / free;
  }
}

function nearestOf(span: number, count: number): number {
  // this rounds as other programs do, so that 0.3 of 10 points are 3 points
  return Math.floor(span * count + 1e-5);
}

/**
 * The reach of a fit is the distance of the farthest of its nearest points. If all these points have the same distance
 * above 0, the reach is larger than this distance, because points at the reach have no weight.
 */
function reachOf(sorted: Float64Array, nearest: number): number {
  const [first, last] = [sorted[0]!, sorted[nearest - 1]!];
  if (first < last || last === 0) return last;
  return sorted.find((distance) => distance > last) ?? 2 * last;
}

/**
 * The weight of each value in the fit at a place. `distances` are the distances of the points from the place. Points at
 * the reach or beyond it have no weight, except points at the place itself. A fit spends most of its time here, so the
 * loops of this function have no closures.
 */
function hatRow(
  place: Coordinates,
  places: readonly Coordinates[],
  distances: Float64Array,
  reach: number,
): Float64Array {
  const size = place.length === 1 ? 3 : 6;
  const products = Array.from({ length: size }, () => new Float64Array(size));
  const row = new Float64Array(places.length);
  const terms = new Float64Array(size);
  for (let at = 0; at < row.length; at += 1) {
    const weight = tricube(distances[at]!, reach);
    if (weight === 0) continue;
    row[at] = weight;
    setTerms(terms, place, places[at]!, reach);
    for (let i = 0; i < size; i += 1) {
      const product = products[i]!;
      for (let j = 0; j <= i; j += 1) product[j]! += weight * terms[i]! * terms[j]!;
    }
  }
  const coefficients = firstOfInverse(products);
  for (let at = 0; at < row.length; at += 1) {
    if (row[at] === 0) continue;
    setTerms(terms, place, places[at]!, reach);
    let sum = 0;
    for (let i = 0; i < size; i += 1) sum += terms[i]! * coefficients[i]!;
    row[at]! *= sum;
  }
  return row;
}

/**
 * The weight of a point. If the reach is 0, because many points are at the place itself, only these points have a
 * weight.
 */
function tricube(distance: number, reach: number): number {
  if (distance >= reach) return distance === 0 ? 1 : 0;
  const share = distance / reach;
  const rest = 1 - share * share * share;
  return rest * rest * rest;
}

/**
 * Computes the terms of the polynomial: 1, x, x² for one coordinate, and 1, x, y, x², xy, y² for two. Coordinates are
 * relative to a place, in units of the reach.
 */
function setTerms(terms: Float64Array, place: Coordinates, other: Coordinates, reach: number): void {
  const unit = reach || 1;
  const x = (other[0]! - place[0]!) / unit;
  terms[0] = 1;
  terms[1] = x;
  if (place.length === 1) {
    terms[2] = x * x;
    return;
  }
  const y = (other[1]! - place[1]!) / unit;
  terms[2] = y;
  terms[3] = x * x;
  terms[4] = x * y;
  terms[5] = y * y;
}

/**
 * The first column of the inverse of a symmetric matrix, by Cholesky's decomposition of its lower half. It leaves out a
 * term that depends on earlier terms, such as the square of an input with only two values.
 */
function firstOfInverse(matrix: readonly Float64Array[]): Float64Array {
  const size = matrix.length;
  /** Whether a term is left out. */
  const isOut = matrix.map(() => false);
  const lower = matrix.map((row) => Float64Array.from(row));
  for (let i = 0; i < size; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      let sum = matrix[i]![j]!;
      for (let k = 0; k < j; k += 1) sum -= lower[i]![k]! * lower[j]![k]!;
      if (i === j) {
        isOut[i] = !(sum > SINGULAR * matrix[0]![0]!);
        lower[i]![i] = isOut[i] ? 1 : Math.sqrt(sum);
      } else lower[i]![j] = isOut[j] ? 0 : sum / lower[j]![j]!;
    }
    if (isOut[i]) lower[i]!.fill(0, 0, i);
  }
  // the first column of the identity is divided by the lower factor, and then by its transpose
  const solution = new Float64Array(size);
  for (let i = 0; i < size; i += 1) {
    let sum = i === 0 ? 1 : 0;
    for (let k = 0; k < i; k += 1) sum -= lower[i]![k]! * solution[k]!;
    solution[i] = isOut[i] ? 0 : sum / lower[i]![i]!;
  }
  for (let i = size - 1; i >= 0; i -= 1) {
    let sum = solution[i]!;
    for (let k = i + 1; k < size; k += 1) sum -= lower[k]![i]! * solution[k]!;
    solution[i] = isOut[i] ? 0 : sum / lower[i]![i]!;
  }
  return solution;
}

/**
 * A term counts as dependent on earlier terms if its remaining weight is at most this share of the weight of the
 * constant term.
 */
const SINGULAR = 1e-10;

function distancesFrom(place: Coordinates, places: readonly Coordinates[]): Float64Array {
  const distances = new Float64Array(places.length);
  for (let at = 0; at < places.length; at += 1) {
    const other = places[at]!;
    const x = other[0]! - place[0]!;
    const y = place.length === 1 ? 0 : other[1]! - place[1]!;
    distances[at] = y === 0 ? Math.abs(x) : Math.sqrt(x * x + y * y);
  }
  return distances;
}

function sumOfSquares(values: Float64Array): number {
  return dotOf(values, values);
}
