import type { SpreadInput } from '../../src/campaign/designs/spread-input.ts';
import type { SearchLog } from '../../src/campaign/search/log.ts';
import { calibrationStoryOf, type Marginal } from '../../src/search/abc/story.ts';
import { Stream } from '../../src/campaign/sampling/stream.ts';
import { logOf, normalMean } from '../../test/search/abc/calibrations.ts';
import type { Rate } from './rate.ts';

/** The number of seeds of each problem, unless fewer campaigns are wanted. */
const SEEDS = 80;
const PARTICLES = 200;

/** The posterior of one input θ: its mean, its standard deviation and five of its quantiles. */
type Known = Omit<Extract<Marginal, { mean: number }>, 'sd'> & { variance: number };

/** A calibration of one input θ whose posterior is known. */
interface Problem {
  from: string;
  distribution: SpreadInput['distribution'];
  /** The observed values of the outputs y0, y1, … */
  observed: readonly number[];
  /** The last tolerance. With null, a calibration ends when all accepted points have the same distance. */
  tolerance: number | null;
  /** The outputs of a run. */
  draw: (theta: number, stream: Stream) => number[];
  posterior: Known;
}

/**
 * The posteriors follow from conjugate priors: A. Gelman et al., "Bayesian Data Analysis", third edition, CRC 2013,
 * chapter 2. The priors are so wide that their ends do not matter. The quantiles are from SciPy 1.15 (`gamma.ppf`,
 * `beta.ppf` and `norm.ppf`). The posterior of the normal mean is exact for the tolerance 0.1.
 */
const problems: readonly Problem[] = [
  {
    from: 'Poisson, observed 0, prior 0 to 10',
    distribution: { kind: 'uniform', min: 0, max: 10 },
    observed: [0],
    tolerance: null,
    draw: (theta, stream) => [poisson(theta, stream)],
    posterior: known(1, 1, [0.025318, 0.28768, 0.69315, 1.3863, 3.6889]),
  },
  {
    from: 'Poisson, observed 0, prior 0 to 100',
    distribution: { kind: 'uniform', min: 0, max: 100 },
    observed: [0],
    tolerance: null,
    draw: (theta, stream) => [poisson(theta, stream)],
    posterior: known(1, 1, [0.025318, 0.28768, 0.69315, 1.3863, 3.6889]),
  },
  {
    from: 'Poisson, observed 3',
    distribution: { kind: 'uniform', min: 0, max: 20 },
    observed: [3],
    tolerance: null,
    draw: (theta, stream) => [poisson(theta, stream)],
    posterior: known(4, 4, [1.0899, 2.5353, 3.6721, 5.1094, 8.7673]),
  },
  {
    from: 'two Poisson counts, observed 0 and 2',
    distribution: { kind: 'uniform', min: 0, max: 20 },
    observed: [0, 2],
    tolerance: null,
    draw: (theta, stream) => [poisson(theta, stream), poisson(theta, stream)],
    posterior: known(1.5, 0.75, [0.30934, 0.86365, 1.337, 1.9602, 3.6123]),
  },
  {
    from: 'binomial, observed 0 of 20',
    distribution: { kind: 'uniform', min: 0, max: 1 },
    observed: [0],
    tolerance: null,
    draw: (theta, stream) => [binomial(20, theta, stream)],
    posterior: known(1 / 22, 0.00188645, [0.0012049, 0.013606, 0.032468, 0.063882, 0.1611]),
  },
  {
    from: 'normal, observed 1.5',
    distribution: { kind: 'normal', mean: 0, sd: 2 },
    observed: [1.5],
    tolerance: 0.1,
    draw: (theta, stream) => [theta + stream.normal()],
    posterior: known(1.1992, 0.8021, [-0.55614, 0.59513, 1.1992, 1.8033, 2.9545]),
  },
  {
    from: 'mean of 5 exponentials, observed 3',
    distribution: { kind: 'uniform', min: 0, max: 5 },
    observed: [3],
    tolerance: 0.1,
    draw: (theta, stream) => [exponentialMean(5, theta, stream)],
    posterior: known(0.4, 0.0266667, [0.1468, 0.28128, 0.37802, 0.49485, 0.77789]),
  },
];

