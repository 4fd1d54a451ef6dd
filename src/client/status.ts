import type { Phase, Progress, RunCounts } from '../campaign/types.ts';
import { closedPhases } from '../campaign/types.ts';
import type { CampaignRecord, Store } from '../store/index.ts';

/** Where a campaign is, and who says so. Times are ISO 8601. */
export interface CampaignStatus {
  id: string;
  name: string;
  phase: Phase;
  model: string;
  modelVersion: number;
  service: string;
  points: number;
  runs: RunCounts;
  /** How many runs are kept requested at once; null when no worker could be asked. */
  window: number | null;
  /** Runs finished a second, lately. */
  rate: number | null;
  secondsLeft: number | null;
  /** Who paused it, while it is; null also when no worker could be asked. */
  pausedBy: 'person' | 'policy' | null;
  submitted: string;
  /** `workflow`: the running workflow answered; `store`: what was last written to the store. */
  source: 'workflow' | 'store';
  /** When what is said here was true. */
  asOf: string;
  /** What else there is to say; empty mostly. */
  note: string;
}

export function isClosed({ phase }: Pick<CampaignStatus, 'phase'>): boolean {
  return closedPhases.includes(phase);
}

export function statusFromWorkflow(record: CampaignRecord, progress: Progress, now: number): CampaignStatus {
  const { phase, points, runs, window, rate, secondsLeft, pausedBy, note } = progress;
  return {
    ...head(record),
    phase,
    points,
    runs,
    window,
    rate,
    secondsLeft,
    pausedBy,
    note,
    source: 'workflow',
    asOf: iso(now),
  };
}

export async function statusFromStore(
  store: Store,
  record: CampaignRecord,
  note: string,
): Promise<CampaignStatus> {
  return {
    ...head(record),
    phase: record.phase,
    points: record.points,
    runs: await store.counts(record.campaign.id),
    window: null,
    rate: null,
    secondsLeft: null,
    pausedBy: null,
    note: [record.note, note].filter(Boolean).join('; '),
    source: 'store',
    asOf: iso(record.updatedAt),
  };
}

function head({ campaign, createdAt }: CampaignRecord) {
  const { id, name, model, service } = campaign;
  return { id, name, model: model.name, modelVersion: model.version, service, submitted: iso(createdAt) };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
