import { describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import { type InputType, inputTypes } from '../../src/api/constants.ts';
import { canonicalValue, type RawValue, ValueError } from '../../src/api/values.ts';

/** Points and their keys depend on these laws of values. The tests in test/api check which values each type accepts. */

const anyValue: fc.Arbitrary<RawValue> = fc.oneof(
  fc.string(),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.bigInt().map(String),
  fc.constantFrom(
    '8',
    '8.0',
    ' 8 ',
    '1e3',
    '-0',
    '0x10',
    '0b1',
    '0o7',
    '1_000',
    '٣',
    'Infinity',
    '١',
    '8n',
    '.5',
    '5.',
  ),
  fc.constantFrom(
    '2026-02-28T23:59',
    '2026-02-29T00:00',
    '0000-01-01T00:00',
    '2026-1-1T00:00',
    'TRUE',
    ' false',
  ),
  fc
    .record({ min: fc.integer(), max: fc.integer(), step: fc.integer() })
    .map((range) => JSON.stringify(range)),
);

function canonicalOr<T>(refusal: T, type: InputType, value: RawValue): string | T {
  try {
    return canonicalValue(type, value);
  } catch (error) {
    if (error instanceof ValueError) return refusal;
    throw error;
  }
}

describe('canonicalValue', () => {
  test.each(inputTypes)('gives a canonical %s value unchanged, and throws only ValueErrors', (type) => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const once = canonicalOr(undefined, type, value);
        if (once !== undefined) expect(canonicalValue(type, once)).toBe(once);
      }),
      { numRuns: 500 },
    );
  });

  test('a number and its text have the same canonical value', () => {
    fc.assert(
      fc.property(fc.constantFrom<InputType>('DOUBLE', 'INTEGER', 'LONG'), fc.double(), (type, value) => {
        // a LONG that a number cannot hold exactly is accepted only as a text
        fc.pre(type !== 'LONG' || Math.abs(value) <= Number.MAX_SAFE_INTEGER);
        expect(canonicalOr('refused', type, String(value))).toBe(canonicalOr('refused', type, value));
      }),
    );
  });

  test('different numbers have different texts', () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(finite, finite, (a, b) => {
        expect(canonicalValue('DOUBLE', a) === canonicalValue('DOUBLE', b)).toBe(a === b);
      }),
    );
  });

  test('a whole number has the same text in INTEGER, LONG and DOUBLE', () => {
    fc.assert(
      fc.property(fc.integer(), (value) => {
        const spellings = [value, String(value), ` ${value} `, `${value}.0`, `${value}e0`];
        for (const type of ['INTEGER', 'LONG', 'DOUBLE'] as const) {
          for (const spelling of spellings) expect(canonicalValue(type, spelling)).toBe(String(value));
        }
      }),
    );
  });

  test('a LONG outside 64 bits is refused in any notation', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 2n ** 63n, max: 2n ** 80n }), (value) => {
        for (const text of [`${value}`, `+${value}`, `${-value - 1n}`, ` ${value} `]) {
          expect(canonicalOr('refused', 'LONG', text)).toBe('refused');
        }
      }),
    );
  });

  test('a DATE_TIME is accepted only if its date and its time exist', () => {
    const parts = fc.tuple(
      fc.integer({ min: 1000, max: 9999 }),
      fc.nat(14),
      fc.nat(33),
      fc.nat(25),
      fc.nat(61),
    );
    fc.assert(
      fc.property(parts, ([year, month, day, hour, minute]) => {
        const two = (part: number): string => String(part).padStart(2, '0');
        const text = `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}`;
        const daysOf = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        const exists = day >= 1 && day <= (daysOf[month - 1] ?? 0) && hour < 24 && minute < 60;
        expect(canonicalOr('refused', 'DATE_TIME', text)).toBe(exists ? `${text}:00` : 'refused');
      }),
      { numRuns: 1_000 },
    );
  });
});

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}
