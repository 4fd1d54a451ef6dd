import { numberIn } from '../api/index.ts';
import type { CampaignOutput } from '../campaign/types.ts';
import { quantile } from '../statistics/quantile.ts';
import { Sample } from '../statistics/sample.ts';
import type { ResultRow } from '../store/index.ts';
import { kindOfOutput } from './values.ts';

/** What is known of a point: its finished replications put together. */
export interface PointResult<S extends OutputSample = OutputSample> {
  key: string;
  values: readonly string[];
  /** Replications that are done. */
  runs: number;
  /** Replications that failed. */
  failed: number;
  /** The numbers of each numeric output, of the replications that have one. */
  samples: Record<string, S>;
  /** Text of each DATA_SET of the first of the replications. */
  curves: Record<string, string>;
}

/** Numbers of one output, shown one by one. */
export class OutputSample extends Sample {
  min = Infinity;
  max = -Infinity;

  override add(value: number): void {
    super.add(value);
    this.min = Math.min(this.min, value);
    this.max = Math.max(this.max, value);
  }
}

/** One that keeps its numbers, for their quantiles. */
export class RankedSample extends OutputSample {
  private readonly values: number[] = [];

  override add(value: number): void {
    super.add(value);
    this.values.push(value);
  }

  /** Those at some probabilities; null without values. */
  quantiles(probabilities: readonly number[]): (number | null)[] {
    const sorted = Float64Array.from(this.values).sort();
    return probabilities.map((p) => (sorted.length === 0 ? null : quantile(sorted, p)));
  }
}

/**
 * Puts rows together to points as they stream; rows come in design order, so a point's rows follow each other.
 *
 * @param newSample makes what keeps the numbers of an output of a point
 */
export function pointsOf(
  rows: AsyncIterable<ResultRow>,
  outputs: readonly CampaignOutput[],
): AsyncIterable<PointResult>;
export function pointsOf<S extends OutputSample>(
  rows: AsyncIterable<ResultRow>,
  outputs: readonly CampaignOutput[],
  newSample: () => S,
): AsyncIterable<PointResult<S>>;
export async function* pointsOf(
  rows: AsyncIterable<ResultRow>,
  outputs: readonly CampaignOutput[],
  newSample = () => new OutputSample(),
): AsyncIterable<PointResult> {
  const numeric = outputs.filter(({ type }) => kindOfOutput(type) === 'number').map(({ name }) => name);
  const dataSets = outputs.filter(({ type }) => type === 'DATA_SET').map(({ name }) => name);
  let point: PointResult | undefined;
  for await (const row of rows) {
    if (point?.key !== row.point) {
      if (point) yield point;
      point = {
        key: row.point,
        values: row.values,
        runs: 0,
        failed: 0,
        samples: Object.fromEntries(numeric.map((name) => [name, newSample()])),
        curves: {},
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
    for (const name of numeric) {
      const value = numberIn(row.outputs[name]);
      if (value !== undefined) point.samples[name]!.add(value);
    }
  }
  if (point) yield point;
}

/** The mean of a numeric output over the replications of a point that have it. */
export function meanOf({ samples }: PointResult, output: string): number | undefined {
  return samples[output]?.mean ?? undefined;
}
