import { describe, expect, test } from '@jest/globals';
import { type Derivative, integrate } from '../../../models/epidemic/dormand-prince.ts';

const oscillator: Derivative = (_t, [x, v]) => [v!, -x!];

function solve(f: Derivative, to: number, start: number[], accuracy: number) {
  return [...integrate(f, 0, to, start, { relative: accuracy, absolute: accuracy })];
}

describe('the integrator', () => {
  test('follows a known solution within 100 times the tolerance, at the steps and between them', () => {
    for (const accuracy of [1e-6, 1e-9]) {
      const steps = solve(oscillator, 20, [1, 0], accuracy);
      for (const step of steps) {
        for (const share of [0, 0.25, 0.5, 0.9, 1]) {
          const t = step.from + share * (step.to - step.from);
          const [x, v] = step.at(t);
          // the errors of all steps add up
          expect(Math.abs(x! - Math.cos(t))).toBeLessThan(100 * accuracy);
          expect(Math.abs(v! + Math.sin(t))).toBeLessThan(100 * accuracy);
        }
      }
    }
  });

  test('passes the time to the derivative: y’ = 2t', () => {
    const steps = solve((t) => [2 * t], 3, [1], 1e-9);
    expect(steps.at(-1)!.at(3)[0]).toBeCloseTo(10, 9);
  });

  test('makes steps that follow each other without gaps up to the end', () => {
    const steps = solve(oscillator, 7.3, [1, 0], 1e-8);
    expect([steps[0]!.from, steps.at(-1)!.to]).toEqual([0, 7.3]);
    for (const [i, step] of steps.slice(1).entries()) expect(step.from).toBe(steps[i]!.to);
  });

  test('needs more steps for a tighter tolerance, as its order predicts', () => {
    const [coarse, fine] = [1e-5, 1e-10].map((accuracy) => solve(oscillator, 50, [1, 0], accuracy).length);
    // for a method of order 5, the number of steps grows with the fifth root of 1 / accuracy; here it grows tenfold
    expect(fine! / coarse!).toBeGreaterThan(6);
    expect(fine! / coarse!).toBeLessThan(14);
  });

  test('throws an error if it cannot continue: y’ = y² has a pole at t = 1', () => {
    expect(() => solve((_t, [y]) => [y! ** 2], 2, [1], 1e-9)).toThrow(/does not get beyond t = (0\.99|1)/);
  });
});
