import { describe, expect, test } from '@jest/globals';
import {
  definingRelation,
  type Factorial,
  factorialRows,
  fractionText,
  resolutionOf,
} from '../../../src/campaign/designs/factorial.ts';
import { fractionOf, wordLengths } from '../../../src/campaign/designs/fraction.ts';

const LETTERS = 'ABCDEFGHJKLMNOPQRSTUVWXYZ';

/** A fraction with two-level factors A, B, C … */
function fraction(factors: number, resolution: number): Factorial {
  const columns = fractionOf(factors, resolution)!;
  return {
    kind: 'factorial',
    inputs: [...LETTERS.slice(0, factors)],
    values: columns.map(() => ['-1', '1']),
    generators: columns.map((column, at) => {
      const of = [...columns.keys()].filter((place) => (column >>> place) & 1);
      return of.length === 1 && of[0] === at ? null : { of, sign: 1 };
    }),
  };
}

function rowsOf(design: Factorial): number[][] {
  return [...factorialRows(design)].map((row) => row.map(Number));
}

/** Tries all sets of factors. For each size of a set, counts the sets whose product is the same at all points. */
function wordsByForce(rows: number[][]): number[] {
  const factors = rows[0]!.length;
  const counts = new Array<number>(factors + 1).fill(0);
  for (let set = 1; set < 2 ** factors; set += 1) {
    const of = [...rows[0]!.keys()].filter((at) => (set >>> at) & 1);
    const products = new Set(rows.map((row) => of.reduce((product, at) => product * row[at]!, 1)));
    if (products.size === 1) counts[of.length]! += 1;
  }
  return counts;
}

describe('a fraction', () => {
  // The columns are: number of factors, wanted resolution, real resolution, number of runs, number of words of each
  // length from 3 on. Sources: C. F. J. Wu and M. S. Hamada, "Experiments" (2009), tables 5A.1 to 5A.4; G. E. P. Box,
  // W. G. Hunter and J. S. Hunter, "Statistics for experimenters" (1978), table 12.15.
  test.each([
    [3, 3, 3, 4, [1]],
    [4, 3, 4, 8, [0, 1]],
    [4, 4, 4, 8, [0, 1]],
    [5, 3, 3, 8, [2, 1]],
    [5, 5, 5, 16, [0, 0, 1]],
    [6, 3, 3, 8, [4, 3]],
    [6, 4, 4, 16, [0, 3]],
    [6, 5, 6, 32, [0, 0, 0, 1]],
    [7, 3, 3, 8, [7, 7, 0, 0, 1]],
    [7, 4, 4, 16, [0, 7]],
    [7, 5, 7, 64, [0, 0, 0, 0, 1]],
    [8, 3, 4, 16, [0, 14, 0, 0, 0, 1]],
    [8, 4, 4, 16, [0, 14, 0, 0, 0, 1]],
    [8, 5, 5, 64, [0, 0, 2, 1]],
    [9, 3, 3, 16, [4, 14, 8, 0, 4, 1]],
    [9, 4, 4, 32, [0, 6, 8, 0, 0, 1]],
    [10, 3, 3, 16, [8, 18, 16, 8, 8, 5]],
    [10, 4, 4, 32, [0, 10, 16, 0, 0, 5]],
    [10, 5, 5, 128, [0, 0, 3, 3, 1]],
    [11, 3, 3, 16, [12, 26, 28, 24, 20, 13, 4]],
    [11, 5, 5, 128, [0, 0, 6, 6, 2, 1]],
  ])(
    'for %d factors and a resolution of at least %d has the published resolution, number of runs and word lengths',
    (factors, wanted, real, runs, words) => {
      const design = fraction(factors, wanted);
      const rows = rowsOf(design);
      expect(rows).toHaveLength(runs);
      expect(new Set(rows.map(String)).size).toBe(runs);
      const counts = wordsByForce(rows);
      expect(counts.slice(0, 3)).toEqual([0, 0, 0]);
      expect(counts.slice(3)).toEqual([...words, ...counts.slice(3 + words.length).fill(0)]);
      expect(resolutionOf(design)).toBe(real);
      const relation = definingRelation(design);
      expect(counts).toEqual(
        counts.map((_, length) => relation.filter(({ of }) => of.length === length).length),
      );
    },
  );

  // The greatest number of factors for each number of runs. It follows from the distances of codes in M. Grassl's
  // tables, codetables.de.
  test.each([
    [3, { 4: 3, 8: 7, 16: 15, 32: 22 }],
    [4, { 8: 4, 16: 8, 32: 16, 64: 22 }],
    [5, { 16: 5, 32: 6, 64: 8, 128: 11, 256: 17, 512: 22 }],
    [6, { 32: 6, 64: 7, 128: 9, 256: 12, 512: 18, 1024: 22 }],
  ])(
    'with resolution %d has the smallest possible number of runs; each number is tested with its fewest and its most factors',
    (resolution, most) => {
      let fewest = resolution;
      for (const [runs, last] of Object.entries(most)) {
        for (const factors of new Set([fewest, last])) {
          const columns = fractionOf(factors, resolution)!;
          const basic = columns.filter((column) => Number.isInteger(Math.log2(column))).length;
          expect({ factors, runs: 2 ** basic }).toEqual({ factors, runs: Number(runs) });
          expect(wordLengths(columns, basic, resolution - 1).every((count) => count === 0)).toBe(true);
        }
        fewest = last + 1;
      }
    },
  );

  test('needs at least as many factors as its resolution', () => {
    expect(fractionOf(2, 3)).toBeUndefined();
    expect(fractionOf(5, 6)).toBeUndefined();
  });

  test('is balanced: each level of a factor, and each combination of levels of two factors, occurs equally often', () => {
    const rows = rowsOf(fraction(7, 4));
    for (let a = 0; a < 7; a += 1) {
      expect(rows.reduce((sum, row) => sum + row[a]!, 0)).toBe(0);
      for (let b = 0; b < a; b += 1) expect(rows.reduce((sum, row) => sum + row[a]! * row[b]!, 0)).toBe(0);
    }
  });

  test('has a text with its size, its resolution and its defining relation; a full factorial has no such text', () => {
    const text = (factors: number, resolution: number): string =>
      fractionText(fraction(factors, resolution))!;
    expect(text(4, 4)).toBe('8 of 16 combinations, resolution IV: I = ABCD; A is A, B is B, C is C, D is D');
    expect(text(5, 3)).toMatch(/^8 of 32 combinations, resolution III: I = ABE = CDE = ABCD; /);
    expect(text(5, 5)).toMatch(/^16 of 32 combinations, resolution V: I = ABCDE; /);
    expect(text(11, 3)).toMatch(
      /^16 of 2,048 combinations, resolution III: E = [A-D]+, .*, L = [A-D]+; A is A/,
    );
    expect(text(9, 3)).not.toContain('I is');
    const full = { ...fraction(4, 4), generators: [null, null, null, null] };
    expect(fractionText(full)).toBeUndefined();
    expect(rowsOf(full)).toHaveLength(16);
    expect(resolutionOf(full)).toBe(-1);
  });

  test('may have negative generators', () => {
    const { generators, ...rest } = fraction(4, 4);
    const design: Factorial = {
      ...rest,
      generators: generators.map((one) => (one ? { ...one, sign: -1 } : null)),
    };
    expect(rowsOf(design).every((row) => row.reduce((product, level) => product * level) === -1)).toBe(true);
    expect(fractionText(design)).toContain('I = -ABCD;');
  });
});
