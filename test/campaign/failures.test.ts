import { describe, expect, test } from '@jest/globals';
import fc, { anyCharacter } from '../support/fast-check.ts';
import { addCauses, causeOf, intolerable, nextAttemptIn } from '../../src/campaign/failures.ts';
import type { FailureCause } from '../../src/campaign/types.ts';

test.each([
  [{ rate: 0.1, after: 20 }, { finished: 19, failed: 19 }, undefined],
  [{ rate: 0.1, after: 20 }, { finished: 20, failed: 2 }, undefined],
  [{ rate: 0.1, after: 20 }, { finished: 20, failed: 3 }, '3 of 20 runs failed, more than 10 %'],
  [{ rate: 0.125, after: 1 }, { finished: 4, failed: 1 }, '1 of 4 runs failed, more than 12.5 %'],
  [{ count: 0, after: 20 }, { finished: 1, failed: 0 }, undefined],
  [{ count: 0, after: 20 }, { finished: 1, failed: 1 }, '1 run failed, more than 0'],
  [{ rate: 0.9, count: 5, after: 1 }, { finished: 100, failed: 6 }, '6 runs failed, more than 5'],
] as const)('for the limits %j and the counts %j, the reason is: %s', (limits, counts, why) => {
  expect(intolerable({ ...limits, then: 'pause' }, counts)).toBe(why);
});

test('if a number of failures is too high, more failures among the same number of runs are also too high', () => {
  const policy = fc.record({
    rate: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
    count: fc.option(fc.nat(50), { nil: undefined }),
    after: fc.integer({ min: 1, max: 50 }),
    then: fc.constant('pause' as const),
  });
  fc.assert(
    fc.property(policy, fc.nat(100), fc.nat(100), fc.nat(100), (limits, finished, a, b) => {
      const [less, more] = [Math.min(a, b), Math.max(a, b)];
      if (intolerable(limits, { finished, failed: less }) === undefined) return;
      expect(intolerable(limits, { finished, failed: more })).toBeDefined();
    }),
  );
});

describe('nextAttemptIn', () => {
  const HOUR = 3_600_000;
  const waits = (count: number, backoff: number): (number | undefined)[] =>
    Array.from({ length: count }, (_, n) => nextAttemptIn({ count, backoff, seed: 'same' }, n + 1));

  test('each wait is twice the wait before, but at most an hour or the first wait, whichever is longer; no wait follows the last attempt', () => {
    const backoffs = fc.oneof(
      fc.integer({ min: 1, max: 10_000 }),
      fc.integer({ min: 1, max: 366 * 24 * HOUR }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), backoffs, (count, backoff) => {
        const all = waits(count, backoff);
        expect(all.at(-1)).toBeUndefined();
        const made = all.slice(0, -1).map((wait) => wait!);
        if (count > 1) expect(made[0]).toBe(backoff);
        for (const [n, wait] of made.slice(1).entries())
          expect(wait).toBe(Math.min(2 * made[n]!, Math.max(HOUR, backoff)));
        expect(nextAttemptIn({ count, backoff, seed: 'new' }, count + 1)).toBeUndefined();
      }),
    );
  });
});

