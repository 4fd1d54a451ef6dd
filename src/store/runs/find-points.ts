import { type Kysely, sql } from 'kysely';
import { failedAttempts } from './failed-attempts.ts';
import { neededOutputs } from '../results/needed.ts';
import { runLogs } from './logs.ts';
import type { PointStory, RunStory } from '../types.ts';
import type { Tables } from '../tables.ts';

/** The maximum number of keys that {@link keysLike} returns. */
export const MOST_KEYS = 5;

/** The keys that begin with `key`, at most `MOST_KEYS`, in their order. */
export async function keysLike(db: Kysely<Tables>, campaign: number, key: string): Promise<string[]> {
  const points = await db
    .selectFrom('points')
    .select('points.key')
    .where('points.campaign', '=', campaign)
    // a range of keys is one index scan; `~` comes after all characters of keys
    .where('points.key', '>=', key)
    .where('points.key', '<', `${key}~`)
    .orderBy('points.key')
    .limit(MOST_KEYS)
    .execute();
  return points.map((point) => point.key);
}

/**
 * A point with all data of its runs, but of the long values of outputs only those of `names`.
 * @returns undefined if there is no point with the key
 */
export async function pointStory(
  db: Kysely<Tables>,
  campaign: number,
  key: string,
  names: readonly string[],
): Promise<PointStory | undefined> {
  const point = await db
    .selectFrom('points')
    .innerJoin('campaigns', 'campaigns.number', 'points.campaign')
    .select(['points.ordinal', 'points.values', 'points.position', 'points.revision'])
    .select('campaigns.revision as current')
    .where('points.campaign', '=', campaign)
    .where('points.key', '=', key)
    .executeTakeFirst();
  return (
    point && {
      key,
      values: JSON.parse(point.values) as string[],
      position: point.revision < point.current ? null : point.position,
      runs: await runsOf(db, campaign, point.ordinal, names),
    }
  );
}

/** The keys of the points before and after a point of the design; null at its beginning and its end. */
export async function neighboursOf(
  db: Kysely<Tables>,
  campaign: number,
  position: number,
): Promise<{ before: string | null; after: string | null }> {
  const nearest = async (order: 'asc' | 'desc'): Promise<string | null> => {
    const point = await db
      .selectFrom('points')
      .innerJoin('campaigns', 'campaigns.number', 'points.campaign')
      .select('points.key')
      .where('points.campaign', '=', campaign)
      .where('points.position', order === 'asc' ? '>' : '<', position)
      // an earlier definition may have had further points
      .whereRef('points.revision', '>=', 'campaigns.revision')
      .orderBy('points.position', order)
      .limit(1)
      .executeTakeFirst();
    return point?.key ?? null;
  };
  return { before: await nearest('desc'), after: await nearest('asc') };
}

async function runsOf(
  db: Kysely<Tables>,
  campaign: number,
  ordinal: number,
  names: readonly string[],
): Promise<RunStory[]> {
  const rows = await db
    .selectFrom('runs')
    .leftJoin('outputs', (join) =>
      join.onRef('outputs.campaign', '=', 'runs.campaign').onRef('outputs.seq', '=', 'runs.seq'),
    )
    .selectAll('runs')
    .select('outputs.outputs')
    .where('runs.campaign', '=', campaign)
    .where('runs.ordinal', '=', ordinal)
    .orderBy('runs.replication')
    .execute();
  const outputs = await neededOutputs(db, campaign, rows, names);
  const before = await waitingBefore(db, campaign, ordinal);
  const logs = await runLogs(db, campaign, ordinal);
  const logOf = new Map(
    logs.map(({ seq, lines, omitted, command }) => [
      seq,
      { lines, omitted, ...(command !== undefined && { command }) },
    ]),
  );
  const earlier = await failedAttempts(db, campaign, ordinal);
  return rows.map((row): RunStory => ({
    seq: row.seq,
    replication: row.replication,
    state: row.state,
    attempts: row.attempts,
    failures: row.failures,
    reseeded: row.reseeded,
    runId: row.run_id,
    joined: row.joined === 1,
    origin: row.origin,
    reason: row.reason,
    requestedAt: row.requested_at === null ? null : Number(row.requested_at),
    finishedAt: row.finished_at === null ? null : Number(row.finished_at),
    outputs: outputs.get(row.seq)!,
    log: logOf.get(row.seq) ?? null,
    before: before.get(row.seq) ?? null,
    version: row.version,
    earlier: earlier.get(row.seq) ?? [],
  }));
}

/** Counts the waiting runs before each waiting run of a point. */
async function waitingBefore(
  db: Kysely<Tables>,
  campaign: number,
  ordinal: number,
): Promise<Map<number, number>> {
  const own = db
    .selectFrom('runs')
    .where('campaign', '=', campaign)
    .where('ordinal', '=', ordinal)
    .where('state', '=', 'waiting');
  const rows = await db
    .selectFrom((from) =>
      from
        .selectFrom('runs')
        .select('seq')
        .select(sql<number>`row_number() over (order by seq)`.as('place'))
        .where('campaign', '=', campaign)
        .where('state', '=', 'waiting')
        .where(
          'seq',
          '<=',
          own.select((run) => run.fn.max('seq').as('last')),
        )
        .as('waiting'),
    )
    .select(['seq', 'place'])
    .where('seq', 'in', own.select('seq'))
    .execute();
  return new Map(rows.map(({ seq, place }) => [seq, Number(place) - 1]));
}
