import { describe, expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import { Calendar, type EventId } from '../../../models/kernel/calendar.ts';

interface Entry {
  time: number;
  priority: number;
  sequence: number;
  id: EventId;
}

/** Steps with few different times and priorities, so that some events have equal times and priorities. */
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ time: fc.nat(12), priority: fc.integer({ min: -2, max: 2 }) }) },
  { weight: 2, arbitrary: fc.constant('happen' as const) },
  { weight: 2, arbitrary: fc.record({ cancel: fc.nat() }) },
  { weight: 1, arbitrary: fc.constant('look' as const) },
);

/** A calendar that is a sorted list. */
class Model {
  readonly entries: Entry[] = [];

  add(entry: Entry): void {
    this.entries.push(entry);
    this.entries.sort((a, b) => a.time - b.time || a.priority - b.priority || a.sequence - b.sequence);
  }
}

describe('the calendar', () => {
  test('orders events by time, priority and sequence, while events are added, happen and are cancelled', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const calendar = new Calendar();
        const model = new Model();
        const ids: EventId[] = [];
        const happened: number[] = [];
        for (const [sequence, step] of steps.entries()) {
          if (step === 'look') {
            if (model.entries[0]) expect(calendar.firstTime()).toBe(model.entries[0].time);
          } else if (step === 'happen') {
            const first = model.entries.shift();
            if (!first) continue;
            calendar.happen();
            expect(happened.at(-1)).toBe(first.sequence);
          } else if ('cancel' in step) {
            const id = ids[step.cancel % Math.max(ids.length, 1)];
            if (id === undefined) continue;
            const at = model.entries.findIndex((entry) => entry.id === id);
            expect(calendar.cancel(id)).toBe(at >= 0);
            if (at >= 0) model.entries.splice(at, 1);
          } else {
            const id = calendar.add(step.time, (n: number) => happened.push(n), sequence, step.priority);
            expect(ids).not.toContain(id);
            ids.push(id);
            model.add({ ...step, sequence, id });
          }
          expect(calendar.size).toBe(model.entries.length);
        }
        for (const { sequence } of model.entries) {
          calendar.happen();
          expect(happened.at(-1)).toBe(sequence);
        }
        expect(calendar.size).toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  test('keeps the order when an event adds further events', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(20), { maxLength: 4 }), { maxLength: 200 }), (delays) => {
        const calendar = new Calendar();
        const times: number[] = [];
        let next = 0;
        const happen = (time: number): void => {
          times.push(time);
          for (const delay of delays[next++] ?? []) calendar.add(time + delay, happen, time + delay, 0);
        };
        calendar.add(0, happen, 0, 0);
        while (calendar.size > 0) calendar.happen();
        expect(times).toEqual([...times].sort((a, b) => a - b));
        const added = delays.slice(0, next).reduce((sum, { length }) => sum + length, 1);
        expect(times).toHaveLength(added);
      }),
    );
  });

  test('keeps the order of 5,000 waiting events', () => {
    const calendar = new Calendar();
    const happened: number[] = [];
    // 7919 is a prime that does not divide 5,000, so the times are a permutation of 0 to 4,999
    for (let i = 0; i < 5_000; i++) {
      calendar.add((i * 7919) % 5_000, (time: number) => happened.push(time), (i * 7919) % 5_000, 0);
    }
    while (calendar.size > 0) calendar.happen();
    expect(happened).toEqual(Array.from({ length: 5_000 }, (_, i) => i));
  });

  test('does not cancel an event that has happened or was cancelled, even if a new event uses its place', () => {
    const calendar = new Calendar();
    const first = calendar.add(1, () => undefined, undefined, 0);
    calendar.happen();
    const second = calendar.add(2, () => undefined, undefined, 0);
    expect(calendar.cancel(first)).toBe(false);
    expect(calendar.cancel(second)).toBe(true);
    expect(calendar.cancel(second)).toBe(false);
    expect(calendar.size).toBe(0);
  });

  test('does not cancel an event that was never added; no event has the id 0', () => {
    const calendar = new Calendar();
    // slots 0 to 63 exist from the start, and slots 64 to 127 after the calendar has grown
    for (const added of [0, 1, 65]) {
      const ids: EventId[] = [];
      while (calendar.size < added) ids.push(calendar.add(1, () => undefined, undefined, 0));
      expect(ids).not.toContain(0);
      const next = calendar.add(1, () => undefined, undefined, 0);
      expect(calendar.cancel(next)).toBe(true);
      for (const unknown of [0, added + 1, next + 1, NaN, -1, 0.5]) {
        expect([unknown, calendar.cancel(unknown)]).toEqual([unknown, false]);
      }
      expect(calendar.size).toBe(added);
    }
  });
});
