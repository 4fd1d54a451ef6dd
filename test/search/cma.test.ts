import { describe, expect, test } from '@jest/globals';
import { unboundedEvaluations } from '../../bench/search/cma.ts';
import { evaluationsTo, median } from '../../bench/search/evaluations.ts';
import {
  ellipsoid,
  flu,
  hartmann6,
  rosenbrock,
  sphere,
  withinOnePercent,
} from '../../bench/search/functions.ts';
import { cma } from '../../src/search/methods/cma/cma.ts';
import { constantsOf } from '../../src/search/methods/cma/constants.ts';
import { Evolution } from '../../src/search/methods/cma/evolution.ts';
import { Progress } from '../../src/search/methods/cma/progress.ts';
import { fromBox, holdMargin, inBox } from '../../src/search/methods/cma/space.ts';
import type { OrderedDimension } from '../../src/search/methods/levels.ts';
import type { Proposal, Told } from '../../src/search/methods/method.ts';
import { Stream } from '../../src/campaign/sampling/stream.ts';
import fc from '../support/fast-check.ts';
import { at, integer, play, problemOf, real, valued } from './play.ts';
import { testLaws } from './laws.ts';

const seeds = Array.from({ length: 10 }, (_, i) => i + 1);

describe('CMA-ES', () => {
  testLaws(cma);

  // the last number is the median number of evaluations of pycma (bench/search/cma.ts)
  test.each([
    ['sphere', sphere, 1, 0.5, 5, 624],
    ['sphere', sphere, 1, 0.5, 10, 1360],
    ['ellipsoid', ellipsoid, 1, 0.5, 5, 1432],
    ['Rosenbrock', rosenbrock, 0, 0.1, 5, 1744],
  ])(
    'reaches the minimum of %s after about as many evaluations as pycma',
    (_name, { of }, start, sigma, dimension, reference) => {
      const mean = new Array<number>(dimension).fill(start);
      const found = median([...seeds, 11].map((seed) => unboundedEvaluations(of, mean, sigma, 1e-8, seed)));
      expect(found).toBeGreaterThan(0.8 * reference);
      expect(found).toBeLessThan(1.2 * reference);
    },
  );

  test('fits the epidemic model to the cases of a boarding school with few evaluations', () => {
    // 17.33 is the least error plus 1 %
    const counts = seeds.map((seed) => evaluationsTo(17.33, 1000, cma, flu, seed));
    expect(median(counts)).toBeLessThanOrEqual(60);
    expect(Math.max(...counts)).toBeLessThanOrEqual(130);
  });

  test('finds the optimum of a function with local minima in at least 9 of 10 searches', () => {
    const counts = seeds.map((seed) =>
      evaluationsTo(withinOnePercent(hartmann6), 4000, cma, hartmann6, seed),
    );
    expect(counts.filter((count) => count < Infinity).length).toBeGreaterThanOrEqual(9);
  });

  test('finds an optimum in a corner of the box', () => {
    const corner = valued((x) => x[0]! - x[1]! + 2 * x[2]!);
    const [x, y, z] = play(
      cma,
      problemOf({ dimensions: [real, real, real] }),
      corner,
      400,
    ).method.recommend()!.x;
    expect([x, y, z]).toEqual([0, 1, 0].map((value) => expect.closeTo(value, 4)));
  });

  test('finds the best levels of integers and the optimum of a real input', () => {
    const dimensions = [integer(10), real, integer(2), integer(5)];
    const best = [at(8, 10), 0.123, at(1, 2), at(0, 5)];
    const found = seeds.map((seed) => {
      const far = valued((x) => x.reduce((sum, value, i) => sum + (value - best[i]!) ** 2, 0));
      return play(cma, problemOf({ dimensions, seed }), far, 600).method.recommend()!.x;
    });
    for (const x of found) {
      expect([x[0], x[2], x[3]]).toEqual([best[0], best[2], best[3]]);
      expect(x[1]).toBeCloseTo(best[1]!, 3);
    }
  });

  test('proposes each combination of levels when all values are equal', () => {
    const { told } = play(
      cma,
      problemOf({ dimensions: [integer(6), integer(3)] }),
      valued(() => 1),
      1000,
    );
    expect(new Set(told.map(({ x }) => x.join())).size).toBe(18);
  });

  test('finds the best point that meets a requirement although points with better values do not meet it', () => {
    // the least sum with x·y of at least 0.25 is at (0.5, 0.5)
    const outcome = (x: readonly number[]) => ({ value: x[0]! + x[1]!, excess: [0.25 - x[0]! * x[1]!] });
    const problem = problemOf({ dimensions: [real, real], requirements: 1 });
    const { value, x } = play(cma, problem, outcome, 500).method.recommend()!;
    expect(x[0]! * x[1]!).toBeGreaterThanOrEqual(0.25);
    expect(value).toBeCloseTo(1, 3);
  });

  test('finds an optimum that lies next to failing points', () => {
    const outcome = (x: readonly number[]) => ({
      value: x[0]! < 0.2 ? null : (x[0]! - 0.1) ** 2 + (x[1]! - 0.7) ** 2,
      excess: [],
    });
    const { x } = play(cma, problemOf({ dimensions: [real, real] }), outcome, 400).method.recommend()!;
    expect(x).toEqual([expect.closeTo(0.2, 2), expect.closeTo(0.7, 2)]);
  });

  test('proposes as many points at once as may be open', () => {
    const method = cma(problemOf({ dimensions: [real, real], parallel: 25 }));
    const asked = Array.from({ length: 25 }, () => method.ask());
    expect(asked).not.toContain(null);
    expect(method.ask()).toBeNull();
  });

  test('has generations of twice the size when values are noisy', () => {
    const sizeOf = (isNoisy: boolean): number => {
      const method = cma(problemOf({ dimensions: [real, real], isNoisy }));
      let size = 0;
      while (method.ask() !== null) size += 1;
      return size;
    };
    expect([sizeOf(false), sizeOf(true)]).toEqual([6, 12]);
  });

  test('starts near the best known point', () => {
    const method = cma(problemOf({ dimensions: [real, real] }));
    const tell = (x: number[], value: number | null): void =>
      method.tell({ ask: null, x, value, variance: null, runs: 1, excess: [] });
    tell([0.5, 0.1], null);
    tell([0.9, 0.1], 1);
    tell([0.1, 0.1], 2);
    const same = cma(problemOf({ dimensions: [real, real] }));
    const shift = (method.ask() as { x: number[] }).x[0]! - (same.ask() as { x: number[] }).x[0]!;
    expect(shift).toBeGreaterThan(0.1);
  });

  test('when values are noisy, recommends points that are on average better than the best observed points', () => {
    const optimum = [0.4, 0.6];
    const errorOf = (x: readonly number[]): number => (x[0]! - optimum[0]!) ** 2 + (x[1]! - optimum[1]!) ** 2;
    const errors = Array.from({ length: 20 }, (_, seed) => {
      const noise = new Stream(seed, 'noise');
      const problem = problemOf({ dimensions: [real, real], isNoisy: true, seed });
      const { method, told } = play(
        cma,
        problem,
        valued((x) => errorOf(x) + 0.02 * noise.normal()),
        200,
      );
      const seen = told.reduce((best, one) => (one.value! < best.value! ? one : best));
      return { centre: errorOf(method.recommend()!.x), seen: errorOf(seen.x) };
    });
    const mean = (of: (error: { centre: number; seen: number }) => number): number =>
      errors.reduce((sum, error) => sum + of(error), 0) / errors.length;
    expect(mean(({ centre }) => centre)).toBeLessThan(mean(({ seen }) => seen));
    expect(mean(({ centre }) => centre)).toBeLessThan(0.01);
  });
});

