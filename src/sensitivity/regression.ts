import { studentQuantile } from '../statistics/student.ts';
import { studentTails } from '../statistics/tests.ts';
import type { Interval } from './analysis.ts';
import { covariances, type Gram, gramOf, total, without } from './gram.ts';
import { randomGroups } from './resample.ts';
import type { SampledRows } from './sampled-rows.ts';

/** Coefficients of the regression of one column on the other columns, all standardized. */
export interface Regression {
  /** Each input without a coefficient, with the inputs of which it is a linear function. */
  ties: { leftOut: number; others: number[] }[];
  /** The coefficient of each input; NaN for an input that is a linear function of inputs before it. */
  src: number[];
  srcIntervals: (Interval | undefined)[];
  /** Partial correlation coefficient of each input; NaN if neither the input nor the error changes the output. */
  partial: number[];
  partialIntervals: (Interval | undefined)[];
  /** The p-value of each coefficient; undefined if there are too few rows. */
  ps: (number | undefined)[];
  r2: number;
  /**
   * R² without the part that as many inputs without effect would explain by chance: H. Theil, "Economic Forecasts and
   * Policy", North-Holland 1961, section 6.4; undefined if there are too few rows.
   */
  adjustedR2: number | undefined;
  adjustedR2Interval: Interval | undefined;
  /**
   * The part of `adjustedR2` that belongs to each input, if the inputs vary independently: NaN for an input without a
   * coefficient; empty without `adjustedR2`, and if it is not above 0.
   */
  shares: number[];
  shareIntervals: (Interval | undefined)[];
}

/** What is known of the chance in the output. */
export interface OutputChance {
  /**
   * The known variance of chance in a value of the output. A few points may lie on a plane by luck, so tests with few
   * degrees of freedom count at least this variance.
   */
  noise?: number;
  /** The number of points with values of their own, if several rows have the value of one point. */
  points?: number;
  /**
   * For common random numbers: the output without each group of replications. Points share their chance, so only the
   * replications show how much an effect varies.
   */
  withoutReplications?: readonly (Float64Array | Uint32Array)[];
}

/** Maximum number of groups of rows, or of replications, in the jackknife, which leaves out one group after the other. */
export const GROUPS = 64;
/** An input is a linear function of the inputs before it if these explain all but this share of its variance. */
const LEAST_PART = 1e-9;
/** A standardized coefficient or a rest of the variance that is smaller than this is a rounding error. */
const ROUNDING = 1e-9;
/** With fewer degrees of freedom than this, the adjusted R² says nothing. */
const FEWEST_FREE = 10;

/**
 * Standardized regression coefficients and partial correlation coefficients: J. C. Helton and F. J. Davis, "Latin
 * hypercube sampling and the propagation of uncertainty in analyses of complex systems", Reliability Engineering &
 * System Safety 81 (2003) 23-69, section 6. If the columns are ranks, the results are the rank coefficients of section
 * 6.6. Intervals come from a jackknife that leaves random groups of rows out: section 2.2 of J. Shao and D. Tu, "The
 * Jackknife and Bootstrap", Springer 1995. Unlike textbook intervals, they are valid even if the output is not a linear
 * function of the inputs.
 *
 * In a product, points that share a row of a sample depend on each other. So the jackknife leaves whole rows out. Several
 * samples are drawn independently, so their variances are added.
 *
 * @param inputs - columns of equal length, none constant
 * @param output - a column that is not constant
 * @param samples - the samples within a product, each with the number of its columns. If there are none, each point is
 * a row of one sample
 * @param drawn - the variance of the distribution of each input; undefined if it is unknown. The variance in a random
 * sample differs from it by chance, and the shares of inputs would differ as well
 */
