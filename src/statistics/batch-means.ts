import { CONFIDENCE, halfWidth, Sample } from './sample.ts';

/** How a series is divided into batches. */
export interface BatchMeansOptions {
  /**
   * The number of batches, at least 2.
   *
   * @default 20
   */
  batches?: number;
  /**
   * The number of values at the beginning that are left out, because the run has not settled there.
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
  /** The number of values from which the mean is computed. */
  n: number;
  batches: number;
  /** The number of values per batch. */
  batchSize: number;
  mean: number;
  /** The standard deviation of the batch means, with divisor (number of batches - 1). */
  sd: number;
  low: number;
  high: number;
}

/**
 * The mean of one long series in which neighbouring values are correlated, such as the values of a simulation in its
 * steady state. The method is nonoverlapping batch means: the series is cut into batches, and the interval assumes that
 * the batch means are independent and normal. This is nearly true if a batch is much longer than the correlation lasts.
 * Otherwise the interval is too narrow. If the values after the warm-up do not fill the batches exactly, the first of
 * them are also left out, because the series has settled least there.
 *
 * A. M. Law, Simulation Modeling and Analysis, 5th ed., 2015, 9.5.3; for the choice of 10 to 30 batches, B. Schmeiser,
 * "Batch size effects in the analysis of simulation output", Operations Research 30 (1982) 556-568.
 *
 * @param values - observations in the order of time. All have the same weight, so observations of a process in time
 * must be at equal distances
 * @throws RangeError if fewer values than batches remain after the warm-up, if a value in a batch is not finite, or if
 * an option is outside its limits
 */
export function batchMeans(
  values: readonly number[] | Float64Array,
  { batches = 20, warmup = 0, confidence = CONFIDENCE }: BatchMeansOptions = {},
): BatchMeans {
  if (!(Number.isInteger(batches) && batches >= 2))
    throw new RangeError(`${batches} is not a valid number of batches; use 10 to 30`);
  if (!(Number.isInteger(warmup) && warmup >= 0)) throw new RangeError(`${warmup} is not a number of values`);
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
