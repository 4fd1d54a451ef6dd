import { describe, expect, test } from '@jest/globals';
import type { AdvanceResult } from '../../src/activities/index.ts';
import { addCauses, causeOf } from '../../src/campaign/failures.ts';
import { learn } from '../../src/campaign/scheduler/life-table.ts';
import {
  decide,
  emptyOutcomes,
  inFlight,
  MOST_FLIGHTS,
  newSchedule,
  applyOutcomes,
  type Schedule,
  startOver,
  addPage,
} from '../../src/campaign/scheduler/index.ts';
import type { FailureCause } from '../../src/campaign/types.ts';
import {
  type CampaignState,
  type CarriedState,
  flightsOf,
  carried,
  newState,
  note,
  progressOf,
  newSearch,
  unpacked,
} from '../../src/workflows/state.ts';
import { detailsOf } from '../../src/workflows/web-ui-details.ts';

/** Temporal warns of larger payloads (limit.blobSize.warn), and refuses payloads of four times this size. */
const MOST_BYTES = 512 * 1024;
/** The numbers of runs have 7 digits, and times have 13 digits. */
const FIRST_SEQ = 1_000_000;
const TOTAL = 9_999_999;
const NOW = 1_780_000_000_000;
const settings = { failures: null, timeouts: { run: 366 * 86_400_000, campaign: 366 * 86_400_000 } };

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** A text of 200 characters with the greatest length in JSON. Each number gives a text with another cause. */
function text(n: number): string {
  return `${String.fromCharCode(97 + n)}${'\u0001'.repeat(199)}`;
}

/** More causes than a campaign distinguishes, each with texts of the maximum length. */
function causes(): FailureCause[] {
  const all: FailureCause[] = [];
  for (let n = 0; n < 26; n += 1) {
    const sample = { point: '0123456789abcdef', replication: 1_000_000, reason: text(n) };
    addCauses(all, [{ cause: causeOf(text(n).repeat(2)), count: TOTAL, sample }]);
  }
  return all;
}

/**
 * A schedule with as many flights and postponed runs as the scheduler allows, and with a full backlog. The runs were
 * requested and seen over ten hours.
 */
function fullSchedule(concurrency: number | 'auto', fate: 'running' | 'again'): Schedule {
  const schedule = newSchedule(TOTAL, concurrency, settings.timeouts.run);
  startOver(schedule, NOW);
  let first = FIRST_SEQ;
  let now = NOW;
  const page = (): void => {
    addPage(
      schedule,
      Array.from({ length: 2_000 }, (_, n) => first + n),
    );
    first += 2_000;
  };
  for (let tick = 0; tick < 500; tick += 1) {
    page();
    now += 72_000 + ((tick * 7_919) % 1_000);
    const { request } = decide(schedule, now);
    if (request.length === 0) break;
    const outcomes = emptyOutcomes();
    if (fate === 'again') outcomes.again = request.map((seq) => [seq, 366 * 86_400_000 + (seq % 1_009)]);
    else outcomes.running = request;
    applyOutcomes(schedule, { request }, outcomes, now);
    schedule.again = schedule.again.slice(0, 1_999);
  }
  page();
  for (let age = 1; age < 1e10; age *= 1.2) learn(schedule.hazard, age / 3, age, true);
  return schedule;
}

/** The largest possible state of a campaign's workflow. */
function largest(schedule: Schedule): CampaignState {
  const state: CampaignState = {
    ...newState(NOW, settings),
    phase: 'preparing',
    schedule,
    points: TOTAL,
    total: TOTAL,
    new: TOTAL,
    reused: TOTAL,
    failed: TOTAL,
    triedAgain: TOTAL,
    forgiven: { finished: TOTAL, failed: TOTAL },
    verdict: '1000000 of 1000000 runs failed, more than 99.99 %',
    failures: Array.from({ length: 5 }, (_, n) => text(n)),
    causes: causes(),
    finishedAt: Array.from({ length: 20 }, () => [NOW, 2_000] as [number, number]),
  };
  // these are the notes of a campaign that a script pauses every hour for a month
  for (let hour = 0; hour < 720; hour += 1) note(state, `paused: ${text(hour % 26)}`);
  return state;
}

