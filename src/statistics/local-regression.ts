import { studentQuantile } from './student.ts';

/** The value of a smooth at a place, and its pointwise confidence interval; null if there is none. */
export interface SmoothValue {
  value: number;
  low: number | null;
  high: number | null;
}

/** The fewest points of a fit: twice the number of its terms. */
export function fewestPoints(inputs: 1 | 2): number {
  return inputs === 1 ? 6 : 12;
}

/**
 * The possible shares of the points in a fit. The largest comes first, so that of equal ones the smoothest is chosen.
 */
const SPANS = [1, 0.75, 0.5, 0.35, 0.25];

/**
 * Local regression (loess) of degree 2 over one or two inputs: at each place a quadratic polynomial, fitted by least
 * squares with the tricube weights of the nearest points.
 *
 * W. S. Cleveland, "Robust locally weighted regression and smoothing scatterplots", Journal of the American Statistical
 * Association 74 (1979) 829-836; W. S. Cleveland and S. J. Devlin, "Locally weighted regression: an approach to
 * regression analysis by local fitting", same journal 83 (1988) 596-610. The share of points of a fit is that with the
 * lowest AICc of C. M. Hurvich, J. S. Simonoff and C.-L. Tsai, "Smoothing parameter selection in nonparametric
 * regression using an improved Akaike information criterion", Journal of the Royal Statistical Society B 60 (1998)
 * 271-293.
 *
 * A fit costs time in proportion to the square of the number of points, and memory in proportion to the number.
 */
export class LocalRegression {
  /** The share of the points in each fit. */
  readonly span: number;
  /** The share of the variance of the values that the smooth predicts for points outside its fit: at most 1. */
  readonly explained: number;
  /** Degrees of freedom of the standard deviation of the errors. */
  readonly freedom: number;
  readonly #places: readonly Place[];
  /**
   * The values and the standard deviation of their errors, divided by the largest size of a value, so that squares do
   * not overflow.
   */
  readonly #values: Float64Array;
  readonly #sd: number;
  readonly #scale: number;

