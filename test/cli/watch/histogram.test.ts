import { describe, expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import { binned, histogram } from '../../../src/cli/watch/histogram.ts';
import { painted } from '../../../src/cli/watch/text.ts';

const numbers = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), {
  minLength: 1,
  maxLength: 200,
});
const drawn = (values: number[], width: number, height: number) =>
  histogram(values, width, height).map((line) => painted(line, width, false));

describe('a histogram', () => {
  test('counts every value, of any size', () => {
    fc.assert(
      fc.property(numbers, fc.integer({ min: 1, max: 60 }), (values, most) => {
        const { from, to, counts } = binned(values, most);
        expect(counts.length).toBeLessThanOrEqual(most);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(values.length);
        expect([from, to]).toEqual([
          values.toSorted((a, b) => a - b)[0],
          values.toSorted((a, b) => b - a)[0],
        ]);
      }),
    );
  });

  test('has bars of equal width', () => {
    const values = Array.from({ length: 1_000 }, (_, at) => at / 10);
    // the Rice rule gives 2 * 1,000^(1/3) = 20 bars
    expect(binned(values, 60).counts).toEqual(new Array(20).fill(50));
  });

  test('draws the largest bar up to the top, and shows every bar with a value', () => {
    const values = [...new Array<number>(800).fill(1), 2, 3, 3, 3];
    const [top, bottom, range] = drawn(values, 60, 2);
    // the histogram has 19 bars of three columns
    expect(top).toBe(`███${' '.repeat(54)}`);
    expect(bottom).toMatch(/^███ +▁▁▁ +▁▁▁$/);
    expect(range).toBe(`1${' '.repeat(55)}3`);
  });

  test('of equal numbers has one bar', () => {
    expect(drawn([7, 7], 10, 1)).toEqual(['██████████', '7']);
  });
});
