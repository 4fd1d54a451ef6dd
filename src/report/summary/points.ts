import { byName } from '../../api/index.ts';
import type { Measure } from '../../campaign/measures.ts';
import { type Estimate, estimateOf } from '../../campaign/precision.ts';
import { hasSeed } from '../../campaign/seeds.ts';
import type { Campaign } from '../../campaign/types.ts';
import { quantile, quantileInterval } from '../../statistics/quantile.ts';
import { shareOf } from '../../statistics/share.ts';
import { SpreadSample } from '../../statistics/chance.ts';
import type { ResultRow } from '../../store/index.ts';
import { confidenceOf } from './mean.ts';

/** A point with the results of its finished replications. */
export interface PointResult<S extends OutputSample = OutputSample> {
  key: string;
  values: readonly string[];
  /** How often the design has the point. */
  draws: number;
  /** The number of replications that are done. */
  runs: number;
  /** The number of replications that failed. */
  failed: number;
  /** The numbers of each measure, from the replications that have a value. */
  samples: Record<string, S>;
  /** The JSON text of each DATA_SET, from the first replication that is done. */
  curves: Record<string, string>;
}

/** A sample of one output's numbers with its least and greatest number. */
export class OutputSample extends SpreadSample {
  min = Infinity;
  max = -Infinity;

  override add(value: number): void {
    super.add(value);
    this.min = Math.min(this.min, value);
    this.max = Math.max(this.max, value);
  }
}

/** A sample that keeps its numbers, for quantiles. */
export class RankedSample extends OutputSample {
  readonly #values: number[] = [];

  override add(value: number): void {
    super.add(value);
    this.#values.push(value);
  }

  /** The quantiles at the given probabilities; null without values. */
  quantiles(probabilities: readonly number[]): (number | null)[] {
    const sorted = this.#sorted;
    return probabilities.map((p) => (sorted.length === 0 ? null : quantile(sorted, p)));
  }

  /** A quantile with its interval. */
  estimate(probability: number, confidence: number): Estimate {
    const sorted = this.#sorted;
    const mean = sorted.length === 0 ? null : quantile(sorted, probability);
    const { low, high } = quantileInterval(sorted, probability, confidence) ?? { low: null, high: null };
    return { n: sorted.length, mean, sd: null, low, high, reached: false };
  }

  get #sorted(): Float64Array {
    return Float64Array.from(this.#values).sort();
  }
}

/**
 * The estimate of a measure from the values of a point; `mean` is the mean, the share or the quantile. Without chance in
 * the model, the one value of a point is exact, and even a share has no interval.
 *
 * @param confidence - of the interval; by default the campaign's
 */
export function estimateAt(
  { base, precision }: Estimated,
  { statistic, probability }: Pick<Measure, 'statistic' | 'probability'>,
  sample: OutputSample,
  confidence = confidenceOf({ precision }),
): Estimate {
  if (sample instanceof RankedSample && probability !== undefined)
    return sample.estimate(probability, confidence);
  const { relative, absolute } = precision ?? { relative: null, absolute: null };
  const of = statistic === 'share' ? 'share' : 'mean';
  const estimate = estimateOf(sample, { relative, absolute, confidence }, of);
  return hasSeed(base) ? estimate : { ...estimate, low: null, high: null };
}

/** What {@link estimateAt} needs to know of a campaign. */
export type Estimated = Pick<Campaign, 'base' | 'precision'>;

/**
 * Groups a stream of rows into points. Rows must be in design order, so the rows of a point are adjacent.
 *
 * @param dataSets - the names of the DATA_SETs whose curves are kept
 * @param newSample - makes the sample of a measure at a point
 */
export function pointsOf(
  rows: AsyncIterable<ResultRow>,
  measures: readonly Measure[],
  dataSets?: readonly string[],
): AsyncIterable<PointResult>;
export function pointsOf<S extends OutputSample>(
  rows: AsyncIterable<ResultRow>,
  measures: readonly Measure[],
  dataSets: readonly string[],
  newSample: () => S,
): AsyncIterable<PointResult<S>>;
export async function* pointsOf(
  rows: AsyncIterable<ResultRow>,
  measures: readonly Measure[],
  dataSets: readonly string[] = [],
  newSample = sampleFor,
): AsyncIterable<PointResult> {
  let point: PointResult | undefined;
  for await (const row of rows) {
    if (point?.key !== row.point) {
      if (point) yield point;
      point = {
        key: row.point,
        values: row.values,
        draws: row.draws ?? 1,
        runs: 0,
        failed: 0,
        samples: byName(Object.fromEntries(measures.map((measure) => [measure.name, newSample(measure)]))),
        curves: byName({}),
      };
    }
    if (row.status === 'failed') {
      point.failed += 1;
      continue;
    }
    if (point.runs === 0) {
      for (const name of dataSets) if (row.outputs[name]) point.curves[name] = row.outputs[name];
    }
    point.runs += 1;
    for (const { name, read } of measures) {
      const value = read(row.outputs);
      if (value !== undefined) point.samples[name]!.add(value);
    }
  }
  if (point) yield point;
}

export function sampleFor({ statistic }: Measure): OutputSample {
  return statistic === 'quantile' ? new RankedSample() : new OutputSample();
}

/** The mean, share or quantile of a measure at a point; undefined if no replication has a value. */
export function valueOf({ samples }: PointResult, measure: Measure): number | undefined {
  const { name, statistic, probability } = measure;
  const sample = samples[name];
  if (sample instanceof RankedSample && probability !== undefined)
    return sample.quantiles([probability])[0] ?? undefined;
  if (!sample || sample.mean === null) return undefined;
  return statistic === 'share' ? shareOf(sample.mean, sample.count) : sample.mean;
}
