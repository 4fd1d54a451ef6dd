import type { ChangeAnswer } from '../activities/index.ts';
import {
  type CarriedSchedule,
  inFlight,
  newSchedule,
  packed,
  type Schedule,
  unpacked as unpackedSchedule,
  windowOf,
} from '../campaign/scheduler/index.ts';
import type { FailureCounts } from '../campaign/failures.ts';
import { expectedRuns, isForeseeable, type PrecisionProgress } from '../campaign/precise-points.ts';
import type { Step } from '../campaign/strategy.ts';
import type {
  CampaignSettings,
  FailureCause,
  FlightReport,
  Phase,
  Progress,
  RunCounts,
} from '../campaign/types.ts';

/**
 * The state that a campaign's workflow carries from one execution to the next: seqs, counts and notes, but never
 * outputs.
 */
export interface CampaignState {
  phase: Phase;
  /** The phase that a person or a policy requested. The main loop carries out this request. */
  wish: 'run' | 'pause' | 'stop';
  points: number;
  settings: Omit<CampaignSettings, 'concurrency'>;
  schedule: Schedule;
  /** Number of runs of the campaign. */
  total: number;
  /** The progress of a campaign that replicates its points until they are precise; null for another campaign. */
  precision: PrecisionProgress | null;
  /** True if the store was asked for waiting runs that no activity had reported, and nothing was requested since. */
  hasLooked: boolean;
  /** The state of a strategy that adds points or replications; null for a design that has all its points. */
  search: SearchState | null;
  new: number;
  reused: number;
  failed: number;
  triedAgain: number;
  /**
   * Whether to ask for results before runs are requested: at first, and later if the service already had at least half
   * of the last requested runs.
   */
  resultsFirst: boolean;
  /** Whether to request only waiting runs that failed before. */
  failedOnly: boolean;
  /**
   * The numbers of finished and failed runs when a person last resumed or changed the campaign. The failure policy does
   * not count earlier runs.
   */
  forgiven: FailureCounts;
  /** Why the failure policy ended or paused the campaign, or why its timeout ended it; empty otherwise. */
  verdict: string;
  /** Reasons of the last few failures. */
  failures: string[];
  causes: FailureCause[];
  /** For each of the last ticks: its time, and the number of runs that it found finished. */
  finishedAt: [at: number, count: number][];
  startedAt: number;
  note: string;
}

/** The state of whatever decides on further runs. */
export interface SearchState {
  step: Step;
  isOver: boolean;
  /** Whether it may have something to do, for example because runs have finished. */
  isDue: boolean;
  /** The number of points that it has asked for. */
  asked: number;
  /** The time of its last request for points, ms since 1970. */
  proposedAt: number;
  /** The number of runs that have finished since then. */
  finished: number;
  /** While fewer runs than this have finished, it cannot ask for more points; null while unknown. */
  needs: number | null;
  /** Whether it was over when a change, such as a retry, continued the campaign. */
  wasOver: boolean;
  /** Why an outside optimiser does not continue, which a person has to correct; null if it does. */
  refusal: string | null;
}

/** The state at the start: the first step is due. Null for a design that has all its points. */
export function newSearch(step: Step | null, wasOver = false): SearchState | null {
  if (step === null) return null;
  const none = { asked: 0, proposedAt: 0, finished: 0, needs: null, refusal: null };
  return { step, isOver: false, isDue: true, ...none, wasOver };
}

/** A retry of only the failed runs adds no points to a growing design. */
export function isStillAfterRetry({ search, failedOnly }: CampaignState): boolean {
  return failedOnly && search?.step === 'size';
}

