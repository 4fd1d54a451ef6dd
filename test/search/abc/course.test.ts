import { expect, test } from '@jest/globals';
import type { Calibration } from '../../../src/campaign/search/calibration.ts';
import type { SearchLog } from '../../../src/campaign/search/log.ts';
import type { CampaignBy } from '../../../src/campaign/types.ts';
import { Distances } from '../../../src/search/abc/distance.ts';
import { calibrationStoryOf, runNameOf, placesOfRuns } from '../../../src/search/abc/story.ts';
import { SearchInMemory } from '../in-memory.ts';
import { logOf, noisyMean, normalMean } from './calibrations.ts';

/** Tests calibrations without a store and a service. */

type NumericMarginal = { mean: number; sd: number; low: number; high: number };

async function posteriorOf(campaign: CampaignBy<'calibration'>, log: SearchLog) {
  const { summary } = await calibrationStoryOf(campaign, log);
  return { ...summary.posterior!, ...(summary.posterior!.inputs['θ'] as NumericMarginal) };
}

const few: Partial<Calibration> = {
  particles: 40,
  parallel: 8,
  stop: { tolerance: 0.4, generations: 20, acceptance: 0.01, points: 100_000 },
};

test('the posterior of a normal mean is close to the exact posterior', async () => {
  const campaign = normalMean({}, { seed: 1 });
  const { mean, sd, tolerance, low, high } = await posteriorOf(campaign, await logOf(campaign, noisyMean(1)));
  expect(tolerance).toBe(0.1);
  expect(Math.abs(mean - 1.199)).toBeLessThan(0.1);
  expect(Math.abs(sd ** 2 - 0.802)).toBeLessThan(0.12);
  expect(low).toBeCloseTo(1.199 - 1.96 * 0.896, 0);
  expect(high).toBeCloseTo(1.199 + 1.96 * 0.896, 0);
});

test('the log of a calibration does not depend on the order in which runs finish, or on restarts', async () => {
  const campaign = normalMean(few);
  const log = await logOf(campaign, noisyMean(1));
  expect(log.asks.length).toBeGreaterThan(200);
  for (const [seed, rebuilds] of [
    [2, 0],
    [3, 0.2],
  ] as const)
    expect(await new SearchInMemory(campaign, noisyMean(1), seed).toTheEnd(rebuilds)).toEqual(log);
});

test('a generation accepts the first 40 of the points whose distances are small enough', async () => {
  const campaign = normalMean(few);
  const log = await logOf(campaign, noisyMean(1));
  const begun = log.events.filter((event) => event.kind === 'generation');
  const weights = await placesOfRuns(campaign, log);
  expect(begun.length).toBeGreaterThan(2);
  const keys = (await calibrationStoryOf(campaign, log)).particles;
  for (const [at, { first, tolerance }] of begun.entries()) {
    const end = begun[at + 1]?.first ?? log.asks.length;
    const near = log.asks
      .slice(first, end)
      .flatMap(({ told }, i) => (tolerance === null || told!.value! <= tolerance ? [first + i] : []));
    const accepted = [...weights.values()].filter(
      ({ generation, weight }) => generation === at + 1 && weight !== null,
    );
    expect(accepted.map(({ ask }) => ask)).toEqual(near.slice(0, 40));
  }
  const { key, weight, ask } = keys[0]!;
  expect(weights.get(runNameOf(key, 1))).toEqual({ ask, weight, generation: begun.length });
});

test('the next tolerance is a quantile of the accepted distances', async () => {
  const campaign = normalMean(few);
  const log = await logOf(campaign, noisyMean(1));
  const [, second] = log.events.filter((event) => event.kind === 'generation');
  const distances = log.asks.slice(0, 40).map(({ told }) => told!.value!);
  expect(distances.filter((distance) => distance <= second!.tolerance!)).toHaveLength(20);
});

