import { halfWidth, Sample } from './sample.ts';

/** How a series is divided into batches. */
export interface BatchMeansOptions {
  /** @default 20 */
  batches?: number;
  /**
   * Number of leading values that are left out, because the run had not settled.
   *
   * @default 0
   */
  warmup?: number;
  /**
   * The confidence of the interval, between 0 and 1.
   *
   * @default 0.95
   */
  confidence?: number;
}

/** The mean of a series, with its confidence interval. */
export interface BatchMeans {
  /** Number of values behind the mean. */
  n: number;
  batches: number;
  /** Number of values per batch. */
  batchSize: number;
  mean: number;
  /** Standard deviation of the means of the batches, over their number - 1. */
  sd: number;
  low: number;
  high: number;
}

/**
 * The mean of one long series of which neighbouring values are alike, as those of a simulation in its steady state are, by
 * nonoverlapping batch means: the series is cut into batches, and the means of these are taken for independent and normal. They
 * nearly are where a batch is much longer than the time over which values are alike; where it is not, the interval is too
 * narrow. What does not divide into batches is dropped from the front, where a series has settled least.
 *
 * A. M. Law, Simulation Modeling and Analysis, 5th ed., 2015, 9.5.3; on 10 to 30 batches B. Schmeiser, "Batch size effects in the
 * analysis of simulation output", Operations Research 30 (1982) 556-568.
 *
 * @param values - observations that count alike, in the order of time; over time, at equal distances
 * @throws RangeError when there are fewer values than batches, fewer than two batches, a value that is not finite, or no such
 *   interval
 */
export function batchMeans(
  values: readonly number[] | Float64Array,
  { batches = 20, warmup = 0, confidence = 0.95 }: BatchMeansOptions = {},
): BatchMeans {
  if (!(Number.isInteger(batches) && batches >= 2))
    throw new RangeError(`${batches} are no batches: take 10 to 30`);
  if (!(Number.isInteger(warmup) && warmup >= 0)) throw new RangeError(`${warmup} is no number of values`);
  const left = Math.max(0, values.length - warmup);
  const batchSize = Math.floor(left / batches);
  if (batchSize === 0) throw new RangeError(`${left} values do not fill ${batches} batches`);
  const n = batches * batchSize;
  const means = new Sample();
  for (let start = values.length - n; start < values.length; start += batchSize) {
    const batch = new Sample();
    for (let at = start; at < start + batchSize; at += 1) {
      const value = values[at]!;
      if (!Number.isFinite(value)) throw new RangeError(`value ${at} is not a finite number`);
      batch.add(value);
    }
    means.add(batch.mean!);
  }
  const mean = means.mean!;
  const sd = Math.sqrt(means.variance!);
  const half = halfWidth(batches, sd, confidence);
  return { n, batches, batchSize, mean, sd, low: mean - half, high: mean + half };
}
