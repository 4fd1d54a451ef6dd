import { expect, test } from '@jest/globals';
import type { Dimension, MethodMaker, Problem } from '../../src/search/methods/method.ts';
import fc from '../support/fast-check.ts';
import { at, integer, type Outcome, play, problemOf, real } from './play.ts';

const problems: fc.Arbitrary<Problem> = fc
  .record({
    dimensions: fc.array(fc.oneof(fc.constant(real), fc.integer({ min: 1, max: 7 }).map(integer)), {
      minLength: 1,
      maxLength: 4,
    }),
    requirements: fc.integer({ min: 0, max: 2 }),
    parallel: fc.integer({ min: 1, max: 9 }),
    isNoisy: fc.boolean(),
    seed: fc.integer({ min: 0, max: 1000 }),
    /** The highest allowed mean of the coordinates. */
    limit: fc.double({ min: 0.6, max: 3, noNaN: true }),
  })
  .map(({ limit, ...problem }) => ({ ...problem, isAllowed: (x) => sumOf(x) <= limit * x.length }));

/** Outcomes with failures, unmet requirements, plateaus and steps. */
const outcomes: fc.Arbitrary<(problem: Problem) => (x: readonly number[]) => Outcome> = fc
  .record({
    optimum: fc.double({ min: -0.2, max: 1.2, noNaN: true }),
    fails: fc.double({ min: 0, max: 1, noNaN: true }),
    digits: fc.integer({ min: 0, max: 12 }),
  })
  .map(({ optimum, fails, digits }) => ({ requirements }) => (x) => {
    if (Math.abs(Math.sin(1000 * sumOf(x))) < fails) return { value: null, excess: [] };
    const square = sumOf(x.map((value) => (value - optimum) ** 2));
    return {
      value: Number(square.toFixed(digits)),
      excess: Array.from({ length: requirements }, (_, i) => 0.3 + 0.2 * i - x[0]!),
    };
  });

/** Tests the rules that hold for each method without choices. */
export function testLaws(maker: MethodMaker): void {
  test('proposals are allowed and in the box, and their integers are in the middle of a level', () => {
    fc.assert(
      fc.property(problems, outcomes, (problem, outcome) => {
        const wrong = play(maker, problem, outcome(problem), 60).told.filter(
          ({ x }) => !problem.isAllowed(x) || !problem.dimensions.every((one, i) => isIn(one, x[i]!)),
        );
        expect(wrong).toEqual([]);
      }),
    );
  });

  test('the same calls give the same proposals and the same recommendation', () => {
    fc.assert(
      fc.property(problems, outcomes, (problem, outcome) => {
        const once = play(maker, problem, outcome(problem), 60);
        const again = play(maker, problem, outcome(problem), 60);
        expect(again.told).toEqual(once.told);
        expect(again.method.recommend()).toEqual(once.method.recommend());
      }),
      { numRuns: 50 },
    );
  });

  test('the method continues when all points fail', () => {
    const failing = play(
      maker,
      problemOf({ dimensions: [real, real] }),
      () => ({ value: null, excess: [] }),
      100,
    );
    expect(failing.told).toHaveLength(100);
    expect(failing.method.recommend()).toBeNull();
  });

  test('the method proposes nothing when no point is allowed', () => {
    const none = problemOf({ dimensions: [integer(3), integer(2)], isAllowed: () => false });
    const method = maker(none);
    expect([method.ask(), method.ask()]).toEqual(['exhausted', 'exhausted']);
  });

  test('the method refuses choices', () => {
    expect(() => maker(problemOf({ dimensions: [{ kind: 'choice', levels: 3 }] }))).toThrow('choices');
  });

  test('the method recommends the best of all told points', () => {
    const { method, told } = play(
      maker,
      problemOf({ dimensions: [real, real] }),
      (x) => ({ value: (x[0]! - 0.3) ** 2 + x[1]!, excess: [] }),
      50,
    );
    const best = Math.min(...told.map(({ value }) => value!));
    expect(method.recommend()!.value).toBe(best);
    method.tell({ ask: null, x: [0.3, 0], value: -1, variance: null, runs: 1, excess: [] });
    expect(method.recommend()).toEqual({ x: [0.3, 0], value: -1 });
  });
}

function isIn(dimension: Dimension, x: number): boolean {
  if (dimension.kind === 'real') return x >= 0 && x <= 1;
  return Array.from({ length: dimension.levels }, (_, level) => at(level, dimension.levels)).includes(x);
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
