import { describe, expect, test } from '@jest/globals';
import { erlang, normal, randomStream } from '../../../models/kernel/index.ts';
import { nextReplications, type Precision } from '../../../src/campaign/precision.ts';
import { estimate } from '../../support/samples.ts';
import { report } from '../../support/seeds.ts';

/**
 * Checks that the share of intervals that contain the true mean is close to the confidence, in 1,500 campaigns. The means
 * over time of a queue have such distributions: the utilization is nearly normal, and the waiting line has a skewness of 0.9.
 */

const SEED = 1n;
const CAMPAIGNS = 1_500;
const MEAN = 1;
/** The phases of an Erlang distribution with a skewness of 0.9. */
const PHASES = 5;

type Output = 'utilization' | 'waiting';

/** The average half-width of the interval with 10 replications. */
const halfWidth: Record<Output, number> = { utilization: 0.026, waiting: 0.15 };
/** The standard deviation that gives this half-width: 2.262 is the quantile of Student's t with 9 degrees of freedom. */
const deviation = (output: Output): number => (halfWidth[output] * Math.sqrt(10)) / 2.262;

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
      const covered = share(made, precision);
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
  expect(share(made, precision)).toBeLessThan(0.93);
});

function wanted(output: Output, kind: 'relative' | 'absolute', min: number): Precision {
  return {
    min,
    max: 200,
    outputs: [output],
    relative: kind === 'relative' ? halfWidth[output] : null,
    absolute: kind === 'absolute' ? halfWidth[output] : null,
    confidence: 0.95,
  };
}

/** The replications of one campaign. Each is drawn when a test first needs it. */
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

function share(made: number[][], precision: Precision): number {
  const within = made.filter((all) => {
    const { low, high } = estimate(all, precision);
    return low! <= MEAN && MEAN <= high!;
  });
  return within.length / made.length;
}

function replication(seed: bigint, number: number): Record<Output, number> {
  const random = randomStream(seed, number, 'replication');
  const line = erlang(random, PHASES, PHASES);
  return {
    utilization: normal(random, MEAN, deviation('utilization')),
    waiting: MEAN + (deviation('waiting') * (line - PHASES)) / Math.sqrt(PHASES),
  };
}
