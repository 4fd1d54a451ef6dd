import { describe, expect, test } from '@jest/globals';
import {
  decide,
  inFlight,
  isFinished,
  newSchedule,
  applyOutcomes,
  startOver,
  addPage,
  wakeIn,
  windowOf,
} from '../../../src/campaign/scheduler/index.ts';

import { experienced, none } from './support.ts';

/** A low limit of flights, so that a test reaches the limit with few runs. */
const MOST_FLIGHTS = 200;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('a failed attempt', () => {
  test('is repeated when its wait ends, not earlier, and before runs that were never requested', () => {
    const schedule = newSchedule(5, 2);
    applyOutcomes(schedule, decide(schedule, 0), { ...none, running: [1], again: [[0, MINUTE]] }, 100);
    expect(schedule.postponed).toEqual([{ seq: 0, at: MINUTE + 100 }]);
    expect(inFlight(schedule, 100)).toEqual({ running: 1, queued: 0 });
    // the failed attempt does not count towards the window while it waits
    expect(decide(schedule, MINUTE + 99).request).toEqual([2]);
    expect(decide(schedule, MINUTE + 100).request).toEqual([0]);
    applyOutcomes(schedule, { request: [0] }, { ...none, running: [0] }, MINUTE + 100);
    expect(schedule.postponed).toEqual([]);
    expect(schedule.next).toBe(2);
  });

  test('is repeated before runs that wait in the store', () => {
    const schedule = newSchedule(3, 1);
    startOver(schedule, 0);
    addPage(schedule, [0, 1, 2]);
    applyOutcomes(schedule, decide(schedule, 0), { ...none, again: [[0, MINUTE]] }, 0);
    expect(decide(schedule, MINUTE - 1).request).toEqual([1]);
    expect(decide(schedule, MINUTE).request).toEqual([0]);
  });

  test('wakes the campaign when its wait ends, also if there is other work', () => {
    const alone = newSchedule(2, 2);
    applyOutcomes(alone, decide(alone, 0), { ...none, new: [1], again: [[0, HOUR]] }, 0);
    expect(isFinished(alone)).toBe(false);
    expect(wakeIn(alone, 0)).toBe(HOUR);
    expect(wakeIn(alone, HOUR - 1)).toBe(1);
    expect(decide(alone, HOUR)).toEqual({ request: [0], poll: [], expire: [] });

    const beside = experienced(2, 2, 100 * MINUTE);
    applyOutcomes(beside, { request: [0, 1] }, { ...none, running: [1], again: [[0, 5_000]] }, 100 * MINUTE);
    expect(wakeIn(beside, 100 * MINUTE)).toBe(5_000);
  });

  test('causes no ticks while it waits, if there is nothing else to do', () => {
    const schedule = newSchedule(3, 3);
    const again: [number, number][] = [0, 1, 2].map((seq) => [seq, HOUR + seq]);
    applyOutcomes(schedule, decide(schedule, 0), { ...none, again }, 0);
    expect(wakeIn(schedule, 0)).toBe(HOUR);
    expect(decide(schedule, HOUR - 1)).toEqual({ request: [], poll: [], expire: [] });
  });

  test('waits while the campaign is paused, and is requested first when the campaign resumes', () => {
    const schedule = newSchedule(4, 2);
    applyOutcomes(schedule, decide(schedule, 0), { ...none, running: [1], again: [[0, MINUTE]] }, 0);
    schedule.isHeld = true;
    expect(decide(schedule, 2 * MINUTE).request).toEqual([]);
    applyOutcomes(schedule, { request: [] }, { ...none, running: [1] }, 2 * MINUTE);
    expect(schedule.postponed).toHaveLength(1);
    expect(isFinished(schedule)).toBe(false);
    schedule.isHeld = false;
    expect(decide(schedule, 2 * MINUTE).request).toEqual([0]);
  });

  test('does not wake a paused campaign', () => {
    const schedule = experienced(1, 2, 100 * MINUTE);
    schedule.isHeld = true;
    applyOutcomes(schedule, { request: [0] }, { ...none, running: [0], again: [[7, 5_000]] }, 100 * MINUTE);
    expect(wakeIn(schedule, 100 * MINUTE)).toBeGreaterThan(5_000);
  });

  test('also waits while the service asks for a pause', () => {
    // the outcomes come from polls, so no request waits for an answer
    const schedule = newSchedule(2, 2);
    applyOutcomes(schedule, decide(schedule, 0), { ...none, running: [0, 1] }, 0);
    applyOutcomes(schedule, { request: [] }, { ...none, new: [0], later: [1] }, 1_000, MINUTE);
    applyOutcomes(schedule, { request: [] }, { ...none, again: [[1, 10]] }, 2_000);
    expect(decide(schedule, MINUTE + 999).request).toEqual([]);
    expect(wakeIn(schedule, 2_000)).toBe(MINUTE - 1_000);
    expect(decide(schedule, MINUTE + 1_000).request).toEqual([1]);
  });

  test('causes no tick every second if the window has no room for the attempt', () => {
    const now = 100 * MINUTE;
    const schedule = experienced(3, 2, now);
    const again: [number, number][] = [[0, 10]];
    applyOutcomes(schedule, { request: [0, 1, 2] }, { ...none, running: [1, 2], again }, now);
    applyOutcomes(schedule, { request: [] }, { ...none, running: [1, 2] }, now + 1_000);
    expect(decide(schedule, now + 1_000).request).toEqual([]);
    expect(wakeIn(schedule, now + 1_000)).toBeGreaterThan(MINUTE);
  });

  test.each([['auto'], [10], [500]] as const)(
    'counts towards the limit of flights; therefore a large number of failed attempts stops new requests: concurrency %s',
    (concurrency) => {
      const schedule = { ...newSchedule(100_000, concurrency), mostFlights: MOST_FLIGHTS };
      let now = 0;
      for (let n = 0; schedule.postponed.length < MOST_FLIGHTS; n += 1) {
        const { request } = decide(schedule, now);
        expect(request.length).toBeGreaterThan(0);
        applyOutcomes(schedule, { request }, { ...none, again: request.map((seq) => [seq, HOUR]) }, now);
        now += 1;
        if (n > MOST_FLIGHTS) throw new Error('the window does not fill');
      }
      expect(schedule.postponed).toHaveLength(MOST_FLIGHTS);
      expect(decide(schedule, now)).toEqual({ request: [], poll: [], expire: [] });
      expect(windowOf(schedule, now)).toBe(0);
      // the campaign sleeps until the first attempt is due
      expect(now + wakeIn(schedule, now)).toBe(HOUR);
      expect(decide(schedule, HOUR).request[0]).toBe(0);
    },
  );
});
