import { describe, expect, test } from '@jest/globals';
import { type MorrisDesign, type MorrisRow, morrisLevels } from '../../../src/campaign/sampling/morris.ts';
import fc from '../../support/fast-check.ts';

const anyMorris = fc
  .record({
    names: fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 8 }),
    trajectories: fc.integer({ min: 1, max: 6 }),
    half: fc.integer({ min: 1, max: 5 }),
    seed: fc.maxSafeInteger(),
  })
  .map(({ names, half, ...rest }) => ({
    inputs: names.map((name) => ({ name })),
    levels: 2 * half,
    ...rest,
  }));

function trajectoriesOf(design: MorrisDesign): MorrisRow[][] {
  return [...Map.groupBy(morrisLevels(design), ({ trajectory }) => trajectory).values()];
}

describe('a Morris design', () => {
  test('has the requested number of trajectories, and in each of them every input changes once by Δ', () => {
    fc.assert(
      fc.property(anyMorris, (design) => {
        const { inputs, levels, trajectories } = design;
        const delta = levels / (2 * (levels - 1));
        const all = trajectoriesOf(design);
        expect(all).toHaveLength(trajectories);
        for (const [start, ...changes] of all) {
          expect(start).toMatchObject({ changed: null, step: 0 });
          expect(changes.map(({ changed }) => changed!).toSorted((a, b) => a - b)).toEqual([
            ...inputs.keys(),
          ]);
          let before = start!.unit;
          for (const { changed, step, unit } of changes) {
            expect(Math.abs(step)).toBeCloseTo(delta, 12);
            expect(unit[changed!]! - before[changed!]!).toBeCloseTo(step, 12);
            expect(unit.with(changed!, 0)).toEqual(before.with(changed!, 0));
            before = unit;
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  test('has only coordinates on its levels, which go from 0 to 1', () => {
    fc.assert(
      fc.property(anyMorris, (design) => {
        const { levels } = design;
        const possible = Array.from({ length: levels }, (_, level) => level / (levels - 1));
        for (const { unit } of morrisLevels(design)) {
          for (const coordinate of unit) expect(possible).toContain(coordinate);
        }
      }),
      { numRuns: 40 },
    );
  });

  test('begins with the trajectories of a smaller design of the same seed, depends on its seed, and may have more trajectories than the pool from which it chooses', () => {
    fc.assert(
      fc.property(anyMorris, fc.integer({ min: 1, max: 20 }), (design, more) => {
        const rows = [...morrisLevels(design)];
        const { trajectories } = design;
        const further = [...morrisLevels({ ...design, trajectories: trajectories + more })];
        expect(further.slice(0, rows.length)).toEqual(rows);
      }),
      { numRuns: 40 },
    );
    const design = { inputs: [{ name: 'a' }, { name: 'b' }], trajectories: 600, levels: 4, seed: 1 };
    expect(trajectoriesOf(design)).toHaveLength(600);
    const other = [...morrisLevels({ ...design, seed: 2 })];
    expect(other).not.toEqual([...morrisLevels(design)]);
  });

  test('starts at every level about equally often, and changes the inputs in every order', () => {
    const names = ['a', 'b', 'c'].map((name) => ({ name }));
    // 500 trajectories are the whole pool, so the design takes all of them
    const all = trajectoriesOf({ inputs: names, trajectories: 500, levels: 6, seed: 3 });
    for (const at of names.keys()) {
      const starts = all.map(([start]) => Math.round(start!.unit[at]! * 5));
      for (let level = 0; level < 6; level += 1) {
        const count = starts.filter((start) => start === level).length;
        // the count has a binomial distribution with a mean of 83 and a standard deviation of 8
        expect(Math.abs(count - 500 / 6)).toBeLessThan(40);
      }
    }
    const orders = all.map((rows) => rows.map(({ changed }) => changed).join(' '));
    expect(new Set(orders).size).toBe(6);
  });

  test('chooses trajectories that are farther apart than random trajectories', () => {
    const inputs = Array.from({ length: 6 }, (_, at) => ({ name: `x${at}` }));
    const chosen = spreadOf(trajectoriesOf({ inputs, trajectories: 10, levels: 4, seed: 4 }));
    const pool = trajectoriesOf({ inputs, trajectories: 500, levels: 4, seed: 4 });
    // the design chooses from a pool; the last chosen trajectories are no farther apart than random trajectories
    const random = Array.from({ length: 20 }, (_, at) => spreadOf(pool.slice(300 + 10 * at, 310 + 10 * at)));
    expect(chosen).toBeGreaterThan(Math.max(...random));
  });
});

/** Campolongo's measure: the root of the sum of the squared distances between trajectories. */
function spreadOf(trajectories: MorrisRow[][]): number {
  const squares = trajectories.flatMap((one, at) =>
    trajectories.slice(0, at).map((other) => distance(one, other) ** 2),
  );
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0));
}

function distance(one: MorrisRow[], other: MorrisRow[]): number {
  const between = one.flatMap((a) =>
    other.map((b) => Math.hypot(...a.unit.map((coordinate, at) => coordinate - b.unit[at]!))),
  );
  return between.reduce((sum, part) => sum + part, 0);
}
