import { inputsOfSearch } from '../campaign/search/search.ts';
import { spaceOf } from '../campaign/search/space.ts';
import type { Ask } from '../campaign/search/log.ts';
import { saltelliRows } from '../campaign/sampling/saltelli.ts';
import { pointsShareSeeds } from '../campaign/seeds.ts';
import type { CampaignBy } from '../campaign/types.ts';
import { snapped } from '../search/methods/gp/levels.ts';
import { type Model, modelOf } from '../search/methods/gp/model.ts';
import type { Told } from '../search/methods/method.ts';
import { Stream } from '../campaign/sampling/stream.ts';
import { isFeasible } from '../search/point-value.ts';
import { CONFIDENCE } from '../statistics/sample.ts';
import { normalQuantile } from '../statistics/normal.ts';
import { quantile } from '../statistics/quantile.ts';
import { fisherTail } from '../statistics/tests.ts';
import type { Analysis, InputIndices, Interval, Slice } from './analysis.ts';
import { ONE_CHANCE } from './analyze.ts';
import { dependents, NO_DEPENDENCE } from './dependence.ts';
import { PointTable } from './points.ts';
import { Realizations } from './realizations.ts';
import { sobolEstimates } from './sobol-indices.ts';
import { partHas } from '../text/part-of.ts';

/** The maximum number of points to which a model is fitted. A fit to more points would take minutes. */
const MOST_POINTS = 250;
/** The minimum number of points for an analysis. */
const FEWEST_POINTS = 8;
/** The number of base points of the design on which the indices of the model are computed. */
const BASE_POINTS = 512;
/** The number of realizations from which the intervals come. */
const REALIZATIONS = 200;
/** If a model explains a smaller share of the variance at points outside the fit, there is a warning. */
const GOOD = 0.8;
/**
 * A model must explain this share of the variance at points outside the fit. A model that is fitted to chance explains
 * less, and its indices say nothing.
 */
const LEAST = 0.5;
/** Number of places along a slice. */
const PLACES = 41;

/**
 * The sensitivity analysis of a search's goal. A search has more points where values are good, so its points are a
 * biased sample. Therefore a Gaussian process is fitted to them, and Sobol' indices are computed for its prediction
 * over the whole box: A. Marrel, B. Iooss, B. Laurent and O. Roustant, "Calculations of Sobol indices for the Gaussian
 * process metamodel", Reliability Engineering & System Safety 94 (2009) 742-751, section 3. The intervals of the
 * indices come from random realizations of the process. For each realization, the base points are drawn again with
 * replacement (bootstrap): L. Le Gratiet, C. Cannamela and B. Iooss, "A Bayesian approach for global sensitivity
 * analysis of (multifidelity) computer codes", SIAM/ASA Journal on Uncertainty Quantification 2 (2014) 336-363,
 * algorithm 1. The intervals hold only if the fitted parameters are right. Each total index is above 0, so a test tells
 * which inputs have an effect (`testsOf`).
 *
 * @param campaign - a campaign with a search
 * @param isNoisy - whether chance affects the values
 */
