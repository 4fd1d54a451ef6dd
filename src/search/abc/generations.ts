import type { Calibration } from '../../campaign/search/calibration.ts';
import type { Ask, SearchLog } from '../../campaign/search/log.ts';
import { Kernel, normalized } from './kernel.ts';
import type { Population } from './population.ts';
import type { Sampler } from './sampler.ts';
import { turns } from '../../turns.ts';

export interface Generation {
  /** The number of the generation. The first one has the number 1. */
  number: number;
  /** The number of the first ask (a requested point) of the generation. */
  first: number;
  /** The largest distance that it accepts; null if it accepts all. */
  tolerance: number | null;
  /** The kernel that moves the points of the generation before; null in the first generation. */
  kernel: Kernel | null;
  /**
   * The accepted asks: the first ones whose distance is within the tolerance. Asks are told in the order of their numbers,
   * so the duration of runs has no influence.
   */
  accepted: number[];
  /** The accepted points with their weights; null until the generation has accepted enough points. */
  population: Population | null;
}

/** Rebuilds the generations from a log. */
export async function generationsOf(
  { particles }: Pick<Calibration, 'particles'>,
  { asks, events }: SearchLog,
  sampler: Sampler,
): Promise<Generation[]> {
  const begun = events.filter((event) => event.kind === 'generation');
  const all: Generation[] = [];
  for (const [at, { first, tolerance }] of begun.entries()) {
    const generation = await newGeneration(all.at(-1), first, tolerance);
    const end = begun[at + 1]?.first ?? asks.length;
    for (let ask = first; ask < end && generation.accepted.length < particles; ask += 1)
      if (isAccepted(generation, asks[ask]!)) generation.accepted.push(ask);
    if (generation.accepted.length === particles)
      generation.population = await populationOf(generation, asks, sampler);
    all.push(generation);
  }
  return all;
}

/** @param before - a generation with its population; undefined for the first one */
export async function newGeneration(
  before: Generation | undefined,
  first: number,
  tolerance: number | null,
): Promise<Generation> {
  const kernel = before ? await Kernel.of(before.population!) : null;
  return { number: (before?.number ?? 0) + 1, first, tolerance, kernel, accepted: [], population: null };
}

/** Whether the distance of a told ask is within the tolerance. */
export function isAccepted(
  { tolerance }: Pick<Generation, 'tolerance'>,
  { told }: Pick<Ask, 'told'>,
): boolean {
  const distance = told?.value ?? null;
  return distance !== null && (tolerance === null || distance <= tolerance);
}

/**
 * The accepted points of a generation with their weights. The weights correct for the distribution from which the
 * points were drawn.
 */
export async function populationOf(
  { number, first, kernel, accepted }: Generation,
  asks: readonly Ask[],
  sampler: Sampler,
): Promise<Population> {
  const turn = turns();
  const points: number[][] = [];
  const logWeights: number[] = [];
  for (const ask of accepted) {
    // the log has no coordinates, but the sampler draws the same point again
    const { unit } = sampler.draw(number, ask - first, kernel);
    points.push(unit);
    logWeights.push(kernel ? kernel.logWeight(unit) : 0);
    await turn();
  }
  return {
    points,
    distances: accepted.map((ask) => asks[ask]!.told!.value!),
    weights: normalized(logWeights),
  };
}