describe('the size of data in Temporal', () => {
  test.each([
    ['auto', 'running'],
    ['auto', 'again'],
    [100_000, 'running'],
    [100_000, 'again'],
  ] as const)(
    'the largest state of a campaign has less than half a megabyte: concurrency %s, all runs %s',
    (concurrency, fate) => {
      const schedule = fullSchedule(concurrency, fate);
      expect(schedule.flights.length + schedule.postponed.length).toBe(MOST_FLIGHTS);
      expect(schedule.again.length).toBeGreaterThan(3_900);
      const state = largest(schedule);
      expect(state.causes).toHaveLength(21);
      expect(bytesOf(carried(state))).toBeLessThan(MOST_BYTES);
      const passed = JSON.parse(JSON.stringify(carried(state))) as CarriedState;
      expect(unpacked(passed)).toEqual(state);
      // the answers to queries and the details are below the limit, too
      expect(bytesOf(flightsOf(state))).toBeLessThan(4 * MOST_BYTES);
      expect(bytesOf(state.causes)).toBeLessThan(MOST_BYTES);
      expect(bytesOf(progressOf(state, NOW))).toBeLessThan(10_000);
      expect(bytesOf(detailsOf(state, NOW))).toBeLessThan(20_000);
    },
  );

  test('the largest data that a tick exchanges with its activities have less than half a megabyte', () => {
    const seqs = (count: number): number[] => Array.from({ length: count }, (_, n) => FIRST_SEQ + n);
    const address = { campaign: 'x'.repeat(120), service: 'x'.repeat(2_000), store: crypto.randomUUID() };
    expect(
      bytesOf({ ...address, request: seqs(200), poll: [], expire: [], resultsFirst: true }),
    ).toBeLessThan(10_000);
    expect(bytesOf(seqs(2_000))).toBeLessThan(20_000);
    const result: AdvanceResult = {
      outcomes: { ...emptyOutcomes(), again: seqs(200).map((seq) => [seq, 366 * 86_400_000]) },
      retryAfter: 3_600_000,
      failures: [text(0), text(1), text(2)],
      causes: causes(),
      added: { count: 10_000, seqs: seqs(500) },
      precision: null,
    };
    expect(bytesOf(result)).toBeLessThan(MOST_BYTES);
  });
});

describe('a note', () => {
  test('follows the earlier notes; a text of more than 1,000 characters loses its oldest notes', () => {
    const state = newState(NOW, settings);
    note(state, 'paused: lunch');
    note(state, 'resumed');
    expect(state.note).toBe('paused: lunch; resumed');
    for (let n = 0; n < 10_000; n += 1) note(state, `paused: ${n}`);
    expect(state.note).toHaveLength(1_000);
    expect(state.note.endsWith('; paused: 9998; paused: 9999')).toBe(true);
    expect(state.note.startsWith('…')).toBe(true);
  });
});

test('the sum of running, queued, finished and waiting runs is the number of all runs', () => {
  const schedule = newSchedule(10, 5);
  const outcomes = { ...emptyOutcomes(), running: [0, 1], queued: [2], new: [3] };
  applyOutcomes(schedule, { request: [0, 1, 2, 3, 4] }, { ...outcomes, again: [[4, 1_000]] }, NOW);
  const state = { ...newState(NOW, settings), schedule, total: 10, new: 1 };
  expect(inFlight(schedule, NOW)).toEqual({ running: 2, queued: 1 });
  // a failed run that gets another attempt counts as waiting
  expect(progressOf(state, NOW).runs).toEqual({
    total: 10,
    done: 1,
    new: 1,
    reused: 0,
    failed: 0,
    running: 2,
    queued: 1,
    waiting: 6,
  });
});

test('the time to the end is unknown while a strategy may ask for further runs, and the details show no percentage', () => {
  const state: CampaignState = { ...newState(NOW - 2_000, settings), phase: 'running', total: 9, new: 6 };
  state.finishedAt = [[NOW, 6]];
  expect(progressOf(state, NOW).secondsLeft).toBe(1);
  const search = newSearch('points')!;
  const searching = { ...state, search };
  expect(progressOf(searching, NOW).secondsLeft).toBeNull();
  expect(detailsOf(searching, NOW)).toContain('**running**: 6 of 9 runs so far finished\n');
  const over = { ...state, search: { ...search, isOver: true } };
  expect(progressOf(over, NOW).secondsLeft).toBe(1);
  expect(detailsOf(over, NOW)).toContain('6 of 9 runs finished (66 %), about 1 s left');
});

test('the details show how many points a search has asked for, or how many points a design has', () => {
  const state = { ...newState(NOW, settings), points: 12 };
  expect(detailsOf(state, NOW)).toContain('- design: 12 points');
  const searching = { ...state, search: { ...newSearch('points')!, asked: 14 } };
  expect(detailsOf(searching, NOW)).toContain('- search: 14 points asked for');
  expect(detailsOf(searching, NOW)).not.toContain('design');
});
