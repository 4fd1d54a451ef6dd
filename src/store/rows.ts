import type { Campaign, Phase } from '../campaign/types.ts';
import type { CampaignRecord, RunObservation } from './store.ts';

/** A row of the table of campaigns as its record. */
export function toRecord(row: {
  campaign: string;
  definition: string;
  digest: string;
  phase: Phase;
  points: number | null;
  created_at: number;
  updated_at: number;
  note: string;
}): CampaignRecord {
  return {
    campaign: JSON.parse(row.campaign) as Campaign,
    definition: row.definition,
    digest: row.digest,
    phase: row.phase,
    points: row.points ?? 0,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    note: row.note,
  };
}

/** What an observation writes into the row of its run. */
export function columnsOf(observation: Exclude<RunObservation, { state: 'unsent' }>, now: number) {
  switch (observation.state) {
    case 'queued':
    case 'running':
      return {
        state: observation.state,
        run_id: observation.runId,
        owned: observation.owned ? 1 : 0,
        // once joined it stays so, whoever is to stop it
        ...(!observation.owned && { joined: 1 }),
      };
    case 'done':
      return {
        state: observation.state,
        run_id: observation.runId,
        origin: observation.origin,
        reason: null,
        finished_at: now,
      };
    case 'failed':
      return {
        state: observation.state,
        run_id: observation.runId,
        reason: observation.reason,
        finished_at: now,
      };
    case 'waiting':
      return { state: observation.state, run_id: null, owned: 0, joined: 0, attempts: 0 };
  }
}

/** One slot a run in the order of work: replication 1 of every point, then 2, so that partial results are balanced. */
export function* runSlots(
  points: number,
  replications: number,
): Generator<{ seq: number; ordinal: number; replication: number }> {
  let seq = 0;
  for (let replication = 1; replication <= replications; replication += 1) {
    for (let ordinal = 0; ordinal < points; ordinal += 1) yield { seq: seq++, ordinal, replication };
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
