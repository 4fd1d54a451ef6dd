import { describe, expect, test } from '@jest/globals';
import type { ResultRow } from '../../src/store/index.ts';
import fc from '../support/fast-check.ts';
import { differences, hashOf, type Plan, runsOf } from './expected.ts';
import { faultKinds, fromLines, generate, killsUntil, type Schedule, toLines } from './schedule.ts';
import { shrink } from './shrink.ts';

/**
 * Tests the parts of the soak that need no processes: its schedule, the expected results of campaigns, and the
 * reduction of a failing schedule.
 */

const made = (seed: number, store: Schedule['store'] = 'sqlite'): Schedule =>
  generate(seed, 5, { store, kinds: faultKinds });

describe('a schedule', () => {
  test('depends only on its seed, and is the same after writing and reading', () => {
    expect(made(1)).toEqual(made(1));
    expect(made(1)).not.toEqual(made(2));
    expect(fromLines(toLines(made(1)))).toEqual(made(1));
  });

  test('is in the order of time, and three seeds have every kind of fault and action', () => {
    const entries = [1, 2, 3].flatMap((seed) => [...made(seed, 'postgres').entries, ...made(seed).entries]);
    const kinds = entries.map((entry) => ('fault' in entry ? entry.fault.kind : entry.action.kind));
    const actions = ['submit', 'apply', 'pause', 'resume', 'concurrency', 'retry', 'stop', 'cancel'];
    expect(new Set(kinds)).toEqual(new Set([...faultKinds, ...actions]));
    const times = made(1).entries.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  test('has no two faults of a target at once, no kill in its last part, and no fault of PostgreSQL if the store is in SQLite', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const until = new Map<string, number>();
        const broken = made(seed).entries.filter((entry) => {
          if (!('fault' in entry)) return false;
          const { at, fault } = entry;
          const target = 'target' in fault ? fault.target : fault.kind;
          const thing = fault.kind === 'disk' ? `disk ${target}` : target;
          const isBusy = at < (until.get(thing) ?? 0);
          until.set(thing, at + fault.seconds);
          return isBusy || target === 'postgres' || (fault.kind === 'kill' && at > killsUntil(5) + 1);
        });
        expect(broken).toEqual([]);
      }),
    );
  });
});

/** The expected result rows of a campaign. */
function rowsOf(plan: Plan): ResultRow[] {
  return [...runsOf(plan).values()].map(({ point, value, replication, result, file }) => {
    const trace = file === null ? 'null' : JSON.stringify({ hash: hashOf(file), localPath: 'trace.txt' });
    const outputs: Record<string, string> = result === null ? {} : { Result: result, 'Trace file': trace };
    return {
      point,
      replication,
      values: [String(value)],
      runId: null,
      origin: null,
      requestedAt: null,
      finishedAt: null,
      version: null,
      status: result === null ? 'failed' : 'done',
      outputs,
      reason: result === null ? `Error: the value ${value} is bad` : null,
    };
  });
}

describe('the comparison of results', () => {
  const plan: Plan = { family: 3, first: 10, count: 3, replications: 2, concurrency: 'auto' };
  const course = { id: 'c', plans: [plan], isEnded: false, wasEnded: false };

  test('finds no difference if the results are as expected', () => {
    expect(rowsOf(plan)).toHaveLength(6);
    expect(differences(course, 'completed', rowsOf(plan))).toEqual([]);
  });

  test('finds missing, repeated, unexpected and different results', () => {
    const rows = rowsOf(plan);
    const wrong = (change: (row: ResultRow) => object): ResultRow[] =>
      rows.map((row) => (row.values[0] === '12' ? { ...row, ...change(row) } : row));
    expect(differences(course, 'completed', rows.slice(1))).toEqual([
      expect.stringContaining('1 of 6 results are missing'),
    ]);
    expect(differences(course, 'completed', [...rows, rows[0]!])).toHaveLength(1);
    expect(
      differences(
        course,
        'completed',
        wrong(() => ({ outputs: { Result: '1' } })),
      ),
    ).toHaveLength(2);
    expect(
      differences(
        course,
        'completed',
        wrong(() => ({ status: 'failed', reason: 'x' })),
      ),
    ).toHaveLength(2);
    expect(
      differences(
        course,
        'completed',
        wrong(({ outputs }) => ({ outputs: { ...outputs, 'Trace file': 'null' } })),
      ),
    ).toHaveLength(2);
    expect(
      differences(course, 'completed', [...rows, ...rowsOf({ ...plan, first: 50, count: 1 })]),
    ).toHaveLength(2);
  });

  test('accepts missing results only if the campaign ended early, and accepts results of points that a change has removed', () => {
    const ended = { ...course, isEnded: true };
    expect(differences(ended, 'cancelled', [])).toEqual([]);
    expect(differences(ended, 'completed', [])).toHaveLength(1);
    const changed = { ...course, plans: [plan, { ...plan, first: 11, count: 2 }] };
    expect(differences(changed, 'completed', rowsOf(plan))).toEqual([]);
    expect(differences(changed, 'completed', rowsOf(changed.plans[1]!))).toEqual([]);
    expect(differences(changed, 'completed', rowsOf(plan).slice(0, 2))).toHaveLength(1);
  });
});

test('shrink finds the smallest failing part of a list; with few tries, it finds some smaller failing part', async () => {
  const items = Array.from({ length: 40 }, (_, at) => at);
  let tries = 0;
  const fails = (part: number[]): Promise<boolean> => {
    tries += 1;
    return Promise.resolve(part.includes(7) && part.includes(31));
  };
  expect(await shrink(items, fails, 1_000)).toEqual([7, 31]);
  tries = 0;
  const some = await shrink(items, fails, 5);
  expect(tries).toBe(5);
  expect(some).toEqual(expect.arrayContaining([7, 31]));
  expect(some.length).toBeLessThan(40);
});
