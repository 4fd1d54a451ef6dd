import { describe, expect, test } from '@jest/globals';
import { simulate } from '../../../models/epidemic/gillespie.ts';
import { type Parameters, solve } from '../../../models/epidemic/sir.ts';
import { Mrg32k3a } from '../../../models/kernel/index.ts';

const flu: Parameters = {
  population: 763,
  initiallyInfected: 1,
  contactRate: 1.66,
  recoveryRate: 0.44,
  days: 14,
};

function course(parameters: Parameters, times: number[], seed: number) {
  const random = Mrg32k3a.fromSeed(BigInt(seed));
  return simulate(parameters, times, () => random.next());
}

function moments(values: readonly number[]) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return { mean, standardError: Math.sqrt(variance / values.length) };
}

const seeds = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

describe('the stochastic form', () => {
  test('counts whole persons, S + I + R = N, infections and recoveries never undone', () => {
    const times = Array.from({ length: 29 }, (_, i) => i / 2);
    for (const seed of seeds(20)) {
      const { states, peakInfected, peakDay, last } = course(flu, times, seed);
      expect(states).toHaveLength(times.length);
      for (const [i, { susceptible, infected, recovered }] of states.entries()) {
        expect(susceptible + infected + recovered).toBe(763);
        for (const count of [susceptible, infected, recovered])
          expect(Number.isInteger(count) && count >= 0).toBe(true);
        expect(susceptible).toBeLessThanOrEqual(states[i - 1]?.susceptible ?? 763);
        expect(recovered).toBeGreaterThanOrEqual(states[i - 1]?.recovered ?? 0);
        expect(infected).toBeLessThanOrEqual(peakInfected);
      }
      expect(peakDay).toBeLessThanOrEqual(14);
      expect(states.at(-1)).toEqual(last);
    }
  });

  test('the mean of many runs is near the deterministic form in a large population', () => {
    const large = { ...flu, population: 20_000, initiallyInfected: 400, days: 8 };
    const times = [2, 4, 6, 8];
    const runs = seeds(150).map((seed) => course(large, times, seed).states);
    const { states } = solve(large, times);
    for (const [i, { infected }] of states.entries()) {
      const { mean, standardError } = moments(runs.map((run) => run[i]!.infected));
      // the difference of the mean itself is of the order of one person in N
      expect(Math.abs(mean - infected)).toBeLessThan(4 * standardError + 5);
    }
  });

  test('without contacts the infected decay exactly as independent exponential times do', () => {
    const decay = { ...flu, contactRate: 0, initiallyInfected: 50 };
    const share = Math.exp(-0.44 * 2);
    const left = seeds(1_000).map((seed) => course(decay, [2], seed).states[0]!.infected);
    const expectedError = Math.sqrt((50 * share * (1 - share)) / left.length);
    expect(Math.abs(moments(left).mean - 50 * share)).toBeLessThan(4 * expectedError);
  });

  test('an outbreak from one case dies out with the chance of its branching process', () => {
    const population = 5_000;
    const runs = seeds(600).map((seed) => course({ ...flu, population, days: 60 }, [], seed).last.recovered);
    const minor = runs.filter((recovered) => recovered < population / 10).length / runs.length;
    const chance = 0.44 / 1.66;
    expect(Math.abs(minor - chance)).toBeLessThan(4 * Math.sqrt((chance * (1 - chance)) / runs.length));
  });
});
