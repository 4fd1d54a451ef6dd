import { describe, expect, test } from '@jest/globals';
import { canonicalValue } from '../../src/api/index.ts';
import type { SearchedInput } from '../../src/campaign/search/search.ts';
import { spaceOf } from '../../src/campaign/search/space.ts';
import fc from '../support/fast-check.ts';

describe('the space of a search', () => {
  const base = [{ name: 'x', type: 'DOUBLE' as const, units: null, value: '0' }];
  const range = (given: Partial<Extract<SearchedInput, { kind: 'range' }>>): SearchedInput => ({
    name: 'x',
    type: 'DOUBLE',
    kind: 'range',
    min: 0,
    max: 1,
    scale: 'linear',
    step: null,
    digits: null,
    ...given,
  });

  test('values are canonical, within their bounds and on their steps, and convert to coordinates that give the same values', () => {
    const bounds = fc
      .record({
        type: fc.constantFrom('DOUBLE' as const, 'INTEGER' as const),
        min: fc.integer({ min: 1, max: 1_000 }),
        width: fc.integer({ min: 1, max: 1_000 }),
        scale: fc.constantFrom('linear' as const, 'log' as const),
        step: fc.option(fc.integer({ min: 1, max: 7 })),
        digits: fc.option(fc.integer({ min: 0, max: 6 })),
      })
      .filter(({ step, width }) => step === null || step <= width);
    fc.assert(
      fc.property(
        bounds,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1 }),
        (given, xs) => {
          const { type, min, width, scale, step } = given;
          const digits = type === 'INTEGER' || step !== null ? null : given.digits;
          const input = range({ type, min, max: min + width, scale, step, digits });
          const space = spaceOf({ inputs: [input], where: null }, base);
          for (const x of xs) {
            const [value] = space.valuesAt([x]);
            const number = Number(value);
            expect(number).toBeGreaterThanOrEqual(min);
            expect(number).toBeLessThanOrEqual(min + width);
            expect(value).toBe(canonicalValue(type, number));
            if (type === 'INTEGER') expect(Number.isInteger(number)).toBe(true);
            if (step !== null) expect(Number.isInteger((number - min) / step)).toBe(true);
            if (digits !== null) expect(number).toBe(Number(number.toFixed(digits)));
            const again = space.coordinatesOf([value!])!;
            expect(space.valuesAt(again)).toEqual([value]);
            expect(again[0]).toBeGreaterThanOrEqual(0);
            expect(again[0]).toBeLessThanOrEqual(1);
          }
        },
      ),
    );
  });

  test('values that are large and near to each other are different', () => {
    const input = range({
      type: 'DOUBLE',
      min: 1700000000000,
      max: 1700000000001,
      scale: 'linear',
      step: null,
      digits: null,
    });
    const space = spaceOf({ inputs: [input], where: null }, base);
    expect(space.valuesAt([0.25])).toEqual(['1700000000000.25']);
  });

  test('coordinates reach each value of a choice, and an unknown value has no coordinates', () => {
    const input: SearchedInput = {
      name: 'x',
      type: 'STRING',
      kind: 'choice',
      values: ['a', 'b', 'c'],
      isOrdered: false,
    };
    const space = spaceOf({ inputs: [input], where: null }, base);
    expect(space.dimensions).toEqual([{ kind: 'choice', levels: 3 }]);
    expect([0, 0.34, 0.67, 1].map((x) => space.valuesAt([x])[0])).toEqual(['a', 'b', 'c', 'c']);
    expect(space.coordinatesOf(['d'])).toBeUndefined();
  });

  test('a condition does not calculate with a LONG that a number cannot have exactly', () => {
    const big = [...base, { name: 'Budget', type: 'LONG' as const, units: null, value: '9007199254740993' }];
    const space = spaceOf({ inputs: [], where: 'Budget > 9007199254740992' }, big);
    expect(() => space.isAllowed([])).toThrow(/too large to calculate with exactly/);
  });

  test('a condition can use inputs that the search does not vary', () => {
    const others = [...base, { name: 'y', type: 'DOUBLE' as const, units: null, value: '0.5' }];
    const space = spaceOf({ inputs: [range({})], where: 'x > y' }, others);
    expect([space.isAllowed(['0.4']), space.isAllowed(['0.6'])]).toEqual([false, true]);
  });
});
