import { describe, expect, test } from '@jest/globals';
import fc, { draws } from '../../support/fast-check.ts';
import {
  inputsOf,
  mostRows,
  rowsOf,
  sizeOf,
  type WrittenDesign,
} from '../../../src/campaign/designs/index.ts';
import type { Spread } from '../../../src/campaign/designs/spread-input.ts';
import { expand, runInputs } from '../../../src/campaign/points.ts';
import { checkedDesign, keysOf, pointsOf } from './support.ts';
import { inputs, names, valuesFor, forEach, tableOf, methods, anyDesign, twoApart } from './any-design.ts';

describe('any design', () => {
  test('has different points with consecutive numbers: as many as its size if the size is known, and never more than its rows', () => {
    const seen = { sized: 0, unsized: 0, empty: 0 };
    fc.assert(
      fc.property(anyDesign, (written) => {
        const campaign = checkedDesign(written);
        const points = [...expand(campaign)];
        expect(new Set(points.map(({ key }) => key)).size).toBe(points.length);
        expect(points.map(({ ordinal }) => ordinal)).toEqual([...points.keys()]);
        const size = sizeOf(campaign.design);
        if (size !== undefined) expect(points).toHaveLength(size);
        expect(points.length).toBeLessThanOrEqual(mostRows(campaign.design));
        expect(campaign.varied.map(({ name }) => name)).toEqual(inputsOf(campaign.design));
        seen[size === undefined ? 'unsized' : 'sized'] += 1;
        if (points.length === 0) seen.empty += 1;
      }),
      { numRuns: 300 },
    );
    expect(Math.min(seen.sized, seen.unsized)).toBeGreaterThan(20);
    expect(seen.empty).toBeLessThan(100);
  });

  test('has points that depend only on the definition, and does not change if it passes through JSON', () => {
    fc.assert(
      fc.property(anyDesign, fc.integer(), (written, seed) => {
        const campaign = checkedDesign(written, { seed });
        const points = [...expand(campaign)];
        expect(pointsOf(written, { seed })).toEqual(points);
        const copy = JSON.parse(JSON.stringify(campaign)) as typeof campaign;
        expect(copy).toEqual(campaign);
        expect([...expand(copy)]).toEqual(points);
      }),
      { numRuns: draws(100) },
    );
  });

  test('gives points the keys that they have in a list of points or as fixed inputs', () => {
    fc.assert(
      fc.property(anyDesign, fc.nat(), (written, at) => {
        const { varied, ...campaign } = checkedDesign(written);
        const all = [...expand({ ...campaign, varied })];
        fc.pre(all.length > 0);
        const points = all.map(({ values }) =>
          Object.fromEntries(varied.map(({ name }, place) => [name, values[place]!])),
        );
        expect(keysOf({ points })).toEqual(all.map(({ key }) => key));
        const one = at % all.length;
        expect(keysOf({ grid: { Budget: [1000] } }, { inputs: points[one] })).toEqual([all[one]!.key]);
      }),
      { numRuns: draws(100) },
    );
  });

  test('keeps the keys and seeds of its points when it gets more points', () => {
    const seedsOf = (written: WrittenDesign, seed: number): Map<string, string[]> => {
      const campaign = checkedDesign(written, { seed });
      return new Map(
        [...expand(campaign)].map((point) => [
          point.key,
          [1, 2].map(
            (n) => runInputs(campaign, point, n).find(({ name }) => name === '{RANDOM_SEED}')!.value,
          ),
        ]),
      );
    };
    fc.assert(
      fc.property(anyDesign, anyDesign, fc.integer(), (before, more, seed) => {
        const after = seedsOf({ union: [more, before] }, seed);
        for (const [key, seeds] of seedsOf(before, seed)) expect(after.get(key)).toEqual(seeds);
        const all = [...after.values()].flat();
        expect(new Set(all).size).toBe(all.length);
      }),
      { numRuns: draws(100) },
    );
  });

  test('with a condition has the points that meet the condition, in their order', () => {
    fc.assert(
      fc.property(anyDesign, fc.integer({ min: 1, max: 30 }), (written, least) => {
        const campaign = checkedDesign(written);
        const place = campaign.varied.findIndex(({ name }) => name === 'Days');
        const kept = [...expand(campaign)].filter(({ values }) => Number(values[place] ?? 14) >= least);
        const filtered = keysOf({ product: [written], where: `Days >= ${least}` });
        expect(filtered).toEqual(kept.map(({ key }) => key));
        // a product may have a condition of its own, and a sample draws other points in place of those left out
        if (!('where' in written) && !methods.some((method) => method in written))
          expect(keysOf({ ...written, where: `Days >= ${least}` })).toEqual(filtered);
      }),
      { numRuns: draws(100) },
    );
  });

  test('derives the values that a direct computation gives', () => {
    fc.assert(
      fc.property(anyDesign, fc.integer({ min: -9, max: 9 }), (written, factor) => {
        const derive = {
          Budget: `Population * ${factor} + round(\`Contact rate\`)`,
          'Recovery rate': '`Contact rate` / 3 + (Stochastic ? 1 : Budget)',
        };
        const campaign = checkedDesign({ product: [written], derive });
        const before = pointsOf(written);
        const after = [...expand(campaign)];
        expect(after).toHaveLength(before.length);
        for (const [at, { values }] of after.entries()) {
          const read = (name: string): string =>
            values[campaign.varied.findIndex((one) => one.name === name)] ??
            campaign.base.find((one) => one.name === name)!.value;
          expect(values.slice(0, -2)).toEqual(before[at]!.values);
          // round() rounds a half away from zero
          const rate = Number(read('Contact rate'));
          const budget = Number(read('Population')) * factor + Math.sign(rate) * Math.round(Math.abs(rate));
          expect(read('Budget')).toBe(String(budget + 0));
          const recovery = rate / 3 + (read('Stochastic') === 'true' ? 1 : budget);
          expect(Number(read('Recovery rate'))).toBeCloseTo(recovery, 8);
          expect(String(Number(Number(read('Recovery rate')).toPrecision(12)))).toBe(read('Recovery rate'));
        }
      }),
      { numRuns: draws(100) },
    );
  });
});

