import { type Kysely, sql } from 'kysely';
import type { ComparedPoint, FinishedPoint, FinishedRun } from '../types.ts';
import { CountChanges } from '../runs/counts.ts';
import { neededOutputs } from '../results/needed.ts';
import { batches } from '../../batched.ts';
import { waiting } from '../rows.ts';
import { finishedStates, type Tables } from '../tables.ts';

/** The maximum number of runs that {@link addRuns} gets, in one insert. */
export const ADDED_AT_ONCE = 1_000;
/** The maximum number of points that are read at once, with all their runs. */
const POINTS_AT_ONCE = 200;

/**
 * Reads the points of the given runs, but only points of the design whose runs have all finished.
 *
 * @param names - the outputs whose long values are needed, here and below
 */
export async function finishedPoints(
  db: Kysely<Tables>,
  campaign: number,
  seqs: readonly number[],
  names: readonly string[],
): Promise<FinishedPoint[]> {
  if (seqs.length === 0) return [];
  const touched = await db
    .selectFrom('runs')
    .innerJoin('points', (join) =>
      join.onRef('points.campaign', '=', 'runs.campaign').onRef('points.ordinal', '=', 'runs.ordinal'),
    )
    .innerJoin('campaigns', 'campaigns.number', 'points.campaign')
    .select('runs.ordinal')
    .distinct()
    .where('runs.campaign', '=', campaign)
    .where('runs.seq', 'in', seqs)
    // dropped points get no more replications
    .whereRef('points.revision', '=', 'campaigns.revision')
    .execute();
  return readPoints(
    db,
    campaign,
    touched.map(({ ordinal }) => ordinal),
    names,
  );
}

/** Yields the points of a campaign's design whose runs have all finished, in batches. */
export async function* allFinishedPoints(
  db: Kysely<Tables>,
  campaign: number,
  names: readonly string[],
): AsyncGenerator<FinishedPoint[]> {
  for (let after = -1; ;) {
    const page = await db
      .selectFrom('points')
      .innerJoin('campaigns', 'campaigns.number', 'points.campaign')
      .select('points.ordinal')
      .where('points.campaign', '=', campaign)
      .where('points.ordinal', '>', after)
      .whereRef('points.revision', '=', 'campaigns.revision')
      .orderBy('points.ordinal')
      .limit(POINTS_AT_ONCE)
      .execute();
    if (page.length === 0) return;
    yield await readPoints(
      db,
      campaign,
      page.map(({ ordinal }) => ordinal),
      names,
    );
    after = page.at(-1)!.ordinal;
  }
}

/** Reads the points with the given ordinals, but only points whose runs have all finished. */
export async function readPoints(
  db: Kysely<Tables>,
  campaign: number,
  ordinals: readonly number[],
  names: readonly string[],
): Promise<FinishedPoint[]> {
  if (ordinals.length === 0) return [];
  const points = await finishedRuns(db, campaign, ordinals, names);
  return [...points].flatMap(([ordinal, { runs, draws, isWhole }]) =>
    isWhole ? [{ ordinal, draws, runs }] : [],
  );
}

/** Reads all points of a campaign with their finished runs. */
export async function comparedPoints(
  db: Kysely<Tables>,
  campaign: number,
  names: readonly string[],
): Promise<ComparedPoint[]> {
  const rows = await db
    .selectFrom('points')
    .select(['ordinal', 'key', 'values'])
    .where('campaign', '=', campaign)
    .orderBy('ordinal')
    .execute();
  const compared: ComparedPoint[] = [];
  for (const batch of batches(rows, POINTS_AT_ONCE)) {
    const ordinals = batch.map(({ ordinal }) => ordinal);
    const points = await finishedRuns(db, campaign, ordinals, names);
    for (const { ordinal, key, values } of batch) {
      // a design is written in steps, so a new point has no runs for a moment
      const { runs, isWhole } = points.get(ordinal) ?? { runs: [], isWhole: false };
      compared.push({ ordinal, key, values: JSON.parse(values) as string[], runs, isWhole });
    }
  }
  return compared;
}

