import { setImmediate as breath } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Point } from '../../campaign/types.ts';
import { CountChanges } from '../runs/counts.ts';
import { batches } from '../../batched.ts';
import { turns } from '../../turns.ts';
import { lock, waiting } from '../rows.ts';
import type { Tables } from '../tables.ts';
import { analyze } from '../vacuum.ts';

/** The maximum number of points per insert. SQLite allows 32,766 variables in a statement. */
const POINTS_AN_INSERT = 1_000;
/** The maximum number of runs per insert. The database makes the runs from the points. */
const RUNS_AN_INSERT = 10_000;
/** The maximum number of runs of further draws per insert. SQLite allows 32,766 variables in a statement. */
const RUNS_OF_DRAWS_AN_INSERT = 2_000;
/** The maximum number of replications per insert. SQLite allows 500 selects in a union. */
const REPLICATIONS_AN_INSERT = 400;
/** The smallest number of runs in a design for which foray updates the statistics of the database. */
const ANALYZED = 1_000;
/** The revision of a design that has never changed. */
export const FIRST_REVISION = 1;

/** The design of a campaign at one revision. */
export interface Design {
  campaign: number;
  revision: number;
  /** The number of replications of a point, or of each draw of a point. */
  replications: number;
  hasRunsPerDraw: boolean;
}

/** The number of points of a design, and the number of its runs. */
interface DesignSize {
  points: number;
  runs: number;
}

/**
 * Writes the points of a design, and a row for each of its runs that has no row yet. Each step is short, so the
 * database is never busy for long. Every step can be repeated, because Temporal repeats an interrupted activity.
 *
 * @param points - the points of the design; `undefined` is no point, but gives other work a turn
 */
export async function writeDesign(
  db: Kysely<Tables>,
  design: Design,
  points: Iterable<Point | undefined>,
): Promise<DesignSize> {
  const { count, draws } = await writePoints(db, design, points);
  const runs = design.replications * (design.hasRunsPerDraw ? draws : count);
  const firstSeq = await reserveSeqs(db, design, runs);
  await writeRuns(db, design, count, firstSeq);
  if (design.hasRunsPerDraw) await writeRunsOfDraws(db, design, count, firstSeq);
  if (runs >= ANALYZED) await analyze(db);
  return { points: count, runs };
}

/** Counts the runs that the points of a written design have at first. */
export async function countRuns(
  db: Kysely<Tables>,
  { campaign, revision, replications, hasRunsPerDraw }: Design,
): Promise<number> {
  const { points, draws } = await db
    .selectFrom('points')
    .select((point) => [
      point.fn.countAll<number | string>().as('points'),
      point.fn.sum<number | string | null>('draws').as('draws'),
    ])
    .where('campaign', '=', campaign)
    .where('revision', '=', revision)
    .executeTakeFirstOrThrow();
  return replications * Number(hasRunsPerDraw ? (draws ?? 0) : points);
}

/** Counts the points that this design does not have, but the revision `earlier` or a later one had. */
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
 * Deletes the points and runs that a changed design no longer has. A run stays if it has finished, or if the service
 * may have it. A point stays while it has runs.
 *
 * @param count - the number of points in the design
 * @param most - the maximum number of replications of a point in the design, or of each draw of a point
 */
export async function dropOthers(
  db: Kysely<Tables>,
  { campaign, revision, hasRunsPerDraw }: Design,
  count: number,
  most: number,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await lock(transaction, campaign);
    const { numDeletedRows } = await transaction
      .deleteFrom('runs')
      .where('campaign', '=', campaign)
      .where('state', '=', 'waiting')
      .where('attempts', '=', 0)
      .where((run) =>
        run.or([
          run('replication', '>', hasRunsPerDraw ? timesDraws(most) : most),
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
      .executeTakeFirstOrThrow();
    await new CountChanges().add('waiting', -Number(numDeletedRows)).save(transaction, campaign);
  });
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
  // dropped points that stay come after the points of the design
  await db
    .updateTable('points')
    .set((point) => ({ position: point('ordinal', '+', count) }))
    .where('campaign', '=', campaign)
    .where('revision', '<', revision)
    .execute();
}

/** The number of runs that all draws of a run's point may have together, if each may have `most`. */
function timesDraws(most: number) {
  return sql<number>`${sql.lit(most)} * (select draws from points
    where points.campaign = runs.campaign and points.ordinal = runs.ordinal)`;
}

/**
 * Converts the values of dropped points that stay in the store, so that the values fit the varied inputs of the changed
 * campaign.
 */
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
  points: Iterable<Point | undefined>,
): Promise<{ count: number; draws: number }> {
  let [count, draws] = [0, 0];
  for await (const batch of pointBatches(points)) {
    await breath();
    await db.transaction().execute(async (transaction) => {
      // the lock makes sure that each ordinal is used once: an activity that Temporal has given up may still be writing
      // while a change begins
      await lock(transaction, campaign);
      const { last } = await transaction
        .selectFrom('points')
        .select((point) => point.fn.max('ordinal').as('last'))
        .where('campaign', '=', campaign)
        .executeTakeFirstOrThrow();
      const rows = batch.map(({ key, values, draws = 1 }, at) => ({
        campaign,
        ordinal: (last ?? -1) + 1 + at,
        key,
        values: JSON.stringify(values),
        position: count + at,
        revision,
        draws,
      }));
      await transaction
        .insertInto('points')
        .values(rows)
        .onConflict((conflict) =>
          conflict
            .columns(['campaign', 'key'])
            .doUpdateSet((row) => ({
              position: row.ref('excluded.position'),
              values: row.ref('excluded.values'),
              draws: row.ref('excluded.draws'),
              revision,
            }))
            .where('points.revision', '<=', revision),
        )
        .execute();
    });
    count += batch.length;
    for (const point of batch) draws += point.draws ?? 1;
  }
  return { count, draws };
}

