import { setImmediate as breath } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Point } from '../campaign/types.ts';
import { batches } from './rows.ts';
import type { Tables } from './tables.ts';

/** Rows an insert of points: below SQLite's limit of 32,766 variables. */
const POINTS_AN_INSERT = 1_000;
/** Runs an insert, which the database makes from the points. */
const RUNS_AN_INSERT = 10_000;
/** Replications an insert: SQLite takes no longer unions. */
const REPLICATIONS_AN_INSERT = 400;
/** The revision of a design that was never changed. */
export const FIRST = 1;

/** A design as the store is to have it. */
export interface Design {
  campaign: number;
  revision: number;
  replications: number;
}

/**
 * Writes the points of a design and a row for each run of theirs that has none yet. The database is busy for a moment
 * at a time only, and everything may be written twice: an activity that died is carried out again.
 *
 * @returns the number of points
 */
export async function writeDesign(
  db: Kysely<Tables>,
  design: Design,
  points: Iterable<Point>,
): Promise<number> {
  const count = await writePoints(db, design, points);
  await writeRuns(db, design, count, await takeSeqs(db, design, count));
  return count;
}

/** How many points a design no longer has that an earlier revision had. */
export async function countDropped(
  db: Kysely<Tables>,
  { campaign, revision }: Design,
  earlier: number,
): Promise<number> {
  const { count } = await db
    .selectFrom('points')
    .select((point) => point.fn.countAll<number | string>().as('count'))
    .where('campaign', '=', campaign)
    .where('revision', '>=', earlier)
    .where('revision', '<', revision)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * Takes away what a changed design no longer has, unless it was requested.
 *
 * @param count points of the design
 * @param most replications that a point may have
 */
export async function dropOthers(
  db: Kysely<Tables>,
  { campaign, revision }: Design,
  count: number,
  most: number,
): Promise<void> {
  await db
    .deleteFrom('runs')
    .where('campaign', '=', campaign)
    .where('state', '=', 'waiting')
    .where('attempts', '=', 0)
    .where((run) =>
      run.or([
        run('replication', '>', most),
        run(
          'ordinal',
          'in',
          run
            .selectFrom('points')
            .select('ordinal')
            .where('campaign', '=', campaign)
            .where('revision', '<', revision),
        ),
      ]),
    )
    .execute();
  await db
    .deleteFrom('points')
    .where('campaign', '=', campaign)
    .where('revision', '<', revision)
    .where((point) =>
      point.not(
        point.exists(
          point
            .selectFrom('runs')
            .select('seq')
            .where('runs.campaign', '=', campaign)
            .whereRef('runs.ordinal', '=', 'points.ordinal'),
        ),
      ),
    )
    .execute();
  // what stays of the dropped comes after the design
  await db
    .updateTable('points')
    .set((point) => ({ position: point('ordinal', '+', count) }))
    .where('campaign', '=', campaign)
    .where('revision', '<', revision)
    .execute();
}

/** Gives what stays of dropped points the values that the changed campaign has of them. */
export async function relayDropped(
  db: Kysely<Tables>,
  { campaign, revision }: Design,
  relay: (values: string[]) => string[],
): Promise<void> {
  for (let after = -1; ;) {
    const page = await db
      .selectFrom('points')
      .select(['ordinal', 'values'])
      .where('campaign', '=', campaign)
      .where('revision', '<', revision)
      .where('ordinal', '>', after)
      .orderBy('ordinal')
      .limit(POINTS_AN_INSERT)
      .execute();
    if (page.length === 0) return;
    for (const { ordinal, values } of page) {
      await db
        .updateTable('points')
        .set({ values: JSON.stringify(relay(JSON.parse(values) as string[])) })
        .where('campaign', '=', campaign)
        .where('ordinal', '=', ordinal)
        .execute();
    }
    after = page.at(-1)!.ordinal;
  }
}

async function writePoints(
  db: Kysely<Tables>,
  { campaign, revision }: Design,
  points: Iterable<Point>,
): Promise<number> {
  const { last } = await db
    .selectFrom('points')
    .select((point) => point.fn.max('ordinal').as('last'))
    .where('campaign', '=', campaign)
    .executeTakeFirstOrThrow();
  const first = (last ?? -1) + 1;
  let count = 0;
  for (const batch of batches(points, POINTS_AN_INSERT)) {
    const rows = batch.map(({ key, values }, at) => ({
      campaign,
      ordinal: first + count + at,
      key,
      values: JSON.stringify(values),
      position: count + at,
      revision,
    }));
    await db
      .insertInto('points')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(['campaign', 'key'])
          .doUpdateSet((row) => ({
            position: row.ref('excluded.position'),
            values: row.ref('excluded.values'),
            revision,
          }))
          // an activity that was given up may still be at it
          .where('points.revision', '<=', revision),
      )
      .execute();
    count += batch.length;
    await breath();
  }
  return count;
}

/**
 * Takes a seq for each run of a design, and returns the first of them. The first design has those from 0, however
 * often it is written, as its workflow counts on that; a later one has such as were never given out.
 */
async function takeSeqs(
  db: Kysely<Tables>,
  { campaign, revision, replications }: Design,
  points: number,
): Promise<number> {
  const needed = points * replications;
  const update = db.updateTable('campaigns').where('number', '=', campaign);
  if (revision === FIRST) {
    await update.set({ seqs: needed }).where('seqs', '<', needed).execute();
    return 0;
  }
  const { seqs } = await update
    .set((row) => ({ seqs: row('seqs', '+', needed) }))
    .returning('seqs')
    .executeTakeFirstOrThrow();
  return seqs - needed;
}

/** Replication 1 of every point comes first, then 2, so that partial results are balanced. */
async function writeRuns(
  db: Kysely<Tables>,
  { campaign, revision, replications }: Design,
  points: number,
  first: number,
): Promise<void> {
  const together = Math.max(1, Math.min(REPLICATIONS_AN_INSERT, Math.floor(RUNS_AN_INSERT / points)));
  for (let from = 1; from <= replications; from += together) {
    const numbers = Array.from(
      { length: Math.min(together, replications - from + 1) },
      (_, at) => sql`select ${sql.lit(from + at)} as n`,
    );
    for (let position = 0; position < points; position += RUNS_AN_INSERT) {
      await sql`
        insert into runs (campaign, seq, ordinal, replication, state, attempts, owned, joined)
        select p.campaign, ${sql.lit(first)} + (r.n - 1) * ${sql.lit(points)} + p.position, p.ordinal, r.n,
          'waiting', 0, 0, 0
        from points p cross join (${sql.join(numbers, sql` union all `)}) r
        where p.campaign = ${campaign} and p.revision = ${revision}
          and p.position >= ${position} and p.position < ${position + RUNS_AN_INSERT}
        on conflict (campaign, ordinal, replication) do nothing`.execute(db);
      await breath();
    }
  }
}