describe('each kind', () => {
  test('a grid has every combination once, whatever the order of its inputs', () => {
    const grid = fc.shuffledSubarray(names, { minLength: 1 }).chain((of) => forEach(of, valuesFor));
    fc.assert(
      fc.property(grid, (one) => {
        const keys = keysOf({ grid: one });
        const alone = Object.keys(one).map((name) => keysOf({ grid: { [name]: one[name]! } }).length);
        expect(keys).toHaveLength(alone.reduce((product, count) => product * count, 1));
        const backwards = Object.fromEntries(Object.entries(one).reverse());
        expect(keysOf({ grid: backwards }).toSorted()).toEqual(keys.toSorted());
      }),
      { numRuns: draws(100) },
    );
  });

  test('a zip has the same points as a list of these points, in the same order', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(names, { minLength: 1 }).chain(tableOf), (points) => {
        const of = Object.keys(points[0]!);
        const zip = Object.fromEntries(of.map((name) => [name, points.map((point) => point[name]!)]));
        expect(sizeOf(checkedDesign({ zip }).design)).toBe(points.length);
        expect(pointsOf({ zip })).toEqual(pointsOf({ points }));
      }),
      { numRuns: draws(100) },
    );
  });

  test('a product has all combinations of the points of its members, and the points of the last member vary fastest', () => {
    fc.assert(
      fc.property(twoApart, ({ a, b }) => {
        const combined = pointsOf(a).flatMap((x) => pointsOf(b).map((y) => [...x.values, ...y.values]));
        expect(pointsOf({ product: [a, b] }).map(({ values }) => values)).toEqual(combined);
        expect(keysOf({ product: [b, a] }).toSorted()).toEqual(keysOf({ product: [a, b] }).toSorted());
      }),
      { numRuns: draws(100) },
    );
  });

  test('a union has the points of its members in order, and each point once', () => {
    fc.assert(
      fc.property(fc.array(anyDesign, { minLength: 1, maxLength: 4 }), (union) => {
        const keys = keysOf({ union });
        expect(keys).toEqual([...new Set(union.flatMap((member) => keysOf(member)))]);
        expect(keysOf({ union: [{ union }, ...union] })).toEqual(keys);
      }),
      { numRuns: draws(100) },
    );
  });

  test('a oneAtATime design begins with the unchanged point, and changes one input in each other point', () => {
    const written = fc.shuffledSubarray(names, { minLength: 1 }).chain((of) => forEach(of, valuesFor));
    fc.assert(
      fc.property(written, (oneAtATime) => {
        const [first, ...others] = pointsOf({ oneAtATime });
        expect(keysOf({ grid: { Budget: [1000] } })).toEqual([first!.key]);
        for (const { values } of others)
          expect(values.filter((value, at) => value !== first!.values[at])).toHaveLength(1);
      }),
      { numRuns: draws(100) },
    );
  });
});

