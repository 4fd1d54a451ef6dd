import { sql } from 'kysely';
import {
  type Campaign,
  type ModelVersion,
  ONE_ATTEMPT,
  type Phase,
  type VariedInput,
} from '../campaign/types.ts';
import type { CampaignRecord, PlannedRun, RunObservation } from './store.ts';

/** Settings that campaigns of earlier versions were submitted without. */
const earlier: Partial<Campaign> = {
  attempts: ONE_ATTEMPT,
  timeouts: { run: null, campaign: null },
  fresh: null,
  priority: 3,
  precision: null,
  commonRandomNumbers: false,
  outputFiles: 'link',
};

/** A campaign as it may have been written: earlier versions knew grids only, and kept the values with the inputs. */
type WrittenCampaign = Omit<Campaign, 'varied'> & { varied: (VariedInput & { values?: string[] })[] };

/** The text of a campaign as the store keeps it, read. */
export function toCampaign(text: string): Campaign {
  const written = { ...earlier, ...(JSON.parse(text) as WrittenCampaign) };
  if (Object.hasOwn(written, 'design')) return written;
  const inputs = written.varied.map(({ name }) => name);
  const values = written.varied.map((input) => input.values!);
  const varied = written.varied.map(({ name, type, units }) => ({ name, type, units }));
  return { ...written, varied, design: { kind: 'grid', inputs, values } };
}

/** The text of a campaign as the store keeps it: what has a column of its own is left out, and the model has its first version. */
export function textOfCampaign({ serviceId: _serviceId, versions, ...campaign }: Campaign): string {
  return JSON.stringify({ ...campaign, model: { ...campaign.model, ...versions?.[0] } });
}

/** A row of the table of campaigns as its record, with what was read of its larger columns. */
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
  },
  { campaign, definition }: Pick<CampaignRecord, 'campaign' | 'definition'>,
): CampaignRecord {
  const versions = row.versions === null ? undefined : (JSON.parse(row.versions) as ModelVersion[]);
  return {
    campaign: {
      ...campaign,
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
  };
}

/** What a planned run is read from. */
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

export function toPlanned(
  row: Record<Exclude<(typeof plannedColumns)[number], 'version'>, number> & { version: number | null },
  points: ReadonlyMap<number, KeyedPoint>,
): PlannedRun {
  const { seq, ordinal, replication, attempts, failures, reseeded, version } = row;
  return { seq, point: points.get(ordinal)!, replication, attempt: attempts, failures, reseeded, version };
}

/** A run that is not requested, as columns. */
export const unrequested = { run_id: null, owned: 0, joined: 0, attempts: 0 };

/** What an observation writes into the row of its run. */
export function columnsOf(
  observation: Exclude<RunObservation, { state: 'done' | 'unsent' | 'again' }>,
  now: number,
) {
  switch (observation.state) {
    case 'queued':
    case 'running':
      return {
        state: observation.state,
        run_id: observation.runId,
        // what is this campaign's to stop stays so: it may have been handed over since it was looked at, or be requested
        // again while another campaign has joined it
        owned: observation.owned
          ? 1
          : sql<number>`case when run_id = ${observation.runId} then owned else 0 end`,
        // once joined it stays so, whoever is to stop it
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
      return { state: observation.state, ...unrequested };
  }
}

/** Items in arrays of up to `size`, lazily. */
export function* batches<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