describe('a noisy search', () => {
  test('still recommends a point near the optimum when it restarts', () => {
    // the values have no noise, so that each run of CMA-ES ends soon
    const problem = problemOf({ dimensions: [real, real], isNoisy: true });
    const method = cma(problem);
    const runs = new Set<string>();
    for (let ask = 0; runs.size < 4; ask++) {
      const { x, by } = method.ask() as Proposal;
      runs.add(by.split(',')[0]!);
      const value = 1 + (x[0]! - 0.3) ** 2 + (x[1]! - 0.8) ** 2;
      method.tell({ ask, x, value, variance: null, runs: 1, excess: [] });
      if (runs.size > 1)
        expect(method.recommend()!.x).toEqual([expect.closeTo(0.3, 2), expect.closeTo(0.8, 2)]);
    }
  });
});

describe('the constants', () => {
  test('are those of the tutorial for 10 dimensions', () => {
    // computed by hand from table 1 of arXiv:1604.00772
    const { weights, effective, damping, covariancePath } = constantsOf(10, 10);
    expect(weights.filter((weight) => weight > 0).reduce((sum, weight) => sum + weight)).toBeCloseTo(1, 12);
    expect(effective).toBeCloseTo(3.1673, 4);
    expect(covariancePath).toBeCloseTo((4 + effective / 10) / (14 + effective / 5), 12);
    expect(damping).toBeCloseTo(1 + (effective + 2) / (15 + effective), 12);
  });

  test('keep the covariance stable in several dimensions if the ranks are random', () => {
    for (const dimension of [1, 2, 7, 40]) {
      for (const population of [4, 9, 200]) {
        const { weights, rankOne, rankMu } = constantsOf(dimension, population);
        const sum = weights.reduce((total, weight) => total + weight, 0);
        expect(rankOne + rankMu).toBeLessThanOrEqual(1);
        expect(1 - rankOne - rankMu * sum).toBeGreaterThanOrEqual(-1e-12);
      }
    }
  });
});