  /**
   * @param places - of the points: all of one length, 1 or 2, in units in which distances can be compared
   * @param values - a finite number for each point
   * @param spans - shares of the points to choose from, above 0 and 1 at most
   * @throws RangeError when there are too few points
   */
  constructor(places: readonly Place[], values: readonly number[], spans: readonly number[] = SPANS) {
    const scale = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
    this.#places = places;
    this.#scale = scale;
    this.#values = Float64Array.from(values, (value) => value / scale);
    const least = fewestPoints(places[0]?.length === 2 ? 2 : 1);
    if (places.length < least) throw new RangeError(`${places.length} points are too few`);
    // with hardly more points than terms, the criterion follows noise
    const usable = spans.filter((span) => nearestOf(span, places.length) >= 2 * least);
    const fits = (usable.length > 0 ? usable : [1]).map((span) => new Fit(span, places.length));
    for (const [at, place] of places.entries()) {
      const distances = distancesFrom(place, places);
      const sorted = distances.toSorted();
      for (const fit of fits)
        fit.add(at, hatRow(place, places, distances, sorted[fit.nearest - 1]!), this.#values);
    }
    const mean = this.#values.reduce((sum, value) => sum + value, 0) / values.length;
    const spread = sumOfSquares(this.#values.map((value) => value - mean));
    // rounding must not decide between two exact fits
    const floor = spread * 1e-20;
    const best = fits.reduce((a, b) => (b.criterion(floor) < a.criterion(floor) ? b : a));
    this.span = best.span;
    this.explained = spread > 0 ? 1 - best.left / spread : 0;
    this.freedom = best.freedom;
    this.#sd = best.freedom > 0 ? Math.sqrt(best.squares / best.freedom) : NaN;
  }

  /**
   * The smooth at a place. The interval assumes independent errors of one standard deviation everywhere.
   *
   * @param confidence - between 0 and 1, such as 0.95
   */
  at(place: Place, confidence: number): SmoothValue {
    const distances = distancesFrom(place, this.#places);
    const sorted = distances.toSorted();
    const row = hatRow(place, this.#places, distances, reachOf(sorted, nearestOf(this.span, sorted.length)));
    const value = this.#scale * dot(row, this.#values);
    if (!(this.freedom >= 1)) return { value, low: null, high: null };
    const error = this.#scale * this.#sd * Math.sqrt(sumOfSquares(row));
    const half = studentQuantile((1 + confidence) / 2, this.freedom) * error;
    return { value, low: value - half, high: value + half };
  }
}

type Place = readonly number[];

/** The fits with one span at all points. */
class Fit {
  readonly span: number;
  readonly nearest: number;
  /** Sums of squares: of the residuals, of the weights of the fit, and of the identity less these weights. */
  squares = 0;
  left = 0;
  #trace = 0;
  #norm = 0;
  readonly #count: number;

  constructor(span: number, count: number) {
    this.span = span;
    this.nearest = nearestOf(span, count);
    this.#count = count;
  }

  /** @param row - the weights of the values for the fit at a point */
  add(at: number, row: Float64Array, values: Float64Array): void {
    const residual = values[at]! - dot(row, values);
    const own = row[at]!;
    this.squares += residual ** 2;
    this.left += (residual / Math.max(1 - own, Number.EPSILON)) ** 2;
    this.#trace += own;
    this.#norm += sumOfSquares(row);
  }

  /** The first moment of the sum of squares of the residuals, Cleveland and Devlin's delta 1. */
  get freedom(): number {
    return this.#count - 2 * this.#trace + this.#norm;
  }

  /** AICc; infinite unless the number of points is well above that of the terms. */
  criterion(floor: number): number {
    const free = this.#count - this.#trace - 2;
    if (free <= 0) return Infinity;
    return Math.log(Math.max(this.squares, floor) / this.#count) + (2 * (this.#trace + 1)) / free;
  }
}

function nearestOf(span: number, count: number): number {
  // rounded as in other programs, so that 0.3 of 10 points are 3
  return Math.floor(span * count + 1e-5);
}

/**
 * The reach of a fit: the distance of the last of its nearest points. It is larger if all of them have the same
 * distance, because that point would have no weight.
 */
function reachOf(sorted: Float64Array, nearest: number): number {
  const [first, last] = [sorted[0]!, sorted[nearest - 1]!];
  if (first < last || last === 0) return last;
  return sorted.find((distance) => distance > last) ?? 2 * last;
}

/**
 * The weight of each value in the fit at a place, for points with these distances and weights up to a reach. Most of
 * the time of a fit is spent here, so it has no closures.
 */
function hatRow(
  place: Place,
  places: readonly Place[],
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

/** If the reach is 0 because many points are at the place itself, only these count. */
function tricube(distance: number, reach: number): number {
  if (distance >= reach) return distance === 0 ? 1 : 0;
  const share = distance / reach;
  const rest = 1 - share * share * share;
  return rest * rest * rest;
}

/**
 * The terms: 1, x, x² of one coordinate; 1, x, y, x², xy, y² of two. They are relative to a place, in units of the
 * reach.
 */
function setTerms(terms: Float64Array, place: Place, other: Place, reach: number): void {
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
 * The first column of the inverse of a symmetric matrix, by Cholesky's decomposition of its lower half. Leaves out a
 * term that depends on the terms before it, such as the square of an input with only two values.
 */
function firstOfInverse(matrix: readonly Float64Array[]): Float64Array {
  const size = matrix.length;
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

/** A term counts as dependent on others if less than this share of its weight remains. */
const SINGULAR = 1e-10;

function distancesFrom(place: Place, places: readonly Place[]): Float64Array {
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
  return dot(values, values);
}

function dot(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i += 1) sum += one[i]! * other[i]!;
  return sum;
}