export function regressionOf(
  inputs: readonly (Float64Array | Uint32Array)[],
  output: Float64Array | Uint32Array,
  confidence: number,
  samples: readonly (SampledRows & { inputs: number })[] = [],
  drawn: readonly (number | undefined)[] = [],
  { noise = 0, points = output.length, withoutReplications = [] }: OutputChance = {},
): Regression {
  const { gram, all, kept, found, fitsByRows } = fitsOf(inputs, output, samples);
  const fitsByReplications = withoutReplications.map((left) => {
    const one = gramOf([...inputs, left], new Uint16Array(left.length), 1);
    return coefficients(total(one), one.size, kept);
  });
  /** @param least - half of the interval is at least so wide */
  const intervalOf = (value: number, of: (fit: Fit) => number, least = 0): Interval | undefined => {
    const [byRows, repeats] = [fitsByRows.map((fits) => fits.map(of)), fitsByReplications.map(of)];
    if (byRows.length === 0 || ![...byRows.flat(), ...repeats].every(Number.isFinite)) return undefined;
    const ofPoints = Math.hypot(...byRows.map((values) => halfWidth(values, confidence)));
    const ofReplications = repeats.length > 0 ? halfWidth(repeats, confidence) : 0;
    const half = Math.max(least, ofPoints, ofReplications);
    return [value - half, value + half];
  };
  const freedom = points - kept.length - 1;
  const [spreadOfOutput] = covariances(all, gram.size, [gram.size - 1]) as [Float64Array];
  const leastNoise = freedom < FEWEST_FREE ? (noise * freedom) / (points * spreadOfOutput[0]!) : 0;
  const leastRest = Math.max(1 - found.r2, leastNoise);
  const hasAdjusted = freedom >= FEWEST_FREE || found.r2 > 1 - ROUNDING;
  const adjustedOf = ({ r2 }: Fit): number => 1 - ((1 - r2) * (points - 1)) / Math.max(1, freedom);
  /**
   * The squares of the effects are in proportion to the shares. The sum of the squares would also contain the
   * correlations that this sample has by chance.
   */
  const sharesOf = (fit: Fit): number[] => {
    const squares = fit.src.map((one, at) => {
      const known = drawn[kept[at]!];
      // a coefficient is standardized by the variance in the sample
      return known === undefined ? one ** 2 : (one ** 2 * known) / fit.variances[at]!;
    });
    const sum = squares.reduce((all, one) => all + one, 0);
    return squares.map((one) => (Math.max(0, adjustedOf(fit)) * one) / sum);
  };
  const adjustedR2 = hasAdjusted ? adjustedOf(found) : undefined;
  // if the inputs explain no more than chance would, nothing is known of their shares
  const hasShares = adjustedR2 !== undefined && adjustedR2 > 0;
  const shares = hasShares ? sharesOf(found) : [];
  /** Whether the inputs vary in the rows of a fit, apart from rounding. */
  const isVaried = ({ variances }: Fit): boolean =>
    variances.every((one, at) => one > LEAST_PART * found.variances[at]!);
  /** The square of the standard error of a standardized coefficient, for errors that do not depend on the inputs. */
  const squareOf = (at: number): number => (leastRest * found.inverses[at]!) / freedom;
  /** Half of Student's interval. As a p-value is the largest one of some tests, an interval is the widest one of these. */
  const studentHalf = (at: number): number => {
    const square = freedom < 1 ? 0 : squareOf(at);
    if (square < ROUNDING * found.src[at]! ** 2) return 0;
    return studentQuantile((1 + confidence) / 2, freedom) * Math.sqrt(square);
  };
  /**
   * The p-value of the slope by a jackknife; 0 if the slope is the same apart from rounding, whatever is left out. It takes
   * slopes, because a standardized coefficient also changes with the spread of the rows that are left.
   *
   * @param left - for each sample, the slopes without each group
   */
  const jackknifeP = (at: number, left: readonly number[][]): number => {
    const t = found.slopes[at]! / Math.hypot(...left.map(jackknifeError));
    const free = Math.min(...left.map(({ length }) => length)) - 1;
    return Math.abs(t) > 1 / ROUNDING ? 0 : studentTails(t, Math.max(1, free));
  };
  /**
   * The largest p-value of Student's test, of the jackknife over rows, and of that over replications. The first one is
   * exact for an output that is only chance. The second one is also right if the error depends on the inputs, or if points
   * share the rows of a sample. The third one is right if points share their random numbers. If one group of rows alone
   * determines a slope, there is no jackknife over rows.
   */
  const pOf = (at: number): number | undefined => {
    const value = found.src[at]!;
    if (freedom < 1) return undefined;
    if (value === 0) return 1;
    const square = squareOf(at);
    const student = square < ROUNDING * value ** 2 ? 0 : studentTails(value / Math.sqrt(square), freedom);
    const repeats = fitsByReplications.map(({ slopes }) => slopes[at]!);
    const withRepeats = repeats.length > 0 ? Math.max(student, jackknifeP(at, [repeats])) : student;
    const left = fitsByRows.map((fits) => fits.map((fit) => (isVaried(fit) ? fit.slopes[at]! : NaN)));
    if (left.length === 0 || !left.flat().every(Number.isFinite))
      return samples.length > 0 ? undefined : withRepeats;
    return Math.max(withRepeats, jackknifeP(at, left));
  };
  /** A value for each input, from its place among the kept inputs. */
  const perInput = <T>(none: T, of: (at: number) => T): T[] =>
    inputs.map((_, input) => (kept.includes(input) ? of(kept.indexOf(input)) : none));
  const srcInterval = (at: number) => intervalOf(found.src[at]!, ({ src }) => src[at]!, studentHalf(at));
  const partialInterval = (at: number) => intervalOf(found.partial[at]!, ({ partial }) => partial[at]!);
  const shareInterval = (at: number) => intervalOf(shares[at]!, (fit) => sharesOf(fit)[at]!);
  return {
    ties: tiesOf(inputs.length, gram, all, kept),
    src: perInput(NaN, (at) => found.src[at]!),
    srcIntervals: perInput(undefined, srcInterval),
    partial: perInput(NaN, (at) => found.partial[at]!),
    partialIntervals: perInput(undefined, (at) => clamped(partialInterval(at))),
    ps: perInput(undefined, pOf),
    r2: found.r2,
    adjustedR2,
    adjustedR2Interval: adjustedR2 === undefined ? undefined : bounded(intervalOf(adjustedR2, adjustedOf)),
    shares: hasShares ? perInput(NaN, (at) => shares[at]!) : [],
    shareIntervals: perInput(undefined, (at) => (hasShares ? bounded(shareInterval(at)) : undefined)),
  };
}

