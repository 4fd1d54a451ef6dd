import { cma } from '../../src/search/methods/cma/cma.ts';
import { defaultPopulation } from '../../src/search/methods/cma/constants.ts';
import { Evolution } from '../../src/search/methods/cma/evolution.ts';
import type { Told } from '../../src/search/methods/method.ts';
import { Stream } from '../../src/campaign/sampling/stream.ts';
import { evaluationsTo, median } from './evaluations.ts';
import type { Peers } from './peers.ts';
import { branin, ellipsoid, flu, hartmann6, rosenbrock, sphere, withinOnePercent } from './functions.ts';

/**
 * The median number of evaluations that pycma 4.5.0 needs, with its default population, until a value is below 1e-8.
 * Searches for sphere and ellipsoid start at 1 with a step size of 0.5. Searches for Rosenbrock start at 0 with a
 * step size of 0.1.
 */
const UNBOUNDED = [
  { tested: sphere, start: 1, sigma: 0.5, pycma: { 2: 227, 3: 351, 5: 624, 10: 1360, 20: 2507 } },
  { tested: ellipsoid, start: 1, sigma: 0.5, pycma: { 2: 424, 3: 717, 5: 1432, 10: 3961, 20: 12_879 } },
  { tested: rosenbrock, start: 0, sigma: 0.1, pycma: { 2: 448, 3: 733, 5: 1744, 10: 4773, 20: 16_178 } },
];

const TARGET = 1e-8;

/**
 * The median number of evaluations that pycma 4.5.0 needs, with BIPOP, to come within 1 % of the optimum. The first
 * step size is 0.3 of the box.
 */
const BOUNDED = [
  { tested: branin, pycma: 122 },
  { tested: flu, pycma: 57 },
  { tested: hartmann6, pycma: 322 },
];

/**
 * Counts the evaluations of searches without bounds until a value is below 1e-8: the median over the seeds 1, 2, …, and
 * the median of pycma.
 *
 * @param peers - runs pycma for the comparison; without it, the medians above are used
 */
export async function unboundedRows(seeds: number, peers?: Peers) {
  const rows = [];
  for (const { tested, start, sigma, pycma } of UNBOUNDED) {
    for (const [inputs, known] of Object.entries(pycma)) {
      const dimension = Number(inputs);
      const mean = new Array<number>(dimension).fill(start);
      const counts: number[] = [];
      const beside: number[] = [];
      for (const seed of seedsTo(seeds)) {
        counts.push(unboundedEvaluations(tested.of, mean, sigma, TARGET, seed));
        if (!peers) continue;
        const search = { peer: 'pycma', dimensions: dimension, seed, most: 100_000, start, sigma };
        beside.push(await peers.evaluationsTo(TARGET, tested.of, search));
      }
      const reference = peers ? median(beside) : known;
      rows.push({ name: tested.name, dimension, median: median(counts), reference });
    }
  }
  return rows;
}

/**
 * Counts the evaluations in a box until a value is within 1 % of the optimum, at most 4,000: the median over the seeds
 * 1, 2, …, and the median of pycma with BIPOP.
 */
export function boundedRows(seeds: number) {
  return BOUNDED.map(({ tested, pycma }) => {
    const target = withinOnePercent(tested);
    const counts = seedsTo(seeds).map((seed) => evaluationsTo(target, 4000, cma, tested, seed));
    const solved = counts.filter((count) => count < Infinity).length;
    return { name: tested.name, median: median(counts), most: Math.max(...counts), solved, reference: pycma };
  });
}

/** Milliseconds to propose a point and to take its value: the mean and the longest of 1,000 points, after a warm-up. */
export function timeRows() {
  return [2, 6, 20].map((dimension) => {
    timesOf(dimension);
    const times = timesOf(dimension);
    return {
      dimension,
      mean: times.reduce((sum, time) => sum + time) / times.length,
      most: Math.max(...times),
    };
  });
}

/** Evaluations of CMA-ES without bounds and restarts until a value is at most `target`. */
export function unboundedEvaluations(
  of: (x: readonly number[]) => number,
  mean: readonly number[],
  sigma: number,
  target: number,
  seed: number,
): number {
  const evolution = new Evolution(mean, sigma, defaultPopulation(mean.length));
  const stream = new Stream(seed, 'unbounded');
  for (let evaluations = 0; ;) {
    const generation = Array.from({ length: evolution.population }, () => {
      const sample = evolution.sample(stream);
      return { sample, value: of(sample.x) };
    });
    for (const { value } of generation) {
      evaluations += 1;
      if (value <= target) return evaluations;
    }
    evolution.update(generation.sort((a, b) => a.value - b.value).map(({ sample }) => sample));
  }
}

function timesOf(dimension: number): number[] {
  const method = cma({
    dimensions: Array.from({ length: dimension }, () => ({ kind: 'real' })),
    isAllowed: () => true,
    requirements: 0,
    parallel: 1,
    isNoisy: false,
    seed: 1,
  });
  return Array.from({ length: 1000 }, (_, ask) => {
    const from = performance.now();
    const proposal = method.ask();
    if (proposal === null || proposal === 'exhausted') throw new Error('There is no proposal.');
    const told: Told = {
      ask,
      x: proposal.x,
      value: ellipsoid.of(proposal.x),
      variance: null,
      runs: 1,
      excess: [],
    };
    method.tell(told);
    return performance.now() - from;
  });
}

function seedsTo(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1);
}
