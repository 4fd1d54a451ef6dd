import { expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import { fileIn, numberIn } from '../../src/api/index.ts';

test('fileIn reads the reference of a file from the value of an output', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string(), (hash, localPath) => {
      expect(fileIn(JSON.stringify({ hash, localPath, more: 1 }))).toEqual({ hash, localPath });
    }),
  );
  expect(fileIn('{"hash":"h"}')).toEqual({ hash: 'h', localPath: '' });
});

test.each([
  ['8.50', 8.5],
  ['"9007199254740993"', 9007199254740992],
  ['"Infinity"', undefined],
  ['""', undefined],
  // `Number(' ')` is 0
  ['" "', undefined],
  ['null', undefined],
  ['', undefined],
])('the number in the value %p of an output is %p', (text, number) => {
  expect(numberIn(text)).toBe(number);
});

test.each([
  undefined,
  '',
  'null',
  '{',
  '"h"',
  '[]',
  '{}',
  '{"hash":""}',
  '{"hash":5}',
  '{"localPath":"a.csv"}',
  JSON.stringify({ hash: 'h'.repeat(1_001), localPath: '' }),
])('a value that does not name a file has no reference: %p', (text) => {
  expect(fileIn(text)).toBeUndefined();
});
