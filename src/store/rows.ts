import { type Kysely, sql } from 'kysely';
import type { GrowthRound } from '../campaign/growth.ts';
import { hasStrategy } from '../campaign/strategy.ts';
import type { Campaign, ModelVersion, Phase } from '../campaign/types.ts';
import type { CampaignRecord, PlannedRun, RunObservation } from './types.ts';
import type { Tables } from './tables.ts';

export function toCampaign(text: string): Campaign {
  return JSON.parse(text) as Campaign;
}

/**
 * The text of a campaign for the store. It leaves out fields that have their own column. It contains only the first
 * model version of the campaign.
 */
export function textOfCampaign({ serviceId: _serviceId, versions, ...campaign }: Campaign): string {
  return JSON.stringify({ ...withRounds(campaign, []), model: { ...campaign.model, ...versions?.[0] } });
}

/** The rounds of a growing design, as text for the store. Null if there are no rounds. */
export function textOfRounds(campaign: Campaign): string | null {
  if (!hasStrategy(campaign, 'growing') || campaign.strategy.rounds.length === 0) return null;
  return JSON.stringify(campaign.strategy.rounds);
}

/** The campaign with the rounds of its growing design; unchanged if its design does not grow. */
function withRounds<C extends Pick<Campaign, 'strategy'>>(campaign: C, rounds: GrowthRound[]): C {
  return hasStrategy(campaign, 'growing')
    ? { ...campaign, strategy: { ...campaign.strategy, rounds } }
    : campaign;
}

/** Makes a record from a row of the table `campaigns`, with the parsed campaign and the definition. */
export function toRecord(
  row: {
    digest: string;
    phase: Phase;
    points: number | null;
    created_at: number;
    updated_at: number;
    note: string;
    service_id: string | null;
    versions: string | null;
    rounds: string | null;
    owner: string | null;
  },
  { campaign, definition }: Pick<CampaignRecord, 'campaign' | 'definition'>,
): CampaignRecord {
  const versions = row.versions === null ? undefined : (JSON.parse(row.versions) as ModelVersion[]);
  return {
    campaign: {
      ...withRounds(campaign, row.rounds === null ? [] : (JSON.parse(row.rounds) as GrowthRound[])),
      ...(row.service_id !== null && { serviceId: row.service_id }),
      ...(versions && { versions, model: { ...campaign.model, ...versions.at(-1)! } }),
    },
    definition,
    digest: row.digest,
    phase: row.phase,
    points: row.points ?? 0,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    note: row.note,
    owner: row.owner,
  };
}

/** The columns from which `toPlanned` makes a planned run. */
export const plannedColumns = [
  'seq',
  'ordinal',
  'replication',
  'attempts',
  'failures',
  'reseeded',
  'version',
] as const;

export type KeyedPoint = PlannedRun['point'];

/** Makes a planned run from its row. @param points - the points of the runs, by ordinal */
export function toPlanned(
  row: Record<Exclude<(typeof plannedColumns)[number], 'version'>, number> & { version: number | null },
  points: ReadonlyMap<number, KeyedPoint>,
): PlannedRun {
  const { seq, ordinal, replication, attempts, failures, reseeded, version } = row;
  return { seq, point: points.get(ordinal)!, replication, attempt: attempts, failures, reseeded, version };
}

/** Column values of a run that waits for a request. */
export const waiting = { state: 'waiting' as const, run_id: null, owned: 0, joined: 0, attempts: 0 };

/** The columns that an observation changes in the row of its run. `completeRuns` writes runs that are done. */
export function columnsOf(observation: Exclude<RunObservation, { state: 'done' }>, now: number) {
  switch (observation.state) {
    case 'queued':
    case 'running':
      return {
        state: observation.state,
        run_id: observation.runId,
        // a campaign that owns a run stays its owner, even if the observation names another owner: another campaign
        // handed the run over to it after the observation, or it requested the run again after another campaign joined
        owned: observation.owned
          ? 1
          : sql<number>`case when run_id = ${observation.runId} then owned else 0 end`,
        // a run that another campaign owns counts as joined, even if this campaign becomes its owner later
        ...(!observation.owned && {
          joined: sql<number>`case when run_id = ${observation.runId} and owned = 1 then joined else 1 end`,
        }),
      };
    case 'failed':
      return {
        state: observation.state,
        run_id: observation.runId,
        reason: observation.reason,
        finished_at: now,
      };
    case 'waiting':
      return waiting;
    case 'unsent':
      return { attempts: sql<number>`attempts - 1` };
    case 'again':
      return {
        ...waiting,
        reason: observation.reason,
        failures: sql<number>`failures + 1`,
        ...(observation.reseeds && { reseeded: sql<number>`reseeded + 1` }),
      };
  }
}

/**
 * Locks the row of a campaign until the transaction ends. Every transaction that writes runs or points takes this lock
 * first. Without it, two transactions that lock the same rows in different orders could block each other.
 */
export async function lock(db: Kysely<Tables>, campaign: number): Promise<void> {
  await locking(db, campaign).execute();
}

/** The update that {@link lock} makes: it changes nothing, and can return columns of the row. */
export function locking(db: Kysely<Tables>, campaign: number) {
  return db
    .updateTable('campaigns')
    .set((row) => ({ seqs: row.ref('seqs') }))
    .where('number', '=', campaign);
}
