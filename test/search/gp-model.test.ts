import { describe, expect, test } from '@jest/globals';
import { logChance, logImprovement } from '../../src/search/methods/gp/acquisition.ts';
import { Covariance } from '../../src/search/methods/gp/covariance.ts';
import { likelihood } from '../../src/search/methods/gp/likelihood.ts';
import { minimize } from '../../src/search/methods/gp/minimize.ts';
import { modelOf } from '../../src/search/methods/gp/model.ts';
import { GaussianPosterior } from '../../src/search/methods/gp/posterior.ts';
import { Warp } from '../../src/search/methods/gp/warp.ts';
import type { Dimension, Told } from '../../src/search/methods/method.ts';

const dimensions: Dimension[] = [{ kind: 'real' }, { kind: 'real' }, { kind: 'real' }];
const parameters = { lengths: [0.3, 0.6, 1.5], signal: 1.7, constant: 0.8 };
const points = [
  [0.1, 0.2, 0.9],
  [0.4, 0.8, 0.3],
  [0.7, 0.1, 0.5],
  [0.9, 0.6, 0.7],
  [0.2, 0.5, 0.1],
  [0.55, 0.35, 0.65],
];
const values = Float64Array.of(1.2, -0.4, 0.7, -1.1, 0.3, 0.05);
const noise = Float64Array.of(0.01, 0.02, 0.01, 0.05, 0.03, 0.01);

function told(x: readonly number[], value: number, variance: number | null = null, runs = 1): Told {
  return { ask: null, x, value, variance, runs, excess: [] };
}

// the values come from scikit-learn 1.9.1 with ConstantKernel(1.7) * Matern([0.3, 0.6, 1.5], nu=2.5) +
// ConstantKernel(0.8), alpha=noise
describe('a Gaussian process agrees with scikit-learn', () => {
  test('in the likelihood and its derivatives', () => {
    const found = likelihood(dimensions, parameters, points, values, noise)!;
    expect(found.value).toBeCloseTo(-7.788350975451724, 10);
    expect(found.bySignal).toBeCloseTo(-1.1940116581125382, 10);
    const byLength = [1.1446918870639426, 0.064436713269901, 0.24249745038388618];
    byLength.forEach((by, j) => expect(found.byLength[j]).toBeCloseTo(by, 10));
  });

  test.each([
    [[0.5, 0.5, 0.5], -0.2162123501985147, 0.09895553357878395],
    [[0.1, 0.2, 0.9], 1.1909990165907542, 0.009904529928129959],
    [[0, 1, 0], 0.14072046533788718, 1.3872826684164952],
  ])('in the posterior at %j', (x, mean, variance) => {
    const found = GaussianPosterior.of(new Covariance(dimensions, parameters), points, values, noise).predict(
      x,
    );
    expect(found.mean).toBeCloseTo(mean, 10);
    expect(found.variance).toBeCloseTo(variance, 10);
  });
});

describe('the posterior', () => {
  const covariance = new Covariance(dimensions, parameters);

  test('is the same when points are added one by one', () => {
    const grown = GaussianPosterior.of(covariance, points.slice(0, 2), values, noise).copy(1);
    points.slice(2).forEach((point, i) => grown.add(point, values[i + 2]!, noise[i + 2]!));
    const whole = GaussianPosterior.of(covariance, points, values, noise);
    for (const x of [[0.3, 0.3, 0.3], points[4]!]) {
      expect(grown.predict(x).mean).toBeCloseTo(whole.predict(x).mean, 12);
      expect(grown.predict(x).variance).toBeCloseTo(whole.predict(x).variance, 12);
    }
    expect(grown.meanOf(3)).toBeCloseTo(whole.predict(points[3]!).mean, 12);
  });

  test('has slopes that agree with finite differences', () => {
    const posterior = GaussianPosterior.of(covariance, points, values, noise);
    const x = [0.3, 0.6, 0.2];
    const { meanSlope, varianceSlope } = posterior.slopes(x);
    x.forEach((value, j) => {
      const above = posterior.predict(x.with(j, value + 1e-5));
      const below = posterior.predict(x.with(j, value - 1e-5));
      expect(meanSlope[j]).toBeCloseTo((above.mean - below.mean) / 2e-5, 6);
      expect(varianceSlope[j]).toBeCloseTo((above.variance - below.variance) / 2e-5, 6);
    });
  });

  test('accepts the same point many times without noise', () => {
    const same = Array.from({ length: 30 }, () => [0.5, 0.5, 0.5]);
    const posterior = GaussianPosterior.of(
      covariance,
      same,
      same.map(() => 1),
      same.map(() => 0),
    );
    expect(posterior.predict([0.5, 0.5, 0.5]).mean).toBeCloseTo(1, 6);
  });
});

