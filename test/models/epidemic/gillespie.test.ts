import { describe, expect, test } from '@jest/globals';
import { simulate } from '../../../models/epidemic/gillespie.ts';
import { type Parameters, solve } from '../../../models/epidemic/sir.ts';
import { Mrg32k3a } from '../../../models/kernel/index.ts';
import { moments, zOf } from '../kernel/support.ts';
import { chancesOfInfected, expansion, finalSize } from './theory.ts';

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

const seeds = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

describe('the stochastic form', () => {
  test('counts whole persons, keeps S + I + R = N, and never reverses an infection or a recovery', () => {
    const times = Array.from({ length: 141 }, (_, i) => i / 10);
    for (const seed of seeds(10)) {
      const { states, peakInfected, peakDay, last } = course(flu, times, seed);
      expect(states).toHaveLength(times.length);
      for (const [i, { susceptible, infected, recovered }] of states.entries()) {
        expect(susceptible + infected + recovered).toBe(763);
        const counts = [susceptible, infected, recovered];
        expect(counts.filter((count) => !Number.isInteger(count) || count < 0)).toEqual([]);
        expect(susceptible).toBeLessThanOrEqual(states[i - 1]?.susceptible ?? 763);
        expect(recovered).toBeGreaterThanOrEqual(states[i - 1]?.recovered ?? 0);
        expect(infected).toBeLessThanOrEqual(peakInfected);
      }
      expect(peakDay).toBeLessThanOrEqual(14);
      expect(states.at(-1)).toEqual(last);
    }
  });

  test('has the probabilities of the master equation in a small population', () => {
    const few = { ...flu, population: 9, initiallyInfected: 2 };
    const runs = seeds(4_000).map((seed) => course(few, [1, 3], seed).states);
    for (const [at, time] of [1, 3].entries()) {
      const chances = chancesOfInfected(few, time);
      for (const [infected, chance] of chances.entries()) {
        const share = runs.filter((run) => run[at]!.infected === infected).length / runs.length;
        expect(Math.abs(share - chance)).toBeLessThan(4 * Math.sqrt((chance * (1 - chance)) / runs.length));
      }
    }
  });

  test('has the mean and the variance that theory predicts in a large population', () => {
    const large = { ...flu, population: 20_000, initiallyInfected: 400, days: 8 };
    const times = [2, 4, 6, 8];
    const runs = seeds(150).map((seed) => course(large, times, seed).states);
    const { states } = solve(large, times);
    for (const [i, time] of times.entries()) {
      const infected = runs.map((run) => run[i]!.infected);
      const { bias, variance } = expansion(large, time).infected;
      // the mean differs from the deterministic form by a few persons, for any size of the population
      expect(Math.abs(bias)).toBeLessThan(6);
      expect(Math.abs(zOf(infected, states[i]!.infected + bias))).toBeLessThan(4);
      const error = variance * Math.sqrt(2 / (runs.length - 1));
      expect(Math.abs(moments(infected).variance - variance)).toBeLessThan(4 * error);
    }
  });

  test('an outbreak with many first cases has the size of the final-size equation', () => {
    const large = { ...flu, population: 10_000, initiallyInfected: 200, days: 200 };
    for (const contactRate of [0.3, 0.6, 1.66]) {
      const runs = seeds(100).map((seed) => course({ ...large, contactRate }, [], seed).last);
      expect(runs.filter(({ infected }) => infected > 0)).toEqual([]);
      const sizes = runs.map(({ recovered }) => recovered);
      const { bias, variance } = expansion({ ...large, contactRate }, large.days).recovered;
      expect(Math.abs(bias)).toBeLessThan(12);
      expect(Math.abs(zOf(sizes, finalSize({ ...large, contactRate }) + bias))).toBeLessThan(4);
      const error = variance * Math.sqrt(2 / (runs.length - 1));
      expect(Math.abs(moments(sizes).variance - variance)).toBeLessThan(4 * error);
    }
  });

  test('without contacts, the mean number of infected decays exponentially', () => {
    const decay = { ...flu, contactRate: 0, initiallyInfected: 50 };
    const share = Math.exp(-0.44 * 2);
    const left = seeds(1_000).map((seed) => course(decay, [2], seed).states[0]!.infected);
    const expectedError = Math.sqrt((50 * share * (1 - share)) / left.length);
    expect(Math.abs(moments(left).mean - 50 * share)).toBeLessThan(4 * expectedError);
  });

  test.each([
    [1, 1.66],
    [1, 0.8],
    [2, 0.8],
    [4, 0.8],
  ])(
    'an outbreak of %d first cases at the contact rate %d dies out as often as the theory of branching processes predicts',
    (cases, contactRate) => {
      const population = 4_000;
      const parameters = { ...flu, population, contactRate, initiallyInfected: cases, days: 200 };
      const runs = seeds(400).map((seed) => course(parameters, [], seed).last.recovered);
      const minor = runs.filter((recovered) => recovered < population / 10).length / runs.length;
      const chance = (0.44 / contactRate) ** cases;
      expect(Math.abs(minor - chance)).toBeLessThan(4 * Math.sqrt((chance * (1 - chance)) / runs.length));
    },
  );
});
