import type { ChangeAnswer } from '../activities/index.ts';
import { inFlight, newSchedule, type Schedule, windowOf } from '../campaign/scheduler/index.ts';
import type { FailureCounts } from '../campaign/failures.ts';
import {
  expectedRuns,
  finishedPercent,
  isForeseeable,
  type PrecisionProgress,
  precisionText,
  runsText,
} from '../campaign/precise-points.ts';
import {
  type CampaignSettings,
  closedPhases,
  type FailureCause,
  type FlightReport,
  type Phase,
  type Progress,
  type RunCounts,
} from '../campaign/types.ts';

/** What a campaign's workflow carries from one execution to the next. Ids and counts only: never outputs. */
export interface CampaignState {
  version: 1 | 2;
  phase: Phase;
  /** What a person wants: carried out by the main loop. */
  wish: 'run' | 'pause' | 'stop';
  points: number;
  settings: Omit<CampaignSettings, 'concurrency'>;
  schedule: Schedule;
  /** All runs of the campaign. */
  total: number;
  /** How far a campaign is that replicates its points until they are precise. Absent from campaigns of earlier versions. */
  precision?: PrecisionProgress | null;
  /** The store was asked whether runs wait that nobody told of, and nothing was requested since. Absent from campaigns of earlier versions. */
  hasLooked?: boolean;
  /**
   * Of a campaign whose points a search finds, or whose best point is to be found (`isSelect`): whether it is over, and whether there is
   * something to tell it.
   */
  search?: { isOver: boolean; isDue: boolean; asked: number; isSelect?: boolean } | null;
  new: number;
  reused: number;
  failed: number;
  triedAgain: number;
  /** What was requested last was mostly there. */
  resultsFirst: boolean;
  /** Of what waits in the store, only what has failed before is to be requested. */
  failedOnly: boolean;
  /** Finished and failed runs when a person last let the campaign go on: earlier failures are forgiven. */
  forgiven: FailureCounts;
  /** Why the failure policy ended or paused the campaign; empty while it tolerates what there is. */
  verdict: string;
  /** Reasons of the last failures, a few. */
  failures: string[];
  causes: FailureCause[];
  /** Of the last ticks: when, and how many runs finished. */
  finishedAt: [at: number, count: number][];
  startedAt: number;
  note: string;
}

/** A search that nothing is known of yet: what it is at is asked first. */
export function newSearch(isSelect = false): NonNullable<CampaignState['search']> {
  return { isOver: false, isDue: true, asked: 0, ...(isSelect && { isSelect }) };
}

export function newState(now: number, settings: CampaignState['settings']): CampaignState {
  return {
    version: 2,
    phase: 'preparing',
    wish: 'run',
    points: 0,
    settings,
    schedule: newSchedule(0, 'auto'),
    total: 0,
    new: 0,
    reused: 0,
    failed: 0,
    triedAgain: 0,
    resultsFirst: true,
    failedOnly: false,
    forgiven: { finished: 0, failed: 0 },
    verdict: '',
    failures: [],
    causes: [],
    finishedAt: [],
    startedAt: now,
    note: '',
  };
}

/** A state that an earlier version of this workflow carried over, as one of this version. */
export function upgraded(carried: CampaignState, settings: CampaignState['settings']): CampaignState {
  if (carried.version === 2) return carried;
  const { schedule } = carried;
  return {
    ...newState(0, settings),
    ...carried,
    version: 2,
    total: schedule.total,
    schedule: { ...newSchedule(0, 'auto'), ...schedule },
  };
}

/** Takes in what the store says of the campaign after a change of it. */
export function takeCounts(
  state: CampaignState,
  {
    points,
    counts,
    settings,
    precision = null,
    isSearch = false,
    isSelect = false,
  }: Exclude<ChangeAnswer, { refused: string }>,
): void {
  const { total, new: fresh, reused, failed } = counts;
  if (failed < state.failed) state.causes = [];
  if (isSearch || isSelect) state.search = newSearch(isSelect);
  Object.assign(state, { points, settings, precision, total, new: fresh, reused, failed });
  state.schedule.runTimeout = settings.timeouts.run;
}

/** What is said of a campaign that is paused and resumed without end stays small: what was said first gives way. */
const LONGEST_NOTE = 1_000;

/** Adds to what is said about the campaign beside its counts. */
export function note(state: CampaignState, text: string): void {
  const all = state.note ? `${state.note}; ${text}` : text;
  state.note = all.length <= LONGEST_NOTE ? all : `…${all.slice(1 - LONGEST_NOTE)}`;
}

