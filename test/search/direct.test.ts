import { describe, expect, test } from '@jest/globals';
import { directRows } from '../../bench/search/direct.ts';
import { direct, potentiallyOptimal } from '../../src/search/methods/direct/direct.ts';
import fc from '../support/fast-check.ts';
import { integer, play, problemOf, real, valued } from './play.ts';
import { testLaws } from './laws.ts';

describe('DIRECT', () => {
  testLaws(direct);

  test.each(directRows())(
    'comes within 1 % of the minimum of $name after about as many points as SciPy',
    ({ evaluations, reference }) => {
      // SciPy divides the cells of an iteration in another order
      expect(Math.abs(evaluations - reference)).toBeLessThanOrEqual(0.1 * reference);
    },
  );

  test('does not depend on the seed', () => {
    const pointsOf = (seed: number) =>
      play(
        direct,
        problemOf({ dimensions: [real, integer(9)], seed }),
        valued((x) => x[0]! + x[1]!),
        80,
      ).told;
    expect(pointsOf(2)).toEqual(pointsOf(1));
  });

  test('proposes the middle, waits for its value, and then proposes points a third away on each side', () => {
    const method = direct(problemOf({ dimensions: [real, real], parallel: 10 }));
    const proposed = (): unknown => {
      const proposal = method.ask();
      return proposal === null || proposal === 'exhausted' ? proposal : proposal.x;
    };
    expect(proposed()).toEqual([0.5, 0.5]);
    expect(proposed()).toBeNull();
    method.tell({ ask: 0, x: [0.5, 0.5], value: 1, variance: null, runs: 1, excess: [] });
    const close = (...x: number[]): unknown => x.map((value) => expect.closeTo(value, 12));
    expect([proposed(), proposed(), proposed(), proposed()]).toEqual([
      close(5 / 6, 0.5),
      close(1 / 6, 0.5),
      close(0.5, 5 / 6),
      close(0.5, 1 / 6),
    ]);
    expect(proposed()).toBeNull();
  });

  test('proposes each combination of levels once, and then no more', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 3 }), (levels) => {
        const problem = problemOf({ dimensions: levels.map(integer) });
        const combinations = levels.reduce((product, count) => product * count, 1);
        const { told, method } = play(
          direct,
          problem,
          valued((x) => Math.sin(99 * x[0]!)),
          1000,
        );
        expect(told).toHaveLength(combinations);
        expect(new Set(told.map(({ x }) => x.join())).size).toBe(combinations);
        expect(method.ask()).toBe('exhausted');
      }),
      { numRuns: 30 },
    );
  });

  test('finds the best of 100 levels of one input and the optimum of a real input', () => {
    const bowl = valued((x) => (x[0]! - 0.805) ** 2 + (x[1]! - 0.3) ** 2);
    const { x } = play(
      direct,
      problemOf({ dimensions: [integer(100), real] }),
      bowl,
      200,
    ).method.recommend()!;
    expect(x[0]).toBe(0.805);
    expect(x[1]).toBeCloseTo(0.3, 2);
  });

  test('finds the best point that meets a requirement although points with better values do not meet it', () => {
    const outcome = (x: readonly number[]) => ({ value: x[0]! + x[1]!, excess: [0.25 - x[0]! * x[1]!] });
    const problem = problemOf({ dimensions: [real, real], requirements: 1 });
    const { value, x } = play(direct, problem, outcome, 500).method.recommend()!;
    expect(x[0]! * x[1]!).toBeGreaterThanOrEqual(0.25);
    expect(value).toBeLessThan(1.02);
  });

  test('finds the small part of the box that meets a requirement', () => {
    const outcome = (x: readonly number[]) => {
      const distance = Math.hypot(x[0]! - 0.23, x[1]! - 0.81);
      return { value: x[0]!, excess: [distance - 0.03] };
    };
    const problem = problemOf({ dimensions: [real, real], requirements: 1 });
    const { told, method } = play(direct, problem, outcome, 300);
    expect(told.some(({ excess }) => excess[0]! <= 0)).toBe(true);
    expect(method.recommend()!.x[0]).toBeLessThan(0.215);
  });

  test('comes close to an optimum that lies next to failing points', () => {
    const outcome = (x: readonly number[]) => ({
      value: x[0]! < 0.2 ? null : (x[0]! - 0.1) ** 2 + (x[1]! - 0.7) ** 2,
      excess: [],
    });
    const { x } = play(direct, problemOf({ dimensions: [real, real] }), outcome, 400).method.recommend()!;
    expect(x).toEqual([expect.closeTo(0.2, 1.7), expect.closeTo(0.7, 1.7)]);
  });
});

describe('the cells that may be divided', () => {
  test('are on the lower right of the convex hull, and could contain a value below the lowest one', () => {
    const candidates = [
      { size: 1, value: 10 },
      { size: 0.5, value: 4 },
      // this cell is above the line between its neighbours
      { size: 0.25, value: 3.5 },
      { size: 0.1, value: 2 },
      // this cell could improve the lowest value only by a tiny amount
      { size: 0.000_01, value: 1.999_99 },
    ];
    expect(potentiallyOptimal(candidates).map(({ size }) => size)).toEqual([1, 0.5, 0.1]);
  });

  test('always include the largest cell', () => {
    const sizes = fc.uniqueArray(fc.record({ size: fc.integer({ min: 1, max: 99 }), value: fc.integer() }), {
      selector: ({ size }) => size,
      minLength: 1,
    });
    fc.assert(
      fc.property(sizes, (candidates) => {
        const largest = candidates.reduce((most, one) => (one.size > most.size ? one : most));
        expect(potentiallyOptimal(candidates)).toContain(largest);
      }),
    );
  });
});