test('each ask for the same point has its own distance, and a calibration of a model without chance ends when the tolerance stops falling', async () => {
  const choice = { kind: 'choice' as const, values: ['0', '1', '2', '3'] };
  const priors = [{ name: 'θ', isWhole: true, distribution: choice }];
  const campaign = normalMean({ ...few, priors });
  const log = await logOf(campaign, noisyMean(1));
  expect(new Set(log.asks.map(({ ordinal }) => ordinal)).size).toBe(4);
  const distances = log.asks.filter(({ values }) => values[0] === '1').map(({ told }) => told!.value);
  expect(new Set(distances).size).toBe(distances.length);
  // the exact posterior is proportional to the normal density of 1.5 - θ
  const { particles } = await calibrationStoryOf(campaign, log);
  const shareOf = (value: string): number =>
    particles.filter(({ values }) => values[0] === value).reduce((sum, { weight }) => sum + weight, 0);
  expect(shareOf('1') + shareOf('2')).toBeGreaterThan(shareOf('0') + shareOf('3'));
  // without chance, there are at most 4 distances, so the tolerance soon stops falling
  const [, theta] = campaign.base;
  const withoutChance = { ...campaign, base: [theta!] };
  const exact = await logOf(withoutChance, ([value]) => ({ y: String(value) }));
  expect(new Set(exact.asks.map(({ ordinal }) => ordinal)).size).toBeLessThanOrEqual(4);
  expect(exact.events.findLast((event) => event.kind === 'stopped')).toMatchObject({ by: 'stall' });
  // a run that several asks share has the sum of their weights
  const story = await calibrationStoryOf(withoutChance, exact);
  const places = await placesOfRuns(withoutChance, exact);
  expect(places.size).toBe(new Set(exact.asks.map(({ ordinal }) => ordinal)).size);
  for (const key of new Set(story.particles.map((particle) => particle.key))) {
    const own = story.particles.filter((particle) => particle.key === key);
    const { generation, weight } = places.get(runNameOf(key, 1))!;
    expect(generation).toBe(story.summary.posterior!.generation);
    expect(weight).toBeCloseTo(
      own.reduce((sum, particle) => sum + particle.weight, 0),
      9,
    );
  }
});

test.each([
  ['the calibration has no other generation', { ...few, stop: { ...few.stop!, generations: 1 } }],
  [
    'the second generation ends early',
    { ...few, stop: { ...few.stop!, tolerance: 0, points: few.particles! + 1 } },
  ],
])('the first generation is the prior and no posterior, if %s', async (_, calibrate) => {
  const campaign = normalMean(calibrate);
  const story = await calibrationStoryOf(campaign, await logOf(campaign, noisyMean(1)));
  expect(story.generations[0]).toMatchObject({ number: 1, accepted: campaign.strategy.particles });
  expect(story.summary.posterior).toBeNull();
  expect(story.particles).toEqual([]);
  expect(story.prior.length).toBeGreaterThan(0);
});

test('the posterior of a text has the share of each value, whatever its name', async () => {
  const values = ['constructor', 'valueOf'];
  const priors = [{ name: 'θ', isWhole: false, distribution: { kind: 'choice' as const, values } }];
  const campaign = normalMean({ ...few, priors }, { varied: [{ name: 'θ', type: 'STRING', units: null }] });
  const log = await logOf(campaign, () => ({ y: '1.5' }));
  const { posterior } = (await calibrationStoryOf(campaign, log)).summary;
  const { shares } = posterior!.inputs['θ'] as { shares: Record<string, number> };
  expect(Object.keys(shares).sort()).toEqual(values);
  expect(Object.values(shares).reduce((sum, share) => sum + share)).toBeCloseTo(1, 9);
});

test('each point meets the condition on the inputs', async () => {
  const campaign = normalMean({ ...few, where: 'θ > 1' });
  const log = await logOf(campaign, noisyMean(1));
  for (const { values } of log.asks) expect(Number(values[0])).toBeGreaterThan(1);
});