/** The fit to all rows, and for each sample the fits without one group of rows; none if there are too few rows. */
function fitsOf(
  inputs: readonly (Float64Array | Uint32Array)[],
  output: Float64Array | Uint32Array,
  samples: readonly (SampledRows & { inputs: number })[],
) {
  const columns = [...inputs, output];
  const parts =
    samples.length > 0
      ? samples.map((sample) => ({ ...sample, gram: gramOfRows(columns, sample.count, sample.rowOf) }))
      : [{ count: output.length, inputs: undefined, gram: gramOfRows(columns, output.length) }];
  // the sums over all rows are the same for each sample
  const [{ gram }] = parts as [(typeof parts)[0]];
  const all = total(gram);
  const kept = independent(all, gram);
  const found = coefficients(all, gram.size, kept);
  // a fit to fewer rows than coefficients has no meaning
  const isLarge = parts.every((part) => {
    const largestGroup = Math.ceil(part.count / part.gram.groups.length);
    return part.count - largestGroup > (part.inputs ?? kept.length) + 1;
  });
  const fitsByRows = isLarge
    ? parts.map((part) => part.gram.groups.map((group) => coefficients(without(all, group), gram.size, kept)))
    : [];
  return { gram, all, kept, found, fitsByRows };
}

function tiesOf(inputs: number, gram: Gram, all: Float64Array, kept: readonly number[]): Regression['ties'] {
  const leftOut = Array.from({ length: inputs }, (_, at) => at).filter((at) => !kept.includes(at));
  return leftOut.map((input) => {
    const keptWithout = (other: number): number[] => kept.filter((one) => one !== other);
    return { leftOut: input, others: kept.filter((other) => isApart(all, gram, keptWithout(other), input)) };
  });
}

/** Sums over random groups of rows. Without `rowOf`, each point is a row. */
function gramOfRows(
  columns: readonly (Float64Array | Uint32Array)[],
  count: number,
  rowOf?: Uint32Array,
): Gram {
  const groups = Math.min(count, GROUPS);
  const groupOf = randomGroups(count, groups);
  return gramOf(columns, rowOf ? Uint16Array.from(rowOf, (row) => groupOf[row]!) : groupOf, groups);
}

/** Half of the jackknife's interval, from the values without each group. */
function halfWidth(values: readonly number[], confidence: number): number {
  const t = studentQuantile((1 + confidence) / 2, Math.max(1, values.length - 1));
  return t * jackknifeError(values);
}

/** The standard error, from the values without each group. */
function jackknifeError(values: readonly number[]): number {
  const groups = values.length;
  const mean = values.reduce((sum, one) => sum + one, 0) / groups;
  const squares = values.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  return Math.sqrt(((groups - 1) / groups) * squares);
}

/** The interval of a correlation, whose size is at most 1. */
function clamped(interval: Interval | undefined): Interval | undefined {
  return interval && [Math.max(-1, interval[0]), Math.min(1, interval[1])];
}

