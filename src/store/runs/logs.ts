import type { Kysely } from 'kysely';
import type { KeptLog, StoredLog } from '../types.ts';
import type { Tables } from '../tables.ts';

/** Stores the logs of failed runs, replaces their earlier logs, and deletes the logs of runs that have completed. */
export async function keepRunLogs(
  db: Kysely<Tables>,
  campaign: number,
  logs: readonly KeptLog[],
  now: number,
): Promise<void> {
  await db
    .deleteFrom('run_logs')
    .where('campaign', '=', campaign)
    .where('seq', 'in', logsOf(db, campaign).select('run_logs.seq').where('runs.state', '=', 'done'))
    .execute();
  for (const { seq, cause, lines, omitted, command } of logs) {
    const row = { cause, lines: JSON.stringify(lines), omitted, command: command ?? null, kept_at: now };
    await db
      .insertInto('run_logs')
      .values({ campaign, seq, ...row })
      .onConflict((conflict) => conflict.columns(['campaign', 'seq']).doUpdateSet(row))
      .execute();
  }
}

/** Maps the seq of each run that has a log and is not done to the cause of its failure. */
export async function loggedRuns(db: Kysely<Tables>, campaign: number): Promise<Map<number, string>> {
  const rows = await logsOf(db, campaign)
    .select(['run_logs.seq', 'run_logs.cause'])
    .where('runs.state', '!=', 'done')
    .execute();
  return new Map(rows.map(({ seq, cause }) => [seq, cause]));
}

/** All logs of a campaign or of one point, ordered by the seq of their run. */
export async function runLogs(db: Kysely<Tables>, campaign: number, ordinal?: number): Promise<StoredLog[]> {
  const rows = await withPlace(logsOf(db, campaign))
    .$if(ordinal !== undefined, (logs) => logs.where('runs.ordinal', '=', ordinal!))
    .orderBy('run_logs.seq')
    .execute();
  return rows.map(toLog);
}

/** The log that was kept last; undefined if there is none. */
export async function lastRunLog(db: Kysely<Tables>, campaign: number): Promise<StoredLog | undefined> {
  const row = await withPlace(logsOf(db, campaign))
    .orderBy('run_logs.kept_at', 'desc')
    .orderBy('run_logs.seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && toLog(row);
}

/** A query for the logs of a campaign, with their runs. */
function logsOf(db: Kysely<Tables>, campaign: number) {
  return db
    .selectFrom('run_logs')
    .innerJoin('runs', (join) =>
      join.onRef('runs.campaign', '=', 'run_logs.campaign').onRef('runs.seq', '=', 'run_logs.seq'),
    )
    .where('run_logs.campaign', '=', campaign);
}

function withPlace(logs: ReturnType<typeof logsOf>) {
  return logs
    .innerJoin('points', (join) =>
      join.onRef('points.campaign', '=', 'runs.campaign').onRef('points.ordinal', '=', 'runs.ordinal'),
    )
    .select(['run_logs.seq', 'run_logs.cause', 'run_logs.lines', 'run_logs.omitted', 'run_logs.command'])
    .select(['points.key as point', 'runs.replication', 'runs.reason']);
}

type Row = Awaited<ReturnType<ReturnType<typeof withPlace>['execute']>>[number];

function toLog({ seq, point, replication, reason, cause, lines, omitted, command }: Row): StoredLog {
  return {
    seq,
    point,
    replication,
    reason,
    cause,
    lines: JSON.parse(lines) as string[],
    omitted,
    ...(command !== null && { command }),
  };
}
