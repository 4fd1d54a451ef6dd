import { describe, expect, test } from '@jest/globals';
import { pairedShareDifference, shareDifference, wilsonInterval } from '../../src/statistics/share.ts';
import { uniforms } from '../support/uniforms.ts';

describe('the interval of a share', () => {
  // the values are in R. G. Newcombe, Statistics in Medicine 17 (1998) 857-872, Table I, method 3
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('equals the published interval for %d of %d', (count, n, low, high) => {
    const found = wilsonInterval(count / n, n, 0.95);
    expect(found.share).toBe(count / n);
    expect(found.low).toBeCloseTo(low, 4);
    expect(found.high).toBeCloseTo(high, 4);
  });

  test('ends at 0 or 1 if no run or every run is true', () => {
    for (const n of [1, 2, 7, 1_000]) {
      expect(wilsonInterval(0, n, 0.95).low).toBe(0);
      expect(wilsonInterval(1, n, 0.95).high).toBe(1);
    }
  });

  test('is an error without runs, and for an invalid share', () => {
    expect(() => wilsonInterval(0, 0, 0.95)).toThrow(RangeError);
    expect(() => wilsonInterval(1.1, 5, 0.95)).toThrow(RangeError);
  });
});

describe('the difference of two shares', () => {
  // the values are in R. G. Newcombe, Statistics in Medicine 17 (1998) 873-890, Table II, method 10
  test.each([
    [56, 70, 48, 80, 0.0524, 0.3339],
    [9, 10, 3, 10, 0.1705, 0.809],
    [6, 7, 2, 7, 0.0582, 0.8062],
    [5, 56, 0, 29, -0.0381, 0.1926],
    [0, 10, 0, 20, -0.1611, 0.2775],
    [0, 10, 0, 10, -0.2775, 0.2775],
    [10, 10, 0, 20, 0.6791, 1],
    [10, 10, 0, 10, 0.6075, 1],
  ])('has the published interval for %d of %d minus %d of %d', (count, n, less, of, low, high) => {
    const found = shareDifference({ count: less, n: of }, { count, n }, 0.95);
    expect(found.difference).toBeCloseTo(count / n - less / of, 12);
    expect(found.low).toBeCloseTo(low, 4);
    expect(found.high).toBeCloseTo(high, 4);
  });

  // M. W. Fagerland, S. Lydersen and P. Laake, Statistics in Medicine 33 (2014) 2850-2875, give -0.507 to -0.026 for
  // airway hyper-responsiveness before a transplantation minus after it
  test('has the published interval for pairs', () => {
    const found = pairedShareDifference({ both: 1, onlyA: 1, onlyB: 7, neither: 12 }, 0.95);
    expect(found.difference).toBeCloseTo(6 / 21, 12);
    expect(found.low).toBeCloseTo(0.026, 3);
    expect(found.high).toBeCloseTo(0.507, 3);
  });

  test('is 0 for pairs that never differ, with an interval around 0, and is an error without pairs', () => {
    const { difference, low, high } = pairedShareDifference(
      { both: 0, onlyA: 0, onlyB: 0, neither: 10 },
      0.95,
    );
    expect(difference).toBe(0);
    expect(low).toBeLessThan(-0.1);
    expect(high).toBeGreaterThan(0.1);
    expect(() => pairedShareDifference({ both: 0, onlyA: 0, onlyB: 0, neither: 0 }, 0.95)).toThrow(
      RangeError,
    );
  });

  test('lies in its interval for pairs as often as the confidence says', () => {
    const uniform = uniforms(5);
    let inside = 0;
    for (let trial = 0; trial < 2_000; trial += 1) {
      const pairs = { both: 0, onlyA: 0, onlyB: 0, neither: 0 };
      for (let run = 0; run < 40; run += 1) {
        // A and B use the same draw, as with common random numbers, but in a tenth of the runs B uses another draw.
        // A is true below 0.3, and B is true below 0.45.
        const draw = uniform();
        const other = uniform() < 0.1 ? uniform() : draw;
        const [inA, inB] = [draw < 0.3, other < 0.45];
        pairs[inA ? (inB ? 'both' : 'onlyA') : inB ? 'onlyB' : 'neither'] += 1;
      }
      const { low, high } = pairedShareDifference(pairs, 0.95);
      if (low <= 0.15 && 0.15 <= high) inside += 1;
    }
    // four standard deviations of the share 0.95 are 0.02
    expect(inside / 2_000).toBeGreaterThan(0.93);
  });
});
