import { describe, expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import { bandsOf, thinned } from '../../../src/report/summary/bands.ts';
import { EvenSample } from '../../../src/report/summary/even-sample.ts';
import type { Curve } from '../../../src/campaign/curves.ts';
import { quantile } from '../../../src/statistics/quantile.ts';

const value = fc.double({ min: -1e6, max: 1e6, noNaN: true });

describe('bands', () => {
  test('of curves with the same x values are the quantiles at these x values', () => {
    const family = fc
      .integer({ min: 1, max: 9 })
      .chain((length) =>
        fc.array(fc.array(value, { minLength: length, maxLength: length }), { minLength: 1, maxLength: 20 }),
      );
    fc.assert(
      fc.property(family, (all) => {
        const bands = bandsOf(all.map((values) => values.map((y, i): [number, number] => [i / 3, y])));
        expect(bands.map(({ x }) => x)).toEqual(all[0]!.map((_, i) => i / 3));
        for (const [i, band] of bands.entries()) {
          // -0 comes before 0
          const sorted = Float64Array.from(all, (values) => values[i]!).sort();
          expect([band.q05, band.q25, band.q50, band.q75, band.q95]).toEqual(
            [0.05, 0.25, 0.5, 0.75, 0.95].map((p) => quantile(sorted, p)),
          );
        }
      }),
    );
  });

  test('of straight lines are straight lines, wherever the points of the lines are', () => {
    const places = fc.uniqueArray(fc.integer({ min: 1, max: 99 }), { maxLength: 20 });
    fc.assert(
      fc.property(fc.array(places, { minLength: 2, maxLength: 12 }), (all) => {
        const curves = all.map((inner, slope) =>
          [0, ...inner, 100].sort((a, b) => a - b).map((x): [number, number] => [x, slope * x]),
        );
        const slopes = all.map((_, slope) => slope);
        for (const { x, q05, q50, q95 } of bandsOf(curves)) {
          expect(q05).toBeCloseTo(quantile(slopes, 0.05) * x, 6);
          expect(q50).toBeCloseTo(quantile(slopes, 0.5) * x, 6);
          expect(q95).toBeCloseTo(quantile(slopes, 0.95) * x, 6);
        }
      }),
    );
  });

  test('end where fewer than half of the curves continue', () => {
    const to = (end: number): Curve => [
      [0, 1],
      [end, 1],
    ];
    const places = bandsOf([to(10), to(10), to(40), to(120)]).map(({ x }) => x);
    expect([places[0], places.at(-1)]).toEqual([0, 40]);
    expect(bandsOf([[], to(5)])).toHaveLength(2);
    expect(bandsOf([])).toEqual([]);
  });

  test('use the last point if a curve has several points at one x', () => {
    const step: Curve = [
      [0, 0],
      [1, 0],
      [1, 5],
      [2, 5],
    ];
    expect(bandsOf([step]).map(({ x, q50 }) => [x, q50])).toEqual([
      [0, 0],
      [1, 5],
      [2, 5],
    ]);
  });
});

test('a curve with too many points keeps its first point, its last point and some points between them', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 2, max: 80 }),
      (curve, most) => {
        const thin = thinned(curve, most);
        expect(thin).toHaveLength(Math.min(most, curve.length));
        const places = curve.map(([x]) => x);
        expect([thin[0]![0], thin.at(-1)![0]]).toEqual([Math.min(...places), Math.max(...places)]);
        for (const pair of thin) expect(curve).toContain(pair);
      },
    ),
  );
});

describe('an even sample', () => {
  const sampleOf = (count: number, most: number) => {
    const sample = new EvenSample<number>(most);
    for (let i = 0; i < count; i += 1) sample.add(() => i);
    return sample;
  };

  test('keeps all items if they are few, and at least a third of its maximum if they are many', () => {
    fc.assert(
      fc.property(fc.nat(3_000), fc.integer({ min: 10, max: 100 }), (count, most) => {
        const { items, isPart } = sampleOf(count, most);
        expect(items.length).toBeLessThanOrEqual(most);
        if (count <= most) expect(items).toEqual(Array.from({ length: count }, (_, i) => i));
        else expect(items.length).toBeGreaterThanOrEqual(most / 3);
        expect(isPart).toBe(count > most);
      }),
    );
  });

  test('is spread evenly: each tenth of the items has about a tenth of the sample', () => {
    const { items } = sampleOf(100_000, 400);
    for (let tenth = 0; tenth < 10; tenth += 1) {
      const within = items.filter((item) => Math.floor(item / 10_000) === tenth).length;
      expect(Math.abs(within - items.length / 10)).toBeLessThanOrEqual(3);
    }
  });

  test('makes only the items that it may keep, and leaves out an item that is undefined', () => {
    const made: number[] = [];
    const sample = new EvenSample<number>(10);
    for (let i = 0; i < 10_000; i += 1) {
      sample.add(() => {
        made.push(i);
        return i % 2 === 0 ? i : undefined;
      });
    }
    expect(made.length).toBeLessThan(300);
    expect(sample.items.every((item) => item % 2 === 0)).toBe(true);
    expect(sample.items.length).toBeGreaterThan(0);
  });
});
