import { type Kysely, sql, type Transaction } from 'kysely';
import type { Ask, NewAsk, PointValue, SearchEvent, SearchLog, SearchStep } from '../campaign/search/log.ts';
import { batches } from './rows.ts';
import { addRuns, RUNS_AN_INSERT } from './replications.ts';
import type { SearchLength, SearchWritten } from './store.ts';
import type { Tables } from './tables.ts';

/** Rows an insert: below SQLite's limit of variables. */
const ROWS_AN_INSERT = 1_000;

/** The log of a campaign's search; an empty one of a campaign without. */
export async function readSearch(db: Kysely<Tables>, campaign: number): Promise<SearchLog> {
  const asks = await db
    .selectFrom('asks')
    .select(['ordinal', 'values', 'by', 'seen', 'told'])
    .where('campaign', '=', campaign)
    .orderBy('ask')
    .execute();
  const events = await db
    .selectFrom('search_events')
    .select('event')
    .where('campaign', '=', campaign)
    .orderBy('number')
    .execute();
  return {
    asks: asks.map(({ values, told, ...ask }): Ask => ({
      ...ask,
      values: JSON.parse(values) as string[],
      told: told === null ? null : (JSON.parse(told) as PointValue),
    })),
    events: events.map(({ event }) => JSON.parse(event) as SearchEvent),
  };
}

/** The numbers of the first asks of points, by the points' keys. */
export async function asksOfPoints(db: Kysely<Tables>, campaign: number): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('asks')
    .innerJoin('points', (join) =>
      join.onRef('points.campaign', '=', 'asks.campaign').onRef('points.ordinal', '=', 'asks.ordinal'),
    )
    .select((row) => ['points.key', row.fn.min('asks.ask').as('ask')])
    .where('asks.campaign', '=', campaign)
    .groupBy('points.key')
    .execute();
  return new Map(rows.map(({ key, ask }) => [key, Number(ask)]));
}

/**
 * Adds a step to the log together with the points and runs that it asks for, all at once.
 *
 * @param length - asks and events that the log had when the step was decided
 * @returns undefined when somebody else has added to the log since: nothing is changed then
 */
export async function writeSearch(
  db: Kysely<Tables>,
  campaign: number,
  length: SearchLength,
  step: SearchStep,
): Promise<SearchWritten | undefined> {
  return db.transaction().execute(async (transaction) => {
    // whoever else writes waits here until this transaction is over
    const { revision } = await transaction
      .updateTable('campaigns')
      .set((row) => ({ seqs: row.ref('seqs') }))
      .where('number', '=', campaign)
      .returning('revision')
      .executeTakeFirstOrThrow();
    const now = await searchLength(transaction, campaign);
    if (now.asks !== length.asks || now.events !== length.events) return undefined;
    for (const { ask, told } of step.tells) {
      await transaction
        .updateTable('asks')
        .set({ told: JSON.stringify(told) })
        .where('campaign', '=', campaign)
        .where('ask', '=', ask)
        .execute();
    }
    const ordinals = await addAsks(transaction, { campaign, revision, first: length.asks }, step.asks);
    for (const [at, event] of step.events.entries()) {
      const row = { campaign, number: length.events + at, event: JSON.stringify(event) };
      await transaction.insertInto('search_events').values(row).execute();
    }
    const first = step.asks.flatMap(({ point }, at) =>
      point ? runsOf(ordinals[at]!, 1, point.replications) : [],
    );
    // one replication of every point before the next one
    first.sort((a, b) => a.replication - b.replication || a.ordinal - b.ordinal);
    const more = step.replications.flatMap(({ ordinal, from, to }) => runsOf(ordinal, from, to));
    const seqs: number[] = [];
    for (const batch of batches([...first, ...more], RUNS_AN_INSERT))
      seqs.push(...(await addRuns(transaction, campaign, batch)));
    return { seqs, ordinals };
  });
}

/** How many asks and events the log of a campaign has. */
export async function searchLength(db: Kysely<Tables>, campaign: number): Promise<SearchLength> {
  const count = async (table: 'asks' | 'search_events'): Promise<number> => {
    const row = await db
      .selectFrom(table)
      .select((one) => one.fn.countAll<number | string>().as('count'))
      .where('campaign', '=', campaign)
      .executeTakeFirstOrThrow();
    return Number(row.count);
  };
  return { asks: await count('asks'), events: await count('search_events') };
}

/** Adds asks and the points of them that are new; returns the points of all of them. */
async function addAsks(
  db: Transaction<Tables>,
  { campaign, revision, first }: { campaign: number; revision: number; first: number },
  asks: readonly NewAsk[],
): Promise<(number | null)[]> {
  if (asks.length === 0) return [];
  const { last } = await db
    .selectFrom('points')
    .select((point) => point.fn.max('ordinal').as('last'))
    .where('campaign', '=', campaign)
    .executeTakeFirstOrThrow();
  const known = new Map<string, number>();
  const keys = asks.flatMap(({ point }) => (point ? [point.key] : []));
  if (keys.length > 0) {
    const rows = await db
      .selectFrom('points')
      .select(['key', 'ordinal'])
      .where('campaign', '=', campaign)
      .where('key', 'in', keys)
      .execute();
    for (const { key, ordinal } of rows) known.set(key, ordinal);
  }
  const start = (last ?? -1) + 1;
  let next = start;
  const added: { key: string; values: string[]; ordinal: number }[] = [];
  const ordinals = asks.map(({ point }) => {
    if (!point) return null;
    const there = known.get(point.key);
    if (there !== undefined) return there;
    known.set(point.key, next);
    added.push({ key: point.key, values: point.values, ordinal: next });
    next += 1;
    return next - 1;
  });
  for (const batch of batches(added, ROWS_AN_INSERT)) {
    const rows = batch.map(({ key, values, ordinal }) => ({
      campaign,
      ordinal,
      key,
      values: JSON.stringify(values),
      position: ordinal,
      revision,
    }));
    await db.insertInto('points').values(rows).execute();
  }
  const rows = asks.map(({ values, by, seen, told }, at) => ({
    campaign,
    ask: first + at,
    ordinal: ordinals[at]!,
    values: JSON.stringify(values),
    by,
    seen,
    told: told === null ? null : JSON.stringify(told),
  }));
  for (const batch of batches(rows, ROWS_AN_INSERT)) await db.insertInto('asks').values(batch).execute();
  if (added.length > 0)
    await db
      .updateTable('campaigns')
      .set((row) => ({ points: sql<number>`coalesce(${row.ref('points')}, 0) + ${added.length}` }))
      .where('number', '=', campaign)
      .execute();
  return ordinals;
}

function runsOf(ordinal: number, from: number, to: number): { ordinal: number; replication: number }[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => ({ ordinal, replication: from + at }));
}
