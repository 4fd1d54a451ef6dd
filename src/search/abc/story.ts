import { isNumericType } from '../../api/index.ts';
import {
  type SearchLog,
  type SearchStage,
  stageOf,
  stopOf,
  type StopReason,
} from '../../campaign/search/log.ts';
import { hasSeed } from '../../campaign/seeds.ts';
import type { CampaignBy } from '../../campaign/types.ts';
import { pointMaker } from '../point-maker.ts';
import { type Generation, generationsOf } from './generations.ts';
import { effectiveSize, weightedMoments, weightedQuantile } from './population.ts';
import { Sampler } from './sampler.ts';

/** The state of a calibration, and its results so far. */
export interface CalibrationSummary {
  method: 'abc';
  stage: SearchStage;
  /** The number of points that the calibration has asked for. */
  asked: number;
  /** The number of points with a distance. */
  told: number;
  /** The number of failed points. */
  failed: number;
  /** The number of the current or last generation. The first generation is 1. */
  generation: number;
  /** The tolerance of this generation; null if it accepts all points. */
  tolerance: number | null;
  /** The number of points that this generation has accepted. */
  accepted: number;
  /** The number of points that each generation accepts. */
  particles: number;
  /** The result of the last complete generation. The first one is the prior, so it is null until the second is complete. */
  posterior: Posterior | null;
  /** Why the calibration stopped asking for points; null while it goes on. */
  stoppedBy: StopReason | null;
}

/** The distribution of the inputs that explain the observations. */
export interface Posterior {
  generation: number;
  /** The largest distance that the generation accepts. */
  tolerance: number;
  /** The share of the told points that the generation accepted. */
  acceptance: number;
  /** The effective sample size: the number of equally weighted points whose means are as certain. */
  effective: number;
  inputs: Record<string, Marginal>;
}

/**
 * The distribution of one input: for numbers its mean, standard deviation and quantiles, otherwise the probability of
 * each value.
 */
export type Marginal =
  | {
      mean: number;
      sd: number;
      low: number;
      lowerQuartile: number;
      median: number;
      upperQuartile: number;
      high: number;
    }
  | { shares: Record<string, number> };

export interface CalibrationStory {
  summary: CalibrationSummary;
  generations: GenerationStory[];
  /** The accepted points of the posterior; empty without one. */
  particles: Particle[];
  /** The runs of the first generation, which draws from the prior (`runNameOf`); empty before its end. */
  prior: string[];
}

export interface GenerationStory {
  number: number;
  tolerance: number | null;
  /** The number of told points of the generation, up to its last accepted point if the generation is complete. */
  told: number;
  /** The number of accepted points. */
  accepted: number;
  /** The effective sample size; null while the generation is not complete. */
  effective: number | null;
  /** The distributions of the inputs; null while the generation is not complete. */
  inputs: Record<string, Marginal> | null;
}

/** An accepted point: `values` are canonical, in the order of the priors. */
export interface Particle {
  ask: number;
  key: string;
  /** Its run (`runNameOf`). */
  run: string;
  values: string[];
  distance: number;
  weight: number;
}

/** The share of the distribution below `low`, and above `high`. */
const TAIL = 0.025;

export async function calibrationStoryOf(
  campaign: CampaignBy<'calibration'>,
  log: SearchLog,
): Promise<CalibrationStory> {
  const all = await generationsIn(campaign, log);
  const { strategy } = campaign;
  const pointOf = pointMaker(campaign);
  const runs = runsOf(campaign, log);
  const generations = all.map((one, at) => generationStory(campaign, one, all[at + 1], log));
  // the first generation is the prior and has no tolerance
  const last = all.findLast(({ population, tolerance }) => population !== null && tolerance !== null);
  const particles = (last?.accepted ?? []).map((ask, at): Particle => {
    const { values } = log.asks[ask]!;
    const { distances, weights } = last!.population!;
    return {
      ask,
      key: pointOf(values).key,
      run: runs[ask]!,
      values,
      distance: distances[at]!,
      weight: weights[at]!,
    };
  });
  const told = log.asks.filter((ask) => ask.told !== null);
  const failed = told.filter((ask) => ask.told!.value === null).length;
  const current = all.at(-1);
  const summary: CalibrationSummary = {
    method: 'abc',
    stage: stageOf(log),
    asked: log.asks.length,
    told: told.length - failed,
    failed,
    generation: current?.number ?? 1,
    tolerance: current?.tolerance ?? null,
    accepted: current?.accepted.length ?? 0,
    particles: strategy.particles,
    posterior: last ? posteriorOf(generations[last.number - 1]!) : null,
    stoppedBy: stopOf(log),
  };
  const prior = all[0]?.population ? runs.slice(0, all[1]?.first ?? runs.length) : [];
  return { summary, generations, particles, prior };
}

