import { describe, expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import {
  addWork,
  decide,
  emptyOutcomes,
  isFinished,
  needsWork,
  newSchedule,
  applyOutcomes,
  type Schedule,
  startOver,
  addPage,
  wakeIn,
} from '../../../src/campaign/scheduler/index.ts';

import { none } from './support.ts';

describe('work that waits in the store', () => {
  test('is read in pages, in order, and known runs are not taken twice', () => {
    const schedule = newSchedule(10, 4);
    applyOutcomes(
      schedule,
      decide(schedule, 0),
      { ...none, running: [0], new: [1], again: [[2, 10]], later: [3] },
      0,
    );
    expect(needsWork(schedule, 0)).toBe(false);
    startOver(schedule, 5);
    expect(schedule).toMatchObject({ next: 10, postponed: [], more: -1, again: [3] });
    expect(wakeIn(schedule, 5)).toBe(0);
    expect(isFinished(schedule)).toBe(false);
    expect(needsWork(schedule, 5_000)).toBe(true);
    addPage(schedule, [2, 4, 5]);
    expect(schedule).toMatchObject({ again: [3, 2, 4, 5], more: 5 });
    // the schedule has enough work for now
    expect(needsWork(schedule, 5_000)).toBe(false);
    applyOutcomes(schedule, decide(schedule, 5_000), { ...none, new: [3, 2, 4] }, 5_000);
    expect(needsWork(schedule, 5_000)).toBe(true);
    addPage(schedule, [6, 7, 8, 9]);
    applyOutcomes(schedule, decide(schedule, 5_000), { ...none, new: [5, 6, 7], running: [0] }, 5_000);
    expect(needsWork(schedule, 5_000)).toBe(true);
    addPage(schedule, []);
    expect(schedule.more).toBeNull();
    expect(needsWork(schedule, 5_000)).toBe(false);
    applyOutcomes(schedule, decide(schedule, 5_000), { ...none, new: [8, 9, 0] }, 5_000);
    expect(isFinished(schedule)).toBe(true);
  });

  test('is not read while the campaign is paused or the window is full', () => {
    const schedule = newSchedule(10, 2);
    applyOutcomes(schedule, decide(schedule, 0), { ...none, running: [0, 1] }, 0);
    startOver(schedule, 0);
    expect(needsWork(schedule, 0)).toBe(false);
    schedule.concurrency = 3;
    expect(needsWork(schedule, 0)).toBe(true);
    schedule.isHeld = true;
    expect(needsWork(schedule, 0)).toBe(false);
  });

  test('a campaign with nothing left in the store has finished', () => {
    const schedule = newSchedule(3, 'auto');
    startOver(schedule, 0);
    expect(isFinished(schedule)).toBe(false);
    expect(needsWork(schedule, 0)).toBe(true);
    addPage(schedule, []);
    expect(isFinished(schedule)).toBe(true);
  });

  test('is read only if an activity does not return the runs that it has added', () => {
    const schedule = newSchedule(0, 10);
    addWork(schedule, { count: 2, seqs: [4, 2] });
    addWork(schedule, { count: 3, seqs: [], first: 7 });
    expect(schedule).toMatchObject({ again: [4, 2, 7, 8, 9], more: null });
    addWork(schedule, { count: 900, seqs: [] });
    expect(schedule).toMatchObject({ again: [4, 2, 7, 8, 9], more: -1 });
  });

  test('is requested once for each attempt, with pages of any size and any outcomes of requests', () => {
    const fates = fc.constantFrom('new', 'new', 'reused', 'failed', 'running', 'queued', 'again', 'later');
    const scenario = fc.record({
      runs: fc.integer({ min: 1, max: 40 }),
      added: fc.nat(20),
      page: fc.integer({ min: 1, max: 15 }),
      concurrency: fc.oneof(fc.constant('auto' as const), fc.integer({ min: 1, max: 12 })),
      /** The ticks before which the schedule starts over, because the store has changed. */
      startsOver: fc.uniqueArray(fc.nat(12), { minLength: 1, maxLength: 3 }),
      dropped: fc.array(fc.nat(60), { maxLength: 10 }),
      fates: fc.array(fates, { minLength: 1, maxLength: 60, size: 'max' }),
    });
    fc.assert(
      fc.property(scenario, ({ runs, added, page, concurrency, startsOver, dropped, fates: all }) => {
        // the content of the store, and for each run the number of expected and of actual requests
        const store = new Map(Array.from({ length: runs }, (_, seq) => [seq, 'waiting']));
        const wanted = new Map<number, number>();
        const requested = new Map<number, number>();
        const more = (counts: Map<number, number>, seq: number): unknown =>
          counts.set(seq, (counts.get(seq) ?? 0) + 1);
        for (const seq of store.keys()) more(wanted, seq);
        let schedule = newSchedule(runs, concurrency);
        let now = 1_000;
        let asked = 0;
        for (let tick = 0; tick < 13 || !isFinished(schedule); tick += 1) {
          if (tick > 3_000) throw new Error('the campaign does not end');
          schedule = JSON.parse(JSON.stringify(schedule)) as Schedule;
          if (startsOver.includes(tick)) {
            // only waiting runs can be dropped; new runs have new numbers
            for (const seq of dropped)
              if (store.get(seq) === 'waiting') {
                store.delete(seq);
                wanted.set(seq, requested.get(seq) ?? 0);
              }
            const first = Math.max(-1, ...store.keys(), ...wanted.keys()) + 1;
            for (let seq = first; seq < first + added; seq += 1) {
              store.set(seq, 'waiting');
              more(wanted, seq);
            }
            startOver(schedule, now);
          }
          if (needsWork(schedule, now)) {
            const waiting = [...store.keys()].filter(
              (seq) => store.get(seq) === 'waiting' && seq > schedule.more!,
            );
            addPage(schedule, waiting.toSorted((a, b) => a - b).slice(0, page));
          }
          const decision = decide(schedule, now);
          const outcomes = emptyOutcomes();
          for (const seq of [...decision.request, ...decision.poll]) {
            const isRequest = decision.request.includes(seq);
            // the store leaves out dropped runs
            if (!store.has(seq)) continue;
            if (isRequest) {
              expect(['waiting', 'intended']).toContain(store.get(seq));
              more(requested, seq);
            } else expect(store.get(seq)).toBe('open');
            const fate = asked < all.length ? all[asked]! : 'new';
            asked += 1;
            if (fate === 'again') {
              outcomes.again.push([seq, 1 + (asked % 7) * 1_000]);
              store.set(seq, 'waiting');
              more(wanted, seq);
            } else if (fate === 'later') {
              outcomes.later.push(seq);
              if (isRequest) {
                store.set(seq, 'intended');
                more(wanted, seq);
              }
            } else {
              outcomes[fate].push(seq);
              store.set(seq, fate === 'running' || fate === 'queued' ? 'open' : 'over');
            }
          }
          applyOutcomes(schedule, decision, outcomes, now);
          now += Math.max(1, wakeIn(schedule, now));
        }
        expect([...store.values()].every((state) => state === 'over')).toBe(true);
        for (const [seq, times] of wanted) expect([seq, requested.get(seq) ?? 0]).toEqual([seq, times]);
        for (const seq of requested.keys()) expect(wanted.has(seq)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
