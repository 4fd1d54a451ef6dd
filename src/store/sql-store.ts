import { setImmediate as breath } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Phase, Point, RunCounts } from '../campaign/types.ts';
import type {
  CampaignRecord,
  OpenRun,
  Origin,
  PlannedRun,
  ResultRow,
  RunObservation,
  Store,
} from './store.ts';
import { batches, columnsOf, runSlots, toRecord } from './rows.ts';
import { finishedStates, openStates, type Tables, unfinishedStates } from './tables.ts';

/** Rows an insert: below SQLite's limit of 32,766 variables for the widest table. */
const ROWS_AN_INSERT = 1_000;
/** Rows a page when results are read, so that a million of them never lie in memory at once. */
const ROWS_A_PAGE = 2_000;
/** Open runs that are read at once: below SQLite's limit of variables when their points are looked up. */
const OPEN_RUNS_AT_ONCE = 1_000;

/**
 * The store in SQL, through Kysely: every statement here is understood by SQLite and PostgreSQL alike.
 * node:sqlite answers at once, so long loops take a breath between batches: timers (heartbeats) then still run.
 */
export class SqlStore implements Store {
  readonly id: string;
  private readonly db: Kysely<Tables>;
  private readonly numbers = new Map<string, number>();

  constructor(db: Kysely<Tables>, id: string) {
    this.db = db;
    this.id = id;
  }

  async close(): Promise<void> {
    await this.db.destroy();
  }

