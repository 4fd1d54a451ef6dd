import { halfWidth, Sample } from '../statistics/sample.ts';
import { shareOf, wilsonHalfWidth, wilsonInterval } from '../statistics/share.ts';

/** How precisely a campaign is to know the means and shares of outputs at each of its points. */
export interface Precision {
  /** Replications before the first decision, from 2; values that are missing are replaced. */
  min: number;
  /** Replications at most, failed ones included. */
  max: number;
  /** Names of outputs, and formulas over outputs. */
  outputs: string[];
  /** Those of them that are true or false, 1 or 0: their share is meant, which has no `relative`. Absent where there are none. */
  shares?: string[] | undefined;
  /** Of the mean's absolute value: what half the confidence interval may be at most. */
  relative: number | null;
  /** In units of the output: what half the interval may be at most. With both, both hold. */
  absolute: number | null;
  /** Of the interval, as 0.95. */
  confidence: number;
}

/**
 * What the finished replications of a point say of an output: of its mean with the classical interval by Student's t, or of the share
 * of runs in which it is true with Wilson's.
 */
export interface Estimate {
  /** How many of them have a value. */
  n: number;
  /** The mean or the share. Null without values; the rest null with fewer than two, but for the interval of a share. */
  mean: number | null;
  /** Null of a share. */
  sd: number | null;
  low: number | null;
  high: number | null;
  /** Whether the interval is as narrow as wanted. */
  reached: boolean;
}

/** `replications`: how many a point is to have in all; `need`: the widest half interval over what it may be, for who is first. */
export type Decision =
  { decided: true; reached: boolean } | { decided: false; replications: number; need: number };

type Wanted = Pick<Precision, 'relative' | 'absolute' | 'confidence'>;
type Values = readonly (number | null)[];
/** Whether the values are numbers, or 1 and 0 for true and false. */
type Estimated = 'mean' | 'share';

/** Mean and standard deviation of the first n values. */
interface Moments {
  n: number;
  mean: number;
  sd: number;
}

/**
 * The look-ahead of the procedure: so many values, or this percentage of them beyond a hundred. The paper has 5, with which
 * the intervals of a skewed output hold up to a hundredth less often.
 */
const LOOK_AHEAD = 10;

/** Replications after which a point is given up that has no value at all: its runs fail, and more of them would as well. */
const HOPELESS = 10;

/** How many times as many values as there are a round expects at most: the deviation of a few says little. */
const GROWTH = 4;

/** What a sample says of the mean that it is drawn from, or of the share if its values are 1 and 0. */
export function estimateOf(
  sample: Pick<Sample, 'count' | 'mean' | 'variance'>,
  wanted: Wanted,
  of: Estimated = 'mean',
): Estimate {
  const { count: n, mean, variance } = sample;
  if (of === 'share' && mean !== null) {
    const share = shareOf(mean, n);
    const { low, high } = wilsonInterval(share, n, wanted.confidence);
    const reached = excess({ n, mean: share, sd: 0 }, n, wanted, of) <= 1;
    return { n, mean: share, sd: null, low, high, reached };
  }
  if (mean === null || variance === null || n < 2)
    return { n, mean, sd: null, low: null, high: null, reached: false };
  const sd = Math.sqrt(variance);
  const half = halfWidth(n, sd, wanted.confidence);
  return {
    n,
    mean,
    sd,
    low: mean - half,
    high: mean + half,
    reached: excess({ n, mean, sd }, n, wanted, of) <= 1,
  };
}

/**
 * Whether a point has replications enough when all of a round have finished, and if not how many it is to have after the
 * next. It depends on nothing but the values, in the order of the replications.
 *
 * K. Hoad, S. Robinson and R. Davies, "Automated selection of the number of replications for a discrete-event simulation",
 * Journal of the Operational Research Society 61 (2010) 1632-1644: the interval is to be narrow enough with n values and
 * with each of the next k as well. Who stops at the first interval that is stops where the deviation happens to look small,
 * and the mean is too often outside. Here the k are made in the same round as those that the deviation lets expect for
 * n, and all that were made count.
 *
 * @param values - of each output, in the order of `outputs`, by replication; null (or not finite) where it failed or has none
 * @param made - how many replications have finished, failed ones included
 */
