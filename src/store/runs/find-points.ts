import type { Kysely } from 'kysely';
import { failedAttempts } from './failed-attempts.ts';
import { toOutputs } from '../results/packed.ts';
import { runLogs } from './logs.ts';
import type { PointStory, RunStory } from '../types.ts';
import type { Tables } from '../tables.ts';

/** The maximum number of points that are returned. */
const MOST_POINTS = 5;

/** The first points whose key begins with `key`, at most five, with all data of their runs. */
export async function pointsLike(db: Kysely<Tables>, campaign: number, key: string): Promise<PointStory[]> {
  const points = await db
    .selectFrom('points')
    .innerJoin('campaigns', 'campaigns.number', 'points.campaign')
    .select(['points.ordinal', 'points.key', 'points.values', 'points.position', 'points.revision'])
    .select('campaigns.revision as current')
    .where('points.campaign', '=', campaign)
    // the database reads a range of keys with one index scan
    .where('points.key', '>=', key)
    .where('points.key', '<', `${key}~`)
    .orderBy('points.key')
    .limit(MOST_POINTS)
    .execute();
  const stories: PointStory[] = [];
  for (const { ordinal, key: whole, values, position, revision, current } of points) {
    stories.push({
      key: whole,
      values: JSON.parse(values) as string[],
      position: revision < current ? null : position,
      runs: await runsOf(db, campaign, ordinal),
    });
  }
  return stories;
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

async function runsOf(db: Kysely<Tables>, campaign: number, ordinal: number): Promise<RunStory[]> {
  const rows = await db
    .selectFrom('runs')
    .leftJoin('outputs', (join) =>
      join.onRef('outputs.campaign', '=', 'runs.campaign').onRef('outputs.seq', '=', 'runs.seq'),
    )
    .selectAll('runs')
    .select(['outputs.outputs', 'outputs.packed'])
    .where('runs.campaign', '=', campaign)
    .where('runs.ordinal', '=', ordinal)
    .orderBy('runs.replication')
    .execute();
  const before = await waitingBefore(
    db,
    campaign,
    rows.filter(({ state }) => state === 'waiting').map(({ seq }) => seq),
  );
  const logs = await runLogs(db, campaign, ordinal);
  const logOf = new Map(
    logs.map(({ seq, lines, omitted, command }) => [
      seq,
      { lines, omitted, ...(command !== undefined && { command }) },
    ]),
  );
  const earlier = await failedAttempts(
    db,
    campaign,
    rows.map(({ seq }) => seq),
  );
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
    outputs: toOutputs(row),
    log: logOf.get(row.seq) ?? null,
    before: before.get(row.seq) ?? null,
    version: row.version,
    earlier: earlier.get(row.seq) ?? [],
  }));
}

/**
 * Counts the waiting runs before each of the given runs. It goes from run to run, so that no waiting run is counted
 * twice.
 */
async function waitingBefore(
  db: Kysely<Tables>,
  campaign: number,
  seqs: readonly number[],
): Promise<Map<number, number>> {
  const before = new Map<number, number>();
  let [from, total] = [-1, 0];
  for (const seq of seqs.toSorted((a, b) => a - b)) {
    const { count } = await db
      .selectFrom('runs')
      .select((run) => run.fn.countAll<number | string>().as('count'))
      .where('campaign', '=', campaign)
      .where('state', '=', 'waiting')
      .where('seq', '>=', from)
      .where('seq', '<', seq)
      .executeTakeFirstOrThrow();
    total += Number(count);
    before.set(seq, total);
    from = seq;
  }
  return before;
}