/** The place of a run in the calibration. */
interface Place {
  ask: number;
  generation: number;
  /** The weight in that generation; null if the generation has not accepted the ask, or has not ended. */
  weight: number | null;
}

/** The place of each run of a calibration. Runs are found by the key of the point and the replication. */
export async function placesOfRuns(
  campaign: CampaignBy<'calibration'>,
  log: SearchLog,
): Promise<Map<string, Place>> {
  const all = await generationsIn(campaign, log);
  const weights = new Map(
    all.flatMap(({ accepted, population }) =>
      population ? accepted.map((ask, at) => [ask, population.weights[at]!] as const) : [],
    ),
  );
  const places = new Map<string, Place>();
  for (const [ask, run] of runsOf(campaign, log).entries()) {
    const generation = all.findLast(({ first }) => first <= ask)!.number;
    places.set(run, sharedPlace(places.get(run), { ask, generation, weight: weights.get(ask) ?? null }));
  }
  return places;
}

/** The run of each ask (`runNameOf`). Without chance, all asks of a point share one run. */
function runsOf(campaign: CampaignBy<'calibration'>, { asks }: SearchLog): string[] {
  const pointOf = pointMaker(campaign);
  const isRandom = hasSeed(campaign.base);
  const repeats = new Map<string, number>();
  return asks.map(({ values }) => {
    const { key } = pointOf(values);
    const repeat = (repeats.get(key) ?? 0) + 1;
    repeats.set(key, repeat);
    return runNameOf(key, isRandom ? repeat : 1);
  });
}

/** The place of a run with one more ask: the last generation with a weight, and there the sum of the weights. */
function sharedPlace(before: Place | undefined, place: Place): Place {
  if (!before) return place;
  if (place.weight === null) return before;
  if (before.weight === null || before.generation < place.generation) return place;
  return { ...before, weight: before.weight + place.weight };
}

/** A name for a run of a calibration, from the key of its point and its replication. */
export function runNameOf(key: string, replication: number): string {
  return `${key} ${replication}`;
}

function generationsIn(
  { strategy, base, seed }: CampaignBy<'calibration'>,
  log: SearchLog,
): Promise<Generation[]> {
  return generationsOf(strategy, log, new Sampler(strategy, base, seed ?? 0));
}

function generationStory(
  campaign: CampaignBy<'calibration'>,
  { number, first, tolerance, accepted, population }: Generation,
  next: Generation | undefined,
  { asks }: SearchLog,
): GenerationStory {
  const end = population ? accepted.at(-1)! + 1 : (next?.first ?? asks.length);
  const told = asks.slice(first, end).filter((ask) => ask.told !== null).length;
  const points = accepted.map((ask) => asks[ask]!.values);
  const columns = priorsOf(campaign).flatMap(({ isNumber }, at) =>
    isNumber ? [points.map((values) => Number(values[at]))] : [],
  );
  const effective = population && effectiveSize(population.weights, columns);
  const inputs = population && marginalsOf(campaign, points, population.weights);
  return { number, tolerance, told, accepted: accepted.length, effective, inputs };
}

/** The names of the inputs of a calibration, and whether they are numbers. */
function priorsOf({ varied, strategy }: CampaignBy<'calibration'>): { name: string; isNumber: boolean }[] {
  return strategy.priors.map(({ name }) => {
    const { type } = varied.find((input) => input.name === name)!;
    return { name, isNumber: isNumericType(type) };
  });
}

/** @param generation - one after the first that is complete */
function posteriorOf({ number, tolerance, told, accepted, effective, inputs }: GenerationStory): Posterior {
  return {
    generation: number,
    tolerance: tolerance!,
    acceptance: accepted / told,
    effective: effective!,
    inputs: inputs!,
  };
}

/** The distribution of each input. @param points - the values of the accepted points, in the order of the weights */
function marginalsOf(
  campaign: CampaignBy<'calibration'>,
  points: readonly (readonly string[])[],
  weights: readonly number[],
): Record<string, Marginal> {
  const inputs = priorsOf(campaign).map(({ name, isNumber }, at) => {
    const values = points.map((point) => point[at]!);
    return [name, isNumber ? numeric(values.map(Number), weights) : shares(values, weights)] as const;
  });
  return Object.fromEntries(inputs);
}

function numeric(values: readonly number[], weights: readonly number[]): Marginal {
  const quantile = (share: number): number => weightedQuantile(values, weights, share);
  return {
    ...weightedMoments(values, weights),
    low: quantile(TAIL),
    lowerQuartile: quantile(0.25),
    median: quantile(0.5),
    upperQuartile: quantile(0.75),
    high: quantile(1 - TAIL),
  };
}

function shares(values: readonly string[], weights: readonly number[]): Marginal {
  const all = new Map<string, number>();
  for (const [at, value] of values.entries()) all.set(value, (all.get(value) ?? 0) + weights[at]!);
  return { shares: Object.fromEntries(all) };
}
