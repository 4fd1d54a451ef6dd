import { describe, expect, test } from '@jest/globals';
import { type MorrisDesign, type MorrisRow, morrisRows } from '../../../src/campaign/sampling/morris.ts';
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
  return [...Map.groupBy(morrisRows(design), ({ trajectory }) => trajectory).values()];
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
        for (const { unit } of morrisRows(design)) {
          for (const coordinate of unit) expect(possible).toContain(coordinate);
        }
      }),
      { numRuns: 40 },
    );
  });

  test('begins with the trajectories of a smaller design of the same seed, and depends on its seed', () => {
    fc.assert(
      fc.property(anyMorris, fc.integer({ min: 1, max: 20 }), (design, more) => {
        const rows = [...morrisRows(design)];
        const { trajectories } = design;
        const further = [...morrisRows({ ...design, trajectories: trajectories + more })];
        expect(further.slice(0, rows.length)).toEqual(rows);
      }),
      { numRuns: 40 },
    );
    const design = { inputs: [{ name: 'a' }, { name: 'b' }], trajectories: 60, levels: 4, seed: 1 };
    const other = [...morrisRows({ ...design, seed: 2 })];
    expect(other).not.toEqual([...morrisRows(design)]);
  });

  test('starts at every level about equally often, and changes the inputs in every order', () => {
    const names = ['a', 'b', 'c'].map((name) => ({ name }));
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

  test('has the other inputs at each level about equally often when an input changes, also in few trajectories', () => {
    const inputs = ['a', 'b', 'c'].map((name) => ({ name }));
    const counts = [0, 0, 0, 0];
    for (let seed = 0; seed < 200; seed += 1) {
      const rows = [...morrisRows({ inputs, trajectories: 10, levels: 4, seed })];
      for (const { changed, unit } of rows) if (changed === 2) counts[Math.round(3 * unit[0]!)]! += 1;
    }
    // each count has a binomial distribution with a mean of 500 and a standard deviation of 19
    for (const count of counts) expect(Math.abs(count - 500)).toBeLessThan(90);
  });
});