describe('causeOf', () => {
  test.each([
    ['Seconds is -3', 'Seconds is …'],
    ['Seconds is -3.5e-7, not 0 to 1_000', 'Seconds is …, not … to …'],
    ['no answer at 2026-11-21T09:45:47.123Z', 'no answer at …'],
    ['run fd5a4a1c-5b5e-4b6e-9d3c-2f7f1a0b1c2d is lost', 'run … is lost'],
    ['run 0d5a4a1c-5b5e-4b6e-9d3c-2f7f1a0b1c2d is lost', 'run … is lost'],
    ['run FD5A4A1C-5B5E-4B6E-9D3C-2F7F1A0B1C2D is lost', 'run … is lost'],
    ['no file a3f5deadbeefcafe', 'no file …'],
    ['no file (deadbeefcafedeadbeefcafe)', 'no file (…)'],
    ['Contact rate is too large', 'Contact rate is too large'],
    ['', ''],
  ])('gives for the reason "%s" the cause "%s"', (reason, cause) => {
    expect(causeOf(reason)).toBe(cause);
  });

  test('reasons that differ only in a number, an id, a hash or a time have the same cause', () => {
    const hash = (length: number): fc.Arbitrary<string> =>
      fc
        .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
        .map((all) => all.join(''));
    const varying = fc.constantFrom(
      fc.integer().map(String),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.uuid(),
      fc.uuid().map((uuid) => uuid.toUpperCase()),
      hash(16),
      hash(40),
      hash(64),
      fc
        .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
        .map((date) => date.toISOString()),
    );
    const pairs = varying.chain((of) => fc.tuple(of, of));
    const words = fc.constantFrom('Days is ', 'run ', 'no answer in (', 'cannot read "', 'it was ');
    const ends = fc.constantFrom('', ' s', ', not 5', ')', '" again');
    fc.assert(
      fc.property(words, pairs, ends, (before, [one, other], after) => {
        expect(causeOf(before + one + after)).toBe(causeOf(before + other + after));
        expect(causeOf(before + one + after)).toContain(before);
      }),
      { numRuns: 1_000 },
    );
  });

  test('gives at most 200 characters', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 5_000, size: 'max', unit: anyCharacter }), (reason) => {
        expect(causeOf(reason).length).toBeLessThanOrEqual(200);
      }),
    );
    expect(causeOf('x '.repeat(1_000))).toHaveLength(200);
  });
});

describe('addCauses', () => {
  const anyCause: fc.Arbitrary<FailureCause> = fc
    .tuple(fc.nat(60), fc.integer({ min: 1, max: 1_000 }), fc.nat())
    .map(([cause, count, point]) => ({
      cause: cause === 60 ? 'other causes' : `cause ${cause}`,
      count,
      sample: { point: String(point), replication: 1, reason: `cause ${cause}` },
    }));
  const sum = (causes: readonly FailureCause[]): number => causes.reduce((all, { count }) => all + count, 0);

  test('counts by cause, and keeps the first sample of each cause', () => {
    const known: FailureCause[] = [];
    const sample = (point: string): FailureCause['sample'] => ({
      point,
      replication: 1,
      reason: 'Days is 0',
    });
    addCauses(known, [{ cause: 'Days is …', count: 1, sample: sample('a') }]);
    addCauses(known, [
      { cause: 'lost', count: 2, sample: sample('b') },
      { cause: 'Days is …', count: 3, sample: sample('c') },
    ]);
    expect(known).toEqual([
      { cause: 'Days is …', count: 4, sample: sample('a') },
      { cause: 'lost', count: 2, sample: sample('b') },
    ]);
  });

  test('counts every failure and keeps at most 21 different causes, also if the failures come in several parts', () => {
    fc.assert(
      fc.property(fc.array(fc.array(anyCause, { maxLength: 60, size: 'max' }), { maxLength: 8 }), (parts) => {
        const before = structuredClone(parts);
        const known: FailureCause[] = [];
        for (const part of parts) {
          // activities do the same: each activity has its own causes
          const own: FailureCause[] = [];
          addCauses(own, part);
          expect(own.length).toBeLessThanOrEqual(21);
          addCauses(known, own);
        }
        expect(sum(known)).toBe(sum(parts.flat()));
        expect(known.length).toBeLessThanOrEqual(21);
        expect(new Set(known.map(({ cause }) => cause)).size).toBe(known.length);
        // the added causes do not change
        expect(parts).toEqual(before);
      }),
      { numRuns: 300 },
    );
  });

  test('counts 20 causes by their names, and all further causes as "other causes"', () => {
    const known: FailureCause[] = [];
    for (let n = 0; n < 50; n += 1) {
      const cause = `cause ${n}`;
      addCauses(known, [{ cause, count: 1, sample: { point: '', replication: 1, reason: cause } }]);
    }
    expect(known.slice(0, 20).map(({ cause }) => cause)).toEqual(
      Array.from({ length: 20 }, (_, n) => `cause ${n}`),
    );
    expect(known.slice(20)).toMatchObject([{ cause: 'other causes', count: 30 }]);
    // a known cause is still counted by its name
    addCauses(known, [{ ...known[3]!, count: 5 }]);
    expect(known[3]!.count).toBe(6);
  });
});
