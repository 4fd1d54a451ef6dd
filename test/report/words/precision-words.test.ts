import { expect, test } from '@jest/globals';
import { precisionText } from '../../../src/report/index.ts';

const known = { output: 'Wait', of: 'mean', confidence: 0.95, wanted: '5 %', n: 39, reached: true } as const;

test.each([
  [
    { ...known, mean: 0.62933, sd: 0.1, low: 0.60695, high: 0.65171 },
    'Wait: 39 values, mean 0.629 ± 0.022 (95 %), as precise as wanted (± 5 %)',
  ],
  [
    { ...known, of: 'share', mean: 0.25, sd: null, low: 0.125, high: 0.375, reached: false } as const,
    'Wait: 39 values, share 25 % (13 % to 38 %) (95 %), not as precise as wanted (± 5 %)',
  ],
  [
    { ...known, confidence: 0.55, mean: 0.62933, sd: 0.1, low: 0.60695, high: 0.65171 },
    'Wait: 39 values, mean 0.629 ± 0.022 (55 %), as precise as wanted (± 5 %)',
  ],
  [
    { ...known, n: 1, mean: 3, sd: null, low: null, high: null, reached: false },
    'Wait: 1 value (95 %), not as precise as wanted (± 5 %)',
  ],
  [
    { ...known, mean: 8, sd: 0, low: null, high: null, reached: false },
    'Wait: 39 equal values of 8, which have no interval before there are 300 (95 %), not as precise as wanted (± 5 %)',
  ],
])('the precision of a point is described in words', (one, expected) => {
  expect(precisionText(one)).toBe(expected);
});
