import { expect, test } from '@jest/globals';
import { effectiveSize, nextTolerance, weightedMoments } from '../../../src/search/abc/population.ts';
import { calibrationStoryOf } from '../../../src/search/abc/story.ts';
import { Stream } from '../../../src/campaign/sampling/stream.ts';
import { logOf, normalMean } from './calibrations.ts';

/** Tests calibrations whose outputs are counts, so that many distances are equal. */

/** A Poisson count of 0, and a prior from 0 to 10: the exact posterior is exponential with the mean 1. */
function noEvent(seed: number) {
  return normalMean(
    {
      priors: [{ name: 'θ', isWhole: false, distribution: { kind: 'uniform', min: 0, max: 10 } }],
      observed: [{ output: 'y', kind: 'number', value: 0, weight: 1 }],
      particles: 200,
      stop: { tolerance: null, generations: 20, acceptance: 0.01, points: 100_000 },
    },
    { seed },
  );
}

function eventsIn(rate: number, stream: Stream): number {
  let events = -1;
  for (let time = 0; time <= 1; time -= Math.log(stream.uniform()) / rate) events += 1;
  return events;
}

test('a calibration on a count goes on to the exact posterior, although most distances are equal', async () => {
  const seeds = Array.from({ length: 20 }, (_, at) => at + 1);
  const found = [];
  for (const seed of seeds) {
    const campaign = noEvent(seed);
    const log = await logOf(campaign, ([rate], ordinal, replication) => ({
      y: String(eventsIn(rate!, new Stream(seed, `run ${ordinal}, ${replication}`))),
    }));
    const { summary } = await calibrationStoryOf(campaign, log);
    expect(summary).toMatchObject({ stoppedBy: 'stall', tolerance: 0 });
    const { mean } = summary.posterior!.inputs['θ'] as { mean: number };
    found.push({ mean, effective: summary.posterior!.effective });
  }
  const average = (values: readonly number[]): number => values.reduce((a, b) => a + b) / values.length;
  expect(Math.abs(average(found.map(({ mean }) => mean)) - 1)).toBeLessThan(0.08);
  // the variance of the exact posterior is 1
  const spread = average(found.map(({ mean }) => (mean - 1) ** 2));
  const ratio = average(found.map(({ effective }) => effective)) * spread;
  expect(ratio).toBeGreaterThan(0.5);
  expect(ratio).toBeLessThan(2);
});

test.each<[string, number[], number | null, number | undefined]>([
  ['a quantile of the distances', [4, 3, 2, 1], 4, 2],
  ['the next lower distance, if most distances are equal', [3, 3, 3, 1, 2], 3, 2],
  ['none, if all distances are equal', [3, 3, 3], 3, undefined],
  ['a quantile after the first generation, even if all distances are equal', [3, 3, 3], null, 3],
])('the next tolerance is %s', (_, distances, tolerance, next) => {
  const weights = distances.map(() => 1 / distances.length);
  expect(nextTolerance({ points: [], distances, weights }, 0.5, tolerance)).toBe(next);
});

test('the effective size is the one of the mean that is least certain, without one point at a time', () => {
  const weights = [0.1, 0.2, 0.3, 0.4];
  const sizeOf = (values: number[]): number => {
    const { mean, sd } = weightedMoments(values, weights);
    const without = weights.map((weight, left) => {
      const rest = weights.map((one, at) => (at === left ? 0 : one / (1 - weight)));
      return weightedMoments(values, rest).mean;
    });
    return sd ** 2 / without.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  };
  const even = [1, 2, 2, 1];
  const edge = [0, 0, 0, 10];
  expect(effectiveSize(weights, [even, edge])).toBeCloseTo(
    Math.max(1, Math.min(sizeOf(even), sizeOf(edge))),
    9,
  );
  // equal weights count fully, up to the point that the mean takes
  const equal = Array.from({ length: 100 }, () => 0.01);
  expect(effectiveSize(equal, [equal.map((_, at) => at)])).toBeCloseTo(98.01, 9);
  // without numeric inputs, the weights decide
  expect(effectiveSize(weights, [])).toBeCloseTo(1 / 0.3, 9);
});
