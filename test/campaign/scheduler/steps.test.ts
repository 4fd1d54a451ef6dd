import { describe, expect, test } from '@jest/globals';
import {
  addWork,
  decide,
  inFlight,
  isFinished,
  newSchedule,
  applyOutcomes,
  wakeIn,
} from '../../../src/campaign/scheduler/index.ts';

import { none } from './support.ts';

const SHORTEST_TICK = 1_000;

describe('the scheduler, step by step', () => {
  test('a campaign without runs has finished', () => {
    const schedule = newSchedule(0, 'auto');
    expect(isFinished(schedule)).toBe(true);
    expect(decide(schedule, 0)).toEqual({ request: [], poll: [], expire: [] });
    expect(wakeIn(schedule, 0)).toBe(0);
  });

  test('a request without an answer is repeated before new requests', () => {
    const schedule = newSchedule(5, 2);
    const first = decide(schedule, 0);
    expect(first).toEqual({ request: [0, 1], poll: [], expire: [] });
    applyOutcomes(schedule, first, { ...none, queued: [0], later: [1] }, 100, 60_000);
    expect(inFlight(schedule, 100)).toEqual({ running: 0, queued: 1 });
    expect(decide(schedule, 60_099).request).toEqual([]);
    expect(wakeIn(schedule, 100)).toBe(60_000);
    expect(decide(schedule, 60_100)).toEqual({ request: [1], poll: [0], expire: [] });
  });

  test('a tick may request a large batch of new work, even if only one run finished in the tick before', () => {
    const schedule = newSchedule(100, 'auto');
    let now = 0;
    for (const requests of [16, 32, 52]) {
      const decision = decide(schedule, now);
      expect(decision.request).toHaveLength(requests);
      const running = decision.request.filter((seq) => seq === 99);
      const done = decision.request.filter((seq) => seq !== 99);
      applyOutcomes(schedule, decision, { ...none, new: done, running }, (now += 100));
    }
    applyOutcomes(schedule, { request: [] }, { ...none, new: [99] }, (now += 1_000));
    expect(isFinished(schedule)).toBe(true);
    addWork(schedule, { count: 90, seqs: [], first: 100 });
    expect(decide(schedule, now).request).toHaveLength(90);
  });

  test('a successful tick does not shorten a wait that the service asked for earlier', () => {
    const schedule = newSchedule(3, 2);
    const first = decide(schedule, 0);
    applyOutcomes(schedule, first, { ...none, queued: [0], later: [1] }, 0, 60_000);
    // a late answer to an earlier tick
    applyOutcomes(schedule, { request: [] }, { ...none, running: [0] }, 500);
    expect(decide(schedule, 59_999).request).toEqual([]);
    expect(decide(schedule, 60_000).request).toEqual([1]);
  });

  test('while requests wait, runs in flight are still polled', () => {
    const schedule = newSchedule(3, 3);
    applyOutcomes(schedule, decide(schedule, 0), { ...none, running: [0, 1], later: [2] }, 0);
    let now = wakeIn(schedule, 0);
    applyOutcomes(schedule, { request: [] }, { ...none, new: [0], running: [1] }, now);
    for (let n = 0; n < 20; n += 1) {
      now += wakeIn(schedule, now);
      const decision = decide(schedule, now);
      applyOutcomes(schedule, decision, { ...none, running: decision.poll, later: decision.request }, now);
    }
    // the request waits longer each time, and the poll does not wait for the request
    expect(schedule.again).toEqual([2]);
    expect(schedule.againAt - now).toBeGreaterThanOrEqual(wakeIn(schedule, now));
  });

  test('a campaign whose runs wait for others at the service looks soon at first, and then less and less often', () => {
    const schedule = newSchedule(100, 'auto');
    const waits: number[] = [];
    for (let now = 0; now < 8 * 3_600_000; now += waits.at(-1)!) {
      const { request, poll } = decide(schedule, now);
      applyOutcomes(schedule, { request }, { ...none, queued: [...request, ...poll] }, now);
      waits.push(wakeIn(schedule, now));
    }
    // a campaign that begins beside another one soon sees how fast runs are, and takes its share
    expect(waits.find((wait) => wait > 0)).toBeLessThan(SHORTEST_TICK);
    expect(waits.length).toBeLessThan(1_500);
  });

  test('a run that becomes due soon after another run is polled in the same tick', () => {
    const schedule = newSchedule(2, 2);
    applyOutcomes(schedule, { request: [0] }, { ...none, running: [0] }, 0);
    applyOutcomes(schedule, { request: [1] }, { ...none, running: [1] }, 10_000);
    const wait = wakeIn(schedule, 10_000);
    expect(wait).toBeGreaterThanOrEqual(SHORTEST_TICK);
    expect(decide(schedule, 10_000 + wait).poll.toSorted((a, b) => a - b)).toEqual([0, 1]);
  });

  test('runs count as running or queued by their last known state; a run that the service returned to its queue counts as queued again', () => {
    const schedule = newSchedule(2, 2);
    applyOutcomes(schedule, decide(schedule, 0), { ...none, running: [0], queued: [1] }, 0);
    expect(inFlight(schedule, 0)).toEqual({ running: 1, queued: 1 });
    applyOutcomes(schedule, { request: [] }, { ...none, queued: [0] }, 5_000);
    expect(inFlight(schedule, 5_000)).toEqual({ running: 0, queued: 2 });
  });
});
