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
 * Finished runs of a campaign in an order. For an order other than that of the design, and for a filter of inputs, one
 * pass over all runs chooses, and a second pass reads the chosen runs. They are known by their point and replication,
 * because more runs may finish between the passes.
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
  const scoreOf = order === null ? () => 0 : scorer(campaign, order);
  const points: string[] = [];
  const replications: number[] = [];
  const scores: number[] = [];
  let without = 0;
  for await (const row of rows) {
    if (!isWanted(row)) continue;
    const score = scoreOf(row);
    if (score === undefined) without += 1;
    else {
      const last = points.at(-1);
      // the runs of a point share one text
      points.push(row.point === last ? last : row.point);
      replications.push(row.replication);
      scores.push(score);
    }
  }
  const ranked = scores.map((_score, at) => at).sort((a, b) => scores[a]! - scores[b]! || a - b);
  const chosen = ranked
    .slice(from, from + count)
    .map((at) => nameOf({ point: points[at]!, replication: replications[at]! }));
  return { rows: await rowsNamed(foray, id, chosen), total: scores.length, without };
}

function nameOf({ point, replication }: Pick<ResultRow, 'point' | 'replication'>): string {
  return `${point} ${replication}`;
}

/** Some runs by their names, in the order of the names. A run that is requested again meanwhile has no results. */
async function rowsNamed(foray: Foray, id: string, names: readonly string[]): Promise<ResultRow[]> {
  const wanted = new Set(names);
  const found = new Map<string, ResultRow>();
  const { rows } = await foray.results(id);
  for await (const row of rows) {
    if (found.size === wanted.size) break;
    const name = nameOf(row);
    if (wanted.has(name)) found.set(name, row);
  }
  return names.flatMap((name) => found.get(name) ?? []);
}

/** A function that gives the number by which a run is sorted, the lowest first; undefined for a run without a value. */
function scorer(campaign: Campaign, { by, wants }: RowOrder): (row: ResultRow) => number | undefined {
  const sign = wants === 'highest' ? -1 : 1;
  const read = readerOf(campaign, by);
  return (row) => {
    const value = read(row);
    return value === undefined || Number.isNaN(value) ? undefined : sign * value;
  };
}

/** A function that reads the value of a run in a column of its results, or of a formula of its outputs. */
function readerOf(campaign: Campaign, by: string): (row: ResultRow) => number | undefined {
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
  // the columns of the outputs come after the head; what is no column is a formula
  const name = campaign.outputs[at - head]?.name ?? by;
  const { read } = measureOf(campaign.outputs, name);
  return ({ status, outputs }) => (status === 'done' ? read(outputs) : undefined);
}
