import type { Measure } from '../../campaign/measures.ts';
import { pairedDifference, welchDifference } from '../../statistics/difference.ts';
import { quantile, quantileDifference } from '../../statistics/quantile.ts';
import { spreadOf } from '../../statistics/chance.ts';
import {
  countTrue,
  pairCounts,
  pairedShareDifference,
  shareDifference,
  shareOf,
} from '../../statistics/share.ts';

/**
 * An output at a point in two campaigns. If one campaign does not have the point, its `n` is 0 and its `mean` is null.
 */
export interface OutputComparison {
  /** The output in A. `mean` is the mean, the share or the quantile. */
  a: { n: number; mean: number | null };
  /** The output in B, like `a`. */
  b: { n: number; mean: number | null };
  /** The mean in B minus the mean in A. */
  difference: number | null;
  /**
   * The lower end of the interval of the difference; null if a campaign has too few values, or if nothing shows how much
   * chance there is because all values (in pairs, all differences) are equal. A mean needs two values.
   */
  low: number | null;
  /** The upper end of this interval; null if `low` is null. */
  high: number | null;
}

/**
 * How differences of an output are shown. Those of shares are in percentage points, because "5 % more" could also mean a
 * twentieth of the share.
 */
export function shownDifference({ statistic }: Pick<Measure, 'statistic'>): {
  /** What follows the title of a difference. */
  unit: string;
  valueOf: (difference: number) => number;
} {
  return statistic === 'share'
    ? // further digits of 100 times a share may have a rounding error
      { unit: ' (percentage points)', valueOf: (difference) => Number((100 * difference).toPrecision(12)) }
    : { unit: '', valueOf: (difference) => difference };
}

type Interval = Pick<OutputComparison, 'difference' | 'low' | 'high'>;
type Values = readonly number[];
/** Compares the values of an output at a point in both campaigns. A replication without a value is not finite. */
export type Difference = (measure: Measure, a: Values, b: Values, confidence: number) => OutputComparison;

/** Compares two independent samples. */
export const differenceApart: Difference = (measure, a, b, confidence) => {
  const [ofA, ofB] = [present(a), present(b)];
  return compared(measure, ofA, ofB, confidence, () => {
    if (measure.statistic === 'share') return shareDifference(countTrue(ofA), countTrue(ofB), confidence);
    const [sampleA, sampleB] = [spreadOf(ofA), spreadOf(ofB)];
    const found =
      ofA.length > 1 && ofB.length > 1 ? welchDifference(sampleA, sampleB, confidence) : undefined;
    return found ?? { difference: sampleB.mean! - sampleA.mean!, low: null, high: null };
  });
};

/**
 * Compares replication n of A with replication n of B, if both have a value. The means are also over these replications
 * only.
 */
export const differenceInPairs: Difference = (measure, a, b, confidence) => {
  const [ofA, ofB] = pairsOf(a, b);
  return compared(measure, ofA, ofB, confidence, () => {
    if (measure.statistic === 'share') return pairedShareDifference(pairCounts(ofA, ofB), confidence);
    const differences = spreadOf(ofA.map((value, at) => ofB[at]! - value));
    const found = differences.count > 1 ? pairedDifference(differences, confidence) : undefined;
    return found ?? { difference: differences.mean, low: null, high: null };
  });
};

/** Compares two samples without an interval. At least one of them is one exact value, because its model has no chance. */
export const differenceWithoutInterval: Difference = (measure, a, b, confidence) => {
  const [ofA, ofB] = [present(a), present(b)];
  return compared(measure, ofA, ofB, confidence, () => ({
    difference: spreadOf(ofB).mean! - spreadOf(ofA).mean!,
    low: null,
    high: null,
  }));
};

/** @param interval - makes the interval of a mean or share. It is called only if both campaigns have values */
function compared(
  { statistic, probability }: Measure,
  a: Values,
  b: Values,
  confidence: number,
  interval: () => Interval,
): OutputComparison {
  const isNone = a.length === 0 || b.length === 0;
  const none = { difference: null, low: null, high: null };
  if (probability === undefined)
    return { a: meanOf(a, statistic), b: meanOf(b, statistic), ...(isNone ? none : interval()) };
  const [ofA, ofB] = [Float64Array.from(a).sort(), Float64Array.from(b).sort()];
  const quantileOf = (sorted: Float64Array) => ({
    n: sorted.length,
    mean: sorted.length === 0 ? null : quantile(sorted, probability),
  });
  const found = isNone ? none : quantileDifference(ofA, ofB, probability, confidence);
  return { a: quantileOf(ofA), b: quantileOf(ofB), ...found };
}

function meanOf(values: Values, statistic: Measure['statistic']): OutputComparison['a'] {
  const { mean, count: n } = spreadOf(values);
  return { n, mean: mean !== null && statistic === 'share' ? shareOf(mean, n) : mean };
}

/** The replications that have a value. */
export function present(values: Values): Values {
  return values.filter(Number.isFinite);
}

/** The replications that have a value in both campaigns. */
export function pairsOf(a: Values, b: Values): readonly [Values, Values] {
  const both = a.flatMap((value, at) => (Number.isFinite(value) && Number.isFinite(b[at]) ? [at] : []));
  return [both.map((at) => a[at]!), both.map((at) => b[at]!)];
}

/** Whether the interval of a difference excludes 0; null without an interval. */
export function differs({ low, high }: Pick<OutputComparison, 'low' | 'high'>): boolean | null {
  return low === null || high === null ? null : low > 0 || high < 0;
}

/** The method of the intervals of an output. */
export function intervalName({ statistic }: Measure, isPaired: boolean): string {
  switch (statistic) {
    case 'mean':
      return isPaired ? 'paired' : 'Welch';
    case 'share':
      return isPaired ? 'Newcombe paired' : 'Newcombe';
    case 'quantile':
      return 'order statistics';
  }
}
