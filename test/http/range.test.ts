import { expect, test } from '@jest/globals';
import { rangeIn } from '../../src/http/range.ts';

test.each([
  ['bytes=0-0', { first: 0, last: 0 }],
  ['bytes=5-', { first: 5, last: 9 }],
  ['bytes=-3', { first: 7, last: 9 }],
  ['bytes=-99', { first: 0, last: 9 }],
  ['bytes=8-99', { first: 8, last: 9 }],
  ['bytes=10-', null],
  ['bytes=-0', null],
  ['bytes=-', undefined],
  ['bytes=3-2', undefined],
  ['bytes=0-1,4-5', undefined],
  ['lines=0-1', undefined],
  [undefined, undefined],
])('a server reads the header Range of a file of 10 bytes: %s', (header, range) => {
  expect(rangeIn(header, 10)).toEqual(range);
});