export function newState(now: number, settings: CampaignState['settings']): CampaignState {
  return {
    phase: 'preparing',
    wish: 'run',
    points: 0,
    settings,
    schedule: newSchedule(0, 'auto'),
    total: 0,
    precision: null,
    hasLooked: false,
    search: null,
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

/** A state as one execution of the workflow passes it to the next. */
export type CarriedState = Omit<CampaignState, 'schedule'> & { schedule: CarriedSchedule };

export function carried(state: CampaignState): CarriedState {
  return { ...state, schedule: packed(state.schedule) };
}

/** The state of the previous execution. */
export function unpacked(given: CarriedState): CampaignState {
  return { ...given, schedule: unpackedSchedule(given.schedule) };
}

/** Updates the state from the store after a change of the campaign. */
export function updateCounts(
  state: CampaignState,
  { points, counts, settings, precision, step, isDecided }: Exclude<ChangeAnswer, { refused: string }>,
): void {
  const { total, new: fresh, reused, failed } = counts;
  if (failed < state.failed) state.causes = [];
  state.search = newSearch(step, isDecided);
  Object.assign(state, { points, settings, precision, total, new: fresh, reused, failed });
  state.schedule.runTimeout = settings.timeouts.run;
}

/**
 * The maximum number of characters of the note. A campaign may be paused and resumed many times, so the oldest part of
 * a longer note is dropped.
 */
const LONGEST_NOTE = 1_000;

/** The maximum number of characters that are kept of a person's reason. */
const LONGEST_REASON = 200;

/** A note with the reason that a person gives, if any. */
export function because(what: string, reason: unknown): string {
  return typeof reason === 'string' && reason !== '' ? `${what}: ${reason.slice(0, LONGEST_REASON)}` : what;
}

/** Adds a note about the campaign. */
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
  const { phase, points, total, new: fresh, reused, failed, triedAgain, precision } = state;
  const runs: RunCounts = { total, done, new: fresh, reused, failed, running, queued, waiting };
  const open = expectedRuns({ runs, precision }) - done - failed;
  const isKnown = rate > 0 && phase === 'running' && isForeseeable(precision, points) && !asksForMore(state);
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
    concurrency: schedule.concurrency,
    pausedBy: phase !== 'paused' ? null : pauserOf(state),
    note: state.note,
  };
}

/** Whether a strategy may ask for further runs, so that their number at the end is unknown. */
export function asksForMore({ search }: CampaignState): boolean {
  return search !== null && !search.isOver;
}

function pauserOf({ verdict, search }: CampaignState): Progress['pausedBy'] {
  if (verdict) return 'policy';
  return search !== null && search.refusal !== null ? 'optimiser' : 'person';
}

export function finishedSoFar({ new: fresh, reused, failed }: CampaignState): FailureCounts {
  return { finished: fresh + reused + failed, failed };
}

/** The maximum number of flights in an answer of the query `flights`. Temporal refuses answers over 2 MB. */
const MOST_REPORTED = 20_000;

export function flightsOf({ schedule }: CampaignState): FlightReport[] {
  return schedule.flights.slice(0, MOST_REPORTED).map(({ seq, startedAt, lookedAt }) => ({
    seq,
    state: startedAt < 0 ? 'queued' : 'running',
    startedAt: startedAt < 0 ? null : startedAt,
    seenAt: lookedAt,
  }));
}

/** The number of ticks over which the rate of finished runs is taken. */
export const LAST_TICKS = 20;

/** Finished runs a second over the last ticks. */
function rateOf({ finishedAt, startedAt }: CampaignState, now: number): number {
  const last = finishedAt.at(-1);
  if (!last) return 0;
  // The first entry counts the runs of an interval before its time. That interval is known only if the entry is the
  // first one of the campaign.
  const isWhole = finishedAt.length < LAST_TICKS;
  const from = isWhole ? startedAt : finishedAt[0]![0];
  const counted = isWhole ? finishedAt : finishedAt.slice(1);
  const seconds = (Math.max(now, last[0]) - from) / 1_000;
  return seconds > 0 ? counted.reduce((sum, [, count]) => sum + count, 0) / seconds : 0;
}

export function failedText({ failed, total }: RunCounts): string {
  return `${failed} of ${total} runs failed`;
}

export function commonestFirst(causes: readonly FailureCause[]): FailureCause[] {
  return causes.toSorted((a, b) => b.count - a.count);
}
