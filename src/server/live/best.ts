import { measureOf } from '../../campaign/measures.ts';
import { Lowest } from '../../report/summary/best.ts';
import { bestOfDesign } from '../../report/summary/chosen.ts';
import type { ResultRow, Store } from '../../store/index.ts';
import { filtered } from './filter.ts';
import type { ExtremeRuns } from './look.ts';

/** Maximum number of runs that are ranked by an output. */
const MOST_RANKED = 1_000;

/**
 * The best value of a campaign's points, from one pass over its runs. It is null if no point has a value, or if the
 * campaign has no goal.
 */
export async function bestOf(store: Store, id: string): Promise<number | null> {
  const record = await store.getCampaign(id);
  if (!record) return null;
  return (await bestOfDesign(record.campaign, store.results(id)))?.value ?? null;
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
