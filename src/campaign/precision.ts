import { chanceVariance, grown, type Spread, SpreadSample, varianceOf } from '../statistics/chance.ts';
import { halfWidth, skewnessFactor } from '../statistics/sample.ts';
import { shareOf, wilsonHalfWidth, wilsonInterval } from '../statistics/share.ts';

/** The precision that a campaign needs for means and shares of outputs at each point. */
export interface Precision {
  /** Replications before the first decision, at least 2. Missing values are replaced by further replications. */
  min: number;
  /** The most replications, failed ones included. */
  max: number;
  /** Names of outputs, and formulas over outputs. */
  outputs: string[];
  /**
   * The BOOLEAN outputs and the formulas P(…) among `outputs`, with the values 1 and 0. Their share of runs with a 1
   * must be precise, and only `absolute` limits the half-width. Absent if there are none.
   */
  shares?: string[] | undefined;
  /** The largest half-width of the confidence interval, relative to the mean's absolute value. */
  relative: number | null;
  /** The largest half-width in units of the output. If both limits are given, both must hold. */
  absolute: number | null;
  /** The confidence of the interval, such as 0.95. */
  confidence: number;
}

/**
 * The estimate of an output from the finished replications of a point: its mean with Student's t interval, or the share
 * of runs in which it is true with Wilson's interval. The interval of a mean is at least as wide as chance allows
 * (`statistics/chance`). If runs are added until it is narrow, it is wider for skewed values. There is none while chance may
 * hide rare values, for example while all values are equal.
 */
export interface Estimate {
  /** Number of replications with a value. */
  n: number;
  /**
   * The mean or the share; null without values. With fewer than two values, the other numbers are null, except the
   * interval of a share.
   */
  mean: number | null;
  /** The standard deviation; null for a share, and if the squares of the differences are no numbers. */
  sd: number | null;
  /** The lower end of the interval; null also while chance may hide rare values of a mean. */
  low: number | null;
  high: number | null;
  /** Whether the interval is narrow enough, or so many values are equal that they count as sure. */
  reached: boolean;
}

/**
 * `replications`: the new total of a point. `need`: the largest half-width relative to its limit, by which points are
 * ordered.
 */
export type NextReplications =
  | { decided: true; reached: boolean }
  | { decided: false; replications: number; need: number };

type Wanted = Pick<Precision, 'relative' | 'absolute' | 'confidence'>;
type MeasuredValues = readonly (number | null)[];
/** What is known of some values of an output. */
type Moments = Spread & Pick<SpreadSample, 'skewness'>;
/** Whether the estimate is the mean of numbers, or the share of values that are 1. */
type Estimated = 'mean' | 'share';

/**
 * The look-ahead of the procedure, which is the number of further values with which the interval must stay narrow enough:
 * at least `LEAST_LOOK_AHEAD` values, and this share of the values. The paper uses 5 values, or 5 % if there are more than
 * a hundred. Intervals of a skewed output then contain the mean less often: of 8,000 drawn points with an exponential output
 * that needs about 100 values, 93.3 % of the intervals contain the mean; with 10 values, 93.0 %, and with 5, 92.5 %.
 */
const LOOK_AHEAD = 0.1;
const LEAST_LOOK_AHEAD = 15;

/**
 * A point for which an output has no value gets no further round after this many replications (or after `min`, if that
 * is more). Its runs fail or lack the output, and further runs would probably do the same.
 */
const HOPELESS = 10;

/**
 * The number of values that a round aims for is at most this multiple of the current number, because the deviation of
 * few values is uncertain. The look-ahead is added to it.
 */
const GROWTH = 4;

