import { capacity } from './backlog.ts';
import { chanceFinished, isQueued } from './flight.ts';
import { durationsOf } from './life-table.ts';
import { type Outcomes, type Schedule, seqsAgain } from './state.ts';
import { isOnFew, tickLength } from './next-tick.ts';
import { areShort } from './poll-timing.ts';

/**
 * How much later than planned a tick may be, ms. Timers are coarse, and requests take time. If the last tick was later,
 * the next one is expected to be as late, but by no more than a whole tick.
 */
const TICK_LATENESS = 500;

/**
 * The reserve in the queue, in standard deviations of the number of starts in a tick. Starts are assumed to be
 * independent. With few executors, a tick is longer than a run: then starts are more regular, and a reserve is large
 * compared with the number of executors.
 */
const RESERVE = { ofMany: 4, ofFew: 2 };

/** The target length of the queue while the rate of starts is unknown, as a share of the flights. */
const FIRST_AIM = 0.4;

/** How many runs may be requested now. */
export function roomIn(schedule: Schedule, now: number): number {
  const { concurrency, flights, measuredAt } = schedule;
  if (schedule.isHeld) return 0;
  const most = capacity(schedule, now);
  if (concurrency !== 'auto') return Math.max(0, Math.min(most, concurrency - flights.length));
  const queued = flights.filter(isQueued).length;
  // the next burst waits for the outcome of this one
  if (!schedule.isSaturated) return queued > 0 ? 0 : Math.max(0, Math.min(most, schedule.burst));
  const left = Math.max(0, queued - expectedStarts(schedule, measuredAt, now));
  return Math.max(0, Math.min(most, Math.round(queueAim(schedule, now) - left)));
}

/** True when the next page of waiting runs has to be read from the store. */
export function needsWork(schedule: Schedule, now: number): boolean {
  return schedule.more !== null && !schedule.isHeld && schedule.again.length < roomIn(schedule, now);
}

/**
 * The target length of the queue after a tick: the starts until the next tick, and a reserve for their noise.
 */
export function queueAim(schedule: Schedule, now: number): number {
  if (schedule.startRate === 0) return FIRST_AIM * schedule.flights.length;
  const length = tickLength(schedule, now);
  const tick = length + Math.max(TICK_LATENESS, Math.min(length, schedule.lateness));
  const starts = Math.max(expectedStarts(schedule, now, now + tick), (schedule.startRate * tick) / 1_000);
  const reserve = isOnFew(schedule) ? RESERVE.ofFew : RESERVE.ofMany;
  return starts + reserve * (Math.sqrt(starts) + 1);
}

/**
 * The expected number of runs that start between two times. While runs are queued, as many runs start as finish. For
 * runs that take longer than the interval, the ages of the running ones predict the number. For shorter runs, the rate
 * of starts predicts it.
 */
export function expectedStarts(schedule: Schedule, from: number, to: number): number {
  const { hazard, flights, startRate } = schedule;
  const durations = durationsOf(hazard);
  if (!durations || durations.mean < to - from) return (startRate * (to - from)) / 1_000;
  let starts = 0;
  for (const flight of flights) {
    if (isQueued(flight)) continue;
    const { lookedAt } = flight;
    starts +=
      chanceFinished(flight, durations, Math.max(lookedAt, to)) -
      chanceFinished(flight, durations, Math.max(lookedAt, from));
  }
  return starts;
}

/**
 * Uses the probes (the polled flights of the queue) to measure how far the queue has moved. Services start runs in the
 * order of request, so every run before the last started probe has started as well; their start times are spread
 * evenly. Returns the number of runs that started. This number includes half of the gap between the last probe that
 * started and the first probe that did not.
 */
export function measureQueue(schedule: Schedule, outcomes: Outcomes, now: number): number {
  const queue = schedule.flights.filter(isQueued);
  const indexOf = new Map(queue.map(({ seq }, index) => [seq, index]));
  const indices = (seqs: number[]): number[] => seqs.flatMap((seq) => indexOf.get(seq) ?? []);
  const { running, failed } = outcomes;
  const last = Math.max(
    -1,
    ...indices(running),
    ...indices(outcomes.new),
    ...indices(outcomes.reused),
    ...indices(failed),
    ...indices(seqsAgain(outcomes)),
  );
  const waiting = indices(outcomes.queued).filter((index) => index > last);
  schedule.isSaturated = waiting.length > 0;
  const first = Math.min(queue.length, ...waiting);
  const started = (last + 1 + first) / 2;
  const since = now - schedule.measuredAt;
  for (const [index, flight] of queue.entries()) {
    if (index > last) break;
    flight.startedAt = Math.round(schedule.measuredAt + (since * (index + 0.5)) / Math.max(1, started));
    flight.lookedAt = flight.startedAt;
  }
  return started;
}

/**
 * The shortest time over which a rate of starts is computed, s. Over a shorter time, one run would determine the rate.
 */
const SHORTEST_MEASURE = 0.25;

/** How much faster a service may start runs than it did in a time in which its queue became empty. */
const GROWTH = 1.35;

/** The weight of the last tick in the rate of starts. */
const WEIGHT = 0.3;

/** Updates the rate of starts by the runs that started since the last measurement, when runs were queued. */
export function learnRate(schedule: Schedule, started: number, now: number): void {
  const seconds = (now - schedule.measuredAt) / 1_000;
  if (seconds <= SHORTEST_MEASURE) return;
  // the queue became empty during this time, so the service could have started more runs than it did
  const isLowerBound = !schedule.isSaturated;
  const growth = isLowerBound && areShort(schedule) ? GROWTH : 1;
  const rate = (growth * started) / seconds;
  if (isLowerBound && rate < schedule.startRate) return;
  // a first rate, or a lower bound above the old rate, replaces the old rate completely
  const isReplaced = schedule.startRate === 0 || isLowerBound;
  // if less than one start was expected, a single start says little about the rate
  const weight = isReplaced ? 1 : WEIGHT * Math.min(1, schedule.startRate * seconds);
  schedule.startRate += (rate - schedule.startRate) * weight;
}