describe.each(['random', 'sobol', 'halton'] as const)('%s', (method) => {
  const settings = fc.record({
    points: fc.integer({ min: 1, max: 40 }),
    more: fc.integer({ min: 1, max: 40 }),
    seed: fc.integer(),
    scramble: fc.boolean(),
    of: fc.shuffledSubarray(names, { minLength: 2 }),
  });
  const written = (points: number, of: string[], { seed, scramble }: { seed: number; scramble: boolean }) =>
    ({
      [method]: {
        points,
        seed,
        ...(method !== 'random' && { scramble }),
        inputs: Object.fromEntries(of.map((name) => [name, inputs[name]!.spread])),
      },
    }) as WrittenDesign;

  test('begins with the points of a smaller design', () => {
    fc.assert(
      fc.property(settings, ({ points, more, of, ...how }) => {
        const differentOf = (count: number) =>
          pointsOf(written(count, of, how)).map(({ draws: _, ...point }) => point);
        const few = differentOf(points);
        expect(differentOf(points + more).slice(0, few.length)).toEqual(few);
      }),
      { numRuns: draws(100) },
    );
  });

  test('keeps the values of its inputs when an input is added at the end', () => {
    fc.assert(
      fc.property(settings, ({ points, of, ...how }) => {
        const rows = (some: string[]): (readonly string[])[] => {
          const { design, base } = checkedDesign(written(points, some, how));
          return [...rowsOf(design, { base, contents: new Map() })];
        };
        expect(rows(of).map((row) => row.slice(0, -1))).toEqual(rows(of.slice(0, -1)));
        expect(rows(of)).toHaveLength(points);
      }),
      { numRuns: draws(100) },
    );
  });
});

test('samples have values between the limits of their distributions, and whole numbers for inputs of whole numbers', () => {
  const bound = fc.double({ min: -1e6, max: 1e6, noNaN: true });
  const limits = fc.tuple(bound, fc.double({ min: 1.5, max: 1e6, noNaN: true }));
  const sample = fc.record({
    method: fc.constantFrom(...methods),
    kind: fc.constantFrom('uniform', 'normal', 'triangular', 'log-uniform'),
    seed: fc.integer(),
    limits,
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(sample, ({ method, kind, seed, limits: [low, width], share }) => {
      const min = kind === 'log-uniform' ? Math.abs(low) + 0.5 : low;
      const max = min + width;
      const middle = Math.min(max, min + share * width);
      const spread = {
        distribution: kind,
        min,
        max,
        ...(kind === 'normal' && { mean: middle, sd: width }),
        ...(kind === 'triangular' && { mode: middle }),
      } as Spread;
      for (const input of ['Contact rate', 'Days', 'Budget']) {
        const points = pointsOf({ [method]: { points: 20, seed, inputs: { [input]: spread } } });
        const numbers = points.map(({ values }) => Number(values[0]));
        for (const number of numbers) {
          expect(number).toBeGreaterThanOrEqual(min);
          expect(number).toBeLessThanOrEqual(max);
        }
        if (input !== 'Contact rate') expect(numbers.every(Number.isInteger)).toBe(true);
      }
    }),
  );
});
