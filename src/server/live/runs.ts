import { measureOf } from '../../campaign/measures.ts';
import type { Campaign } from '../../campaign/types.ts';
import type { Foray } from '../../client/index.ts';
import { Batched } from '../../batched.ts';
import { headColumns, headOf } from '../../report/tables/result-columns.ts';
import { resultTable } from '../../report/tables/result-table.ts';
import type { ResultRow } from '../../store/index.ts';
import { filterOf } from './filter.ts';
import type { ChosenRuns, RowOrder, RunChoice } from './look.ts';

/**
 * Finished runs of a campaign in the order of the design. Only these runs are read, but the database steps over the runs
 * before them.
 */
export async function runsOfDesign(
  foray: Foray,
  id: string,
  { state, from, count }: Omit<RunChoice, 'inputs' | 'order'>,
): Promise<ChosenRuns> {
  const { rows } = await foray.runsPage(id, { limit: count, from, status: state });
  const counts = await foray.counts(id);
  return { rows, total: state === undefined ? counts.done + counts.failed : counts[state], without: 0 };
}

/**
 * Finished runs of a campaign in an order. For another order than that of the design, and for a filter of inputs, one
 * pass over all runs finds the places of the chosen runs, and another one reads them.
 *
 * @throws ForayError UNKNOWN_CAMPAIGN, UNKNOWN_OUTPUT, INVALID_VALUE, INVALID_EXPRESSION
 */
export async function runsInOrder(foray: Foray, id: string, choice: RunChoice): Promise<ChosenRuns> {
  const { order, state, inputs, from, count } = choice;
  if (order === null && inputs.length === 0) return runsOfDesign(foray, id, choice);
  const { record, rows } = await foray.results(id);
  const { campaign } = record;
  const isInside = filterOf(campaign, inputs);
  const isWanted = ({ status, values }: ResultRow): boolean =>
    (state === undefined || status === state) && isInside(values);
  const scoreOf = order === null ? () => 0 : scoring(campaign, order);
  const places: number[] = [];
  const scores: number[] = [];
  let [place, without] = [0, 0];
  for await (const row of rows) {
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
  return { rows: await rowsAt(foray, id, chosen), total: places.length, without };
}

/** The runs at some places in the order of the design. */
async function rowsAt(foray: Foray, id: string, places: readonly number[]): Promise<ResultRow[]> {
  const found = new Map(places.map((place): [number, ResultRow | undefined] => [place, undefined]));
  const last = Math.max(...places);
  let place = 0;
  const { rows } = await foray.results(id);
  for await (const row of rows) {
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