describe('the box', () => {
  test('has an unbounded coordinate for each of its points, and a small change of an unbounded coordinate gives a small change in the box', () => {
    const dimensions: OrderedDimension[] = [{ kind: 'real' }];
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: -9, max: 9, noNaN: true }),
        (x, free) => {
          expect(inBox(fromBox([x], dimensions), dimensions)[0]).toBeCloseTo(x, 9);
          const [inside] = inBox([free], dimensions);
          expect(inside).toBeGreaterThanOrEqual(0);
          expect(inside).toBeLessThanOrEqual(1);
          const [beside] = inBox([free + 1e-9], dimensions);
          expect(Math.abs(beside! - inside!)).toBeLessThan(1e-8);
        },
      ),
    );
  });

  test('lets a sample leave its level with a probability of 1/(N·λ)', () => {
    const dimensions: OrderedDimension[] = [
      { kind: 'integer', levels: 5 },
      { kind: 'integer', levels: 3 },
    ];
    const evolution = new Evolution([0.5, 0.02], 1e-6, 10);
    expect(holdMargin(evolution, dimensions)).toEqual([true, true]);
    const stream = new Stream(1, 'margin');
    const leaves = [0, 0];
    const samples = 20_000;
    for (let k = 0; k < samples; k++) {
      const x = inBox(evolution.sample(stream).x, dimensions);
      if (x[0] !== at(2, 5)) leaves[0]! += 1;
      if (x[1] !== at(0, 3)) leaves[1]! += 1;
    }
    // with N = 2 inputs and λ = 10 points, 1/(N·λ) is 0.05
    for (const count of leaves) expect(count / samples).toBeCloseTo(0.05, 1.9);
  });
});

test('a run without gain ends after the number of generations in section 2 of Hansen (2009)', () => {
  const [size, population] = [3, 7];
  const evolution = new Evolution(new Array<number>(size).fill(0.5), 0.3, population);
  const dimensions: OrderedDimension[] = Array.from({ length: size }, () => ({ kind: 'real' }));
  const progress = new Progress(dimensions, population);
  const held = new Array<boolean>(size).fill(false);
  let generations = 0;
  // the values of a generation differ, and so do neighbouring generations
  const toldOf = (rank: number): Told => {
    const value = rank + 1 + (generations % 2);
    return { ask: null, x: [], value, excess: [], variance: null, runs: 1 };
  };
  const isOver = (): boolean =>
    progress.isOverAfter(
      evolution,
      Array.from({ length: population }, (_, rank) => toldOf(rank)),
      held,
    );
  do generations += 1;
  while (!isOver());
  // the first t with t >= 0.2 t + 120 + 30 * 3 / 7
  expect(generations).toBe(Math.ceil((120 + 90 / 7) / 0.8));
});
