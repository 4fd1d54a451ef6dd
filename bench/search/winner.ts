import { simulate } from '../../models/epidemic/gillespie.ts';
import type { Confirmation } from '../../src/campaign/search/search.ts';
import { Stream } from '../../src/campaign/sampling/stream.ts';
import { summarizedPoints, summaryOf } from '../../src/search/summary.ts';
import { Sample } from '../../src/statistics/sample.ts';
import { SearchInMemory, searchCampaign, stopAfter } from '../../test/search/in-memory.ts';
import { fitErrorOf, flu, fluDays, fluParameters } from './functions.ts';

/** A function with noise, and its true values. */
interface Noisy {
  name: string;
  value: (x: readonly number[], stream: Stream) => number;
  truth: (x: readonly number[]) => number;
  /** The lowest true value within the bounds of the inputs. */
  optimum: () => number;
}

/** Standard deviation of the noise that is added to the fit error. */
const NOISE = 10;
/** Number of runs whose mean fit error counts as the true value of the stochastic epidemic. */
const RUNS_OF_TRUTH = 10_000;
const POINTS = 60;
const MOST_REPLICATIONS = 20;
const CONFIRM: Confirmation = { best: 10, replications: 10, indifference: 3, confidence: 0.95, report: 30 };

function epidemic(x: readonly number[], stream: Stream): number {
  return fitErrorOf(simulate(fluParameters(x), fluDays, () => stream.uniform()).states);
}

function meanEpidemic(x: readonly number[]): number {
  const sample = new Sample();
  for (let run = 0; run < RUNS_OF_TRUTH; run += 1) sample.add(epidemic(x, new Stream(run, 'truth')));
  return sample.mean!;
}

/** The best of 80 points of a search by CMA-ES. Each point had 1,500 runs, and all points had the same seeds. */
const BEST_OF_EPIDEMIC = [1.7195, 0.4203];

const functions: Noisy[] = [
  {
    name: 'flu + N(0, 10)',
    value: (x, stream) => flu.of(x) + NOISE * stream.normal(),
    truth: flu.of,
    optimum: () => flu.optimum,
  },
  {
    name: 'stochastic epidemic',
    value: epidemic,
    truth: meanEpidemic,
    // `meanEpidemic` uses the same seeds for every point, so this optimum can be compared with all true values
    optimum: () => meanEpidemic(BEST_OF_EPIDEMIC),
  },
];

/** How good the winners of searches with `confirm` are. `bias`, `seenBias`, `regret` and `runs` are means over all seeds. */
export interface WinnerRow {
  name: string;
  seeds: number;
  /** The reported value minus the true value. */
  bias: number;
  /** The standard error of `bias`. */
  biasError: number;
  /** The best observed value minus the true value of the winner. */
  seenBias: number;
  /** The share of intervals that contain the true value. */
  holding: number;
  /** The true value of the winner minus the lowest true value. */
  regret: number;
  runs: number;
}

export async function winnerRows(seeds: number): Promise<WinnerRow[]> {
  const rows: WinnerRow[] = [];
  for (const noisy of functions) rows.push(await winnerRow(noisy, seeds));
  return rows;
}

async function winnerRow({ name, value, truth, optimum }: Noisy, seeds: number): Promise<WinnerRow> {
  const [errors, seen, truths, runs] = [new Sample(), new Sample(), new Sample(), new Sample()];
  let holding = 0;
  for (let seed = 1; seed <= seeds; seed += 1) {
    const [contactRate, recoveryRate] = flu.box.map(([min, max]) => ({ min, max, digits: 4 }));
    const campaign = searchCampaign(
      { 'Contact rate': contactRate!, 'Recovery rate': recoveryRate! },
      { stop: stopAfter(POINTS), confirm: CONFIRM, most: MOST_REPLICATIONS },
      { replications: 3, seed },
    );
    const search = new SearchInMemory(
      campaign,
      (x, ordinal, replication) => ({
        f: String(value(x, new Stream(seed, `point ${ordinal}, replication ${replication}`))),
        g: '0',
      }),
      seed,
    );
    const log = await search.toTheEnd(0);
    const best = summaryOf(campaign, log, search.finishedAt(summarizedPoints(log))).best!;
    const worth = truth(Object.values(best.inputs) as number[]);
    const [low, high] = best.interval!;
    if (low <= worth && worth <= high) holding += 1;
    errors.add(best.value - worth);
    seen.add(best.seen - worth);
    truths.add(worth);
    runs.add(search.runCount);
  }
  return {
    name,
    seeds,
    bias: errors.mean!,
    biasError: Math.sqrt(errors.variance! / seeds),
    seenBias: seen.mean!,
    holding: holding / seeds,
    regret: truths.mean! - optimum(),
    runs: runs.mean!,
  };
}
