import { expect, test } from '@jest/globals';
import { PointSamples } from '../../../src/report/live/point-samples.ts';
import { OutputSample } from '../../../src/report/summary/points.ts';
import fc from '../../support/fast-check.ts';

const said = ({ count, mean, variance, sum, majority }: OutputSample): unknown => ({
  count,
  mean,
  variance,
  sum,
  majority,
});

test('many points have the samples that each of them would have alone', () => {
  // places grow, and those of points with more than 100 different values are used again
  const kinds: fc.Arbitrary<number[]>[] = [
    fc.array(fc.constantFrom(0, 0, 0, 1, 7), { maxLength: 30 }),
    fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { maxLength: 30 }),
    fc.integer({ min: 95, max: 105 }).map((count) => Array.from({ length: count }, (_, at) => at / 7)),
  ];
  const point: fc.Arbitrary<{ ordinal: number; values: number[] }> = fc.record({
    ordinal: fc.nat(3_000),
    values: fc.oneof(...kinds),
  });
  fc.assert(
    fc.property(fc.array(point, { maxLength: 40 }), fc.boolean(), (points, isMixed) => {
      const values = points.flatMap(({ ordinal, values: own }) =>
        own.map((value, at) => ({ ordinal, value, at })),
      );
      if (isMixed) values.sort((a, b) => a.at - b.at);
      const all = new PointSamples();
      const alone = new Map<number, OutputSample>();
      for (const { ordinal, value } of values) {
        all.add(ordinal, value);
        if (!alone.has(ordinal)) alone.set(ordinal, new OutputSample());
        alone.get(ordinal)!.add(value);
      }
      for (const [ordinal, sample] of alone) expect(said(all.at(ordinal))).toEqual(said(sample));
      expect(said(all.at(4_000_000))).toEqual(said(new OutputSample()));
    }),
  );
});