export function nextReplications(precision: Precision, values: readonly Values[], made: number): Decision {
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
 * Whether a point gets no more replications, precise or not.
 *
 * @param made - how many replications have finished, failed ones included
 * @param values - how many of them gave a value of the output that has the fewest
 */
export function hasAll({ min, max }: Precision, made: number, values: number): boolean {
  return made >= max || (values === 0 && made >= Math.max(min, HOPELESS));
}

/**
 * How many replications a point is expected to have when it is decided, if mean and deviation stay as they are: those
 * that the half-width lets expect and the look-ahead, with the share of missing values as it is. At most `max`, which it
 * also is as long as an output has fewer than two values.
 *
 * @param values - as in nextReplications
 */
export function expectedReplications(precision: Precision, values: readonly Values[], made: number): number {
  const expected = values.map((each, at) => {
    const last = momentsOf(each).at(-1);
    if (!last || last.n < 2) return precision.max;
    const enough = Math.max(
      precision.min,
      firstEnough(last, precision, estimatedIn(precision, at), 1, precision.max),
    );
    return ((enough + lookAhead(enough)) * made) / last.n;
  });
  return Math.min(precision.max, Math.max(made, Math.ceil(Math.max(...expected))));
}

function estimatedIn({ outputs, shares = [] }: Precision, at: number): Estimated {
  return shares.includes(outputs[at]!) ? 'share' : 'mean';
}

/** How many more values of an output there are to be after the next round. */
function missingOf(moments: Moments[], wanted: Wanted & Pick<Precision, 'min'>, of: Estimated): number {
  const n = moments.length;
  const min = Math.max(wanted.min, 2);
  if (n < min) return min - n;
  const last = moments[n - 1]!;
  const isNarrow = (at: number): boolean => excess(moments[at - 1]!, at, wanted, of) <= 1;
  let since = n + 1;
  while (since > min && since + lookAhead(since) > n && isNarrow(since - 1)) since -= 1;
  const narrow = since <= n ? since : firstEnough(last, wanted, of, n, GROWTH * n);
  return Math.max(narrow + lookAhead(narrow) - n, 0);
}

/** After how many values, more than `few`, the interval is narrow enough if mean and deviation stay; `most` if not before. */
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
  return Math.max(LOOK_AHEAD, Math.floor((LOOK_AHEAD * n) / 100));
}

function needOf(moments: Moments[], wanted: Wanted, of: Estimated): number {
  const last = moments.at(-1);
  return last && last.n >= 2 ? excess(last, last.n, wanted, of) : Number.MAX_VALUE;
}

/** Half the interval that n values with this mean and deviation have, over what it may be. Finite, so that it can be a message. */
function excess(
  { mean, sd }: Moments,
  n: number,
  { relative, absolute, confidence }: Wanted,
  of: Estimated,
): number {
  // a share of 0 or 1 is not certain, as a number that never differs is
  if (of === 'mean' && sd === 0) return 0;
  const widest = Math.min(relative === null ? Infinity : relative * Math.abs(mean), absolute ?? Infinity);
  const half = of === 'share' ? wilsonHalfWidth(mean, n, confidence) : halfWidth(n, sd, confidence);
  const ratio = half / widest;
  return Number.isFinite(ratio) ? ratio : Number.MAX_VALUE;
}

/** Of the first value, the first two and so on; those that are missing are left out. */
function momentsOf(values: Values): Moments[] {
  const sample = new Sample();
  const moments: Moments[] = [];
  for (const value of values) {
    if (value === null || !Number.isFinite(value)) continue;
    sample.add(value);
    moments.push({ n: sample.count, mean: sample.mean!, sd: Math.sqrt(sample.variance!) });
  }
  return moments;
}