export const abc = {
  title: 'calibrations of an input whose posterior is known',
  async rates({ campaigns, seed }: { campaigns: number; seed: number }): Promise<Rate[]> {
    const rates: Rate[] = [];
    for (const problem of problems) rates.push(...(await ratesOf(problem, Math.min(campaigns, SEEDS), seed)));
    return rates;
  },
};

async function ratesOf(problem: Problem, of: number, firstSeed: number): Promise<Rate[]> {
  const found: { marginal: Extract<Marginal, { mean: number }>; effective: number }[] = [];
  for (let seed = firstSeed; seed < firstSeed + of; seed += 1) found.push(await posteriorOf(problem, seed));
  const { from, posterior } = problem;
  const sd = Math.sqrt(posterior.variance);
  const means = found.map(({ marginal }) => marginal.mean);
  const mean = average(means);
  const spread = sum(means.map((one) => (one - mean) ** 2)) / (of - 1);
  // a calibration with a few heavy points says so itself: it has few effective points, and a large deviation
  const said = average(found.map(({ marginal, effective }) => marginal.sd ** 2 / effective));
  const off = (['low', 'lowerQuartile', 'median', 'upperQuartile', 'high'] as const).map((key) =>
    Math.abs(average(found.map(({ marginal }) => marginal[key])) - posterior[key]),
  );
  return [
    {
      statement: 'mean of the posterior means / exact mean',
      from,
      of,
      rate: mean / posterior.mean,
      least: 0.95,
      most: 1.05,
    },
    {
      statement: 'variance of a mean that the effective points imply / variance of the means',
      from,
      of,
      rate: said / spread,
      least: 0.5,
      most: 2,
    },
    {
      statement: 'largest difference of a mean quantile from the exact one, in standard deviations',
      from,
      of,
      rate: Math.max(...off) / sd,
      most: 0.25,
    },
  ];
}

async function posteriorOf(problem: Problem, seed: number) {
  const { distribution, observed, tolerance, draw } = problem;
  const names = observed.map((_, at) => `y${at}`);
  const campaign = normalMean(
    {
      priors: [{ name: 'θ', isWhole: false, distribution }],
      observed: observed.map((value, at) => ({ output: names[at]!, kind: 'number', value, weight: 1 })),
      particles: PARTICLES,
      stop: { tolerance, generations: 30, acceptance: 0.001, points: 1_000_000 },
    },
    { seed, outputs: names.map((name) => ({ name, type: 'DOUBLE', units: null })) },
  );
  const log: SearchLog = await logOf(campaign, ([theta], ordinal, replication) => {
    const values = draw(theta!, new Stream(seed, `run ${ordinal}, ${replication}`));
    return Object.fromEntries(values.map((value, at) => [names[at]!, String(value)]));
  });
  const { inputs, effective } = (await calibrationStoryOf(campaign, log)).summary.posterior!;
  return { marginal: inputs['θ'] as Extract<Marginal, { mean: number }>, effective };
}

function known(mean: number, variance: number, quantiles: [number, number, number, number, number]): Known {
  const [low, lowerQuartile, median, upperQuartile, high] = quantiles;
  return { mean, variance, low, lowerQuartile, median, upperQuartile, high };
}

/** The number of events in one unit of time. The times between events are exponential. */
function poisson(rate: number, stream: Stream): number {
  let events = -1;
  for (let time = 0; time <= 1; time -= Math.log(stream.uniform()) / rate) events += 1;
  return events;
}

function binomial(trials: number, share: number, stream: Stream): number {
  let successes = 0;
  for (let trial = 0; trial < trials; trial += 1) if (stream.uniform() < share) successes += 1;
  return successes;
}

function exponentialMean(count: number, rate: number, stream: Stream): number {
  let total = 0;
  for (let one = 0; one < count; one += 1) total -= Math.log(stream.uniform()) / rate;
  return total / count;
}

function average(values: readonly number[]): number {
  return sum(values) / values.length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
