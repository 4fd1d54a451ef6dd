import type { CampaignOutput } from '../campaign/types.ts';
import type { ResultRow } from '../store/index.ts';
import { numberIn } from '../api/index.ts';
import { kindOfOutput } from './values.ts';

/** What is known of a point: its finished replications put together. */
export interface PointResult {
  key: string;
  values: string[];
  /** Replications that finished. */
  runs: number;
  /** Mean of each numeric output over the replications that have it. */
  means: Record<string, number>;
  /** Text of each DATA_SET of the first of the replications. */
  curves: Record<string, string>;
}

/** Puts rows together to points as they stream; rows come in design order, so a point's rows follow each other. */
export async function* pointsOf(
  rows: AsyncIterable<ResultRow>,
  outputs: readonly CampaignOutput[],
): AsyncIterable<PointResult> {
  const numeric = outputs.filter(({ type }) => kindOfOutput(type) === 'number').map(({ name }) => name);
  const dataSets = outputs.filter(({ type }) => type === 'DATA_SET').map(({ name }) => name);
  let point: PointResult | undefined;
  let counts: Record<string, number> = {};
  for await (const row of rows) {
    if (point?.key !== row.point) {
      if (point) yield point;
      const curves = dataSets.flatMap((name) => (row.outputs[name] ? [[name, row.outputs[name]]] : []));
      point = {
        key: row.point,
        values: row.values,
        runs: 0,
        means: {},
        curves: Object.fromEntries(curves) as Record<string, string>,
      };
      counts = {};
    }
    point.runs += 1;
    for (const name of numeric) {
      const value = numberIn(row.outputs[name]);
      if (value === undefined) continue;
      const count = (counts[name] = (counts[name] ?? 0) + 1);
      const mean = point.means[name] ?? 0;
      point.means[name] = mean + (value - mean) / count;
    }
  }
  if (point) yield point;
}
