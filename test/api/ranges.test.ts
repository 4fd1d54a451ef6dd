import { describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import type { InputType } from '../../src/api/constants.ts';
import { rangeCount, rangeValues } from '../../src/api/ranges.ts';
import { canonicalValue, ValueError } from '../../src/api/values.ts';

const valuesOf = (type: InputType, range: object) =>
  rangeValues(type, canonicalValue(type, JSON.stringify(range)));

describe('rangeValues', () => {
  test.each<[InputType, object, string[]]>([
    ['FIXED_RANGE_DOUBLE', { min: 0.1, max: 0.5, step: 0.1 }, ['0.1', '0.2', '0.3', '0.4', '0.5']],
    ['FIXED_RANGE_DOUBLE', { min: -0.2, max: 0.25, step: 0.1 }, ['-0.2', '-0.1', '0', '0.1', '0.2']],
    ['FIXED_RANGE_DOUBLE', { min: 1e-300, max: 3e-300, step: 1e-300 }, ['1e-300', '2e-300', '3e-300']],
    ['FIXED_RANGE_INTEGER', { min: '20', max: '60', step: '20' }, ['20', '40', '60']],
    ['FIXED_RANGE_INTEGER', { min: 1.9, max: 4.9, step: 2.5 }, ['1', '3']],
    ['FIXED_RANGE_LONG', { min: 5, max: 5, step: 1 }, ['5']],
    [
      'FIXED_RANGE_LONG',
      { min: '9223372036854775804', max: '9223372036854775807', step: 2 },
      ['9223372036854775804', '9223372036854775806'],
    ],
    ['FULL_RANGE_BOOLEAN', {}, ['false', 'true']],
  ])('gives the values of %s with %j', (type, range, values) => {
    expect(valuesOf(type, range)).toEqual(values);
  });

  test('a range of whole numbers goes from min to max by its step, and rangeCount counts its values', () => {
    const whole = fc.integer({ min: -(2 ** 30), max: 2 ** 30 });
    fc.assert(
      fc.property(
        fc.constantFrom<InputType>('FIXED_RANGE_INTEGER', 'FIXED_RANGE_LONG', 'FIXED_RANGE_DOUBLE'),
        fc.tuple(whole, whole).map((pair) => pair.sort((a, b) => a - b)),
        fc.integer({ min: 1, max: 300 }),
        (type, [min, max], parts) => {
          const step = Math.max(1, Math.ceil((max - min) / parts));
          const canonical = canonicalValue(type, JSON.stringify({ min, max, step }));
          const expected = [];
          for (let value = min; value <= max; value += step) expected.push(String(value));
          expect(rangeValues(type, canonical)).toEqual(expected);
          expect(rangeCount(type, canonical)).toBe(expected.length);
        },
      ),
    );
  });

  test('a computed step reaches max and never exceeds it, and a value that an exact step reaches stays', () => {
    for (const [max, step] of [
      [0.9, 0.1285714285714286],
      [100, 9.090909090909092],
    ] as const) {
      expect(valuesOf('FIXED_RANGE_DOUBLE', { min: 0, max, step }).at(-1)).toBe(String(max));
    }
    expect(valuesOf('FIXED_RANGE_DOUBLE', { min: 0, max: 1 - 0.9, step: 0.05 })).toEqual([
      '0',
      '0.05',
      '0.1',
    ]);
  });

  test('rangeCount is Infinity for a range that is too long to count', () => {
    const long = canonicalValue('FIXED_RANGE_DOUBLE', '{"min":-1e308,"max":1e308,"step":1e-9}');
    expect(rangeCount('FIXED_RANGE_DOUBLE', long)).toBe(Infinity);
  });
});

describe('canonical ranges and bounds', () => {
  test.each<[InputType, object, string]>([
    [
      'FIXED_RANGE_LONG',
      { step: 1, max: '9007199254740993', min: 1.5 },
      '{"min":1,"max":"9007199254740993","step":1}',
    ],
    ['RANDOM_INTEGER', { max: '6', min: 1 }, '{"min":1,"max":6}'],
    ['RANDOM_DOUBLE', { max: '6.50', min: -1, step: 7 }, '{"min":-1,"max":6.5}'],
    ['RANDOM_BOOLEAN', { any: 'thing' }, ''],
    ['FULL_RANGE_BOOLEAN', {}, ''],
  ])('the canonical form of %s with %j is "%s"', (type, value, canonical) => {
    expect(canonicalValue(type, JSON.stringify(value))).toBe(canonical);
  });

  test.each<[InputType, object | string, RegExp]>([
    ['FIXED_RANGE_INTEGER', { min: 0, max: 2 ** 31, step: 1 }, /out of range/],
    ['FIXED_RANGE_INTEGER', { min: 0, max: 5, step: 0.5 }, /step must be positive/],
    ['FIXED_RANGE_LONG', { min: 0, max: 2 ** 60, step: 1 }, /write it in quotes/],
    ['FIXED_RANGE_DOUBLE', { min: 0, max: null, step: 1 }, /not a range like/],
    ['FIXED_RANGE_DOUBLE', { min: 0, max: [5], step: 1 }, /not a range like/],
    ['FIXED_RANGE_DOUBLE', { min: 0, max: 'many', step: 1 }, /not a number/],
    ['FIXED_RANGE_DOUBLE', 'null', /not a range like/],
    ['RANDOM_DOUBLE', { min: 2, max: 1 }, /min exceeds max/],
    ['RANDOM_INTEGER', { min: 2 }, /not a pair of bounds/],
  ])('%s does not take %j', (type, value, message) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    expect(() => canonicalValue(type, text)).toThrow(ValueError);
    expect(() => canonicalValue(type, text)).toThrow(message);
  });
});
