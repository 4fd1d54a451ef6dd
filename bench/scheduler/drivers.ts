import {
  decide,
  isFinished,
  newSchedule,
  emptyOutcomes,
  applyOutcomes,
  wakeIn,
} from '../../src/campaign/scheduler/index.ts';
import { type Capacity, VirtualService } from './service.ts';

export interface Measured {
  makespan: number;
  polls: number;
  /** History events; undefined without Temporal. */
  events?: number;
  /** Mean time from the end of a run until a poll finds that the run has finished, ms. */
  lag: number;
  /** Outstanding runs at the service divided by its capacity, averaged over time until the end. */
  outstanding: number;
}

/** Duration of a tick (an activity task and its requests), ms. */
export const TICK_LATENCY = 60;
/** Largest delay of a timer, ms. */
export const TIMER_LATENESS = 300;
const CHUNK = 200;
/** History events: a workflow task and an activity have three each; a timer has two, and causes a workflow task. */
const EVENTS = { start: 20, task: 3, activity: 3, timer: 5 };

/** Runs foray's scheduler in the same way as the workflow does. */
export function foray(
  durations: readonly number[],
  capacity: Capacity,
  random: () => number,
  concurrency: number | 'auto' = 'auto',
): Measured {
  const service = new VirtualService(durations, capacity);
  const schedule = newSchedule(durations.length, concurrency);
  const tally = { polls: 0, events: EVENTS.start, lag: 0 };
  let now = 0;
  while (!isFinished(schedule)) {
    const decision = decide(schedule, now + EPOCH);
    now += TICK_LATENCY;
    service.advanceTo(now);
    const outcomes = emptyOutcomes();
    for (const seq of decision.request) {
      service.request(seq);
      outcomes.queued.push(seq);
    }
    for (const seq of decision.poll) {
      const state = service.stateOf(seq);
      outcomes[state === 'finished' ? 'new' : state].push(seq);
      if (state === 'finished') tally.lag += now - service.finishedAt.get(seq)!;
    }
    const asked = decision.request.length + decision.poll.length;
    tally.polls += decision.poll.length;
    tally.events += EVENTS.task + EVENTS.activity * Math.ceil(asked / CHUNK);
    applyOutcomes(schedule, decision, outcomes, now + EPOCH);
    const wait = wakeIn(schedule, now + EPOCH);
    if (wait > 0 && !isFinished(schedule)) {
      tally.events += EVENTS.timer;
      now += wait + random() * TIMER_LATENESS;
      service.advanceTo(now);
    }
  }
  return {
    makespan: now,
    polls: tally.polls,
    events: tally.events,
    lag: tally.lag / durations.length,
    outstanding: service.outstandingTime / service.capacityTime,
  };
}

/**
 * The scheduler gets virtual time plus this number, because virtual time starts at 0 and a schedule cannot have the
 * time 0.
 */
export const EPOCH = 1_000_000;

/**
 * The loop that people write. It keeps as many runs open as the service has executors at the start. It polls each run
 * at an interval.
 */
export function loop(durations: readonly number[], capacity: Capacity, interval: number): Measured {
  const service = new VirtualService(durations, capacity);
  const window = capacity[0]!.executors;
  const flights = new Set<number>();
  let [now, next, polls, lag] = [0, 0, 0, 0];
  for (;;) {
    for (const seq of flights) {
      polls += 1;
      if (service.stateOf(seq) !== 'finished') continue;
      flights.delete(seq);
      lag += now - service.finishedAt.get(seq)!;
    }
    while (flights.size < window && next < durations.length) {
      service.request(next);
      flights.add(next++);
    }
    if (flights.size === 0) break;
    now += interval;
    service.advanceTo(now);
  }
  return {
    makespan: now,
    polls,
    lag: lag / durations.length,
    outstanding: service.outstandingTime / service.capacityTime,
  };
}
