import { expect, test } from '@jest/globals';
import { type Key, streamKey, threefry, uniformAt } from '../../../src/campaign/sampling/threefry.ts';

// the test vectors (kat_vectors) of Random123 for threefry2x32 with 20 rounds
test.each<[Key, counter: [number, number], string]>([
  [[0, 0], [0, 0], '6b200159 99ba4efe'],
  [[-1, -1], [-1, -1], '1cb996fc bb002be7'],
  [[0x13198a2e, 0x03707344], [0x243f6a88, 0x85a308d3], 'c4923a9c 483df7a0'],
])('threefry gives the published words for the key %j and the counter %j', (key, counter, expected) => {
  const words = new Uint32Array(2);
  threefry(key, ...counter, words);
  expect([...words].map((word) => word.toString(16)).join(' ')).toBe(expected);
});

test('a number has 53 random bits', () => {
  const bits = (0x6b200159n << 32n) | 0x99ba4efen;
  const [high, low] = [bits >> 37n, (bits & 0xffffffffn) >> 6n];
  expect(uniformAt([0, 0], 0, 0)).toBe(Number((high << 26n) | low) / 2 ** 53);
});

test('different purposes, seeds and names have different keys', () => {
  const keys = [
    streamKey('a', 1, '2'),
    streamKey('a', 12, ''),
    streamKey('a1', 2, ''),
    streamKey('a', 1, '"2'),
    streamKey('a', -1, '2'),
  ];
  expect(new Set(keys.map((key) => key.join())).size).toBe(keys.length);
  expect(streamKey('a', 1, '2')).toEqual(keys[0]);
});
