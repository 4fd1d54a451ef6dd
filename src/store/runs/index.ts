import { type Kysely, sql } from 'kysely';
import { CountChanges, readCounts } from './counts.ts';
import { type Done, completeRuns } from './complete.ts';
import { keepFailedAttempt, resetFailed } from './failed-attempts.ts';
import { keysLike, neighboursOf, pointStory } from './find-points.ts';
import { columnsOf, plannedColumns, toPlanned } from '../rows.ts';
import { keepRunLogs, lastRunLog, loggedRuns, runLogs } from './logs.ts';
import { finishedStates, openStates, type Tables, unfinishedStates } from '../tables.ts';
import { byId, numberOf, pointsOf, touch } from '../by-id.ts';
import type { OpenRun, PlannedRun, RunObservation, StoredRunState } from '../types.ts';

/** The maximum number of completed runs that one statement writes. */
const DONE_AT_ONCE = 50;
/**
 * The states in which a run accepts an observation. Observations without an entry here are accepted in all unfinished
 * states.
 */
const statesBefore: Partial<Record<RunObservation['state'], readonly StoredRunState[]>> = {
  // only an intent can be withdrawn: a run in another state has already been requested
  unsent: ['intended'],
  // a failed attempt counts only once, even if it is observed twice
  again: openStates,
};
/**
 * The maximum number of open runs that are read at once. Their points are looked up in one statement, and SQLite limits
 * its number of variables.
 */
const OPEN_RUNS_AT_ONCE = 1_000;

