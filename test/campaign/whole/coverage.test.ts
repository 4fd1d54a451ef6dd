import { describe, expect, test } from '@jest/globals';
import {
  exponential,
  type Random,
  randomStream,
  Resource,
  Simulation,
} from '../../../models/kernel/index.ts';
import { nextReplications, type Precision } from '../../../src/campaign/precision.ts';
import { estimate } from '../../support/samples.ts';
import { erlangC } from '../../models/kernel/support.ts';
import { report } from '../../support/seeds.ts';

/**
 * Checks that the share of intervals that contain the true mean is close to the confidence. 500 campaigns of an M/M/2
 * queue at 70% load run in virtual time. A replication begins in the stationary state, so the mean of its averages over
 * time is known exactly.
 */

const SEED = 1n;
const CAMPAIGNS = 500;
const SERVERS = 2;
const LOAD = 1.4;
const LENGTH = 1_500;

const busy = LOAD / SERVERS;
const outputs = {
  utilization: busy,
  // the distribution of this output has a skewness of 0.9
  waiting: (erlangC(SERVERS, LOAD) * busy) / (1 - busy),
};
type Output = keyof typeof outputs;

/** The average half-width of the interval with 10 replications, as a share of the mean. */
const relative: Record<Output, number> = { utilization: 0.026, waiting: 0.15 };

describe.each(['utilization', 'waiting'] as const)('%s', (output) => {
  test.each([
    ['relative', 3],
    ['relative', 5],
    ['absolute', 3],
    ['absolute', 5],
  ] as const)(
    'the 95%% interval contains the mean in 93 to 97%% of campaigns: %s precision, at least %i replications',
    (kind, min) => {
      const precision = wanted(output, kind, min);
      const made = campaigns.map((campaign) => finished(campaign, output, precision));
      const covered = share(made, output, precision);
      const replications = made.reduce((sum, values) => sum + values.length, 0) / CAMPAIGNS;
      report(
        `precision: seed ${SEED}, ${output}, ${kind}, from ${min}: in ${(100 * covered).toFixed(1)}% of ${CAMPAIGNS} intervals, ` +
          `${replications.toFixed(1)} replications`,
      );
      expect(covered).toBeGreaterThanOrEqual(0.93);
      expect(covered).toBeLessThanOrEqual(0.97);
    },
  );
});

test('without the look-ahead, too few intervals would contain the mean', () => {
  const precision = wanted('waiting', 'absolute', 3);
  const made = campaigns.map((campaign) => firstNarrow(campaign, 'waiting', precision));
  expect(share(made, 'waiting', precision)).toBeLessThan(0.93);
});

function wanted(output: Output, kind: 'relative' | 'absolute', min: number): Precision {
  return {
    min,
    max: 200,
    outputs: [output],
    relative: kind === 'relative' ? relative[output] : null,
    absolute: kind === 'absolute' ? relative[output] * outputs[output] : null,
    confidence: 0.95,
  };
}

/** The replications of one campaign. Each is simulated when a test first needs it. */
type Made = Record<Output, number>[];
const campaigns = Array.from({ length: CAMPAIGNS }, (_, at) => ({
  seed: SEED + BigInt(at),
  made: [] as Made,
}));
type Course = (typeof campaigns)[number];

function values({ seed, made }: Course, output: Output, count: number): number[] {
  while (made.length < count) made.push(replication(seed, made.length + 1));
  return made.slice(0, count).map((each) => each[output]);
}

/** The values of the campaign's one point at the end of the campaign. */
function finished(campaign: Course, output: Output, precision: Precision): number[] {
  let all: number[] = [];
  for (;;) {
    const decision = nextReplications(precision, [all], all.length);
    if (decision.decided) {
      expect(decision.reached).toBe(true);
      return all;
    }
    all = values(campaign, output, decision.replications);
  }
}

function firstNarrow(campaign: Course, output: Output, precision: Precision): number[] {
  for (let n = precision.min; ; n += 1) {
    const all = values(campaign, output, n);
    if (estimate(all, precision).reached) return all;
  }
}

function share(made: number[][], output: Output, precision: Precision): number {
  const within = made.filter((all) => {
    const { low, high } = estimate(all, precision);
    return low! <= outputs[output] && outputs[output] <= high!;
  });
  return within.length / made.length;
}

function replication(seed: bigint, number: number): Record<Output, number> {
  const arrivals = randomStream(seed, number, 'arrivals');
  const services = randomStream(seed, number, 'services');
  const simulation = new Simulation();
  const desk = new Resource(simulation, SERVERS);
  const arrive = (): void => {
    simulation.schedule(exponential(arrivals, 1 / LOAD), arrive);
    desk.seize(serve, undefined);
  };
  const serve = (): void => void simulation.schedule(exponential(services, 1), leave);
  const leave = (): void => desk.release();
  for (let n = stationary(randomStream(seed, number, 'beginning')); n > 0; n -= 1)
    desk.seize(serve, undefined);
  simulation.schedule(exponential(arrivals, 1 / LOAD), arrive);
  simulation.run(LENGTH);
  return { utilization: desk.busy.mean! / SERVERS, waiting: desk.waiting.mean! };
}

/**
 * A random number of customers, from the stationary distribution. The ratio of the probabilities of n + 1 and n is the
 * ratio of the arrival rate and the departure rate.
 */
function stationary(random: Random): number {
  let chance = (1 - busy) / (1 + busy);
  let n = 0;
  for (let left = random.next() - chance; left > 0; left -= chance) {
    n += 1;
    chance *= LOAD / Math.min(n, SERVERS);
  }
  return n;
}