test('with several outputs, the scale of each output is its spread, and the log does not depend on the order of runs', async () => {
  const observed: Calibration['observed'] = [
    { output: 'y', kind: 'number', value: 1.5, weight: 1 },
    { output: 'curve', kind: 'curve', x: [0.5, 1], y: [750, 1_500], weight: 1 },
  ];
  const campaign = normalMean({ ...few, observed });
  const run = (values: readonly number[], ordinal: number, replication: number) => {
    const y = Number(noisyMean(1)(values, ordinal, replication)['y']);
    return { y: String(y), curve: JSON.stringify({ dataX: [0, 1], dataY: [0, 1_000 * y] }) };
  };
  const log = await logOf(campaign, run);
  const scales = log.events.find((event) => event.kind === 'scales')!.scales;
  // the curve has the values 500·y and 1,000·y, so its scale is the root mean square of 500 and 1,000 times the scale
  // of y
  expect(scales[1]! / scales[0]!).toBeCloseTo(1_000 * Math.sqrt((0.25 + 1) / 2), 6);
  // places where the curve never varies do not add to its scale
  const distances = new Distances(observed, campaign.outputs);
  const still = (y: number) => [[y], [1, y / 1_000]];
  const [ofNumber, ofCurve] = distances.scalesOf([1, 2, 4, 8].map((y) => still(y)));
  expect(ofCurve! / ofNumber!).toBeCloseTo(Math.sqrt(1 / 2) / 1_000, 12);
  expect(distances.scalesOf([1, 2, 4].map(() => still(3)))).toEqual([1, 1]);
  const world = new SearchInMemory(campaign, run, 5);
  expect(await world.toTheEnd(0.1)).toEqual(log);
});

test.each<[string, Partial<Calibration>, (y: number) => string | undefined, string]>([
  ['all runs fail', few, () => undefined, 'failures'],
  [
    'too few points are close enough',
    { ...few, stop: { ...few.stop!, tolerance: 0, acceptance: 0.3 } },
    String,
    'acceptance',
  ],
  [
    'it has reached its maximum number of points',
    { ...few, stop: { ...few.stop!, tolerance: 0, points: 200 } },
    String,
    'points',
  ],
  [
    'it has finished all its generations',
    { ...few, stop: { ...few.stop!, generations: 2 } },
    String,
    'generations',
  ],
  ['it reaches its tolerance', few, String, 'tolerance'],
])('a calibration ends when %s', async (_, calibrate, text, by) => {
  const campaign = normalMean(calibrate);
  const run = (values: readonly number[], ordinal: number, replication: number) => {
    const y = text(Number(noisyMean(1)(values, ordinal, replication)['y']));
    return y === undefined ? ({} as Record<string, string>) : { y };
  };
  const log = await logOf(campaign, run);
  expect(log.events.slice(-2)).toEqual([{ kind: 'stopped', by }, { kind: 'over' }]);
  expect(log.asks.every(({ told }) => told !== null)).toBe(true);
  const { posterior } = (await calibrationStoryOf(campaign, log)).summary;
  if (by === 'failures') expect(posterior).toBeNull();
  else expect(posterior!.effective).toBeGreaterThan(1);
  expect(log.asks.length).toBeLessThanOrEqual(campaign.strategy.stop.points);
});

test('failed runs are not accepted, and further points replace them', async () => {
  const campaign = normalMean(few);
  const log = await logOf(campaign, (values, ordinal, replication) =>
    ordinal % 3 === 0 ? {} : noisyMean(1)(values, ordinal, replication),
  );
  const story = await calibrationStoryOf(campaign, log);
  expect(story.generations[0]).toMatchObject({ accepted: 40, tolerance: null });
  // a third of the runs fail, so 40 accepted points need about 60 points
  expect(story.generations[0]!.told).toBeGreaterThan(55);
  expect(story.particles.every(({ ask }) => log.asks[ask]!.told!.value !== null)).toBe(true);
});