export function progressOf(state: CampaignState, now: number): Progress {
  const { schedule } = state;
  const done = state.new + state.reused;
  const { running, queued } = inFlight(schedule, now);
  const waiting = state.total - done - state.failed - running - queued;
  const rate = rateOf(state, now);
  const { phase, points, total, new: fresh, reused, failed, triedAgain, precision = null } = state;
  const runs: RunCounts = { total, done, new: fresh, reused, failed, running, queued, waiting };
  const open = expectedRuns({ runs, precision }) - done - failed;
  const isKnown = rate > 0 && phase === 'running' && isForeseeable(precision, points);
  return {
    phase,
    points,
    runs,
    precision,
    triedAgain,
    window: windowOf(schedule, now),
    rate,
    secondsLeft: isKnown ? Math.round(open / rate) : null,
    startedAt: state.startedAt,
    pausedBy: phase !== 'paused' ? null : state.verdict ? 'policy' : 'person',
    note: state.note,
  };
}

export function finishedSoFar({ new: fresh, reused, failed }: CampaignState): FailureCounts {
  return { finished: fresh + reused + failed, failed };
}

export function flightsOf({ schedule }: CampaignState): FlightReport[] {
  return schedule.flights.map(({ seq, startedAt, lookedAt }) => ({
    seq,
    state: startedAt < 0 ? 'queued' : 'running',
    startedAt: startedAt < 0 ? null : startedAt,
    seenAt: lookedAt,
  }));
}

/** Runs finished a second over the last ticks. */
function rateOf({ finishedAt, startedAt }: CampaignState, now: number): number {
  const last = finishedAt.at(-1);
  if (!last) return 0;
  // The first entry closes an interval that began before it, so it only counts when it is the campaign's first.
  const isWhole = finishedAt.length < 20;
  const from = isWhole ? startedAt : finishedAt[0]![0];
  const counted = isWhole ? finishedAt : finishedAt.slice(1);
  const seconds = (Math.max(now, last[0]) - from) / 1_000;
  return seconds > 0 ? counted.reduce((sum, [, count]) => sum + count, 0) / seconds : 0;
}

/**
 * The campaign as a page of Markdown for the Web UI, which shows the first few lines without scrolling, and takes a list
 * for one only after an empty line.
 */
export function detailsOf(state: CampaignState, now: number): string {
  const progress = progressOf(state, now);
  const { phase, points, runs, precision, triedAgain, window, rate, secondsLeft, note } = progress;
  const finished = runs.done + runs.failed;
  const percent = finishedPercent(progress);
  const left =
    secondsLeft === null || finished === expectedRuns(progress) ? '' : `, about ${secondsLeft} s left`;
  const failed = closedPhases.includes(phase) && runs.failed > 0 ? `, ${failedText(runs)}` : '';
  const lines = [
    `**${phase}${failed}**: ${finished} of ${precision ? 'about ' : ''}${expectedRuns(progress)} runs finished (${percent} %)${left}`,
    '',
    `- finished: ${runs.new} new, ${runs.reused} reused, ${runs.failed} failed; ${rate.toFixed(1)} a second`,
    `- open: ${runs.running} running, ${runs.queued} queued, ${runs.waiting} waiting; window ${window}`,
    state.search && !state.search.isSelect
      ? `- search: ${state.search.asked} points asked`
      : `- design: ${points} points`,
  ];
  if (precision) lines.push(`- ${precisionText(precision, points)}; ${runsText(precision, finished)}`);
  if (triedAgain > 0) lines.push(`- tried again after a failure: ${triedAgain}`);
  if (note) lines.push(`- ${plain(note)}`);
  const causes = commonestFirst(state.causes).slice(0, 3);
  if (causes.length > 0)
    lines.push('', 'Failures:', '', ...causes.map(({ cause, count }) => `- ${count} × ${plain(cause)}`));
  if (state.failures.length > 0)
    lines.push('', 'Last failures:', '', ...state.failures.map((reason) => `- ${plain(reason)}`));
  return lines.join('\n');
}

export function failedText({ failed, total }: RunCounts): string {
  return `${failed} of ${total} runs failed`;
}

/** Text from elsewhere as a line of Markdown that shows it as it is: `<Foo>` would vanish, `*` and `_` would be emphasis. */
function plain(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>&~|]/g, String.raw`\$&`).replaceAll(/\s+/g, ' ');
}

export function commonestFirst(causes: readonly FailureCause[]): FailureCause[] {
  return causes.toSorted((a, b) => b.count - a.count);
}