/** Runs: their states, their owners at the service, and the logs of failed runs. */
export function runStore(db: Kysely<Tables>) {
  return {
    /**
     * Records the intent to request runs, before any request is made. Leaves out finished runs. Leaves out all runs
     * unless the campaign is preparing or running, so that nothing can be requested after a cancel.
     *
     * @param version - the number of the model version for runs that were never requested; null for the campaign's first
     * version
     */
    async intend(
      id: string,
      seqs: readonly number[],
      now: number,
      version: number | null = null,
    ): Promise<PlannedRun[]> {
      if (seqs.length === 0) return [];
      const campaign = await numberOf(db, id);
      const intended = await db.transaction().execute(async (transaction) => {
        // this locks the campaign's row until the intents are written, so that a cancel sees all intents or none
        const { numUpdatedRows } = await transaction
          .updateTable('campaigns')
          .set({ updated_at: now })
          .where('number', '=', campaign)
          .where('phase', 'in', ['preparing', 'running'])
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return [];
        const changes = await CountChanges.ofRuns(transaction, campaign, seqs);
        const rows = await transaction
          .updateTable('runs')
          .set((run) => ({
            attempts: run('attempts', '+', 1),
            state: 'intended' as const,
            requested_at: now,
            // a run that the service may already have keeps the version of its first request
            version: sql<
              number | null
            >`case when attempts = 0 then cast(${version} as integer) else version end`,
          }))
          .where('campaign', '=', campaign)
          .where('seq', 'in', seqs)
          .where('state', 'not in', finishedStates)
          .returning(plannedColumns)
          .execute();
        for (const { seq } of rows) changes.set(seq, 'waiting');
        await changes.save(transaction, campaign);
        return rows;
      });
      const points = await pointsOf(db, campaign, intended);
      return intended.map((row) => toPlanned(row, points)).sort((a, b) => a.seq - b.seq);
    },

    /**
     * Runs that were requested, or were about to be requested, and that have not finished. Without `seqs`, only the first
     * thousand runs.
     */
    async openRuns(id: string, seqs?: readonly number[]): Promise<OpenRun[]> {
      if (seqs?.length === 0) return [];
      const campaign = await numberOf(db, id);
      const query = db
        .selectFrom('runs')
        .select([...plannedColumns, 'run_id', 'owned', 'joined'])
        .where('campaign', '=', campaign)
        .where('state', 'in', openStates)
        .orderBy('seq');
      const rows = await (seqs ? query.where('seq', 'in', seqs) : query.limit(OPEN_RUNS_AT_ONCE)).execute();
      const points = await pointsOf(db, campaign, rows);
      return rows.map((row) => ({
        ...toPlanned(row, points),
        runId: row.run_id,
        // a run whose response was lost counts as a run of this campaign
        owned: row.owned === 1 || row.run_id === null,
        joined: row.joined === 1,
      }));
    },

    /** Writes observations of runs. Runs that have finished stay unchanged. */
    async observe(id: string, observations: readonly RunObservation[], now: number): Promise<void> {
      if (observations.length === 0) return;
      const campaign = await numberOf(db, id);
      await db.transaction().execute(async (transaction) => {
        // the transaction begins with a write, so that SQLite waits for other writers: if it began with a read, its
        // first write could fail
        await touch(transaction, campaign, now);
        const seqs = observations.map(({ seq }) => seq);
        const changes = await CountChanges.ofRuns(transaction, campaign, seqs);
        /** Completed runs that are not written yet. */
        let done: Done[] = [];
        const flush = async (): Promise<void> => {
          const written = done.length > 0 ? await completeRuns(transaction, campaign, done, now) : [];
          for (const { seq, origin } of written) changes.set(seq, origin);
          done = [];
        };
        for (const observation of observations) {
          if (observation.state === 'done') {
            done.push(observation);
            if (done.length === DONE_AT_ONCE) await flush();
            continue;
          }
          await flush();
          const { seq, state } = observation;
          if (state === 'again')
            await keepFailedAttempt(transaction, campaign, { seq, reason: observation.reason, now });
          const { numUpdatedRows } = await transaction
            .updateTable('runs')
            .set(columnsOf(observation, now))
            .where('campaign', '=', campaign)
            .where('seq', '=', seq)
            .where('state', 'in', statesBefore[state] ?? unfinishedStates)
            .$if(state === 'unsent', (update) => update.where('attempts', '>', 0))
            .executeTakeFirstOrThrow();
          if (numUpdatedRows > 0n)
            changes.set(seq, state === 'unsent' || state === 'again' ? 'waiting' : state);
        }
        await flush();
        await changes.save(transaction, campaign);
      });
    },

    /**
     * Sets failed runs to waiting, as if they had never failed. With `reseeds`, they get another seed. The reasons of
     * their failures stay stored. Returns the number of runs.
     *
     * @param cause - if it is given, only runs that failed for this cause are reset
     */
    async resetFailed(id: string, reseeds: boolean, now: number, cause?: string): Promise<number> {
      const campaign = await numberOf(db, id);
      return db.transaction().execute(async (transaction) => {
        await touch(transaction, campaign, now);
        return resetFailed(transaction, campaign, reseeds, cause);
      });
    },

    /**
     * The seqs of waiting runs above `after`, in ascending order. With `failedOnly`, only runs that were requested
     * before.
     */
    async waitingRuns(id: string, after: number, limit: number, failedOnly: boolean): Promise<number[]> {
      const rows = await db
        .selectFrom('runs')
        .select('seq')
        .where('campaign', '=', await numberOf(db, id))
        .where('state', '=', 'waiting')
        .where('seq', '>', after)
        .$if(failedOnly, (runs) =>
          runs.where((run) => run.or([run('reason', 'is not', null), run('attempts', '>', 0)])),
        )
        .orderBy('seq')
        .limit(limit)
        .execute();
      return rows.map(({ seq }) => seq);
    },

    /**
     * Opens a campaign whose workflow is closed, so that it can run again. Its open runs become waiting runs. The next
     * request finds them at the service.
     */
    async reopen(id: string, now: number): Promise<void> {
      const campaign = await numberOf(db, id);
      await db.transaction().execute(async (transaction) => {
        await transaction
          .updateTable('campaigns')
          .set({ phase: 'running', note: '', updated_at: now })
          .where('number', '=', campaign)
          .execute();
        const changes = new CountChanges();
        // the requests stay recorded, so that their results count as results of this campaign
        for (const state of openStates) {
          const { numUpdatedRows } = await transaction
            .updateTable('runs')
            .set({ state: 'waiting' })
            .where('campaign', '=', campaign)
            .where('state', '=', state)
            .executeTakeFirstOrThrow();
          changes.move(state === 'intended' ? 'waiting' : state, 'waiting', Number(numUpdatedRows));
        }
        await changes.save(transaction, campaign);
      });
    },

    /** The given service runs that are also open runs of another campaign. */
    async claimedByOthers(id: string, runIds: readonly string[]): Promise<Set<string>> {
      if (runIds.length === 0) return new Set();
      const rows = await db
        .selectFrom('runs')
        .select('run_id')
        .where('run_id', 'in', runIds)
        .where('campaign', '!=', await numberOf(db, id))
        .where('state', 'in', openStates)
        .execute();
      return new Set(rows.map(({ run_id }) => run_id!));
    },

    /** Hands the ownership of service runs over to the other campaigns that wait for them. */
    async handOver(id: string, runIds: readonly string[]): Promise<void> {
      if (runIds.length === 0) return;
      const campaign = await numberOf(db, id);
      await db
        .updateTable('runs')
        .set({ owned: 1 })
        .where('run_id', 'in', runIds)
        .where('campaign', '!=', campaign)
        .where('state', 'in', openStates)
        .execute();
    },

    /** Records that a campaign is about to stop a service run. */
    async recordStop(id: string, runId: string): Promise<void> {
      await db
        .insertInto('stopped_runs')
        .values({ campaign: await numberOf(db, id), run_id: runId })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },

    /** Whether a campaign of this store has stopped a service run, or was about to stop it. */
    async wasStopped(runId: string): Promise<boolean> {
      const row = await db
        .selectFrom('stopped_runs')
        .select('run_id')
        .where('run_id', '=', runId)
        .executeTakeFirst();
      return row !== undefined;
    },

    counts: byId(db, readCounts),

    /**
     * The number of completed runs that the campaign itself started, and the time in ms from the first request to the end
     * of the last of these runs.
     */
    async newRuns(id: string): Promise<{ runs: number; ms: number }> {
      const { runs, from, to } = await db
        .selectFrom('runs')
        .select((run) => [
          run.fn.countAll<number | string>().as('runs'),
          run.fn.min('requested_at').as('from'),
          run.fn.max('finished_at').as('to'),
        ])
        .where('campaign', '=', await numberOf(db, id))
        .where('state', '=', 'done')
        .where('origin', '=', 'new')
        .executeTakeFirstOrThrow();
      return { runs: Number(runs), ms: Number(to ?? 0) - Number(from ?? 0) };
    },

    keysLike: byId(db, keysLike),
    pointStory: byId(db, pointStory),
    neighboursOf: byId(db, neighboursOf),

    keepRunLogs: byId(db, keepRunLogs),
    loggedRuns: byId(db, loggedRuns),
    runLogs: byId(db, (from, campaign) => runLogs(from, campaign)),
    lastRunLog: byId(db, lastRunLog),
  };
}
