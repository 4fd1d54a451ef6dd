import { normalCdf } from '../../src/statistics/normal.ts';
import { studentQuantile } from '../../src/statistics/student.ts';

/** The share of campaigns that find an effect of the detectable size. */
const FOUND = 0.8;
/** The number of values of a standard deviation over which a probability is summed. */
const PARTS = 2_000;
const HALVINGS = 40;

/**
 * The size of an effect, in standard errors, that a two-sided t test finds in 80 % of campaigns.
 *
 * @param level - the largest p-value that the test calls significant
 */
export function detectableSize(freedom: number, level: number): number {
  const critical = studentQuantile(1 - level / 2, freedom);
  let [low, high] = [0, 4 * critical];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const size = (low + high) / 2;
    if (foundShare(size, critical, freedom) < FOUND) low = size;
    else high = size;
  }
  return high;
}

/** The probability that an estimate, divided by its estimated standard error, is beyond a value: a noncentral t. */
function foundShare(size: number, critical: number, freedom: number): number {
  let [found, all] = [0, 0];
  const widest = 1 + 8 / Math.sqrt(freedom);
  for (let part = 0.5; part < PARTS; part += 1) {
    const error = (widest * part) / PARTS;
    const density = Math.exp((freedom - 1) * Math.log(error) + (freedom / 2) * (1 - error ** 2));
    const limit = critical * error;
    found += density * (normalCdf(size - limit) + normalCdf(-size - limit));
    all += density;
  }
  return found / all;
}
