import { type Kysely, sql } from 'kysely';
import { Batched } from '../batched.ts';
import type { ModelVersion, Phase, Point, RunCounts } from '../campaign/types.ts';
import { countDropped, dropOthers, FIRST, relayDropped, writeDesign } from './design.ts';
import { finishedAmong, finishedSeqs } from './finished.ts';
import { compact, deleteCampaign, deleteFile, listFiles, spareBytes } from './garbage.ts';
import { forgive, keepFailedAttempts } from './failed-attempts.ts';
import { keepFile, keptFiles, lackFile, lackingFiles, putFile } from './kept-files.ts';
import { lackingRuns, setOutputs } from './outputs.ts';
import { pointsLike } from './points.ts';
import type { Verdict, VerdictCounts } from '../campaign/precise-points.ts';
import { countVerdicts, forgetVerdicts, setVerdicts } from './verdicts.ts';
import { addReplications, allFinishedPoints, finishedPoints, readPoints } from './replications.ts';
import { finishedLately } from './recent.ts';
import { resultBatches } from './result-pages.ts';
import { keepRunLogs, lastRunLog, loggedRuns, runLogs } from './run-logs.ts';
import { asksOfPoints, readSearch, searchLength, writeSearch } from './search.ts';
import type { SearchLog, SearchStep } from '../campaign/search/log.ts';
import { type Done, writeDone } from './done.ts';
import {
  columnsOf,
  type KeyedPoint,
  plannedColumns,
  textOfCampaign,
  toCampaign,
  toPlanned,
  toRecord,
} from './rows.ts';
import type {
  CampaignRecord,
  DoneRun,
  FileLack,
  FinishedPoint,
  FinishedRow,
  KeptLog,
  Look,
  OpenRun,
  Origin,
  PlannedRun,
  PointStory,
  ResultRow,
  RunObservation,
  SearchWritten,
  Store,
  StoredFile,
  StoredLog,
} from './store.ts';
import { finishedStates, openStates, type StoredRunState, type Tables, unfinishedStates } from './tables.ts';

/** Definitions that are kept in memory. */
const DEFINITIONS = 8;
/** Finished runs that are written by one statement. */
const DONE_AT_ONCE = 50;
/** States in which an observation is taken in, where these are not all that a run is in before it has finished. */
const statesBefore: Partial<Record<RunObservation['state'], readonly StoredRunState[]>> = {
  // only an intent is taken back: a run that is asked for while polling was requested before
  unsent: ['intended'],
  // an attempt that failed is counted once, whoever saw it
  again: openStates,
};
/** Open runs that are read at once: below SQLite's limit of variables when their points are looked up. */
const OPEN_RUNS_AT_ONCE = 1_000;

/**
 * The store in SQL, through Kysely: every statement here is understood by SQLite and PostgreSQL alike.
 * node:sqlite answers at once, so long loops take a breath between batches: timers (heartbeats) then still run.
 */