export function searchedAnalysis(
  campaign: CampaignBy<'search'>,
  asks: readonly Ask[],
  isNoisy: boolean,
): Analysis {
  const { strategy: search, goal, base } = campaign;
  const space = spaceOf(search, base);
  const { known, failures } = knownPoints(asks, campaign);
  const told = evenly(known);
  const head = {
    campaign: campaign.id,
    output: goal!.output,
    method: 'gaussian-process' as const,
    runs: known.reduce((sum, { runs }) => sum + runs, 0),
    confidence: CONFIDENCE,
  };
  const differs = told.some(({ value }) => value !== told[0]!.value);
  if (told.length < FEWEST_POINTS || !differs) {
    const why = differs
      ? `${told.length} points with a value are too few for a model of ${goal!.output}.`
      : `${goal!.output} is the same at all points, or has no values.`;
    return { ...head, indices: [], warnings: [...failures, why] };
  }
  const model = modelOf(space.dimensions, told, isNoisy)!;
  const r2 = explained(model);
  const percent = `${Math.max(0, Math.round(100 * r2))} %`;
  if (r2 < LEAST) {
    const unknown = `the model of the search predicts only ${percent} of the variance of points outside the fit`;
    return {
      ...head,
      indices: [],
      r2,
      unknown,
      warnings: [
        ...failures,
        `There are no indices, because ${unknown}. A campaign with saltelli over the same inputs gives indices.`,
      ],
    };
  }
  const ps = testsOf(model, told, isNoisy);
  const indices = indicesOf(model, search.inputs, campaign.seed ?? 0);
  const unknown =
    'the predictions of the model of the search are too large, too small, or the same at nearly all points';
  return {
    ...head,
    indices: ps ? indices.map((one, at) => ({ ...one, p: ps[at]! })) : indices,
    r2,
    ...(indices.length === 0 && { unknown }),
    slices: slicesOf(campaign, model, told),
    warnings: [
      ...failures,
      ...(indices.length === 0 ? [`There are no indices, because ${unknown}.`] : []),
      ...(!isNoisy && pointsShareSeeds(campaign) ? [ONE_CHANCE] : []),
      ...(known.length > told.length
        ? [`The model is fitted to ${told.length} of ${known.length} points, spread evenly over the search.`]
        : []),
      ...(r2 < GOOD
        ? [
            `The model explains ${percent} of the variance of points outside the fit: its indices are rough. A campaign with saltelli over the same inputs gives more exact indices.`,
          ]
        : []),
      ...(search.where === null
        ? []
        : [
            'The indices are for all values of the inputs, also for values that do not meet the condition of the search.',
          ]),
    ],
  };
}

/** The points inside the bounds that have a value, each once, and the warning for those that failed. */
function knownPoints(
  asks: readonly Ask[],
  { strategy: search, goal, base }: CampaignBy<'search'>,
): { known: Told[]; failures: string[] } {
  const { coordinatesOf } = spaceOf(search, base);
  const table = new PointTable(inputsOfSearch(search).map((input) => ({ ...input, units: null })));
  const seen = new Set<number>();
  const known: Told[] = [];
  const lacking: number[] = [];
  for (const [ask, { ordinal, values, told }] of asks.entries()) {
    const x = coordinatesOf(values);
    if (ordinal === null || !told || !x || seen.has(ordinal)) continue;
    seen.add(ordinal);
    table.add(values);
    lacking.push(Number(told.value === null));
    if (told.value !== null) known.push({ ask, x, ...told });
  }
  const failed = lacking.length - known.length;
  if (failed === 0 || known.length === 0) return { known, failures: [] };
  const names = dependents(table, Float64Array.from(lacking));
  const text =
    names.length === 0
      ? NO_DEPENDENCE
      : `Whether a point has a value depends on ${names.join(', ')}, so the model knows nothing of a part of the space.`;
  return {
    known,
    failures: [`${partHas(failed, lacking.length, 'points')} no value of ${goal!.output}. ${text}`],
  };
}

/** The points to which a model is fitted: all, or so many that are spread evenly. */
function evenly(points: readonly Told[]): Told[] {
  const count = Math.min(points.length, MOST_POINTS);
  return Array.from({ length: count }, (_, at) => points[Math.floor((at * points.length) / count)]!);
}

/**
 * The share of the variance that the model explains when it predicts each warped value from all other values. It is
 * below 0 if a constant would predict better.
 */
function explained({ posterior }: Model): number {
  const { values } = posterior;
  const expected = posterior.leaveOneOut();
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const all = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return 1 - values.reduce((sum, value, at) => sum + (value - expected[at]!) ** 2, 0) / all;
}

/** The terms of an input in a linear regression that would fit a slope and a bend. */
const TERMS = 2;

/**
 * The p-value of each input: the model fits no better than a model without the input. The ratio of the likelihoods of
 * two linear regressions is a function of Fisher's F, so this is the test of a regression with a slope and a bend for each
 * input. With few points it claims less than the usual χ² of S. S. Wilks, "The large-sample distribution of the likelihood
 * ratio for testing composite hypotheses", Annals of Mathematical Statistics 9 (1938) 60-62: of 14 points and 4 inputs
 * that are only chance, χ² names an input in 36 % of the models that seem to predict, and F in none.
 *
 * @returns undefined if there are too few points
 */
