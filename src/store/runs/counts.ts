import { type Kysely, sql } from 'kysely';
import type { RunCounts } from '../../campaign/types.ts';
import type { Origin } from '../types.ts';
import type { Tables } from '../tables.ts';

/** The name under which a run is counted. A completed run counts under its origin, and an intended run as waiting. */
export type Counted = 'waiting' | 'queued' | 'running' | 'failed' | Origin;

const none: Record<Counted, number> = { waiting: 0, queued: 0, running: 0, failed: 0, new: 0, reused: 0 };

/**
 * The changes that a transaction makes to the counts of a campaign's runs. Every transaction that writes states of
 * runs, adds runs or deletes runs saves these changes too.
 */
export class CountChanges {
  readonly #changes = { ...none };
  /** The name under which a run was last counted, by seq. A run that is not in the map counts as waiting. */
  readonly #before = new Map<number, Counted>();

  /**
   * Prepares changes for unfinished runs that are about to be written. It reads all queued and running runs between the
   * lowest and the highest of the seqs, with one index scan for each of the two states. A campaign has at most 32,000
   * queued and running runs, usually far fewer. Looking up each run would take longer.
   */
  static async ofRuns(db: Kysely<Tables>, campaign: number, seqs: readonly number[]): Promise<CountChanges> {
    // this is SQL text because frequent transactions run it: to build the query with Kysely would take as long as the
    // rest of the function
    const { rows } = await sql<{ seq: number; state: 'queued' | 'running' }>`
      select seq, state from runs where state in ('queued', 'running') and campaign = ${campaign}
        and seq >= ${Math.min(...seqs)} and seq <= ${Math.max(...seqs)}`.execute(db);
    const changes = new CountChanges();
    for (const { seq, state } of rows) changes.#before.set(seq, state);
    return changes;
  }

  /** Counts a run after its state was written. */
  set(seq: number, as: Counted): void {
    this.move(this.#before.get(seq) ?? 'waiting', as);
    this.#before.set(seq, as);
  }

  /** @param runs - the number of runs; negative if runs are deleted */
  add(as: Counted, runs: number): this {
    this.#changes[as] += runs;
    return this;
  }

  move(from: Counted, to: Counted, runs = 1): this {
    return this.add(from, -runs).add(to, runs);
  }

  async save(db: Kysely<Tables>, campaign: number): Promise<void> {
    if (Object.values(this.#changes).every((change) => change === 0)) return;
    const { waiting, queued, running, failed, new: started, reused } = this.#changes;
    await sql`
      insert into run_counts as kept (campaign, waiting, queued, running, failed, "new", reused)
      values (${campaign}, ${waiting}, ${queued}, ${running}, ${failed}, ${started}, ${reused})
      on conflict (campaign) do update set waiting = kept.waiting + excluded.waiting,
        queued = kept.queued + excluded.queued, running = kept.running + excluded.running,
        failed = kept.failed + excluded.failed, "new" = kept."new" + excluded."new",
        reused = kept.reused + excluded.reused`.execute(db);
  }
}

/** An SQL expression for the name under which a run is counted. */
const counted = sql<Counted>`case state when 'done' then origin when 'intended' then 'waiting' else state end`;

/** Counts the runs with `from` <= seq < `to` under each name. */
export async function countRange(
  db: Kysely<Tables>,
  campaign: number,
  { from, to }: { from: number; to: number },
): Promise<{ as: Counted; runs: number }[]> {
  const rows = await db
    .selectFrom('runs')
    .select((run) => [counted.as('as'), run.fn.countAll<number | string>().as('runs')])
    .where('campaign', '=', campaign)
    .where('seq', '>=', from)
    .where('seq', '<', to)
    .groupBy('as')
    .execute();
  return rows.map(({ as, runs }) => ({ as, runs: Number(runs) }));
}

/** Reads the stored counts of a campaign's runs. */
export async function readCounts(db: Kysely<Tables>, campaign: number): Promise<RunCounts> {
  const kept = await db
    .selectFrom('run_counts')
    .selectAll()
    .where('campaign', '=', campaign)
    .executeTakeFirst();
  const { waiting, queued, running, failed, new: started, reused } = kept ?? none;
  const done = started + reused;
  const total = waiting + queued + running + failed + done;
  return { total, done, new: started, reused, failed, running, queued, waiting };
}
