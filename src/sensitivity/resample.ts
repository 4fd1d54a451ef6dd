import { streamKey, uniformAt } from '../campaign/sampling/threefry.ts';
import { permutation } from '../campaign/sampling/permutation.ts';
import { normalCdf } from '../statistics/normal.ts';
import { quantile } from '../statistics/quantile.ts';
import { studentQuantile } from '../statistics/student.ts';
import type { Interval } from './analysis.ts';

/** Number of bootstrap samples. */
const RESAMPLES = 1_000;

/**
 * Bootstrap intervals of statistics of independent items. These are expanded percentile intervals, because with few
 * items plain percentile intervals would be too narrow: T. C. Hesterberg, "What teachers should know about the
 * bootstrap", The American Statistician 69 (2015) 371-386, section 5.3. The same items give the same intervals.
 *
 * @param items - number of items, at least 2
 * @param statistics - computes the statistics of a sample from the count of each item in it; NaN for a statistic that
 * the sample does not have
 * @returns an interval per statistic; undefined if too few samples have the statistic
 */
export function bootstrapIntervals(
  items: number,
  statistics: (times: Uint32Array) => readonly number[],
  confidence: number,
): (Interval | undefined)[] {
  const drawn = samplesOf(items).map((times) => [...statistics(times)]);
  const t = studentQuantile((1 + confidence) / 2, items - 1);
  const tail = normalCdf(-Math.sqrt(items / (items - 1)) * t);
  return drawn[0]!.map((_, at) => {
    const sorted = Float64Array.from(drawn.map((row) => row[at]!).filter(Number.isFinite)).sort();
    if (sorted.length < RESAMPLES / 2) return undefined;
    return [quantile(sorted, tail), quantile(sorted, 1 - tail)];
  });
}

/**
 * An interval that allows for a further error, which is independent of its own: the distances of its ends from the
 * estimate add as the legs of a right triangle.
 *
 * @param further - the distance that the further error alone needs
 */
export function widened([low, high]: Interval, estimate: number, further: number): Interval {
  return [
    estimate - Math.hypot(Math.max(0, estimate - low), further),
    estimate + Math.hypot(Math.max(0, high - estimate), further),
  ];
}

/** The last samples. They are kept, because the times of a curve and several outputs use the same samples. */
let last: { items: number; samples: Uint32Array[] } | undefined;

/** For each sample: how often it has each item. */
function samplesOf(items: number): Uint32Array[] {
  if (last?.items === items) return last.samples;
  const key = streamKey('foray bootstrap', 0, String(items));
  const samples = Array.from({ length: RESAMPLES }, (_, sample) => {
    const times = new Uint32Array(items);
    for (let draw = 0; draw < items; draw += 1) times[Math.floor(uniformAt(key, sample, draw) * items)]! += 1;
    return times;
  });
  last = { items, samples };
  return samples;
}

/** A random group for each item. Groups have nearly equal sizes. The same numbers give the same groups. */
export function randomGroups(items: number, groups: number): Uint16Array {
  const key = streamKey('foray groups', 0, String(groups));
  const order = permutation(items, (from) => uniformAt(key, from, 0));
  return Uint16Array.from(order, (place) => place % groups);
}
