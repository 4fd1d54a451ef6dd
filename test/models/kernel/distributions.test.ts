import { describe, expect, test } from '@jest/globals';
import {
  bernoulli,
  discreteUniform,
  Empirical,
  erlang,
  exponential,
  gamma,
  lognormal,
  normal,
  poisson,
  type Random,
  randomStream,
  triangular,
  uniform,
  weibull,
} from '../../../models/kernel/index.ts';
import { gammaCdf, gammaFunction, normalCdf } from './functions.ts';
import { given, zOf } from './support.ts';

const DRAWS = 20_000;

function sample(name: string, draw: (random: Random) => number): number[] {
  const random = randomStream(20n, 1, name);
  return Array.from({ length: DRAWS }, () => draw(random));
}

function expectMoments(values: readonly number[], mean: number, variance: number): void {
  expect(Math.abs(zOf(values, mean))).toBeLessThan(4);
  const squares = values.map((value) => (value - mean) ** 2);
  expect(Math.abs(zOf(squares, variance))).toBeLessThan(4);
}

interface Continuous {
  draw: (random: Random) => number;
  mean: number;
  variance: number;
  cdf: (x: number) => number;
}

const continuous: Record<string, Continuous> = {
  'uniform(-2, 5)': {
    draw: (random) => uniform(random, -2, 5),
    mean: 1.5,
    variance: 49 / 12,
    cdf: (x) => (x + 2) / 7,
  },
  'exponential(3)': {
    draw: (random) => exponential(random, 3),
    mean: 3,
    variance: 9,
    cdf: (x) => 1 - Math.exp(-x / 3),
  },
  'normal(10, 2)': {
    draw: (random) => normal(random, 10, 2),
    mean: 10,
    variance: 4,
    cdf: (x) => normalCdf((x - 10) / 2),
  },
  'lognormal(0.5, 0.4)': {
    draw: (random) => lognormal(random, 0.5, 0.4),
    mean: Math.exp(0.5 + 0.08),
    variance: Math.expm1(0.16) * Math.exp(1 + 0.16),
    cdf: (x) => normalCdf((Math.log(x) - 0.5) / 0.4),
  },
  'triangular(1, 2, 5)': {
    draw: (random) => triangular(random, 1, 2, 5),
    mean: 8 / 3,
    variance: (1 + 4 + 25 - 2 - 5 - 10) / 18,
    cdf: (x) => (x < 2 ? (x - 1) ** 2 / 4 : 1 - (5 - x) ** 2 / 12),
  },
  'erlang(3, 6)': {
    draw: (random) => erlang(random, 3, 6),
    mean: 6,
    variance: 12,
    cdf: (x) => gammaCdf(3, x / 2),
  },
  'gamma(2.5, 2)': {
    draw: (random) => gamma(random, 2.5, 2),
    mean: 5,
    variance: 10,
    cdf: (x) => gammaCdf(2.5, x / 2),
  },
  'gamma(0.3, 2)': {
    draw: (random) => gamma(random, 0.3, 2),
    mean: 0.6,
    variance: 1.2,
    cdf: (x) => gammaCdf(0.3, x / 2),
  },
  'weibull(1.7, 3)': {
    draw: (random) => weibull(random, 1.7, 3),
    mean: 3 * gammaFunction(1 + 1 / 1.7),
    variance: 9 * (gammaFunction(1 + 2 / 1.7) - gammaFunction(1 + 1 / 1.7) ** 2),
    cdf: (x) => 1 - Math.exp(-((x / 3) ** 1.7)),
  },
};

describe('continuous distributions', () => {
  test.each(Object.entries(continuous))(
    '%s has the expected moments and the expected cdf',
    (name, { draw, mean, variance, cdf }) => {
      const values = sample(name, draw);
      expectMoments(values, mean, variance);
      const sorted = values.sort((a, b) => a - b);
      const distances = sorted.map((value, i) =>
        Math.max(cdf(value) - i / DRAWS, (i + 1) / DRAWS - cdf(value)),
      );
      // Kolmogorov's statistic exceeds 1.95 once in 1,000 times
      expect(Math.max(...distances) * Math.sqrt(DRAWS)).toBeLessThan(1.95);
    },
  );

  test('the cdfs of this test agree with tables', () => {
    expect(normalCdf(1.96)).toBeCloseTo(0.9750021048517795, 14);
    expect(normalCdf(-3)).toBeCloseTo(0.0013498980316301, 14);
    expect(gammaCdf(3, 2)).toBeCloseTo(1 - 5 * Math.exp(-2), 14);
    expect(gammaCdf(0.5, 0.5)).toBeCloseTo(0.6826894921370859, 14);
    expect(gammaFunction(0.5)).toBeCloseTo(Math.sqrt(Math.PI), 13);
  });

  test('a distribution by inversion uses one random number for each draw and is monotonic in this number', () => {
    const numbers = Array.from({ length: 99 }, (_, i) => (i + 1) / 100);
    for (const name of Object.keys(continuous).filter((name) => !/^(gamma|erlang)/.test(name))) {
      const values = numbers.map((u) => continuous[name]!.draw(given(u)));
      const steps = values.slice(1).map((value, i) => Math.sign(value - values[i]!));
      expect([name, new Set(steps).size]).toEqual([name, 1]);
    }
  });

  test('erlang uses one random number per phase, and refuses phases that are not whole or not positive', () => {
    expect(erlang(given(0.1, 0.2, 0.3), 3, 6)).toBeCloseTo(-2 * Math.log(0.1 * 0.2 * 0.3), 14);
    for (const phases of [2.5, 0, -1, NaN, Infinity]) {
      expect(() => erlang(given(0.5), phases, 1)).toThrow(`cannot have ${phases} phases`);
    }
  });

  test.each([0, -0.5, NaN, Infinity])('gamma refuses the shape %d', (shape) => {
    expect(() => gamma(given(0.5, 0.5), shape, 1)).toThrow(`cannot have the shape ${shape}`);
  });

  test('the normal quantile agrees with tables', () => {
    for (const [p, quantile] of [
      [0.5, 0],
      [0.25, -0.6744897501960817],
      [0.975, 1.959963984540054],
      [0.001, -3.090232306167814],
      [1e-20, -9.262340089798409],
    ] as const) {
      expect(Math.abs(normal(given(p), 0, 1) - quantile)).toBeLessThan(
        2e-15 * Math.max(1, Math.abs(quantile)),
      );
    }
  });
});