async function* pointBatches(points: Iterable<Point | undefined>): AsyncGenerator<Point[]> {
  const turn = turns();
  let batch: Point[] = [];
  for (const point of points) {
    if (point) batch.push(point);
    else await turn();
    if (batch.length < POINTS_AN_INSERT) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/**
 * Reserves a seq (the number of a run in its campaign) for each run of a design, and returns the first seq. The seqs of
 * the first revision begin at 0, even when the revision is written again: the workflow relies on this. Later revisions
 * get seqs that were never used.
 */
async function reserveSeqs(
  db: Kysely<Tables>,
  { campaign, revision }: Design,
  needed: number,
): Promise<number> {
  const update = db.updateTable('campaigns').where('number', '=', campaign);
  if (revision === FIRST_REVISION) {
    await update.set({ seqs: needed }).where('seqs', '<', needed).execute();
    return 0;
  }
  const { seqs } = await update
    .set((row) => ({ seqs: row('seqs', '+', needed) }))
    .returning('seqs')
    .executeTakeFirstOrThrow();
  return seqs - needed;
}

/**
 * Writes a row for each run that has no row yet. In the order of the seqs, replication 1 of every point comes first,
 * then replication 2, so that partial results are balanced.
 */
async function writeRuns(
  db: Kysely<Tables>,
  { campaign, revision, replications }: Design,
  points: number,
  firstSeq: number,
): Promise<void> {
  const together = Math.max(1, Math.min(REPLICATIONS_AN_INSERT, Math.floor(RUNS_AN_INSERT / points)));
  for (let from = 1; from <= replications; from += together) {
    const numbers = Array.from(
      { length: Math.min(together, replications - from + 1) },
      (_, at) => sql`select ${sql.lit(from + at)} as n`,
    );
    for (let position = 0; position < points; position += RUNS_AN_INSERT) {
      await db.transaction().execute(async (transaction) => {
        await lock(transaction, campaign);
        const { numAffectedRows } = await sql`
          insert into runs (campaign, seq, ordinal, replication, state, attempts, owned, joined)
          select p.campaign, ${sql.lit(firstSeq)} + (r.n - 1) * ${sql.lit(points)} + p.position, p.ordinal, r.n,
            'waiting', 0, 0, 0
          from points p cross join (${sql.join(numbers, sql` union all `)}) r
          where p.campaign = ${campaign} and p.revision = ${revision}
            and p.position >= ${position} and p.position < ${position + RUNS_AN_INSERT}
          on conflict (campaign, ordinal, replication) do nothing`.execute(transaction);
        await new CountChanges().add('waiting', Number(numAffectedRows)).save(transaction, campaign);
      });
      await breath();
    }
  }
}

/**
 * Writes a row for each run of a further draw of a point, unless the run has a row. The seqs of these runs follow the
 * seqs of the other runs, in the order of the replications too.
 */
async function writeRunsOfDraws(
  db: Kysely<Tables>,
  { campaign, revision, replications }: Design,
  points: number,
  firstSeq: number,
): Promise<void> {
  const repeated = await db
    .selectFrom('points')
    .select(['ordinal', 'draws'])
    .where('campaign', '=', campaign)
    .where('revision', '=', revision)
    .where('draws', '>', 1)
    .orderBy('position')
    .execute();
  let seq = firstSeq + points * replications;
  for (const batch of batches(runsOfFurtherDraws(repeated, replications), RUNS_OF_DRAWS_AN_INSERT)) {
    const rows = batch.map((run, at) => ({ ...waiting, ...run, campaign, seq: seq + at }));
    await db.transaction().execute(async (transaction) => {
      await lock(transaction, campaign);
      const { numInsertedOrUpdatedRows } = await transaction
        .insertInto('runs')
        .values(rows)
        .onConflict((conflict) => conflict.columns(['campaign', 'ordinal', 'replication']).doNothing())
        .executeTakeFirstOrThrow();
      await new CountChanges().add('waiting', Number(numInsertedOrUpdatedRows)).save(transaction, campaign);
    });
    seq += batch.length;
    await breath();
  }
}

/** The runs of points after their first `replications` ones, in the order of their replications. */
function* runsOfFurtherDraws(
  repeated: readonly { ordinal: number; draws: number }[],
  replications: number,
): Generator<{ ordinal: number; replication: number }> {
  let left = repeated;
  for (let replication = replications + 1; left.length > 0; replication += 1) {
    for (const { ordinal } of left) yield { ordinal, replication };
    left = left.filter(({ draws }) => draws * replications > replication);
  }
}
