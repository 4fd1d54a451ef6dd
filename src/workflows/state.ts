import { inFlight, newSchedule, type Schedule, windowOf } from '../campaign/schedule.ts';
import type { FailureCounts } from '../campaign/failures.ts';
import type { Phase, Progress } from '../campaign/types.ts';

/** What a campaign's workflow carries from one execution to the next. Ids and counts only: never outputs. */
export interface CampaignState {
  version: 1;
  phase: Phase;
  /** What a person wants: carried out by the main loop. */
  wish: 'run' | 'pause' | 'stop';
  points: number;
  schedule: Schedule;
  new: number;
  reused: number;
  failed: number;
  /** Finished and failed runs when a person last let the campaign go on: earlier failures are forgiven. */
  forgiven: FailureCounts;
  /** Why the failure policy ended or paused the campaign; empty while it tolerates what there is. */
  verdict: string;
  /** Reasons of the last failures, a few. */
  failures: string[];
  /** Of the last ticks: when, and how many runs finished. */
  finishedAt: [at: number, count: number][];
  startedAt: number;
  note: string;
}

export function newState(now: number): CampaignState {
  return {
    version: 1,
    phase: 'preparing',
    wish: 'run',
    points: 0,
    schedule: newSchedule(0, 'auto'),
    new: 0,
    reused: 0,
    failed: 0,
    forgiven: { finished: 0, failed: 0 },
    verdict: '',
    failures: [],
    finishedAt: [],
    startedAt: now,
    note: '',
  };
}

/** Adds to what is said about the campaign beside its counts. */
export function note(state: CampaignState, text: string): void {
  state.note = state.note ? `${state.note}; ${text}` : text;
}

export function progressOf(state: CampaignState, now: number): Progress {
  const { schedule } = state;
  const done = state.new + state.reused;
  const { running, queued } = inFlight(schedule);
  const waiting = schedule.total - done - state.failed - running - queued;
  const rate = rateOf(state, now);
  return {
    phase: state.phase,
    points: state.points,
    runs: {
      total: schedule.total,
      done,
      new: state.new,
      reused: state.reused,
      failed: state.failed,
      running,
      queued,
      waiting,
    },
    window: windowOf(schedule, now),
    rate,
    secondsLeft: rate > 0 ? Math.round((running + queued + waiting) / rate) : null,
    startedAt: state.startedAt,
    pausedBy: state.phase !== 'paused' ? null : state.verdict ? 'policy' : 'person',
    note: state.note,
  };
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

/** The campaign as a page of Markdown for the Web UI, which shows the first few lines without scrolling. */
export function detailsOf(state: CampaignState, now: number): string {
  const { phase, points, runs, window, rate, secondsLeft, note } = progressOf(state, now);
  const finished = runs.done + runs.failed;
  const percent = runs.total > 0 ? Math.floor((100 * finished) / runs.total) : 0;
  const left = secondsLeft === null || finished === runs.total ? '' : `, about ${secondsLeft} s left`;
  const lines = [
    `**${phase}**: ${finished} of ${runs.total} runs finished (${percent} %)${left}`,
    '',
    `- finished: ${runs.new} new, ${runs.reused} reused, ${runs.failed} failed; ${rate.toFixed(1)} a second`,
    `- open: ${runs.running} running, ${runs.queued} queued, ${runs.waiting} waiting; window ${window}`,
    `- design: ${points} points`,
  ];
  if (note) lines.push(`- ${note}`);
  if (state.failures.length > 0)
    lines.push('', 'Last failures:', ...state.failures.map((reason) => `- ${reason}`));
  return lines.join('\n');
}