interface Discrete {
  draw: (random: Random) => number;
  mean: number;
  variance: number;
  chance: (k: number) => number;
}

function poissonChance(mean: number): (k: number) => number {
  return (k) => Math.exp(k * Math.log(mean) - mean - Math.log(gammaFunction(k + 1)));
}

const weights = [1, 0, 3, 4, 2];
const empirical = new Empirical([0, 1, 2, 3, 4], weights);
const discrete: Record<string, Discrete> = {
  'discreteUniform(-1, 4)': {
    draw: (random) => discreteUniform(random, -1, 4),
    mean: 1.5,
    variance: 35 / 12,
    chance: (k) => (k >= -1 && k <= 4 ? 1 / 6 : 0),
  },
  'bernoulli(0.3)': {
    draw: (random) => Number(bernoulli(random, 0.3)),
    mean: 0.3,
    variance: 0.21,
    chance: (k) => [0.7, 0.3][k] ?? 0,
  },
  'poisson(0.8)': {
    draw: (random) => poisson(random, 0.8),
    mean: 0.8,
    variance: 0.8,
    chance: poissonChance(0.8),
  },
  'poisson(40)': { draw: (random) => poisson(random, 40), mean: 40, variance: 40, chance: poissonChance(40) },
  empirical: {
    draw: (random) => empirical.draw(random),
    mean: 2.6,
    variance: 1.24,
    chance: (k) => (weights[k] ?? 0) / 10,
  },
};

describe('discrete distributions', () => {
  test.each(Object.entries(discrete))(
    '%s has the expected moments and the expected probabilities',
    (name, { draw, mean, variance, chance }) => {
      const values = sample(name, draw);
      expectMoments(values, mean, variance);
      let [chiSquare, degrees, others, chanceOfOthers] = [0, 0, DRAWS, 1];
      for (let k = -1; k < 100; k++) {
        const hits = values.filter((value) => value === k).length;
        const expected = DRAWS * chance(k);
        if (expected === 0) expect([k, hits]).toEqual([k, 0]);
        if (expected < 5) continue;
        chiSquare += (hits - expected) ** 2 / expected;
        degrees++;
        others -= hits;
        chanceOfOthers -= chance(k);
      }
      if (DRAWS * chanceOfOthers >= 1)
        chiSquare += (others - DRAWS * chanceOfOthers) ** 2 / (DRAWS * chanceOfOthers);
      // the limit is the mean of chi-square plus 4 standard deviations, plus 5 for few degrees of freedom
      expect(chiSquare).toBeLessThan(degrees + 4 * Math.sqrt(2 * degrees) + 5);
    },
  );

  test('poisson with a large mean has the expected moments, although the probability of 0 underflows', () => {
    expectMoments(sample('large', (random) => poisson(random, 2_345.6)).slice(0, 4_000), 2_345.6, 2_345.6);
    expect(poisson(given(0.5), 0)).toBe(0);
    const four = [0.1, 0.2, 0.3, 0.4];
    poisson({ next: () => four.shift()! }, 2_000);
    expect(four).toEqual([]);
    expect(() => poisson(given(0.5), Infinity)).toThrow('cannot have an infinite mean');
  });

  test('an empirical distribution keeps the order of its values, never draws a value of weight 0, and refuses invalid weights', () => {
    expect([0.05, 0.1, 0.39, 0.41, 0.79, 0.81, 0.999].map((u) => empirical.draw(given(u)))).toEqual([
      0, 2, 2, 3, 3, 4, 4,
    ]);
    expect(() => new Empirical(['a'], [])).toThrow('1 values cannot have 0 weights');
    expect(() => new Empirical(['a', 'b'], [1, -1])).toThrow('A weight cannot be -1');
    expect(() => new Empirical(['a', 'b'], [0, 0])).toThrow('At least one weight must be positive');
    expect(() => new Empirical([], [])).toThrow('At least one weight must be positive');
  });
});
