import { measureOf } from '../../campaign/measures.ts';
import type { Campaign } from '../../campaign/types.ts';
import { rowsOf } from '../../client/strategies.ts';
import { Batched } from '../../batched.ts';
import { headColumns, headOf } from '../../report/tables/result-columns.ts';
import { resultTable } from '../../report/tables/result-table.ts';
import type { ResultRow, Store } from '../../store/index.ts';
import { filterOf } from './filter.ts';
import type { ChosenRuns, RowOrder, RunChoice } from './look.ts';

/**
 * Finished runs of a campaign in an order. In the order of the design and without a filter of inputs, only the runs
 * themselves are read. Otherwise one pass over all runs finds the places of the chosen runs, and another one reads them.
 *
 * @throws ForayError UNKNOWN_OUTPUT, INVALID_VALUE, INVALID_EXPRESSION
 */
export async function runsInOrder(store: Store, id: string, choice: RunChoice): Promise<ChosenRuns> {
  const record = await store.getCampaign(id);
  if (!record) return { rows: [], total: 0, without: 0 };
  const { campaign } = record;
  const { order, state, inputs, from, count } = choice;
  if (order === null && inputs.length === 0) {
    const counts = await store.counts(id);
    const { rows } = await store.resultPage(id, { limit: count, from, status: state });
    const all = rowsOf(store, campaign, Batched.of(rows));
    const total = state === undefined ? counts.done + counts.failed : counts[state];
    return { rows: await Array.fromAsync(all), total, without: 0 };
  }
  const isInside = filterOf(campaign, inputs);
  const isWanted = ({ status, values }: ResultRow): boolean =>
    (state === undefined || status === state) && isInside(values);
  const scoreOf = order === null ? () => 0 : scoring(campaign, order);
  const places: number[] = [];
  const scores: number[] = [];
  let [place, without] = [0, 0];
  for await (const row of rowsOf(store, campaign, store.results(id))) {
    if (isWanted(row)) {
      const score = scoreOf(row);
      if (score === undefined) without += 1;
      else {
        places.push(place);
        scores.push(score);
      }
    }
    place += 1;
  }
  const ranked = places.map((_place, at) => at).sort((a, b) => scores[a]! - scores[b]! || a - b);
  const chosen = ranked.slice(from, from + count).map((at) => places[at]!);
  return { rows: await rowsAt(store, campaign, chosen), total: places.length, without };
}

/** The runs at some places in the order of the design. */
async function rowsAt(store: Store, campaign: Campaign, places: readonly number[]): Promise<ResultRow[]> {
  const found = new Map(places.map((place): [number, ResultRow | undefined] => [place, undefined]));
  const last = Math.max(...places);
  let place = 0;
  for await (const row of rowsOf(store, campaign, store.results(campaign.id))) {
    if (place > last) break;
    if (found.has(place)) found.set(place, row);
    place += 1;
  }
  return places.flatMap((one) => found.get(one) ?? []);
}

/** The number by which a run is sorted: lower numbers come first. Undefined for a run without a value. */
function scoring(campaign: Campaign, { by, wants }: RowOrder): (row: ResultRow) => number | undefined {
  const sign = wants === 'highest' ? -1 : 1;
  const read = reading(campaign, by);
  return (row) => {
    const value = read(row);
    return value === undefined || Number.isNaN(value) ? undefined : sign * value;
  };
}

function reading(campaign: Campaign, by: string): (row: ResultRow) => number | undefined {
  if (by === 'finished') return ({ finishedAt }) => finishedAt ?? undefined;
  const { columns } = resultTable(campaign, Batched.of([]), { all: true });
  const at = columns.findIndex(({ name }) => name === by);
  const head = headColumns(campaign).length;
  if (at >= 0 && at < head) {
    const { kind } = columns[at]!;
    return (row) => {
      const cell = headOf(campaign, row)[at] ?? null;
      if (cell === null) return undefined;
      return kind === 'boolean' ? Number(cell === 'true') : Number(cell);
    };
  }
  const name = campaign.outputs[at - head]?.name ?? by;
  const { read } = measureOf(campaign.outputs, name);
  return ({ status, outputs }) => (status === 'done' ? read(outputs) : undefined);
}
