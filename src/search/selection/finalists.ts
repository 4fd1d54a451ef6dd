import { sumOf } from '../../statistics/sample.ts';

/** The estimated mean of a point. Lower is better. */
export interface Candidate {
  mean: number;
  /** The variance of the mean; null for a single run, and if the value is a quantile. */
  variance: number | null;
  runs: number;
}

/**
 * The points for the comparison: the points with the lowest shrunken means, and the recommended point.
 *
 * @param recommended - the index of the recommended point; -1 if there is none
 * @returns indices, the lowest shrunken mean first. The recommended point is last if its mean is not among the lowest
 */
export function finalists(points: readonly Candidate[], best: number, recommended: number): number[] {
  const means = shrunkenMeans(points);
  const order = points.map((_, at) => at).toSorted((a, b) => means[a]! - means[b]! || a - b);
  const chosen = order.slice(0, best);
  return recommended < 0 || chosen.includes(recommended) ? chosen : [...chosen, recommended];
}

/**
 * Means shrunk towards the common mean. An uncertain mean is shrunk more, because the best of many noisy means is
 * usually too good by luck. The method is empirical Bayes with normal distributions (B. Efron and C. Morris, JASA 70
 * (1975) 311-319). The variance between points is estimated as in R. DerSimonian and N. Laird (Controlled Clinical
 * Trials 7 (1986) 177-188). Means are not shrunk if there is only one point, or if no point has a variance above 0.
 */
export function shrunkenMeans(points: readonly Candidate[]): number[] {
  const variances = variancesOf(points);
  if (!variances) return points.map(({ mean }) => mean);
  const weights = variances.map((variance) => 1 / variance);
  const total = sumOf(weights);
  const common = sumOf(points.map(({ mean }, at) => weights[at]! * mean)) / total;
  const q = sumOf(points.map(({ mean }, at) => weights[at]! * (mean - common) ** 2));
  const scale = total - sumOf(weights.map((weight) => weight * weight)) / total;
  const between = scale > 0 ? Math.max(0, (q - (points.length - 1)) / scale) : 0;
  const outer = variances.map((variance) => 1 / (variance + between));
  const middle = sumOf(points.map(({ mean }, at) => outer[at]! * mean)) / sumOf(outer);
  return points.map(({ mean }, at) => middle + (between / (between + variances[at]!)) * (mean - middle));
}

/**
 * The variance of each mean. For a point with a single run it is estimated from the other points. Undefined if there is
 * only one point, or if no point has a variance above 0.
 */
function variancesOf(points: readonly Candidate[]): number[] | undefined {
  const known = points.flatMap(({ variance, runs }) => (variance === null ? [] : [variance * runs]));
  if (points.length < 2 || known.length === 0) return undefined;
  const ofOneRun = sumOf(known) / known.length;
  if (!(ofOneRun > 0)) return undefined;
  return points.map(({ variance, runs }) =>
    variance === null ? ofOneRun / runs : Math.max(variance, (LEAST_SHARE * ofOneRun) / runs),
  );
}

/** The least variance of a run, as a share of the usual one. Equal values of a few runs do not make a mean certain. */
const LEAST_SHARE = 0.1;
