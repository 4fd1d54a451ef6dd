import { measureOf } from '../../campaign/measures.ts';
import { Lowest } from '../../report/summary/best.ts';
import { pointsOf, valueOf } from '../../report/summary/points.ts';
import type { ResultRow, Store } from '../../store/index.ts';
import { filtered } from './filter.ts';
import type { ExtremeRuns } from './look.ts';

/** Maximum number of runs that are ranked by an output. */
export const MOST_RANKED = 1_000;

/**
 * The best value of a campaign's points, from one pass over its runs. It is null if no point has a value, or if the
 * campaign has no goal.
 */
export async function bestOf(store: Store, id: string): Promise<number | null> {
  const record = await store.getCampaign(id);
  if (!record?.campaign.goal) return null;
  const { goal, outputs } = record.campaign;
  const measure = measureOf(outputs, goal.output);
  let best: number | null = null;
  for await (const point of pointsOf(store.results(id), [measure])) {
    const value = valueOf(point, measure);
    if (value === undefined) continue;
    if (best === null || (goal.wants === 'lowest' ? value < best : value > best)) best = value;
  }
  return best;
}

/**
 * The runs of a campaign with the lowest or highest values of an output, from one pass over its runs. `from` and
 * `count` select a part of the first thousand runs.
 *
 * @throws ForayError UNKNOWN_OUTPUT, INVALID_VALUE, INVALID_EXPRESSION
 */
export async function extremeRuns(
  store: Store,
  id: string,
  { output, wants, inputs, from, count }: ExtremeRuns,
): Promise<ResultRow[]> {
  const record = await store.getCampaign(id);
  if (!record) return [];
  const { read } = measureOf(record.campaign.outputs, output);
  const first = new Lowest<ResultRow>(Math.min(MOST_RANKED, from + count));
  for await (const row of filtered(record.campaign, store.results(id), inputs)) {
    const value = row.status === 'done' ? read(row.outputs) : undefined;
    if (value !== undefined) first.add(row, wants === 'lowest' ? value : -value);
  }
  return first.items.slice(from);
}
