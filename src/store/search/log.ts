import { type Kysely, sql, type Transaction } from 'kysely';
import {
  type Ask,
  isSameLength,
  judged,
  type NewAsk,
  type PointValue,
  type SearchEvent,
  type SearchLength,
  type SearchLog,
  type SearchStep,
} from '../../campaign/search/log.ts';
import { batches } from '../../batched.ts';
import { addRuns, ADDED_AT_ONCE } from '../design/replications.ts';
import { locking, textOfCampaign } from '../rows.ts';
import type { CampaignRecord, SearchWritten } from '../types.ts';
import type { Tables } from '../tables.ts';

/** The maximum number of rows per insert. SQLite limits the number of variables. */
const ROWS_AN_INSERT = 1_000;

/**
 * Reads the log of a campaign's search: its asks (requests for a point) and its events. The points are judged by the
 * current bounds and requirements. The log is empty for a campaign without a search or a selection.
 */
export async function readSearch(db: Kysely<Tables>, campaign: number): Promise<SearchLog> {
  // the events are read before the asks, because a step may be written in between, and an event must never be newer
  // than the asks that it follows from
  const events = await db
    .selectFrom('search_events')
    .select('event')
    .where('campaign', '=', campaign)
    .orderBy('number')
    .execute();
  const asks = await db
    .selectFrom('asks')
    .select(['ordinal', 'values', 'by', 'seen', 'told'])
    .where('campaign', '=', campaign)
    .orderBy('ask')
    .execute();
  return judged({
    asks: asks.map(({ values, told, ...ask }): Ask => ({
      ...ask,
      values: JSON.parse(values) as string[],
      told: told === null ? null : (JSON.parse(told) as PointValue),
    })),
    events: events.map(({ event }) => JSON.parse(event) as SearchEvent),
  });
}

/** Reads the number of the first ask of each point, by the key of the point. */
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
 * Adds a step to the log, with the points and runs that it asks for, in one transaction.
 *
 * @param length - the length of the log when the step was decided
 * @returns undefined, and changes nothing, when the log has grown since
 */
export async function writeSearch(
  db: Kysely<Tables>,
  campaign: number,
  length: SearchLength,
  step: SearchStep,
): Promise<SearchWritten | undefined> {
  return db.transaction().execute(async (transaction) => {
    const { revision } = await locking(transaction, campaign).returning('revision').executeTakeFirstOrThrow();
    if (!isSameLength(await searchLength(transaction, campaign), length)) return undefined;
    for (const batch of batches(step.tells, ROWS_AN_INSERT)) await setTold(transaction, campaign, batch);
    const ordinals = await addAsks(transaction, { campaign, revision, first: length.asks }, step.asks);
    for (const [at, event] of step.events.entries()) {
      const row = { campaign, number: length.events + at, event: JSON.stringify(event) };
      await transaction.insertInto('search_events').values(row).execute();
    }
    const first = step.asks.flatMap(({ point }, at) =>
      point ? runsOf(ordinals[at]!, point.from, point.to) : [],
    );
    // the first replication of every point comes before the second replications
    first.sort((a, b) => a.replication - b.replication || a.ordinal - b.ordinal);
    const more = step.replications.flatMap(({ ordinal, from, to }) => runsOf(ordinal, from, to));
    const seqs: number[] = [];
    for (const batch of batches([...first, ...more], ADDED_AT_ONCE))
      seqs.push(...(await addRuns(transaction, campaign, batch)));
    return { seqs, ordinals };
  });
}

/**
 * Changes the definition of a campaign with a search, and adds an event to the log, in one transaction. Points and
 * runs stay. A second call with the same definition changes nothing. Returns false, and changes nothing, when the log
 * no longer has the given length.
 */
export async function changeSearch(
  db: Kysely<Tables>,
  campaign: number,
  record: Pick<CampaignRecord, 'campaign' | 'definition' | 'digest'>,
  { length, event }: { length: SearchLength; event: SearchEvent },
  now: number,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const { digest } = await locking(transaction, campaign).returning('digest').executeTakeFirstOrThrow();
    if (digest === record.digest) return true;
    if (!isSameLength(await searchLength(transaction, campaign), length)) return false;
    // a new revision tells readers that the definition has changed
    const { revision } = await transaction
      .updateTable('campaigns')
      .set((row) => ({
        campaign: textOfCampaign(record.campaign),
        definition: record.definition,
        digest: record.digest,
        revision: row('begun', '+', 1),
        begun: row('begun', '+', 1),
        updated_at: now,
      }))
      .where('number', '=', campaign)
      .returning('revision')
      .executeTakeFirstOrThrow();
    await transaction.updateTable('points').set({ revision }).where('campaign', '=', campaign).execute();
    const row = { campaign, number: length.events, event: JSON.stringify(event) };
    await transaction.insertInto('search_events').values(row).execute();
    return true;
  });
}

/** The length of the log of a campaign's search: {@link writeSearch} and {@link changeSearch} compare it. */
export async function searchLength(db: Kysely<Tables>, campaign: number): Promise<SearchLength> {
  const { asks, told } = await db
    .selectFrom('asks')
    .select((row) => [
      row.fn.countAll<number | string>().as('asks'),
      row.fn.count<number | string>('told').as('told'),
    ])
    .where('campaign', '=', campaign)
    .executeTakeFirstOrThrow();
  const { events } = await db
    .selectFrom('search_events')
    .select((row) => row.fn.countAll<number | string>().as('events'))
    .where('campaign', '=', campaign)
    .executeTakeFirstOrThrow();
  return { asks: Number(asks), told: Number(told), events: Number(events) };
}

/** Writes the values of asks in one statement, because a generation has hundreds of asks. */
async function setTold(db: Transaction<Tables>, campaign: number, tells: SearchStep['tells']): Promise<void> {
  const rows = tells.map(({ ask, told }) => sql`(cast(${ask} as integer), ${JSON.stringify(told)})`);
  await sql`
    update asks set told = heard.column2 from (values ${sql.join(rows)}) as heard
    where campaign = ${campaign} and ask = heard.column1`.execute(db);
}

/**
 * Adds asks, and the points of these asks that are new. Returns the ordinal of each ask's point; null for an ask
 * without a point.
 */
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
  let next = (last ?? -1) + 1;
  const added: { key: string; values: string[]; ordinal: number }[] = [];
  const ordinals = asks.map(({ point }) => {
    if (!point) return null;
    const there = known.get(point.key);
    if (there !== undefined) return there;
    const ordinal = next;
    next += 1;
    known.set(point.key, ordinal);
    added.push({ key: point.key, values: point.values, ordinal });
    return ordinal;
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