  async addCampaign(
    { campaign, definition, digest }: Pick<CampaignRecord, 'campaign' | 'definition' | 'digest'>,
    now: number,
  ): Promise<boolean> {
    const added = await this.db
      .insertInto('campaigns')
      .values({
        id: campaign.id,
        campaign: JSON.stringify(campaign),
        definition,
        digest,
        phase: 'preparing',
        points: null,
        note: '',
        created_at: now,
        updated_at: now,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('number')
      .executeTakeFirst();
    return added !== undefined;
  }

  async getCampaign(id: string): Promise<CampaignRecord | undefined> {
    const row = await this.db.selectFrom('campaigns').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toRecord(row);
  }

  async listCampaigns(): Promise<CampaignRecord[]> {
    const rows = await this.db.selectFrom('campaigns').selectAll().orderBy('number', 'desc').execute();
    return rows.map(toRecord);
  }

  async setPhase(id: string, phase: Phase, now: number, note?: string): Promise<void> {
    await this.db
      .updateTable('campaigns')
      .set({ phase, updated_at: now, ...(note !== undefined && { note }) })
      // an activity that was given up may still come to its end: what is stopping does not run again
      .$if(phase === 'running', (update) => update.where('phase', 'in', ['preparing', 'running', 'paused']))
      .where('id', '=', id)
      .execute();
  }

  async removeCampaign(id: string): Promise<void> {
    await this.db
      .deleteFrom('campaigns')
      .where('id', '=', id)
      .where('points', 'is', null)
      // a first batch of points is there when a worker has begun to expand the design
      .where((campaign) =>
        campaign.not(
          campaign.exists(
            campaign
              .selectFrom('points')
              .select('ordinal')
              .whereRef('points.campaign', '=', 'campaigns.number'),
          ),
        ),
      )
      .execute();
    this.numbers.delete(id);
  }

  async putFile(hash: string, content: Uint8Array): Promise<void> {
    await this.db
      .insertInto('files')
      .values({ hash, content })
      .onConflict((conflict) => conflict.column('hash').doNothing())
      .execute();
  }

  async getFile(hash: string): Promise<Uint8Array | undefined> {
    const row = await this.db
      .selectFrom('files')
      .select('content')
      .where('hash', '=', hash)
      .executeTakeFirst();
    return row?.content;
  }

  async addPoints(
    id: string,
    points: Iterable<Point>,
    replications: number,
  ): Promise<{ points: number; runs: number }> {
    const campaign = await this.number(id);
    const known = await this.db
      .selectFrom('campaigns')
      .select('points')
      .where('number', '=', campaign)
      .executeTakeFirstOrThrow();
    if (known.points !== null) return { points: known.points, runs: known.points * replications };

    let count = 0;
    for (const batch of batches(points, ROWS_AN_INSERT)) {
      await this.db
        .insertInto('points')
        .values(
          batch.map(({ ordinal, key, values }) => ({
            campaign,
            ordinal,
            key,
            values: JSON.stringify(values),
          })),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      count += batch.length;
      await breath();
    }
    for (const batch of batches(runSlots(count, replications), ROWS_AN_INSERT)) {
      await this.db
        .insertInto('runs')
        .values(
          batch.map((slot) => ({
            campaign,
            ...slot,
            state: 'waiting' as const,
            attempts: 0,
            owned: 0,
            joined: 0,
          })),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      await breath();
    }
    await this.db.updateTable('campaigns').set({ points: count }).where('number', '=', campaign).execute();
    return { points: count, runs: count * replications };
  }

  async intend(id: string, seqs: readonly number[], now: number): Promise<PlannedRun[]> {
    if (seqs.length === 0) return [];
    const campaign = await this.number(id);
    // One statement, so that it is atomic against the change of phase that a cancel makes.
    const intended = await this.db
      .updateTable('runs')
      .set((run) => ({ attempts: run('attempts', '+', 1), state: 'intended' as const, requested_at: now }))
      .where('campaign', '=', campaign)
      .where('seq', 'in', seqs)
      .where('state', 'not in', finishedStates)
      .where((run) =>
        run.exists(
          run
            .selectFrom('campaigns')
            .select('number')
            .where('number', '=', campaign)
            .where('phase', 'in', ['preparing', 'running']),
        ),
      )
      .returning(['seq', 'ordinal', 'replication', 'attempts'])
      .execute();
    const points = await this.pointsOf(campaign, intended);
    return intended
      .map(({ seq, ordinal, replication, attempts }) => ({
        seq,
        point: points.get(ordinal)!,
        replication,
        attempt: attempts,
      }))
      .sort((a, b) => a.seq - b.seq);
  }

  async openRuns(id: string, seqs?: readonly number[]): Promise<OpenRun[]> {
    if (seqs?.length === 0) return [];
    const campaign = await this.number(id);
    const query = this.db
      .selectFrom('runs')
      .select(['seq', 'ordinal', 'replication', 'attempts', 'run_id', 'owned', 'joined'])
      .where('campaign', '=', campaign)
      .where('state', 'in', openStates)
      .orderBy('seq');
    const rows = await (seqs ? query.where('seq', 'in', seqs) : query.limit(OPEN_RUNS_AT_ONCE)).execute();
    const points = await this.pointsOf(campaign, rows);
    return rows.map(({ seq, ordinal, replication, attempts, run_id, owned, joined }) => ({
      seq,
      point: points.get(ordinal)!,
      replication,
      attempt: attempts,
      runId: run_id,
      // whatever came of a lost response is ours
      owned: owned === 1 || run_id === null,
      joined: joined === 1,
    }));
  }

  async observe(id: string, observations: readonly RunObservation[], now: number): Promise<void> {
    if (observations.length === 0) return;
    const campaign = await this.number(id);
    await this.db.transaction().execute(async (db) => {
      // A write first: SQLite then waits for other writers instead of failing when it has to become one.
      await db.updateTable('campaigns').set({ updated_at: now }).where('number', '=', campaign).execute();
      for (const observation of observations) {
        const { seq } = observation;
        const written = await db
          .updateTable('runs')
          .set((run) =>
            observation.state === 'unsent'
              ? { attempts: run('attempts', '-', 1) }
              : columnsOf(observation, now),
          )
          .where('campaign', '=', campaign)
          .where('seq', '=', seq)
          // only an intent is taken back: a run that is asked for while polling was requested before
          .where('state', 'in', observation.state === 'unsent' ? ['intended'] : unfinishedStates)
          .$if(observation.state === 'unsent', (update) => update.where('attempts', '>', 0))
          .returning('seq')
          .executeTakeFirst();
        if (written && observation.state === 'done') {
          await db
            .insertInto('outputs')
            .values({ campaign, seq, outputs: JSON.stringify(observation.outputs) })
            .onConflict((conflict) => conflict.columns(['campaign', 'seq']).doNothing())
            .execute();
        }
      }
    });
  }

  async claimedByOthers(id: string, runIds: readonly string[]): Promise<Set<string>> {
    if (runIds.length === 0) return new Set();
    const rows = await this.claimsOfOthers(await this.number(id), runIds)
      .select('run_id')
      .execute();
    return new Set(rows.map(({ run_id }) => run_id!));
  }

  async handOver(id: string, runIds: readonly string[]): Promise<void> {
    if (runIds.length === 0) return;
    const campaign = await this.number(id);
    await this.db
      .updateTable('runs')
      .set({ owned: 1 })
      .where('run_id', 'in', runIds)
      .where('campaign', '!=', campaign)
      .where('state', 'in', openStates)
      .execute();
  }

  async counts(id: string): Promise<RunCounts> {
    const rows = await this.db
      .selectFrom('runs')
      .select(['state', 'origin', (run) => run.fn.countAll<number | string>().as('count')])
      .where('campaign', '=', await this.number(id))
      .groupBy(['state', 'origin'])
      .execute();
    const sum = (test: (row: (typeof rows)[number]) => boolean): number =>
      rows.filter(test).reduce((total, { count }) => total + Number(count), 0);
    return {
      total: sum(() => true),
      done: sum(({ state }) => state === 'done'),
      new: sum(({ origin }) => origin === 'new'),
      reused: sum(({ origin }) => origin === 'reused'),
      failed: sum(({ state }) => state === 'failed'),
      running: sum(({ state }) => state === 'running'),
      queued: sum(({ state }) => state === 'queued'),
      waiting: sum(({ state }) => state === 'waiting' || state === 'intended'),
    };
  }

  async finished(
    id: string,
    seqs: readonly number[],
  ): Promise<{ seq: number; state: 'done' | 'failed'; origin: Origin | null }[]> {
    if (seqs.length === 0) return [];
    return this.db
      .selectFrom('runs')
      .select(['seq', 'state', 'origin'])
      .where('campaign', '=', await this.number(id))
      .where('seq', 'in', seqs)
      .where('state', 'in', finishedStates)
      .$narrowType<{ state: 'done' | 'failed' }>()
      .execute();
  }

  async *results(id: string): AsyncIterable<ResultRow> {
    const campaign = await this.number(id);
    let after = { ordinal: -1, replication: 0 };
    for (;;) {
      const rows = await this.db
        .selectFrom('runs')
        .innerJoin('points', (join) =>
          join.onRef('points.campaign', '=', 'runs.campaign').onRef('points.ordinal', '=', 'runs.ordinal'),
        )
        .leftJoin('outputs', (join) =>
          join.onRef('outputs.campaign', '=', 'runs.campaign').onRef('outputs.seq', '=', 'runs.seq'),
        )
        .select(['points.key', 'points.values', 'outputs.outputs'])
        .select([
          'runs.ordinal',
          'runs.replication',
          'runs.state',
          'runs.reason',
          'runs.run_id',
          'runs.origin',
        ])
        .select(['runs.requested_at', 'runs.finished_at'])
        .where('runs.campaign', '=', campaign)
        .where('runs.state', 'in', finishedStates)
        .where(sql<boolean>`(runs.ordinal, runs.replication) > (${after.ordinal}, ${after.replication})`)
        .orderBy('runs.ordinal')
        .orderBy('runs.replication')
        .limit(ROWS_A_PAGE)
        .$narrowType<{ state: 'done' | 'failed' }>()
        .execute();
      for (const row of rows) {
        yield {
          point: row.key,
          replication: row.replication,
          status: row.state,
          values: JSON.parse(row.values) as string[],
          outputs: JSON.parse(row.outputs ?? '{}') as Record<string, string>,
          reason: row.reason,
          runId: row.run_id,
          origin: row.origin,
          requestedAt: row.requested_at,
          finishedAt: row.finished_at,
        };
      }
      if (rows.length < ROWS_A_PAGE) return;
      after = rows.at(-1)!;
      await breath();
    }
  }

  private claimsOfOthers(campaign: number, runIds: readonly string[]) {
    return this.db
      .selectFrom('runs')
      .where('run_id', 'in', runIds)
      .where('campaign', '!=', campaign)
      .where('state', 'in', openStates);
  }

  private async pointsOf(
    campaign: number,
    runs: readonly { ordinal: number }[],
  ): Promise<Map<number, { key: string; values: string[] }>> {
    if (runs.length === 0) return new Map();
    const rows = await this.db
      .selectFrom('points')
      .select(['ordinal', 'key', 'values'])
      .where('campaign', '=', campaign)
      .where('ordinal', 'in', [...new Set(runs.map(({ ordinal }) => ordinal))])
      .execute();
    return new Map(
      rows.map(({ ordinal, key, values }) => [ordinal, { key, values: JSON.parse(values) as string[] }]),
    );
  }

  private async number(id: string): Promise<number> {
    const known = this.numbers.get(id);
    if (known !== undefined) return known;
    const row = await this.db
      .selectFrom('campaigns')
      .select('number')
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw new Error(`the store has no campaign ${id}`);
    this.numbers.set(id, row.number);
    return row.number;
  }
}
