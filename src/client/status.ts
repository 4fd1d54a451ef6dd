import { MOST_KEPT_BYTES } from '../campaign/output-files.ts';
import { precisionProgress } from '../campaign/draws.ts';
import type { PrecisionProgress } from '../campaign/precise-points.ts';
import { type Question, questionOf } from '../campaign/question.ts';
import { closedPhases, type Goal, type Phase, type Progress, type RunCounts } from '../campaign/types.ts';
import type { CampaignRecord, MissingReason, Store } from '../store/index.ts';
import { progressOf, type StrategyProgress } from './strategies.ts';

/** The status of a campaign, and where it comes from. Times are ISO 8601. */
export interface CampaignStatus {
  id: string;
  name: string;
  phase: Phase;
  /** Why the campaign cannot continue until a person fixes something; null when it can continue or is over. */
  blocked: string | null;
  model: string;
  modelVersion: number;
  service: string;
  /** What the campaign asks: try values, find the best, which inputs matter, or fit to data. */
  question: Question;
  points: number;
  runs: RunCounts;
  /**
   * The progress of a campaign that replicates its points until they are precise. Null for other campaigns, and when
   * the store has no record of the progress.
   */
  precision: PrecisionProgress | null;
  /** How the campaign gets its points and replications (`by`), and how far this is. */
  strategy: StrategyProgress;
  /** The number of open runs that the campaign wants to have; null when no worker answered. */
  window: number | null;
  /** The number of runs that finished per second recently; null when it is not known. */
  rate: number | null;
  secondsLeft: number | null;
  /** The setting for how many runs may be requested at once; null when no worker answered. */
  concurrency: number | 'auto' | null;
  /**
   * The build of the worker that carried out the campaign's last step (docs/guides/upgrade.md). Null for a campaign that
   * is over, and when Temporal does not say it.
   */
  build: string | null;
  /** Who paused the campaign; null when it is not paused, or when no worker answered. */
  pausedBy: 'person' | 'policy' | 'optimiser' | null;
  submitted: string;
  /** Who submitted the campaign; null if unknown. */
  owner: string | null;
  /**
   * The output that the campaign is about, and which of its values are better; null when the definition has no goal.
   */
  goal: Goal | null;
  /** `workflow`: the running workflow answered. `store`: the last state in the store. */
  source: 'workflow' | 'store';
  /** The time of this status. */
  asOf: string;
  /** A remark; empty if there is no remark. */
  note: string;
}

/** Whether a campaign is over: completed, failed or cancelled. */
export function isClosed({ phase }: Pick<CampaignStatus, 'phase'>): boolean {
  return closedPhases.includes(phase);
}

export async function statusFromWorkflow(
  store: Store,
  record: CampaignRecord,
  progress: Progress,
  {
    note: remark,
    blocked,
    build,
    now,
  }: { note: string; blocked: string | undefined; build: string | undefined; now: number },
): Promise<CampaignStatus> {
  const { phase, points, runs, precision, window, concurrency, rate, secondsLeft, pausedBy, note } = progress;
  const goesOn = blocked === undefined;
  return {
    ...head(record),
    phase,
    blocked: blocked ?? null,
    points,
    runs,
    precision,
    strategy: await progressOf(store, record.campaign),
    window,
    rate: goesOn ? rate : null,
    secondsLeft: goesOn ? secondsLeft : null,
    concurrency,
    build: build ?? null,
    pausedBy,
    note: joined(note, remark, await filesNote(store, record)),
    source: 'workflow',
    asOf: iso(now),
  };
}

export async function statusFromStore(
  store: Store,
  record: CampaignRecord,
  note: string,
  { blocked, build }: { blocked?: string | undefined; build?: string | undefined } = {},
): Promise<CampaignStatus> {
  return {
    ...head(record),
    phase: record.phase,
    // the campaign may have closed after its workflow was asked
    blocked: isClosed(record) ? null : (blocked ?? null),
    points: record.points,
    runs: await store.counts(record.campaign.id),
    precision: await precisionProgress(record.campaign, store),
    strategy: await knownProgress(store, record),
    window: null,
    rate: null,
    secondsLeft: null,
    concurrency: null,
    build: isClosed(record) ? null : (build ?? null),
    pausedBy: null,
    note: joined(record.note, await filesNote(store, record), note),
    source: 'store',
    asOf: iso(record.updatedAt),
  };
}

/** A remark about output files that the campaign should have stored but could not; empty if there are none. */
async function filesNote(store: Pick<Store, 'missingFiles'>, { campaign }: CampaignRecord): Promise<string> {
  if (campaign.outputFiles === 'link') return '';
  const lacking = await store.missingFiles(campaign.id);
  if (lacking.length === 0) return '';
  const total = lacking.reduce((sum, { count }) => sum + count, 0);
  const why = lacking.map(({ lack, count }) => `${count} ${missingWords[lack]}`).join(', ');
  return `output files that are not stored: ${total} (${why})`;
}

/** Why files are not stored, as phrases after a number. */
const missingWords: Record<MissingReason, string> = {
  'not-found': 'not at the service',
  refused: 'refused by the service',
  'too-large': `over ${MOST_KEPT_BYTES / 1_048_576} MiB`,
  failing: 'not downloaded so far',
};

function joined(...notes: string[]): string {
  return notes.filter(Boolean).join('; ');
}

function head({ campaign, createdAt, owner }: CampaignRecord) {
  const { id, name, model, service, goal = null } = campaign;
  return {
    id,
    name,
    model: model.name,
    modelVersion: model.version,
    service,
    question: questionOf(campaign),
    submitted: iso(createdAt),
    owner,
    goal,
  };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

/** Maximum number of campaigns whose progress is kept. */
const MOST_KNOWN = 10_000;
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
 * The progress of a campaign's strategy, which may come from an earlier call: reading all runs of a selection takes
 * seconds, and a closed campaign does not change. The progress of an open campaign may be a little old.
 */
async function knownProgress(store: Store, record: CampaignRecord): Promise<StrategyProgress> {
  const { campaign, createdAt, updatedAt, digest } = record;
  const known = knownIn.get(store) ?? new Map<string, Known>();
  knownIn.set(store, known);
  const isOver = isClosed(record);
  const state = JSON.stringify([createdAt, digest, isOver ? updatedAt : 'open']);
  const last = known.get(campaign.id);
  const began = performance.now();
  if (last?.state === state && (isOver || began < last.next)) return last.progress;
  const progress = await progressOf(store, campaign);
  const now = performance.now();
  known.delete(campaign.id);
  known.set(campaign.id, { state, next: now + PAUSE * (now - began), progress });
  if (known.size > MOST_KNOWN) known.delete(known.keys().next().value!);
  return progress;
}
