import { type Estimate, estimateOf, type Precision } from '../../src/campaign/precision.ts';
import { SpreadSample } from '../../src/statistics/chance.ts';

type Wanted = Pick<Precision, 'relative' | 'absolute' | 'confidence'>;

/** Estimates the mean of values. Leaves out values that are missing or not finite. */
export function estimate(values: readonly (number | null)[], wanted: Wanted): Estimate {
  const sample = new SpreadSample();
  for (const value of values) if (value !== null && Number.isFinite(value)) sample.add(value);
  return estimateOf(sample, wanted);
}
