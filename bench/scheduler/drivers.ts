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
  /** History events; undefined where there is no history. */
  events?: number;
  /** From finished to seen, mean, ms. */
  lag: number;
  /** Runs outstanding at the service over its capacity, time average until the end. */
  outstanding: number;
}

/** What a tick takes: an activity task and its requests. ms */
export const TICK_LATENCY = 60;
/** Timers come up to this much late. ms */
export const TIMER_LATENESS = 300;
const CHUNK = 200;
/** History events: a workflow task and an activity are three each, a timer two and a workflow task. */
const EVENTS = { start: 20, task: 3, activity: 3, timer: 5 };

/** foray's scheduler, driven as the workflow drives it. */
export function foray(durations: readonly number[], capacity: Capacity, random: () => number): Measured {
  const service = new VirtualService(durations, capacity);
  const schedule = newSchedule(durations.length, 'auto');
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

/** Virtual time starts at 0, which is no time for a schedule. */
export const EPOCH = 1_000_000;

/** What people write: as many in flight as the service is said to run at once, each polled at an interval. */
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
