import { describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import type { InputType } from '../../src/api/constants.ts';
import { canonicalValue, nameKey, type RawValue, ValueError } from '../../src/api/values.ts';

describe('canonicalValue', () => {
  test.each<[InputType, RawValue[], string]>([
    ['DOUBLE', [8, '8', '8.0', ' 8 ', '+8', '8e0', '0.8e1'], '8'],
    ['DOUBLE', [0, -0, '-0', '0.0'], '0'],
    ['DOUBLE', [1e21, '1e21', '1000000000000000000000'], '1e+21'],
    ['INTEGER', [8, '8', '8.0', '8e0', '0.8e1'], '8'],
    ['INTEGER', [0, '-0', '0.00', '0e-5', '0.0e1'], '0'],
    ['INTEGER', [-2147483648, '-2147483648'], '-2147483648'],
    ['LONG', [8, '8', '8.0', '+8', '008'], '8'],
    ['LONG', ['9223372036854775807'], '9223372036854775807'],
    ['LONG', ['9007199254740991.0', 9007199254740991], '9007199254740991'],
    ['BOOLEAN', [true, 'true', 'TRUE', ' True '], 'true'],
    ['BOOLEAN', [false, 'false'], 'false'],
    ['DATE_TIME', ['2026-01-31T08:30', '2026-01-31T08:30:00'], '2026-01-31T08:30:00'],
    ['STRING', [' as it is '], ' as it is '],
    ['INPUT_FILE', ['abc', ' abc ', '{"hash":"abc","localPath":"a.csv"}'], 'abc'],
    ['INPUT_FILE', [''], ''],
    [
      'FIXED_RANGE_DOUBLE',
      ['{"min":20,"max":180,"step":20}', '{"step":"20","min":"20.0","max":"1.8e2"}'],
      '{"min":20,"max":180,"step":20}',
    ],
    ['FIXED_RANGE_INTEGER', ['{"min":1.9,"max":"5.2","step":1}'], '{"min":1,"max":5,"step":1}'],
  ])('turns each %s value of %j into "%s"', (type, spellings, canonical) => {
    for (const value of spellings) expect([value, canonicalValue(type, value)]).toEqual([value, canonical]);
  });

  test.each<[InputType, RawValue[]]>([
    ['DOUBLE', ['', 'many', '0x10', 'Infinity', 'NaN', true, '1,5']],
    [
      'INTEGER',
      [
        7.5,
        '7.5',
        2 ** 31,
        '-2147483649',
        'x',
        '1e-400',
        '1.00000000000000000001',
        '1.00000000000000000001e0',
        '10.00000000000000000001E-1',
      ],
    ],
    [
      'LONG',
      [
        '9223372036854775808',
        '-9223372036854775809',
        2 ** 53,
        1.5,
        'x',
        '1e18',
        '-1e-400',
        '7.00000000000000000001 ',
      ],
    ],
    ['BOOLEAN', ['yes', 1, '']],
    ['DATE_TIME', ['2026-02-30T08:30', '2026-01-31', '2026-01-31T25:00', '2026-01-31T08:30:00Z']],
    ['INPUT_FILE', ['{"localPath":"a.csv"}', '{']],
    [
      'FIXED_RANGE_DOUBLE',
      ['5', '{"min":1,"max":2}', '{"min":3,"max":2,"step":1}', '{"min":1,"max":2,"step":0}'],
    ],
  ])('throws for each %s value of %j', (type, values) => {
    for (const value of values) expect(() => canonicalValue(type, value)).toThrow(ValueError);
  });

  test('a LONG of millions of digits is refused, and the error has only the first digits', () => {
    const digits = '9'.repeat(10_000_000);
    expect(() => canonicalValue('LONG', digits)).toThrow(/^is "9{56}…, which is out of range$/);
    const range = JSON.stringify({ min: digits, max: digits, step: 1 });
    expect(() => canonicalValue('FIXED_RANGE_LONG', range)).toThrow(/^is "9{56}…, which is out of range$/);
  });

  test('a canonical value does not change, and means the same number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const canonical = canonicalValue('DOUBLE', value);
        expect(canonicalValue('DOUBLE', canonical)).toBe(canonical);
        expect(Number(canonical) === value).toBe(true);
      }),
    );
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        expect(canonicalValue('LONG', String(value))).toBe(String(value));
      }),
    );
  });

  test('nameKey ignores case, outer blanks and the Unicode form of accents', () => {
    expect(nameKey('Cafe\u0301')).toBe(nameKey('caf\u00e9'));
    expect(nameKey('J\u030c')).toBe(nameKey('\u01f0'));
    expect(nameKey(' Contact RATE ')).toBe(nameKey('contact rate'));
  });
});
