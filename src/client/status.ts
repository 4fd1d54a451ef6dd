import { MOST_KEPT_BYTES } from '../campaign/output-files.ts';
import { type PrecisionProgress, precisionProgress } from '../campaign/precise-points.ts';
import { searchOf, storyOfSelect } from './search.ts';
import type { Phase, Progress, RunCounts } from '../campaign/types.ts';
import { closedPhases } from '../campaign/types.ts';
import type { SelectSummary } from '../search/select-story.ts';
import type { SearchSummary } from '../search/summary.ts';
import type { CampaignRecord, DesignStore, FileLack, FileStore, Store } from '../store/index.ts';

/** Where a campaign is, and who says so. Times are ISO 8601. */
export interface CampaignStatus {
  id: string;
  name: string;
  phase: Phase;
  /** Why it cannot go on at the moment, for a person to mend; null while it goes on, and when it is over. */
  blocked: string | null;
  model: string;
  modelVersion: number;
  service: string;
  points: number;
  runs: RunCounts;
  /** Of a campaign that replicates its points until they are precise; null also where nobody wrote it down. */
  precision: PrecisionProgress | null;
  /** Of a campaign whose points a search finds; null of others, and in lists. */
  search: SearchSummary | null;
  /** Of a campaign that finds out which of its points is the best; null of others. */
  select: SelectSummary | null;
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

/** Whether a campaign is over: completed, failed or cancelled. */
export function isClosed({ phase }: Pick<CampaignStatus, 'phase'>): boolean {
  return closedPhases.includes(phase);
}

export async function statusFromWorkflow(
  store: Store,
  record: CampaignRecord,
  progress: Progress,
  { note: trouble, blocked, now }: { note: string; blocked: string | undefined; now: number },
): Promise<CampaignStatus> {
  const { phase, points, runs, precision = null, window, rate, secondsLeft, pausedBy, note } = progress;
  const goesOn = blocked === undefined;
  return {
    ...head(record),
    phase,
    blocked: blocked ?? null,
    points,
    runs,
    precision,
    search: await searchOf(store, record.campaign),
    select: (await storyOfSelect(store, record.campaign))?.summary ?? null,
    window,
    rate: goesOn ? rate : null,
    secondsLeft: goesOn ? secondsLeft : null,
    pausedBy,
    note: joined(note, trouble, await filesNote(store, record)),
    source: 'workflow',
    asOf: iso(now),
  };
}

export async function statusFromStore(
  store: Store,
  record: CampaignRecord,
  note: string,
  blocked?: string,
): Promise<CampaignStatus> {
  return {
    ...head(record),
    phase: record.phase,
    blocked: blocked ?? null,
    points: record.points,
    runs: await store.counts(record.campaign.id),
    precision: await precisionFrom(store, record),
    search: await searchOf(store, record.campaign),
    select: (await storyOfSelect(store, record.campaign))?.summary ?? null,
    window: null,
    rate: null,
    secondsLeft: null,
    pausedBy: null,
    note: joined(record.note, await filesNote(store, record), note),
    source: 'store',
    asOf: iso(record.updatedAt),
  };
}

/** How far a campaign is that replicates its points until they are precise; earlier versions wrote nothing of it down. */
async function precisionFrom(
  store: DesignStore,
  { campaign, phase }: CampaignRecord,
): Promise<PrecisionProgress | null> {
  if (!campaign.precision) return null;
  const progress = precisionProgress(await store.countVerdicts(campaign.id), campaign.precision.max);
  return phase === 'completed' && progress.judged === 0 ? null : progress;
}

/** What there is to say of files that a campaign was to keep; empty mostly. */
async function filesNote(store: FileStore, { campaign }: CampaignRecord): Promise<string> {
  if (campaign.outputFiles === 'link') return '';
  const lacking = await store.lackingFiles(campaign.id);
  if (lacking.length === 0) return '';
  const total = lacking.reduce((sum, { count }) => sum + count, 0);
  const why = lacking.map(({ lack, count }) => `${count} ${lackWords[lack]}`).join(', ');
  return `files of outputs that are not kept: ${total} (${why})`;
}

/** Behind their number. */
const lackWords: Record<FileLack, string> = {
  'not-found': 'not at the service',
  refused: 'that the service does not give',
  'too-large': `over ${MOST_KEPT_BYTES / 1_048_576} MiB`,
  failing: 'that could not be fetched so far',
};

function joined(...notes: string[]): string {
  return notes.filter(Boolean).join('; ');
}

function head({ campaign, createdAt }: CampaignRecord) {
  const { id, name, model, service } = campaign;
  return { id, name, model: model.name, modelVersion: model.version, service, submitted: iso(createdAt) };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
