import { closedPhases } from '../campaign/types.ts';
import type { CampaignRecord, Store } from '../store/index.ts';
import { progressOf, type StrategyProgress } from './strategies.ts';

/** Maximum number of campaigns whose progress is kept. */
const MOST = 10_000;
/**
 * The progress of an open campaign is computed again only after this many times the duration of the computation. So a
 * process that lists campaigns again and again spends at most a tenth of its time on each of them.
 */
const PAUSE = 9;

interface Known {
  /** A text that changes with the campaign. */
  state: string;
  /** The time of the next computation for an open campaign, by a monotonic clock, ms. */
  next: number;
  progress: StrategyProgress;
}

const knownIn = new WeakMap<Store, Map<string, Known>>();

/**
 * The progress of a campaign's strategy, which may be kept from an earlier call: the reading of all runs of a selection
 * takes seconds, and a closed campaign does not change. The progress of an open campaign may be a little old.
 */
export async function knownProgress(store: Store, record: CampaignRecord): Promise<StrategyProgress> {
  const { campaign, phase, createdAt, updatedAt, digest } = record;
  const known = knownIn.get(store) ?? new Map<string, Known>();
  knownIn.set(store, known);
  const isClosed = closedPhases.includes(phase);
  const state = JSON.stringify([createdAt, digest, isClosed ? updatedAt : 'open']);
  const last = known.get(campaign.id);
  const began = performance.now();
  if (last?.state === state && (isClosed || began < last.next)) return last.progress;
  const progress = await progressOf(store, campaign);
  const now = performance.now();
  known.delete(campaign.id);
  known.set(campaign.id, { state, next: now + PAUSE * (now - began), progress });
  if (known.size > MOST) known.delete(known.keys().next().value!);
  return progress;
}