function testsOf({ dimensions, fit, posterior }: Model, told: readonly Told[], isNoisy: boolean) {
  const freedom = told.length - TERMS * dimensions.length - 1;
  if (freedom < 1) return undefined;
  return dimensions.map((_, at): number => {
    const rest = modelOf(
      dimensions.toSpliced(at, 1),
      told.map((one) => ({ ...one, x: one.x.toSpliced(at, 1) })),
      isNoisy,
      fit.logs.filter((_log, other) => other !== at),
    )!;
    const gain = Math.max(0, posterior.logLikelihood() - rest.posterior.logLikelihood());
    return fisherTail((Math.expm1((2 * gain) / told.length) * freedom) / TERMS, TERMS, freedom);
  });
}

/** The indices with their intervals; empty if they are not numbers. */
function indicesOf(model: Model, inputs: readonly { name: string }[], seed: number): InputIndices[] {
  const layout = {
    inputs: inputs.map(({ name }) => name),
    points: BASE_POINTS,
    scrambles: 1,
    secondOrder: false,
  };
  const rows = [...saltelliRows({ ...layout, inputs, seed })];
  const paths = new Realizations(
    model,
    rows.map(({ unit }) => snapped(model.dimensions, unit)),
    seed,
  );
  const blocks = Array.from({ length: BASE_POINTS }, (_, block) => block);
  const numbers = sobolEstimates(layout, paths.mean(), blocks);
  const stream = new Stream(seed, 'base points');
  const drawn = Array.from({ length: REALIZATIONS }, () =>
    sobolEstimates(
      layout,
      paths.next(),
      blocks.map(() => stream.below(BASE_POINTS)),
    ),
  );
  if (![numbers, ...drawn].every((one) => one.every(Number.isFinite))) return [];
  const intervalOf = (at: number): Interval => {
    const sorted = drawn.map((one) => one[at]!).sort((a, b) => a - b);
    const tail = (1 - CONFIDENCE) / 2;
    return [
      Math.min(quantile(sorted, tail), numbers[at]!),
      Math.max(quantile(sorted, 1 - tail), numbers[at]!),
    ];
  };
  return inputs.map(({ name }, at) => ({
    input: name,
    first: numbers[at]!,
    firstInterval: intervalOf(at),
    total: numbers[inputs.length + at]!,
    totalInterval: intervalOf(inputs.length + at),
  }));
}

/** The predicted values along each numeric input, through the best known point. */
function slicesOf(
  { strategy: search, goal, base }: CampaignBy<'search'>,
  model: Model,
  told: readonly Told[],
): Slice[] {
  const { posterior, fit, dimensions } = model;
  const { valuesAt } = spaceOf(search, base);
  const sign = goal!.wants === 'lowest' ? 1 : -1;
  const rankOf = (at: number): number => (isFeasible(told[at]!) ? 0 : 1);
  const isBetter = (a: number, b: number): boolean =>
    (rankOf(a) - rankOf(b) || posterior.meanOf(a) - posterior.meanOf(b)) < 0;
  const best = [...told.keys()].reduce((bestSoFar, at) => (isBetter(at, bestSoFar) ? at : bestSoFar));
  const z = normalQuantile((1 + CONFIDENCE) / 2);
  return search.inputs.flatMap((input, at): Slice[] => {
    if (dimensions[at]!.kind === 'choice') return [];
    const points = Array.from({ length: PLACES }, (_, place) => {
      const x = snapped(dimensions, told[best]!.x.toSpliced(at, 1, place / (PLACES - 1)));
      const { mean, variance } = posterior.predict(x);
      const valueOf = (by: number): number => sign * fit.warp.value(mean + sign * by * Math.sqrt(variance));
      return { x: Number(valuesAt(x)[at]!), value: valueOf(0), low: valueOf(-z), high: valueOf(z) };
    });
    // if an input has only a few whole numbers, neighbouring places give the same number, which is kept once
    const own = points.filter(({ x }, place) => place === 0 || x !== points[place - 1]!.x);
    return [{ input: input.name, points: own }];
  });
}
