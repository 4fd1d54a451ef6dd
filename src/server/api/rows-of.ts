import { setImmediate } from 'node:timers/promises';
import type { Batched } from '../../batched.ts';
import type { Foray } from '../../client/index.ts';
import type { ShapeOptions } from '../../report/index.ts';
import type { CampaignRecord, ResultRow } from '../../store/index.ts';
import { filtered } from '../live/filter.ts';
import { ServerError } from '../server-error.ts';

/** The query of an endpoint of results: the shape of the table, and the values of inputs whose rows it has. */
export type Query = { [K in keyof ShapeOptions]?: ShapeOptions[K] | undefined } & {
  inputs?: Record<string, string> | undefined;
};

/**
 * The rows that a query asks for.
 *
 * @param followUntil - with this signal, the rows go on until the campaign is over, or the signal aborts
 * @throws ForayError UNKNOWN_CAMPAIGN, INVALID_VALUE if the campaign does not vary one of the given inputs
 */
export async function rowsOf(
  foray: Foray,
  id: string,
  { inputs = {} }: Query,
  followUntil?: AbortSignal,
): Promise<{ record: CampaignRecord; rows: Batched<ResultRow> }> {
  const { record, rows } = await foray.results(id, {
    follow: followUntil !== undefined,
    signal: followUntil,
  });
  const filters = Object.entries(inputs).map(([name, text]) => ({ name, text }));
  // SQLite answers at once, so without a pause here the rows of a whole campaign would keep all other clients waiting
  const inTurns = rows.mapBatches(async (batch) => {
    await setImmediate();
    return batch;
  });
  return { record, rows: filtered(record.campaign, inTurns, filters) };
}

/** @throws ServerError BAD_REQUEST for `show` without `points` */
export function shapeOf({ long, points, all, show }: Query): ShapeOptions {
  if (show && !points) throw new ServerError('BAD_REQUEST', 'show needs points.');
  return {
    ...(long !== undefined && { long }),
    ...(points !== undefined && { points }),
    ...(all !== undefined && { all }),
    ...(show && { show }),
  };
}