export class SqlStore implements Store {
  readonly id: string;
  private readonly db: Kysely<Tables>;
  /** What was last read of campaigns, by their number and revision: with these it does not change. */
  private readonly definitions = new Map<string, Pick<CampaignRecord, 'campaign' | 'definition'>>();

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
        campaign: textOfCampaign(campaign),
        service_id: campaign.serviceId ?? null,
        versions: null,
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
    const head = await this.db
      .selectFrom('campaigns')
      .select(['number', 'revision', 'phase', 'points', 'digest', 'note', 'created_at', 'updated_at'])
      .select(['service_id', 'versions'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (!head) return undefined;
    // a large definition takes long to read, and each activity asks for it
    const key = `${head.number}/${head.revision}`;
    let written = this.definitions.get(key);
    if (!written) {
      const row = await this.db
        .selectFrom('campaigns')
        .select(['campaign', 'definition'])
        .where('number', '=', head.number)
        .executeTakeFirstOrThrow();
      written = { campaign: toCampaign(row.campaign), definition: row.definition };
      if (this.definitions.size === DEFINITIONS)
        this.definitions.delete(this.definitions.keys().next().value!);
      this.definitions.set(key, written);
    }
    return toRecord(head, written);
  }

  async listCampaigns(): Promise<CampaignRecord[]> {
    const rows = await this.db.selectFrom('campaigns').selectAll().orderBy('number', 'desc').execute();
    return rows.map((row) => toRecord(row, { ...row, campaign: toCampaign(row.campaign) }));
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

  async setVersions(id: string, versions: readonly ModelVersion[], now: number): Promise<void> {
    await this.db
      .updateTable('campaigns')
      .set({ versions: JSON.stringify(versions), updated_at: now })
      .where('id', '=', id)
      .execute();
  }

  async setService(id: string, serviceId: string): Promise<void> {
    await this.db.updateTable('campaigns').set({ service_id: serviceId }).where('id', '=', id).execute();
  }

  async knownRun(id: string): Promise<{ runId: string; version: number | null } | undefined> {
    const row = await this.db
      .selectFrom('runs')
      .select(['run_id', 'version'])
      .where('campaign', '=', await this.number(id))
      .where('run_id', 'is not', null)
      .orderBy('seq')
      .limit(1)
      .executeTakeFirst();
    return row && { runId: row.run_id!, version: row.version };
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
  }

  async deleteCampaign(id: string): Promise<void> {
    await deleteCampaign(this.db, await this.number(id));
  }

  async putFile(hash: string, content: Uint8Array, now: number): Promise<void> {
    await putFile(this.db, hash, content, now);
  }

  async listFiles(): Promise<StoredFile[]> {
    return listFiles(this.db);
  }

  async deleteFile(file: Pick<StoredFile, 'hash' | 'putAt'>): Promise<void> {
    await deleteFile(this.db, file);
  }

  async keepFile(
    id: string,
    hash: string,
    file: { sha256: string; content?: Uint8Array },
    now: number,
  ): Promise<boolean> {
    return keepFile(this.db, await this.number(id), hash, file, now);
  }

  async lackFile(id: string, hash: string, lack: FileLack): Promise<void> {
    await lackFile(this.db, await this.number(id), hash, lack);
  }

  async keptFiles(id: string, hashes: readonly string[]): Promise<Map<string, string>> {
    return keptFiles(this.db, await this.number(id), hashes);
  }

  async lackingFiles(id: string): Promise<{ lack: FileLack; count: number }[]> {
    return lackingFiles(this.db, await this.number(id));
  }

  async spareBytes(): Promise<number> {
    return spareBytes(this.db);
  }

  async compact(): Promise<void> {
    await compact(this.db);
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

    const count = await writeDesign(this.db, { campaign, revision: FIRST, replications }, points);
    await this.db.updateTable('campaigns').set({ points: count }).where('number', '=', campaign).execute();
    return { points: count, runs: count * replications };
  }

  async changeCampaign(
    { campaign, definition, digest }: Pick<CampaignRecord, 'campaign' | 'definition' | 'digest'>,
    points: Iterable<Point>,
    relay: ((values: string[]) => string[]) | undefined,
    now: number,
  ): Promise<{ added: number; dropped: number; kept: number }> {
    const number = await this.number(campaign.id);
    const before = await this.db
      .selectFrom('campaigns')
      .select(['revision', 'begun', 'digest', 'points'])
      .where('number', '=', number)
      .executeTakeFirstOrThrow();
    const known = before.points ?? 0;
    // of a change that was cut short something may be there, and this one is to tell it from its own
    if (before.digest === digest && before.begun === before.revision)
      return { added: 0, dropped: 0, kept: known };
    const { begun } = await this.db
      .updateTable('campaigns')
      .set((row) => ({ begun: row('begun', '+', 1) }))
      .where('number', '=', number)
      .returning('begun')
      .executeTakeFirstOrThrow();
    const design = { campaign: number, revision: begun, replications: campaign.replications };
    const count = await writeDesign(this.db, design, points);
    const dropped = await countDropped(this.db, design, before.revision);
    await dropOthers(this.db, design, count, campaign.precision?.max ?? campaign.replications);
    // the values of points are those of the inputs that the campaign says vary: both change at once
    await this.db.transaction().execute(async (db) => {
      const { numUpdatedRows } = await db
        .updateTable('campaigns')
        .set({
          campaign: textOfCampaign(campaign),
          definition,
          digest,
          points: count,
          revision: design.revision,
          updated_at: now,
        })
        .where('number', '=', number)
        .where('revision', '<', design.revision)
        .executeTakeFirstOrThrow();
      if (relay && numUpdatedRows > 0n) await relayDropped(db, design, relay);
    });
    const kept = known - dropped;
    return { added: count - kept, dropped, kept };
  }

  async *lacking(id: string, outputs: readonly string[]): AsyncIterable<DoneRun[]> {
    const campaign = await this.number(id);
    yield* lackingRuns(this.db, campaign, outputs, (runs) => this.pointsOf(campaign, runs));
  }

  async setOutputs(
    id: string,
    rows: readonly { seq: number; outputs: Record<string, string> }[],
  ): Promise<void> {
    await setOutputs(this.db, await this.number(id), rows);
  }

  async finishedPoints(id: string, seqs: readonly number[]): Promise<FinishedPoint[]> {
    return finishedPoints(this.db, await this.number(id), seqs);
  }

  async *allFinishedPoints(id: string): AsyncIterable<FinishedPoint[]> {
    yield* allFinishedPoints(this.db, await this.number(id));
  }

  async finishedAt(id: string, ordinals: readonly number[]): Promise<FinishedPoint[]> {
    return readPoints(this.db, await this.number(id), ordinals);
  }

  async searchLog(id: string): Promise<SearchLog> {
    return readSearch(this.db, await this.number(id));
  }

  async asksOfPoints(id: string): Promise<Map<string, number>> {
    return asksOfPoints(this.db, await this.number(id));
  }

  async searchLength(id: string): Promise<{ asks: number; events: number }> {
    return searchLength(this.db, await this.number(id));
  }

  async writeSearch(
    id: string,
    length: { asks: number; events: number },
    step: SearchStep,
  ): Promise<SearchWritten | undefined> {
    return writeSearch(this.db, await this.number(id), length, step);
  }

  async addReplications(
    id: string,
    wanted: readonly { ordinal: number; replications: number }[],
  ): Promise<number[]> {
    return addReplications(this.db, await this.number(id), wanted);
  }

  async setVerdicts(id: string, verdicts: readonly ({ ordinal: number } & Verdict)[]): Promise<void> {
    await setVerdicts(this.db, await this.number(id), verdicts);
  }

  async forgetVerdicts(id: string): Promise<void> {
    await forgetVerdicts(this.db, await this.number(id));
  }

  async countVerdicts(id: string): Promise<VerdictCounts> {
    return countVerdicts(this.db, await this.number(id));
  }

  async forgive(id: string, reseeds: boolean, now: number): Promise<number> {
    const campaign = await this.number(id);
    return this.db.transaction().execute(async (db) => {
      await this.touch(campaign, now, db);
      return forgive(db, campaign, reseeds);
    });
  }

  async waitingRuns(id: string, after: number, limit: number, failedOnly: boolean): Promise<number[]> {
    const rows = await this.db
      .selectFrom('runs')
      .select('seq')
      .where('campaign', '=', await this.number(id))
      .where('state', '=', 'waiting')
      .where('seq', '>', after)
      .$if(failedOnly, (runs) =>
        runs.where((run) => run.or([run('reason', 'is not', null), run('attempts', '>', 0)])),
      )
      .orderBy('seq')
      .limit(limit)
      .execute();
    return rows.map(({ seq }) => seq);
  }

  async reopen(id: string, now: number): Promise<void> {
    const campaign = await this.number(id);
    // what was requested of them stands, so that what comes of it is known as this campaign's
    await this.db
      .updateTable('runs')
      .set({ state: 'waiting' })
      .where('campaign', '=', campaign)
      .where('state', 'in', openStates)
      .execute();
    await this.db
      .updateTable('campaigns')
      .set({ phase: 'running', note: '', updated_at: now })
      .where('number', '=', campaign)
      .execute();
  }

  async intend(
    id: string,
    seqs: readonly number[],
    now: number,
    version: number | null = null,
  ): Promise<PlannedRun[]> {
    if (seqs.length === 0) return [];
    const campaign = await this.number(id);
    const intended = await this.db.transaction().execute(async (db) => {
      // Holds the campaign's row until the intents are there, so that a cancel sees them all or there are none.
      const { numUpdatedRows } = await db
        .updateTable('campaigns')
        .set({ updated_at: now })
        .where('number', '=', campaign)
        .where('phase', 'in', ['preparing', 'running'])
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) return [];
      return db
        .updateTable('runs')
        .set((run) => ({
          attempts: run('attempts', '+', 1),
          state: 'intended' as const,
          requested_at: now,
          // what may be at the service already stays with the version that it was requested with
          version: sql<
            number | null
          >`case when attempts = 0 then cast(${version} as integer) else version end`,
        }))
        .where('campaign', '=', campaign)
        .where('seq', 'in', seqs)
        .where('state', 'not in', finishedStates)
        .returning(plannedColumns)
        .execute();
    });
    const points = await this.pointsOf(campaign, intended);
    return intended.map((row) => toPlanned(row, points)).sort((a, b) => a.seq - b.seq);
  }

  async openRuns(id: string, seqs?: readonly number[]): Promise<OpenRun[]> {
    if (seqs?.length === 0) return [];
    const campaign = await this.number(id);
    const query = this.db
      .selectFrom('runs')
      .select([...plannedColumns, 'run_id', 'owned', 'joined'])
      .where('campaign', '=', campaign)
      .where('state', 'in', openStates)
      .orderBy('seq');
    const rows = await (seqs ? query.where('seq', 'in', seqs) : query.limit(OPEN_RUNS_AT_ONCE)).execute();
    const points = await this.pointsOf(campaign, rows);
    return rows.map((row) => ({
      ...toPlanned(row, points),
      runId: row.run_id,
      // whatever came of a lost response is ours
      owned: row.owned === 1 || row.run_id === null,
      joined: row.joined === 1,
    }));
  }

  async observe(id: string, observations: readonly RunObservation[], now: number): Promise<void> {
    if (observations.length === 0) return;
    const campaign = await this.number(id);
    await this.db.transaction().execute(async (db) => {
      // A write first: SQLite then waits for other writers instead of failing when it has to become one.
      await this.touch(campaign, now, db);
      let done: Done[] = [];
      const flush = async (): Promise<void> => {
        if (done.length > 0) await writeDone(db, campaign, done, now);
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
          await keepFailedAttempts(db, campaign, { seq, reason: observation.reason, now });
        await db
          .updateTable('runs')
          .set((run) =>
            state === 'unsent'
              ? { attempts: run('attempts', '-', 1) }
              : state === 'again'
                ? {
                    ...columnsOf({ seq, state: 'waiting' }, now),
                    reason: observation.reason,
                    failures: run('failures', '+', 1),
                    ...(observation.reseeds && { reseeded: run('reseeded', '+', 1) }),
                  }
                : columnsOf(observation, now),
          )
          .where('campaign', '=', campaign)
          .where('seq', '=', seq)
          .where('state', 'in', statesBefore[state] ?? unfinishedStates)
          .$if(state === 'unsent', (update) => update.where('attempts', '>', 0))
          .execute();
      }
      await flush();
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

  async keepRunLogs(id: string, logs: readonly KeptLog[], now: number): Promise<void> {
    await keepRunLogs(this.db, await this.number(id), logs, now);
  }

  async loggedRuns(id: string): Promise<Map<number, string>> {
    return loggedRuns(this.db, await this.number(id));
  }

  async runLogs(id: string): Promise<StoredLog[]> {
    return runLogs(this.db, await this.number(id));
  }

  async lastRunLog(id: string): Promise<StoredLog | undefined> {
    return lastRunLog(this.db, await this.number(id));
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

  async pointsLike(id: string, key: string): Promise<PointStory[]> {
    return pointsLike(this.db, await this.number(id), key);
  }

  async newRuns(id: string): Promise<{ runs: number; ms: number }> {
    const { runs, from, to } = await this.db
      .selectFrom('runs')
      .select((run) => [
        run.fn.countAll<number | string>().as('runs'),
        run.fn.min('requested_at').as('from'),
        run.fn.max('finished_at').as('to'),
      ])
      .where('campaign', '=', await this.number(id))
      .where('state', '=', 'done')
      .where('origin', '=', 'new')
      .executeTakeFirstOrThrow();
    return { runs: Number(runs), ms: Number(to ?? 0) - Number(from ?? 0) };
  }

  async finished(
    id: string,
    seqs: readonly number[],
  ): Promise<{ seq: number; state: 'done' | 'failed'; origin: Origin | null }[]> {
    if (seqs.length === 0) return [];
    // By seq alone: asked for the state as well, SQLite would read all that has finished by the index of states.
    const rows = await this.db
      .selectFrom('runs')
      .select(['seq', 'state', 'origin'])
      .where('campaign', '=', await this.number(id))
      .where('seq', 'in', seqs)
      .execute();
    return rows.flatMap(({ seq, state, origin }) =>
      state === 'done' || state === 'failed' ? [{ seq, state, origin }] : [],
    );
  }

  async lately(id: string, since?: Look): Promise<{ rows: ResultRow[]; look: Look }> {
    return finishedLately(this.db, await this.number(id), since);
  }

  results(id: string): AsyncIterable<ResultRow> {
    return new Batched(this.resultBatches(id));
  }

  async *finishedSeqs(id: string, from: number): AsyncIterable<number[]> {
    yield* finishedSeqs(this.db, await this.number(id), from);
  }

  async finishedAmong(id: string, seqs: readonly number[]): Promise<FinishedRow[]> {
    return finishedAmong(this.db, await this.number(id), seqs);
  }

  private async *resultBatches(id: string): AsyncIterable<ResultRow[]> {
    yield* resultBatches(this.db, await this.number(id));
  }

  /** Says that something of a campaign has changed. */
  private async touch(campaign: number, now: number, db: Kysely<Tables> = this.db): Promise<void> {
    await db.updateTable('campaigns').set({ updated_at: now }).where('number', '=', campaign).execute();
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
  ): Promise<Map<number, KeyedPoint>> {
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
    const row = await this.db
      .selectFrom('campaigns')
      .select('number')
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw new Error(`the store has no campaign ${id}`);
    return row.number;
  }
}