/** The finished runs of a point. `isWhole` is true when all its runs have finished. */
interface RunsOfPoint {
  runs: FinishedRun[];
  draws: number;
  isWhole: boolean;
}

/** Reads the finished runs of points, by the ordinals of the points. */
async function finishedRuns(
  db: Kysely<Tables>,
  campaign: number,
  ordinals: readonly number[],
  names: readonly string[],
): Promise<Map<number, RunsOfPoint>> {
  const rows = await db
    .selectFrom('runs')
    .innerJoin('points', (join) =>
      join.onRef('points.campaign', '=', 'runs.campaign').onRef('points.ordinal', '=', 'runs.ordinal'),
    )
    .leftJoin('outputs', (join) =>
      join.onRef('outputs.campaign', '=', 'runs.campaign').onRef('outputs.seq', '=', 'runs.seq'),
    )
    .select(['runs.seq', 'runs.ordinal', 'runs.replication', 'runs.state'])
    .select(['outputs.outputs', 'points.draws'])
    .where('runs.campaign', '=', campaign)
    .where('runs.ordinal', 'in', ordinals)
    .orderBy('runs.ordinal')
    .orderBy('runs.replication')
    .execute();
  const outputs = await neededOutputs(db, campaign, rows, names);
  const points = new Map<number, RunsOfPoint>();
  for (const { seq, ordinal, replication, state, draws } of rows) {
    const point = points.get(ordinal) ?? { runs: [], draws, isWhole: true };
    points.set(ordinal, point);
    if ((finishedStates as readonly string[]).includes(state))
      point.runs.push({ replication, outputs: outputs.get(seq)! });
    else point.isWhole = false;
  }
  return points;
}

/**
 * Gives points more replications, in the order of `wanted`. Returns the seqs of the added runs.
 *
 * @param wanted - the total number of replications for each point
 */
export async function addReplications(
  db: Kysely<Tables>,
  campaign: number,
  wanted: readonly { ordinal: number; replications: number }[],
): Promise<number[]> {
  const added: number[] = [];
  for (const batch of batches(await missingRuns(db, campaign, wanted), ADDED_AT_ONCE))
    added.push(...(await db.transaction().execute((transaction) => addRuns(transaction, campaign, batch))));
  return added.sort((a, b) => a - b);
}

/**
 * Adds waiting runs, and returns the seqs of the runs that did not exist yet. Other writers that add runs wait until
 * the transaction ends.
 */
export async function addRuns(
  db: Kysely<Tables>,
  campaign: number,
  runs: readonly { ordinal: number; replication: number }[],
): Promise<number[]> {
  const { seqs } = await db
    .updateTable('campaigns')
    .set((row) => ({ seqs: row('seqs', '+', runs.length) }))
    .where('number', '=', campaign)
    .returning('seqs')
    .executeTakeFirstOrThrow();
  const first = seqs - runs.length;
  const rows = runs.map((run, at) => ({ ...waiting, ...run, campaign, seq: first + at }));
  const written = await db
    .insertInto('runs')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['campaign', 'ordinal', 'replication']).doNothing())
    .returning('seq')
    .execute();
  await new CountChanges().add('waiting', written.length).save(db, campaign);
  return written.map(({ seq }) => seq);
}

/** Finds the runs that points still need for the wanted number of replications. */
async function missingRuns(
  db: Kysely<Tables>,
  campaign: number,
  wanted: readonly { ordinal: number; replications: number }[],
): Promise<{ ordinal: number; replication: number }[]> {
  if (wanted.length === 0) return [];
  const rows = await db
    .selectFrom('runs')
    .select(['ordinal', sql<number>`max(replication)`.as('last')])
    .where('campaign', '=', campaign)
    .where(
      'ordinal',
      'in',
      wanted.map(({ ordinal }) => ordinal),
    )
    .groupBy('ordinal')
    .execute();
  const last = new Map(rows.map((row) => [row.ordinal, Number(row.last)]));
  return wanted.flatMap(({ ordinal, replications }) => {
    const first = (last.get(ordinal) ?? 0) + 1;
    return Array.from({ length: Math.max(0, replications - first + 1) }, (_, at) => ({
      ordinal,
      replication: first + at,
    }));
  });
}
