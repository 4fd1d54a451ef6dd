import { describe, expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import {
  decide,
  newSchedule,
  type Outcomes,
  applyOutcomes,
  type Schedule,
  wakeIn,
} from '../../../src/campaign/scheduler/index.ts';

import { experienced, none } from './support.ts';

const SHORTEST_TICK = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('a run that takes too long', () => {
  test('is given up at its time limit; the time does not count while it is queued', () => {
    const schedule = newSchedule(3, 3, MINUTE);
    applyOutcomes(schedule, decide(schedule, 0), { ...none, running: [0], queued: [1, 2] }, 0);
    expect(decide(schedule, MINUTE - 1).expire).toEqual([]);
    const { expire, poll } = decide(schedule, MINUTE);
    expect(expire).toEqual([0]);
    expect(poll).not.toContain(0);
    // a run that starts later is given up later
    applyOutcomes(schedule, { request: [] }, { ...none, running: [0, 1], queued: [2] }, 30_000);
    expect(decide(schedule, MINUTE).expire).toEqual([0]);
    const startedAt = schedule.flights.find(({ seq }) => seq === 1)!.startedAt;
    expect(startedAt).toBeGreaterThan(0);
    expect(decide(schedule, startedAt + MINUTE - 1).expire).toEqual([0]);
    expect(decide(schedule, startedAt + MINUTE).expire).toEqual([0, 1]);
  });

  test('is never given up without a limit', () => {
    const schedule = newSchedule(1, 1);
    applyOutcomes(schedule, decide(schedule, 0), { ...none, running: [0] }, 0);
    expect(decide(schedule, 1_000 * HOUR).expire).toEqual([]);
    schedule.runTimeout = HOUR;
    expect(decide(schedule, HOUR).expire).toEqual([0]);
  });

  test('is given up, and no other flight is given up', () => {
    const flight = fc.record({
      startedAt: fc.oneof(fc.constant(-1), fc.integer({ min: 0, max: 10_000 })),
      lookedAt: fc.integer({ min: 0, max: 10_000 }),
    });
    fc.assert(
      fc.property(
        fc.array(flight, { maxLength: 50, size: 'max' }),
        fc.option(fc.integer({ min: 1, max: 10_000 })),
        fc.integer({ min: 10_000, max: 20_000 }),
        fc.boolean(),
        (flights, runTimeout, now, isHeld) => {
          const schedule = newSchedule(50, 'auto', runTimeout);
          schedule.flights = flights.map((all, seq) => ({ seq, ...all }));
          schedule.isHeld = isHeld;
          const { expire, poll } = decide(schedule, now);
          const tooLong = schedule.flights.filter(
            ({ startedAt }) => runTimeout !== null && startedAt >= 0 && now - startedAt >= runTimeout,
          );
          expect(expire).toEqual(tooLong.map(({ seq }) => seq));
          expect(poll.filter((seq) => expire.includes(seq))).toEqual([]);
        },
      ),
    );
  });

  test('wakes the campaign in time, also if there are other flights', () => {
    const now = 100 * MINUTE;
    const schedule = experienced(5, 2, now);
    schedule.runTimeout = 10_000;
    applyOutcomes(schedule, { request: [0, 1] }, { ...none, running: [0], queued: [1] }, now);
    expect(wakeIn(schedule, now)).toBe(10_000);
    // this also holds while the campaign is paused, and when nothing is left to request
    for (const change of [{ isHeld: true }, { next: 5 }]) {
      const other = { ...structuredClone(schedule), ...change };
      applyOutcomes(other, { request: [] }, { ...none, queued: [1] }, now + 1_000);
      expect(wakeIn(other, now + 1_000)).toBe(9_000);
    }
    // if the run is overdue, the campaign wakes after the shortest tick
    applyOutcomes(schedule, { request: [] }, { ...none, later: [0] }, now + 20_000);
    expect(wakeIn(schedule, now + 20_000)).toBe(SHORTEST_TICK);
    expect(decide(schedule, now + 20_000 + SHORTEST_TICK).expire).toEqual([0]);
  });

  test('counts as a run that took at least its time limit, not as a finished run', () => {
    const sum = (numbers: readonly (number | undefined)[]): number =>
      numbers.reduce<number>((all, number) => all + (number ?? 0), 0);
    const seen = (ending: Partial<Outcomes>): Schedule => {
      const schedule = newSchedule(1, 1, MINUTE);
      applyOutcomes(schedule, decide(schedule, 0), { ...none, running: [0] }, 0);
      applyOutcomes(schedule, { request: [] }, { ...none, ...ending }, MINUTE);
      expect(schedule.flights).toEqual([]);
      return schedule;
    };
    const endings: Partial<Outcomes>[] = [{ failed: [0] }, { again: [[0, 1_000]] }];
    for (const ending of endings) {
      const { hazard } = seen(ending);
      expect(hazard.finished).toBe(0);
      expect(sum(hazard.events)).toBe(0);
      expect(sum(hazard.exposure)).toBeCloseTo(MINUTE);
    }
    // a run that fails on its own has finished
    const schedule = newSchedule(1, 1, MINUTE);
    applyOutcomes(schedule, decide(schedule, 0), { ...none, running: [0] }, 0);
    applyOutcomes(schedule, { request: [] }, { ...none, failed: [0] }, MINUTE - 1);
    expect(schedule.hazard.finished).toBe(1);
  });
});