/** The estimate from a sample: of the mean, or (if `of` is `share`) of the share of values that are 1. */
export function estimateOf(sample: Moments, wanted: Wanted, of: Estimated = 'mean'): Estimate {
  const { count: n, mean, variance } = sample;
  if (of === 'share' && mean !== null) {
    const share = shareOf(mean, n);
    const { low, high } = wilsonInterval(share, n, wanted.confidence);
    const reached = excess({ ...sample, mean: share }, n, wanted, of) <= 1;
    return { n, mean: share, sd: null, low, high, reached };
  }
  if (mean === null || variance === null || n < 2)
    return { n, mean, sd: null, low: null, high: null, reached: false };
  const own = varianceOf(sample);
  const sd = own && Math.sqrt(own);
  const reached = excess(sample, n, wanted, of) <= 1;
  const known = isLimited(wanted) ? sequentialVariance(sample, n, wanted) : chanceVariance(sample);
  // very many equal values have the variance 0, and no interval
  if (!known) return { n, mean, sd, low: null, high: null, reached };
  const half = halfWidth(n, Math.sqrt(known), wanted.confidence);
  return { n, mean, sd, low: mean - half, high: mean + half, reached };
}

/**
 * Decides, when all runs of a round have finished, whether a point has enough replications, or how many it gets in
 * total. The order in which the runs finished does not matter.
 *
 * K. Hoad, S. Robinson and R. Davies, "Automated selection of the number of replications for a discrete-event
 * simulation", Journal of the Operational Research Society 61 (2010) 1632-1644: the interval must be narrow enough with
 * n values and with each of the next k values. A rule that stops at the first narrow interval stops where the deviation
 * is small by chance, and the true mean is outside of the interval too often. Here the k values are made in the same
 * round as the expected n, and all values count.
 *
 * An output is not precise while chance may hide values (`hidesChance`). The bench `truth` draws campaigns until they are
 * precise. For zeros and ones, and for two values with a jump of 50, with a chance from 0.01 to 0.5, the intervals of 94 %
 * to 100 % of 500 campaigns contain the mean; for losses of exponential size in 5 % of the runs, of 90 % to 95 %.
 *
 * @param values - for each output, in the order of `outputs`, by replication; null (or not finite) if the run failed or
 * has no value
 * @param made - number of finished replications, failed ones included
 */
export function nextReplications(
  precision: Precision,
  values: readonly MeasuredValues[],
  made: number,
): NextReplications {
  const outputs = values.map((each, at) => {
    const moments = momentsOf(each);
    const of = estimatedIn(precision, at);
    return {
      count: moments.length,
      missing: missingOf(moments, precision, of),
      need: needOf(moments, precision, of),
    };
  });
  const missing = Math.max(...outputs.map((output) => output.missing));
  const need = Math.max(...outputs.map((output) => output.need));
  const fewest = Math.min(...outputs.map(({ count }) => count));
  if (missing === 0 || hasAll(precision, made, fewest)) return { decided: true, reached: need <= 1 };
  return { decided: false, replications: Math.min(made + missing, precision.max), need };
}

/**
 * Whether a point, precise or not, gets no more replications.
 *
 * @param made - how many replications have finished, failed ones included
 * @param values - number of values of the output that has the fewest
 */
export function hasAll({ min, max }: Precision, made: number, values: number): boolean {
  return made >= max || (values === 0 && made >= Math.max(min, HOPELESS));
}

/**
 * The expected number of replications of a point when it is decided, if mean, deviation and the share of missing values
 * stay the same. It is the number that the half-width needs (at least `min`), plus the look-ahead, but at most `max`.
 * While an output has fewer than two values, it is `max`.
 *
 * @param values - as in nextReplications
 */
export function expectedReplications(
  precision: Precision,
  values: readonly MeasuredValues[],
  made: number,
): number {
  const expected = values.map((each, at) => {
    const last = momentsOf(each).at(-1);
    if (!last || last.count < 2) return precision.max;
    const enough = Math.max(
      precision.min,
      firstEnough(last, precision, estimatedIn(precision, at), 1, precision.max),
    );
    return ((enough + lookAhead(enough)) * made) / last.count;
  });
  return Math.min(precision.max, Math.max(made, Math.ceil(Math.max(...expected))));
}

function estimatedIn({ outputs, shares = [] }: Precision, at: number): Estimated {
  return shares.includes(outputs[at]!) ? 'share' : 'mean';
}