/** The interval of a share. */
function bounded(interval: Interval | undefined): Interval | undefined {
  return interval && [Math.max(0, interval[0]), Math.min(1, interval[1])];
}

/** The inputs that are not linear functions of inputs before them. */
function independent(all: Float64Array, gram: Gram): number[] {
  const kept: number[] = [];
  for (let input = 0; input < gram.size - 1; input += 1)
    if (isApart(all, gram, kept, input)) kept.push(input);
  return kept;
}

/** Whether an input is no linear function of `others`. */
function isApart(all: Float64Array, { size }: Gram, others: readonly number[], input: number): boolean {
  const root = cholesky(correlations(covariances(all, size, [...others, input])));
  return root !== undefined && root.at(-1)!.at(-1)! ** 2 > LEAST_PART;
}

/** A fit of the last column by other columns, with the variances of these columns. */
interface Fit {
  src: number[];
  /** The coefficients in the units of the columns. */
  slopes: number[];
  /** The diagonal of the inverse of the correlation matrix of the inputs. */
  inverses: number[];
  partial: number[];
  r2: number;
  variances: number[];
}

/** The fit of the last column by the `kept` columns. */
function coefficients(sums: Float64Array, size: number, kept: readonly number[]): Fit {
  const products = covariances(sums, size, [...kept, size - 1]);
  const variances = kept.map((_, at) => products[at]![at]!);
  const matrix = correlations(products);
  const right = matrix.pop()!;
  const square = matrix.map((row) => row.slice(0, -1));
  const none = kept.map(() => NaN);
  const root = cholesky(square);
  if (!root || root.some((row, at) => row[at]! ** 2 < LEAST_PART))
    return { src: none, slopes: none, inverses: none, partial: none, r2: NaN, variances };
  // the coefficient of an input without effect is 0 only apart from rounding
  const src = solve(root, right.subarray(0, -1)).map((one) => (Math.abs(one) < ROUNDING ? 0 : one));
  const r2 = Math.min(
    1,
    src.reduce((sum, one, at) => sum + one * right[at]!, 0),
  );
  const inverses = kept.map((_, at) => {
    const unit = Float64Array.from(kept, (_one, other) => Number(other === at));
    return solve(root, unit)[at]!;
  });
  const partial = src.map((one, at) => {
    if (one === 0) return 1 - r2 < ROUNDING ? NaN : 0;
    // the square of the correlation is t² / (t² + freedom), and t² = src² × freedom / ((1 − R²) × inverse)
    return one / Math.sqrt(one ** 2 + (1 - r2) * inverses[at]!);
  });
  const spread = Math.sqrt(products.at(-1)!.at(-1)!);
  const slopes = src.map((one, at) => (one * spread) / Math.sqrt(variances[at]!));
  return { src, slopes, inverses, partial, r2, variances };
}

function correlations(matrix: Float64Array[]): Float64Array[] {
  const deviations = matrix.map((row, at) => Math.sqrt(row[at]!));
  return matrix.map((row, a) => row.map((one, b) => (a === b ? 1 : one / (deviations[a]! * deviations[b]!))));
}

/** The lower Cholesky factor of a symmetric matrix; undefined if the matrix is not positive definite. */
function cholesky(matrix: readonly Float64Array[]): Float64Array[] | undefined {
  const root = matrix.map((row) => new Float64Array(row.length));
  for (let i = 0; i < matrix.length; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      let sum = matrix[i]![j]!;
      for (let at = 0; at < j; at += 1) sum -= root[i]![at]! * root[j]![at]!;
      if (i === j && !(sum > 0)) return undefined;
      root[i]![j] = i === j ? Math.sqrt(sum) : sum / root[j]![j]!;
    }
  }
  return root;
}

/** Solves linear equations whose matrix is given by its Cholesky factor. */
function solve(root: readonly Float64Array[], right: Float64Array): number[] {
  const n = root.length;
  const values = new Array<number>(n).fill(0);
  for (let i = 0; i < n; i += 1) {
    let sum = right[i]!;
    for (let at = 0; at < i; at += 1) sum -= root[i]![at]! * values[at]!;
    values[i] = sum / root[i]![i]!;
  }
  for (let i = n - 1; i >= 0; i -= 1) {
    let sum = values[i]!;
    for (let at = i + 1; at < n; at += 1) sum -= root[at]![i]! * values[at]!;
    values[i] = sum / root[i]![i]!;
  }
  return values;
}
