import { type Confirmation, nameOfMethod } from '../campaign/search/search.ts';
import { hasSeed } from '../campaign/seeds.ts';
import type { CampaignBy } from '../campaign/types.ts';
import { MOST_REPLICATIONS } from '../search/selection/comparison.ts';
import type { CheckedCampaign } from './check.ts';
import type { RunRate } from './run-rate.ts';
import type { ComparisonPlan, Plan } from './planned.ts';

/**
 * The plan of a search. It has the maximum numbers of points and runs, because nobody knows in advance which points the
 * search will ask for.
 */
export function planOfSearch(
  campaign: Omit<CampaignBy<'search'>, 'id' | 'service'>,
  rate: RunRate | undefined,
): Plan {
  const { replications, strategy, base, model } = campaign;
  const { method, parallel, stop, most, confirm } = strategy;
  const perPoint = most ?? replications;
  const points = Math.min(stop.points ?? Infinity, Math.ceil((stop.runs ?? Infinity) / replications));
  const isLimited = Number.isFinite(points);
  const compared = confirm && hasSeed(base) ? comparisonPlan(confirm) : null;
  // a comparison hardly ever reaches its limit of runs, so the times are computed without that limit
  const comparison = compared?.runs ?? 0;
  const runs = isLimited
    ? { least: points * replications + comparison, most: points * perPoint + comparison }
    : undefined;
  return {
    ...plainPlan(campaign, rate, runs),
    ...(isLimited && { mostRuns: points * perPoint + (compared?.mostRuns ?? 0) }),
    points: isLimited ? points : 0,
    repeats: 0,
    mostPoints: isLimited ? points : 0,
    replications: { min: replications, max: perPoint },
    warnings: [
      ...(isLimited
        ? []
        : ['The search has no limit of points or runs, so foray cannot tell how long it takes.']),
      ...(confirm && !hasSeed(base)
        ? [`The model "${model.name}" has no seed, so its best points are not compared: one run is exact.`]
        : []),
    ],
    strategy: {
      by: 'search',
      method: nameOfMethod(method),
      parallel,
      isLimited,
      confirm: compared,
    },
  };
}

function comparisonPlan({ best, replications, report }: Confirmation): ComparisonPlan {
  // one more point, because the method may recommend another point, or because a winner that does not meet the
  // requirements is replaced
  const points = best + 1;
  return { best, runs: points * replications + report, mostRuns: points * (MOST_REPLICATIONS + report) };
}

/**
 * The plan of a calibration. It has the maximum numbers of points and runs, because nobody knows in advance how many
 * points will be accepted.
 */
export function planOfCalibration(
  campaign: Omit<CampaignBy<'calibration'>, 'id' | 'service'>,
  rate: RunRate | undefined,
): Plan {
  const { particles, stop } = campaign.strategy;
  const generation = Math.ceil(particles / stop.acceptance);
  const most = Math.min(stop.points, stop.generations * generation);
  return {
    ...plainPlan(campaign, rate, { least: particles, most }),
    points: most,
    repeats: 0,
    mostPoints: most,
    strategy: { by: 'calibration', particles, generations: stop.generations },
  };
}

/** A plan that has only the number of runs and what follows from it. @param runs - undefined when the number is unknown */
export function plainPlan(
  { name, model, goal, varied, replications }: CheckedCampaign['campaign'],
  rate: RunRate | undefined,
  runs: { least: number; most: number } | undefined,
): Omit<Plan, 'strategy'> {
  const { least, most } = runs ?? { least: 0, most: 0 };
  const secondsOf = (count: number): number | null =>
    rate && runs ? Math.ceil(count * rate.secondsARun) : null;
  return {
    campaign: name,
    model: { name: model.name, version: model.version },
    goal: goal ?? null,
    points: 0,
    repeats: 0,
    mostPoints: 0,
    design: [],
    replications: { min: replications, max: replications },
    runs: least,
    mostRuns: most,
    usualRuns: most,
    foreseen: null,
    there: 0,
    toRun: least,
    asked: 0,
    error: 0,
    expectedSeconds: secondsOf(least),
    mostSeconds: secondsOf(most),
    basis: rate?.basis ?? '',
    inputs: varied.map((input) => input.name),
    first: [],
    last: [],
    warnings: [],
  };
}
