import { type Kysely, sql } from 'kysely';
import { causeOf, KEPT_ATTEMPTS } from '../../campaign/failures.ts';
import { CountChanges } from './counts.ts';
import { batches } from '../../batched.ts';
import { waiting } from '../rows.ts';
import type { FailedAttempt } from '../types.ts';
import { openStates, type Tables } from '../tables.ts';

/** The maximum number of runs that one statement sets to waiting, if only some of the failed runs are reset. */
const SEQS_AT_ONCE = 1_000;

/**
 * Stores the reason of a failed attempt after which foray makes another attempt. A second call for the same attempt
 * changes nothing.
 */
export async function keepFailedAttempt(
  db: Kysely<Tables>,
  campaign: number,
  { seq, reason, now }: { seq: number; reason: string; now: number },
): Promise<void> {
  await db
    .insertInto('failed_attempts')
    .columns(['campaign', 'seq', 'failed_at', 'version', 'reason'])
    .expression((row) =>
      row
        .selectFrom('runs')
        .select([
          'campaign',
          'seq',
          sql<number>`cast(${now} as bigint)`.as('failed_at'),
          'version',
          sql<string>`cast(${reason} as text)`.as('reason'),
        ])
        .where('campaign', '=', campaign)
        .where('seq', '=', seq)
        .where('state', 'in', openStates),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await dropOldest(db, campaign, seq);
}

/**
 * Sets failed runs to waiting, so that they are requested again, and stores why they failed. Returns the number of
 * runs.
 *
 * @param cause - if it is given, only runs that failed for this cause are reset
 */
export async function resetFailed(
  db: Kysely<Tables>,
  campaign: number,
  reseeds: boolean,
  cause?: string,
): Promise<number> {
  let count = 0;
  if (cause === undefined) count = await reset(db, campaign, reseeds);
  else {
    const seqs = await seqsWith(db, campaign, cause);
    for (const some of batches(seqs, SEQS_AT_ONCE)) count += await reset(db, campaign, reseeds, some);
  }
  await dropOldest(db, campaign);
  await new CountChanges().move('failed', 'waiting', count).save(db, campaign);
  return count;
}

/** Finds the failed runs with a cause. The cause follows from the reason of each run. */
async function seqsWith(db: Kysely<Tables>, campaign: number, cause: string): Promise<number[]> {
  const rows = await db
    .selectFrom('runs')
    .select(['seq', 'reason'])
    .where('campaign', '=', campaign)
    .where('state', '=', 'failed')
    .execute();
  return rows.filter(({ reason }) => causeOf(reason ?? '') === cause).map(({ seq }) => seq);
}

/** Resets all failed runs, or only those with the given seqs. */
async function reset(
  db: Kysely<Tables>,
  campaign: number,
  reseeds: boolean,
  seqs?: readonly number[],
): Promise<number> {
  await db
    .insertInto('failed_attempts')
    .columns(['campaign', 'seq', 'failed_at', 'version', 'reason'])
    .expression((row) =>
      row
        .selectFrom('runs')
        .select(['campaign', 'seq', sql<number>`coalesce(finished_at, 0)`.as('failed_at'), 'version'])
        .select(sql<string>`coalesce(reason, '')`.as('reason'))
        .where('campaign', '=', campaign)
        .where('state', '=', 'failed')
        .$if(seqs !== undefined, (runs) => runs.where('seq', 'in', seqs!)),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { numUpdatedRows } = await db
    .updateTable('runs')
    .set((run) => ({
      ...waiting,
      failures: 0,
      finished_at: null,
      ...(reseeds && { reseeded: run('reseeded', '+', 1) }),
    }))
    .where('campaign', '=', campaign)
    .where('state', '=', 'failed')
    .$if(seqs !== undefined, (runs) => runs.where('seq', 'in', seqs!))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** Reads the failed attempts of the runs of a point, by seq, newest first. */
export async function failedAttempts(
  db: Kysely<Tables>,
  campaign: number,
  ordinal: number,
): Promise<Map<number, FailedAttempt[]>> {
  const found = new Map<number, FailedAttempt[]>();
  const rows = await db
    .selectFrom('failed_attempts')
    .innerJoin('runs', (join) =>
      join
        .onRef('runs.campaign', '=', 'failed_attempts.campaign')
        .onRef('runs.seq', '=', 'failed_attempts.seq'),
    )
    .select(['failed_attempts.seq', 'failed_at', 'failed_attempts.version', 'failed_attempts.reason'])
    .where('failed_attempts.campaign', '=', campaign)
    .where('runs.ordinal', '=', ordinal)
    .orderBy('failed_at', 'desc')
    .execute();
  for (const { seq, failed_at, version, reason } of rows) {
    const attempts = found.get(seq) ?? [];
    attempts.push({ failedAt: Number(failed_at), version, reason });
    found.set(seq, attempts);
  }
  return found;
}

/** Deletes all but the newest attempts of each run, or of one run. */
async function dropOldest(db: Kysely<Tables>, campaign: number, seq?: number): Promise<void> {
  await db
    .deleteFrom('failed_attempts')
    .where('campaign', '=', campaign)
    .$if(seq !== undefined, (attempts) => attempts.where('seq', '=', seq!))
    .where(
      sql<number>`(select count(*) from failed_attempts as newer where newer.campaign = failed_attempts.campaign
        and newer.seq = failed_attempts.seq and newer.failed_at > failed_attempts.failed_at)`,
      '>=',
      KEPT_ATTEMPTS,
    )
    .execute();
}
