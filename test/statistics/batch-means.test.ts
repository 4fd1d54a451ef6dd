import { describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import { uniforms } from '../support/uniforms.ts';
import { type BatchMeans, batchMeans } from '../../src/statistics/batch-means.ts';
import { halfWidth, Sample } from '../../src/statistics/sample.ts';

/**
 * A series that fills its batches. Its values are whole numbers, so that rounding is small compared with their
 * variance.
 */
const filled = fc
  .tuple(fc.integer({ min: 2, max: 12 }), fc.integer({ min: 1, max: 8 }))
  .chain(([batches, batchSize]) =>
    fc.record({
      batches: fc.constant(batches),
      batchSize: fc.constant(batchSize),
      values: fc.array(fc.integer({ min: -1_000, max: 1_000 }), {
        minLength: batches * batchSize,
        maxLength: batches * batchSize,
      }),
    }),
  );

function expectClose(found: BatchMeans, wanted: BatchMeans): void {
  for (const key of Object.keys(wanted) as (keyof BatchMeans)[])
    expect(found[key]).toBeCloseTo(wanted[key], 6);
}

describe('the mean of a series by batch means', () => {
  test('is the mean of its batches, with Student’s interval', () => {
    // the means 2, 4 and 9 have the mean 5 and the variance 13; the 0.975 quantile of t with 2 degrees is 4.302653
    const found = batchMeans([7, 1, 3, 4, 4, 10, 8], { batches: 3 });
    expect(found).toMatchObject({ n: 6, batches: 3, batchSize: 2, mean: 5 });
    expect(found.sd).toBeCloseTo(Math.sqrt(13), 12);
    expect(found.high - 5).toBeCloseTo((4.302653 * Math.sqrt(13)) / Math.sqrt(3), 5);
    expect(5 - found.low).toBeCloseTo(found.high - 5, 12);
  });

  test('has by default 20 batches, no warm-up and 95 % confidence', () => {
    const values = Array.from({ length: 60 }, (_, i) => (i * 7) % 13);
    expect(batchMeans(values)).toEqual(batchMeans(values, { batches: 20, warmup: 0, confidence: 0.95 }));
    expect(batchMeans(values)).toMatchObject({ batches: 20, batchSize: 3 });
  });

  test('leaves out the warm-up, and further first values if the batches would not be equal', () => {
    const leading = fc.array(fc.integer({ min: -1_000, max: 1_000 }), { maxLength: 30 });
    fc.assert(
      fc.property(filled, leading, fc.nat(), ({ batches, batchSize, values }, before, extra) => {
        const wanted = batchMeans(values, { batches });
        expect(wanted).toMatchObject({ n: values.length, batches, batchSize });
        const rest = Array.from({ length: extra % batches }, (_, i) => i);
        const all = [...before, ...rest, ...values];
        expect(batchMeans(all, { batches, warmup: before.length })).toEqual(wanted);
        expect(batchMeans(Float64Array.from(all), { batches, warmup: before.length })).toEqual(wanted);
      }),
    );
  });

  test('shifts and scales with the values, and does not depend on the order of values within a batch', () => {
    const change = fc.record({
      by: fc.integer({ min: -500, max: 500 }),
      times: fc.integer({ min: -9, max: 9 }),
    });
    fc.assert(
      fc.property(filled, change, ({ batches, batchSize, values }, { by, times }) => {
        const { mean, sd, low, high, ...rest } = batchMeans(values, { batches });
        const ends = [by + times * low, by + times * high].sort((a, b) => a - b);
        const turned = values.map((_, at) => {
          const start = at - (at % batchSize);
          return by + times * values[start + batchSize - 1 - (at - start)]!;
        });
        expectClose(batchMeans(turned, { batches }), {
          ...rest,
          mean: by + times * mean,
          sd: Math.abs(times) * sd,
          low: ends[0]!,
          high: ends[1]!,
        });
      }),
    );
  });

  test('has the usual interval if each batch has one value; the upper end does not fall with more confidence', () => {
    fc.assert(
      fc.property(filled, fc.double({ min: 0.01, max: 0.99, noNaN: true }), ({ values }, confidence) => {
        const sample = new Sample();
        for (const value of values) sample.add(value);
        const found = batchMeans(values, { batches: values.length, confidence });
        expect(found.mean).toBe(sample.mean);
        const half = halfWidth(values.length, Math.sqrt(sample.variance!), confidence);
        expect(found.high - found.low).toBeCloseTo(2 * half, 6);
        const wider = batchMeans(values, { batches: values.length, confidence: (1 + confidence) / 2 });
        expect(wider.high).toBeGreaterThanOrEqual(found.high);
      }),
    );
  });

  test.each([
    ['too few values', [1, 2, 3], { batches: 4 }],
    ['too few values after the warm-up', [1, 2, 3, 4], { batches: 2, warmup: 3 }],
    ['a warm-up beyond the end', [1, 2, 3, 4], { batches: 2, warmup: 9 }],
    ['no values', [], {}],
    ['one batch', [1, 2, 3, 4], { batches: 1 }],
    ['a fractional number of batches', [1, 2, 3, 4], { batches: 2.5 }],
    ['a fractional warm-up', [1, 2, 3, 4], { batches: 2, warmup: 0.5 }],
    ['a confidence of 1', [1, 2, 3, 4], { batches: 2, confidence: 1 }],
    ['a value that is not finite', [1, NaN, 3, 4], { batches: 2 }],
  ])('is an error with %s', (_, values, options) => {
    expect(() => batchMeans(values, options)).toThrow(RangeError);
  });

  test('lies in its interval as often as the confidence says, also if values are correlated', () => {
    const next = uniforms(11);
    const [mean, likeness] = [3, 0.8];
    // an autoregression of order 1 that begins in its steady state
    const series = (length: number): number[] => {
      let away = (next() - 0.5) / Math.sqrt(1 - likeness ** 2);
      return Array.from({ length }, () => {
        away = likeness * away + next() - 0.5;
        return mean + away;
      });
    };
    const contains = ({ low, high }: BatchMeans): boolean => low <= mean && mean <= high;
    const rounds = 1_000;
    let [within, naively] = [0, 0];
    for (let round = 0; round < rounds; round += 1) {
      const values = series(4_000);
      if (contains(batchMeans(values, { confidence: 0.9 }))) within += 1;
      if (contains(batchMeans(values, { batches: values.length, confidence: 0.9 }))) naively += 1;
    }
    // three standard deviations of the share 0.9 are 0.03; intervals for independent values would give a share of 0.42
    expect(within / rounds).toBeGreaterThan(0.87);
    expect(within / rounds).toBeLessThan(0.93);
    expect(naively / rounds).toBeLessThan(0.5);
  });
});
