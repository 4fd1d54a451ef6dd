import { describe, expect, test } from '@jest/globals';
import { gpSearch } from '../../bench/search/gp.ts';
import { branin, flu } from '../../bench/search/functions.ts';
import { gaussianProcess } from '../../src/search/methods/gp/method.ts';
import type { Dimension, Method, Problem, Proposal, Told } from '../../src/search/methods/method.ts';
import { Stream } from '../../src/campaign/sampling/stream.ts';

const reals = (count: number): Dimension[] => Array.from({ length: count }, () => ({ kind: 'real' }));

function problem(changes: Partial<Problem> = {}): Problem {
  return {
    dimensions: reals(2),
    isAllowed: () => true,
    requirements: 0,
    parallel: 1,
    isNoisy: false,
    seed: 1,
    ...changes,
  };
}

function proposed(method: Method): number[] {
  const asked = method.ask();
  if (asked === null || asked === 'exhausted') throw new Error('The method proposed nothing.');
  return asked.x;
}

type Outcome = Partial<Pick<Told, 'value' | 'excess' | 'variance' | 'runs'>>;

/** In each round, asks the method for points and tells it their results. Returns the points in their order. */
function run(method: Method, of: (x: number[]) => Outcome, rounds: number, parallel = 1): number[][] {
  const points: number[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const asked = Array.from({ length: parallel }, () => proposed(method));
    for (const x of asked) {
      method.tell({ ask: points.length, x, value: 0, variance: null, runs: 1, excess: [], ...of(x) });
      points.push(x);
    }
  }
  return points;
}

const bowl = (x: readonly number[]): number => x.reduce((sum, value) => sum + (value - 0.3) ** 2, 0);
const key = (x: readonly number[]): string => x.map((value) => value.toFixed(9)).join();

describe('a search by a Gaussian process', () => {
  test('proposes the same points for the same seed and results, also if other calls ask for the best point', () => {
    const plain = run(gaussianProcess(problem()), (x) => ({ value: bowl(x) }), 15);
    const curious = gaussianProcess(problem());
    const value = (x: number[]): Outcome => {
      curious.recommend();
      return { value: bowl(x) };
    };
    expect(run(curious, value, 15)).toEqual(plain);
    expect(run(gaussianProcess(problem({ seed: 2 })), (x) => ({ value: bowl(x) }), 5)).not.toEqual(
      plain.slice(0, 5),
    );
  });

  test('stays in the box, and proposes 16 different points at once, also with noise and at a corner', () => {
    for (const isNoisy of [false, true]) {
      const method = gaussianProcess(problem({ parallel: 16, isNoisy }));
      const points = run(method, (x) => ({ value: -x[0]! - x[1]! }), 2, 16);
      for (const x of points.flat()) expect(x >= 0 && x <= 1).toBe(true);
      for (let round = 0; round < 2; round += 1) {
        expect(new Set(points.slice(16 * round, 16 * round + 16).map(key)).size).toBe(16);
      }
    }
  });

  test('proposes allowed points only', () => {
    const isAllowed = (x: readonly number[]): boolean => x[0]! + x[1]! >= 1;
    const points = run(gaussianProcess(problem({ isAllowed })), (x) => ({ value: bowl(x) }), 20);
    expect(points.every(isAllowed)).toBe(true);
    expect(Math.min(...points.map(bowl))).toBeLessThan(0.085);
  });

  test('proposes each point of a finite space once, and then no more', () => {
    const dimensions: Dimension[] = [
      { kind: 'integer', levels: 4 },
      { kind: 'choice', levels: 3 },
    ];
    const method = gaussianProcess(problem({ dimensions }));
    const points = run(method, (x) => ({ value: bowl(x) }), 12);
    expect(new Set(points.map(key)).size).toBe(12);
    expect(method.ask()).toBe('exhausted');
  });

  test('waits while all points of a finite space are open if values are noisy', () => {
    const dimensions: Dimension[] = [{ kind: 'choice', levels: 3 }];
    const method = gaussianProcess(problem({ dimensions, isNoisy: true, parallel: 4 }));
    run(method, () => ({ value: 1 }), 1, 3);
    const asked = Array.from({ length: 3 }, () => proposed(method));
    expect(new Set(asked.map(key)).size).toBe(3);
    expect(method.ask()).toBeNull();
  });

  test('proposes at least 15 different points in 30 asks if its proposals are rounded', () => {
    const method = gaussianProcess(problem());
    const onSteps = (x: number[]): number[] => x.map((value) => Math.round(value * 5) / 5);
    const seen = new Set<string>();
    for (let ask = 0; ask < 30; ask += 1) {
      const x = onSteps(proposed(method));
      seen.add(key(x));
      method.tell({ ask, x, value: bowl(x), variance: null, runs: 1, excess: [] });
    }
    expect(seen.size).toBeGreaterThanOrEqual(15);
  });

  test('finds the best point that meets a requirement, and proposes few points in a region where points fail', () => {
    const method = gaussianProcess(problem({ requirements: 1 }));
    const points = run(
      method,
      (x) => (x[1]! > 0.7 ? { value: null, excess: [] } : { value: -x[0]! - x[1]!, excess: [x[0]! - 0.5] }),
      30,
    );
    const best = method.recommend()!;
    expect(best.x[0]).toBeLessThanOrEqual(0.5);
    expect(best.value).toBeLessThan(-1.15);
    expect(points.slice(20).filter((x) => x[1]! > 0.75).length).toBeLessThan(6);
  });

  test('has no recommendation at first, and learns from points that it did not propose', () => {
    const method = gaussianProcess(problem());
    expect(method.recommend()).toBeNull();
    for (let i = 0; i < 12; i += 1) {
      const x = [(i % 4) / 3, Math.floor(i / 4) / 2];
      method.tell({ ask: null, x, value: bowl(x), variance: null, runs: 1, excess: [] });
    }
    expect(method.ask()).toMatchObject({ by: 'expected improvement' });
    expect(method.recommend()!.value).toBeCloseTo(bowl([1 / 3, 0.5]), 12);
  });

  test('searches elsewhere when it has found a minimum', () => {
    const method = gaussianProcess(problem({ dimensions: reals(3) }));
    const elsewhere: number[][] = [];
    for (let ask = 0; ask < 25; ask += 1) {
      const { x, by } = method.ask() as Proposal;
      if (by === 'expected improvement elsewhere') elsewhere.push(x);
      method.tell({ ask, x, value: bowl(x), variance: null, runs: 1, excess: [] });
    }
    expect(bowl(method.recommend()!.x)).toBeLessThan(1e-3);
    expect(elsewhere.length).toBeGreaterThan(0);
    for (const x of elsewhere) expect(bowl(x)).toBeGreaterThan(0.01);
  });

  test('recommends the best point of the model when values are noisy', () => {
    const stream = new Stream(1, 'noise');
    const method = gaussianProcess(problem({ isNoisy: true }));
    run(method, (x) => ({ value: bowl(x) + 0.1 * stream.normal() }), 25);
    expect(bowl(method.recommend()!.x)).toBeLessThan(0.03);
  });
});

describe('a search by a Gaussian process comes within 1 %', () => {
  test.each([
    [branin, 1, 60],
    [flu, 1, 20],
    [flu, 16, 80],
  ])('of the optimum of a known function after a limited number of points', (fn, parallel, most) => {
    expect(gpSearch(fn, 1, parallel, most).evaluations).not.toBeNull();
  });
});
