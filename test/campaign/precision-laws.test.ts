import { describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import { nextReplications, type Precision } from '../../src/campaign/precision.ts';
import { estimate } from '../support/samples.ts';

/** How many further replications must keep the interval narrow, for a point with up to a hundred replications. */
const LOOK_AHEAD = 15;

describe('for any values', () => {
  const anyValue = fc.oneof(
    { weight: 6, arbitrary: fc.double({ min: -10, max: 30, noNaN: true }) },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.double() },
  );
  const anyCase = fc.record({
    values: fc.array(anyValue, { maxLength: 60, size: 'max' }),
    width: fc.double({ min: 0.01, max: 20, noNaN: true }),
    isRelative: fc.boolean(),
    min: fc.integer({ min: 2, max: 12 }),
    max: fc.integer({ min: 12, max: 90 }),
    confidence: fc.constantFrom(0.8, 0.95, 0.99),
  });
  type Case = typeof anyCase extends fc.Arbitrary<infer T> ? T : never;

  const wanted = ({ width, isRelative, min, max, confidence }: Omit<Case, 'values'>): Precision => ({
    outputs: ['x'],
    min,
    max,
    confidence,
    relative: isRelative ? width / 20 : null,
    absolute: isRelative ? null : width,
  });
  type Decision = ReturnType<typeof nextReplications>;
  const total = (decision: Decision, made: number): number =>
    decision.decided ? made : decision.replications;

  test('a round adds replications, and never exceeds the maximum', () => {
    fc.assert(
      fc.property(anyCase, ({ values, ...rest }) => {
        const decision = nextReplications(wanted(rest), [values], values.length);
        if (values.length >= rest.max) expect(decision.decided).toBe(true);
        if (decision.decided) return;
        expect(decision.replications).toBeGreaterThan(values.length);
        expect(decision.replications).toBeLessThanOrEqual(rest.max);
        expect(Number.isInteger(decision.replications)).toBe(true);
        expect(Number.isFinite(decision.need)).toBe(true);
      }),
    );
  });

  test('the decision does not depend on which replications failed', () => {
    fc.assert(
      fc.property(anyCase, ({ values, ...rest }) => {
        const isGood = (value: number | null): boolean => value !== null && Number.isFinite(value);
        const moved = [...values.filter((value) => !isGood(value)), ...values.filter(isGood)];
        const decide = (each: typeof values) => nextReplications(wanted(rest), [each], each.length);
        expect(decide(moved)).toEqual(decide(values));
      }),
    );
  });

  test('a narrower interval never needs fewer replications', () => {
    fc.assert(
      fc.property(anyCase, fc.double({ min: 0.01, max: 1, noNaN: true }), ({ values, ...rest }, factor) => {
        const wide = nextReplications(wanted(rest), [values], values.length);
        const narrow = nextReplications(
          wanted({ ...rest, width: rest.width * factor }),
          [values],
          values.length,
        );
        expect(total(narrow, values.length)).toBeGreaterThanOrEqual(total(wide, values.length));
        if (!wide.decided && !narrow.decided) expect(narrow.need).toBeGreaterThanOrEqual(wide.need);
      }),
    );
  });

  test('the decision does not depend on the unit and the sign of the values', () => {
    fc.assert(
      fc.property(anyCase, fc.constantFrom(-1, 2, -0.125, 1024), ({ values, ...rest }, unit) => {
        // the squares of larger values are infinite, and those of smaller values lose digits
        const isUsual = (size: number): boolean => size === 0 || (size > 1e-100 && size < 1e100);
        const small = values.map((value) => (value !== null && isUsual(Math.abs(value)) ? value : null));
        const scaled = small.map((value) => (value === null ? null : value * unit));
        const other = {
          ...wanted(rest),
          ...(rest.isRelative ? {} : { absolute: rest.width * Math.abs(unit) }),
        };
        const made = values.length;
        expect(nextReplications(other, [scaled], made)).toEqual(
          nextReplications(wanted(rest), [small], made),
        );
      }),
    );
  });

  test('a point that stops before the maximum had narrow intervals for the whole look-ahead', () => {
    let stopped = 0;
    fc.assert(
      fc.property(anyCase, ({ values, ...rest }) => {
        const good = values.filter((value) => value !== null && Number.isFinite(value));
        const { max } = rest;
        const decision = nextReplications(wanted(rest), [good], good.length);
        const last = estimate(good, wanted(rest));
        if (decision.decided) expect(decision.reached).toBe(last.reached);
        else if (last.sd !== null && decision.need < Number.MAX_VALUE)
          expect(decision.need <= 1).toBe(last.reached);
        if (!decision.decided || good.length >= max || last.sd === 0) return;
        stopped += 1;
        for (let n = good.length - LOOK_AHEAD; n <= good.length; n += 1) {
          expect(n).toBeGreaterThanOrEqual(rest.min);
          expect(estimate(good.slice(0, n), wanted(rest)).reached).toBe(true);
        }
      }),
      { numRuns: 400 },
    );
    expect(stopped).toBeGreaterThan(0);
  });
});