/** How many more values of an output the next round should add. */
function missingOf(moments: Moments[], wanted: Wanted & Pick<Precision, 'min'>, of: Estimated): number {
  const n = moments.length;
  const min = Math.max(wanted.min, 2);
  if (n < min) return min - n;
  const last = moments[n - 1]!;
  const isNarrow = (count: number): boolean => excess(moments[count - 1]!, count, wanted, of) <= 1;
  // the number of values from which on the interval was narrow; it goes down until the look-ahead fits into the n values
  let narrowFrom = n + 1;
  while (narrowFrom > min && narrowFrom + lookAhead(narrowFrom) > n && isNarrow(narrowFrom - 1))
    narrowFrom -= 1;
  if (narrowFrom > n) narrowFrom = firstEnough(last, wanted, of, n, GROWTH * n);
  return Math.max(narrowFrom + lookAhead(narrowFrom) - n, 0);
}

/**
 * The number of values, above `few`, at which the interval is narrow enough if mean and deviation stay the same, but at
 * most `most`.
 */
function firstEnough(last: Moments, wanted: Wanted, of: Estimated, few: number, most: number): number {
  let tooFew = few;
  let enough = most;
  while (enough - tooFew > 1) {
    const middle = (tooFew + enough) >> 1;
    if (excess(last, middle, wanted, of) <= 1) enough = middle;
    else tooFew = middle;
  }
  return enough;
}

function lookAhead(n: number): number {
  return Math.max(LEAST_LOOK_AHEAD, Math.floor(LOOK_AHEAD * n));
}

/** The half-width with all values, relative to its limit; very large while it is unknown. */
function needOf(moments: Moments[], wanted: Wanted, of: Estimated): number {
  const last = moments.at(-1);
  return last && last.count >= 2 ? excess(last, last.count, wanted, of) : Number.MAX_VALUE;
}

/**
 * The half-width of the interval of n values like these, relative to its limit. It is always finite, so that JSON can
 * contain it.
 */
function excess(
  sample: Moments,
  n: number,
  { relative, absolute, confidence }: Wanted,
  of: Estimated,
): number {
  const mean = sample.mean!;
  const widest = Math.min(relative === null ? Infinity : relative * Math.abs(mean), absolute ?? Infinity);
  const halfOfMean = (): number => {
    const variance = sequentialVariance(sample, n, { confidence });
    return variance === null ? Infinity : halfWidth(n, Math.sqrt(variance), confidence);
  };
  const half = of === 'share' ? wilsonHalfWidth(mean, n, confidence) : halfOfMean();
  // so many equal values that they count as sure are precise even if their mean is 0
  if (half === 0) return 0;
  const ratio = half / widest;
  return Number.isFinite(ratio) ? ratio : Number.MAX_VALUE;
}

function isLimited({ relative, absolute }: Wanted): boolean {
  return relative !== null || absolute !== null;
}

/**
 * The variance of single values for the interval of n values like these, if runs are added until this interval is narrow:
 * at least as large as chance allows, and larger for skewed values. A skewed output has a low mean where it has a low
 * variance by luck, and there the rule stops. With the variance alone, 92.5 % of the intervals of an exponential output
 * contain the mean, for 5 % fewer runs.
 */
function sequentialVariance(sample: Moments, n: number, { confidence }: Pick<Wanted, 'confidence'>) {
  const known = chanceVariance(grown(sample, n));
  return known && Math.max(known, sample.variance! * skewnessFactor(sample.skewness, n, confidence));
}

/** What is known of the first value, of the first two values, and so on. Missing values are skipped. */
function momentsOf(values: MeasuredValues): Moments[] {
  const sample = new SpreadSample();
  const moments: Moments[] = [];
  for (const value of values) {
    if (value === null || !Number.isFinite(value)) continue;
    sample.add(value);
    const { count, mean, variance, majority, skewness } = sample;
    moments.push({ count, mean, variance, majority, skewness });
  }
  return moments;
}