test('levels of a choice have equal distances, and the distances of levels of an integer follow their order', () => {
  const mixed = new Covariance(
    [
      { kind: 'choice', levels: 3 },
      { kind: 'integer', levels: 3 },
    ],
    {
      lengths: [1, 1],
      signal: 1,
      constant: 0,
    },
  );
  const [a, b, c] = [1 / 6, 1 / 2, 5 / 6];
  expect(mixed.between([a, a], [c, a])).toBe(mixed.between([a, a], [b, a]));
  expect(mixed.between([a, a], [a, c])).toBeLessThan(mixed.between([a, a], [a, b]));
});

// far below 0, log(φ(z) + z·Φ(z)) and log Φ(z) come from their series in 1 / z²
test.each([-30, -24.9, -6, -1.01, -0.99, 0, 3])(
  'the logarithms of improvement and probability have slopes at %d that agree with finite differences',
  (z) => {
    for (const log of [logImprovement, logChance]) {
      const difference = (log(z + 1e-4).log - log(z - 1e-4).log) / 2e-4;
      expect(log(z).slope / difference).toBeCloseTo(1, 5);
    }
  },
);

test('the logarithms of improvement and probability are continuous where their formulas change', () => {
  for (const z of [-1, -25]) {
    expect(logImprovement(z - 1e-9).log).toBeCloseTo(logImprovement(z + 1e-9).log, 6);
    expect(logChance(z - 1e-9).log).toBeCloseTo(logChance(z + 1e-9).log, 6);
  }
});

test('the minimizer finds a minimum inside a box, and a minimum at the edge of a box', () => {
  const rosenbrock = (x: Float64Array, slope: Float64Array): number => {
    const off = x[1]! - x[0]! ** 2;
    slope.set([-400 * x[0]! * off - 2 * (1 - x[0]!), 200 * off]);
    return 100 * off ** 2 + (1 - x[0]!) ** 2;
  };
  const within = minimize(rosenbrock, [-1.2, 1], { low: [-2, -2], high: [2, 2], evaluations: 200 });
  expect(within.value).toBeLessThan(1e-8);
  const edge = minimize(rosenbrock, [-0.2, 1], { low: [-2, -2], high: [0.5, 2], evaluations: 200 });
  expect(edge.x[0]).toBe(0.5);
  expect(edge.x[1]).toBeCloseTo(0.25, 4);
});

describe('a warp', () => {
  const skewed = [0.4, 1, 2, 5, 20, 80, 300];

  test('can be inverted, also below the lowest value', () => {
    const warp = new Warp(skewed, 0.1);
    for (const value of [-10, 0.4, 0.5, 50, 1000]) {
      expect(warp.value(warp.warped(value))).toBeCloseTo(value, 8);
      expect(warp.slope(value)).toBeCloseTo(
        (warp.warped(value + 1e-4) - warp.warped(value - 1e-4)) / 2e-4,
        3,
      );
    }
  });

  test('has derivatives that agree with finite differences', () => {
    const found = new Warp(skewed, 0.3).byBend(skewed);
    const [above, below] = [new Warp(skewed, 0.3 * Math.exp(1e-5)), new Warp(skewed, 0.3 * Math.exp(-1e-5))];
    skewed.forEach((value, i) => {
      expect(found.warped[i]).toBeCloseTo((above.warped(value) - below.warped(value)) / 2e-5, 6);
      const logs = Math.log(above.slope(value) / below.slope(value)) / 2e-5;
      expect(found.logSlopes[i]).toBeCloseTo(logs, 6);
    });
  });
});

describe('a model of a log', () => {
  const one: Dimension[] = [{ kind: 'real' }];

  test('predicts in the units of the values', () => {
    const log = Array.from({ length: 12 }, (_, i) => told([i / 11], 1000 * Math.exp(3 * (i / 11))));
    const model = modelOf(one, log, false)!;
    const { mean, variance } = model.predict([0.5]);
    expect(Math.abs(mean / (1000 * Math.exp(1.5)) - 1)).toBeLessThan(0.01);
    expect(Math.sqrt(variance)).toBeLessThan(100);
  });

  test('gives a value with a low variance more weight', () => {
    const expected = (variance: number): number => {
      const log = Array.from({ length: 11 }, (_, i) =>
        told([i / 10], i === 5 ? 2 : i / 10, i === 5 ? variance : 0.01, 200),
      );
      return modelOf(one, log, true)!.predict([0.5]).mean;
    };
    expect(expected(1e-4)).toBeGreaterThan(expected(1) + 0.2);
  });

  test('does not exist without values', () => {
    expect(modelOf(one, [{ ...told([0.5], 0), value: null }], false)).toBeNull();
  });
});
