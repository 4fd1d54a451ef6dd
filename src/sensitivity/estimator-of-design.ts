import { isNumericType } from '../api/index.ts';
import { inputsOf, rowsOf } from '../campaign/designs/index.ts';
import { baseValues, reordering } from '../campaign/designs/kind.ts';
import { morrisRows } from '../campaign/sampling/morris.ts';
import { hasRunsPerDraw } from '../campaign/draws.ts';
import { hasRandomRuns } from '../campaign/seeds.ts';
import type { Campaign } from '../campaign/types.ts';
import type { Found, InputIndices, Method } from './analysis.ts';
import { confidenceOfShares } from './chance.ts';
import { dependents } from './dependence.ts';
import { type AnalyzedDesign, analyzedDesign } from './design.ts';
import { rising, stepTests } from './exchange.ts';
import { aliasesOf, factorialIndices, type Generators } from './factorial.ts';
import { areEqual, haveOneValue, momentsOf } from './moments.ts';
import { chanceOfEffects, elementaryEffects, morrisIndices, trajectoriesOf } from './morris.ts';
import { type InputLine, swings } from './one-at-a-time.ts';
import { type Estimator, inPairs, pointChance, type PointValues } from './point-values.ts';
import type { PointTable } from './points.ts';
import { sampleRegression } from './sample-regression.ts';
import { type SaltelliLayout, sobolIndices } from './sobol-indices.ts';
import { partOf } from '../text/part-of.ts';

/** The part of a campaign that its analysis needs. */
export type AnalyzedCampaign = Pick<
  Campaign,
  | 'id'
  | 'outputs'
  | 'base'
  | 'varied'
  | 'design'
  | 'strategy'
  | 'commonRandomNumbers'
  | 'replications'
  | 'precision'
  | 'seed'
  | 'fresh'
>;

/** The estimator for the design of a campaign. It looks up the points once, for all outputs. */
export function estimatorOf(
  campaign: AnalyzedCampaign,
  table: PointTable,
  confidence: number,
): { method: Method; estimate: Estimator } {
  const analyzed = analyzedDesign(campaign);
  const { method } = analyzed;
  const estimator = (): Estimator => {
    switch (analyzed.method) {
      case 'morris':
        return morris(campaign, table, analyzed.design, confidence);
      case 'sobol':
        return sobol(campaign, table, analyzed.design, confidence);
      case 'factorial':
        return factorial(campaign, table, analyzed, confidence);
      case 'one-at-a-time':
        return oneAtATime(campaign, table, analyzed, confidence);
      case 'regression':
        return regression(campaign, table, confidence);
    }
  };
  return { method, estimate: withinReach(estimator(), method === 'one-at-a-time') };
}

function regression(campaign: AnalyzedCampaign, table: PointTable, confidence: number): Estimator {
  const sharesRuns =
    hasRandomRuns(campaign) && !hasRunsPerDraw(campaign) && table.draws.some((draw) => draw > 0);
  return sampleRegression(table, campaign.design, confidence, sharesRuns);
}

/** The square of a smaller variance has few digits, and tests of effects need this square. */
const LEAST_VARIANCE = 2 ** -500;

/**
 * Gives a warning instead of an estimate if the squares of the values are beyond the largest or the smallest number.
 *
 * @param hasSwings - whether the effects need no variance: then only chance does
 */
function withinReach(estimate: Estimator, hasSwings: boolean): Estimator {
  return (output) => {
    const known = output.means.filter((value) => !Number.isNaN(value));
    const { variance } = momentsOf(known);
    const isLarge = !Number.isFinite(variance);
    const isSmall = variance < LEAST_VARIANCE && !haveOneValue(known);
    const needsVariance = !hasSwings || output.error !== undefined;
    if (!needsVariance || (!isLarge && !isSmall)) return estimate(output);
    const what = isSmall ? 'differ too little' : 'are too large';
    const why = isSmall
      ? 'their variance is nearly 0; give the output in other units'
      : 'their variance is not finite';
    return {
      indices: [],
      unknown: `the values ${what}: ${why}`,
      warnings: [`The values ${what} for an analysis: ${why}.`],
    };
  };
}

type Of<M extends AnalyzedDesign['method']> = Extract<AnalyzedDesign, { method: M }>;

/** For each row of a design, the index of its point; −1 for an unknown point. */
function pointsOfDesign({ base, varied, design }: AnalyzedCampaign, table: PointTable): Int32Array {
  const names = varied.map(({ name }) => name);
  const inOrder = reordering(inputsOf(design), names, baseValues(names, base));
  const points: number[] = [];
  // a design that is analyzed row by row never refers to a file
  for (const row of rowsOf(design, { base, contents: new Map() })) points.push(table.find(inOrder(row)));
  return Int32Array.from(points);
}

/** The mean of each row; NaN for an unknown point. */
function atRows(points: Int32Array, means: Float64Array): Float64Array {
  return Float64Array.from(points, (point) => (point < 0 ? NaN : means[point]!));
}

/** If there are fewer trajectories than this, intervals are rough, and there is a warning. */
const FEW_TRAJECTORIES = 6;

function morris(
  campaign: AnalyzedCampaign,
  table: PointTable,
  design: Of<'morris'>['design'],
  confidence: number,
): Estimator {
  const points = pointsOfDesign(campaign, table);
  const inputs = design.inputs.map(({ name }) => name);
  const types = new Map(campaign.base.map(({ name, type }) => [name, type]));
  const trajectories = trajectoriesOf(design.inputs, [...morrisRows(design)], (name) => types.get(name)!);
  const rise = rising(table, inputs);
  const steps = [...trajectories.changed].flatMap((input, row) =>
    input < 0 ? [] : [rise({ input, from: points[row - 1]!, to: points[row]! })],
  );
  const changed = changesBetween(table, inputs);
  const units = { name: 'trajectory', plural: 'trajectories', count: design.trajectories, points };
  return unlessBiased(campaign, table, units, (output) => {
    const found = elementaryEffects(trajectories, atRows(points, output.means));
    const { leftOut, trajectories: used } = found;
    const indices = morrisIndices(inputs, found, confidence, chanceOfEffects(trajectories, points, output));
    return {
      indices: withChanges(withTests(indices, stepTests(inputs.length, steps, output)), changed(output)),
      warnings: [
        ...leftOutOf(leftOut, units.count, units.plural, 'one of their points has no value'),
        ...(used < FEW_TRAJECTORIES
          ? [`${used} trajectories are few: the intervals are rough, and a test finds only large effects.`]
          : []),
      ],
    };
  });
}

/**
 * Without chance, a single pair of points that differ only in one input may show its effect, although the steps of the
 * design miss it and its index is 0. Then the p-value is 0.
 */
function withChanges(indices: readonly InputIndices[], changed: ReadonlySet<string>): InputIndices[] {
  return indices.map((one) =>
    one.p === undefined && (one.total ?? one.muStar) === 0 && changed.has(one.input) ? { ...one, p: 0 } : one,
  );
}

/** Returns a function that finds the inputs that alone change an output without chance. */
function changesBetween(table: PointTable, inputs: readonly string[]): (output: PointValues) => Set<string> {
  return ({ means, hasUnknownChance, error }) => {
    if (hasUnknownChance || (error && error.variance > 0)) return new Set();
    const known = [...means.keys()].filter((point) => !Number.isNaN(means[point]!));
    return new Set(
      inputs.filter((name) => {
        const others = table.inputs.flatMap((one, at) => (one.name === name ? [] : [table.column(at)]));
        const first = new Map<string, number>();
        return known.some((point) => {
          const key = others.map((column) => column[point]).join();
          const before = first.get(key);
          if (before === undefined) first.set(key, point);
          return before !== undefined && !areEqual(momentsOf([means[before]!, means[point]!]));
        });
      }),
    );
  };
}

/** Adds the p-value of each input, if there is one. */
function withTests(indices: readonly InputIndices[], ps: readonly (number | undefined)[]): InputIndices[] {
  return indices.map((one, at) => ({ ...one, ...(ps[at] !== undefined && { p: ps[at] }) }));
}

/** The trajectories or base points of a design: units that an estimator leaves out if one of their rows has no value. */
interface Units {
  name: string;
  plural: string;
  count: number;
  /** The point of each row. */
  points: Int32Array;
}

/** A model without chance usually fails by its inputs. Then no larger part of all units may be left out. */
const MOST_LOST = 0.2;
/** With fewer points than this, the tests of dependence find little. Then no larger part of all units may be left out. */
const FEW_TESTED = { points: 64, lost: 3 / 4 };

/**
 * Gives a reason instead of an estimate if points without a value depend on the inputs, or if nothing shows that so many
 * of them do not. A sample without these points is no longer the sample of the design, and no number of points cures this.
 */
function unlessBiased(
  campaign: AnalyzedCampaign,
  table: PointTable,
  { name, plural, count, points }: Units,
  estimate: Estimator,
): Estimator {
  const rows = points.length / count;
  return (output) => {
    const { means, lackingByPoint } = output;
    if (!means.some(Number.isNaN)) return estimate(output);
    const lacking = Float64Array.from(means, (value) => Number(Number.isNaN(value)));
    // a unit whose points have not all finished says nothing yet
    const finished = Array.from({ length: count }, (_, unit) =>
      points.subarray(unit * rows, (unit + 1) * rows),
    ).filter((unit) => unit.every((point) => point >= 0));
    const lost = finished.filter((unit) => unit.some((point) => Number.isNaN(means[point]!))).length;
    const names = dependents(table, lacking, lackingByPoint);
    const isByInputs = !hasRandomRuns(campaign) && lost > MOST_LOST * finished.length;
    const isUntested = means.length < FEW_TESTED.points && lost > FEW_TESTED.lost * finished.length;
    if (names.length === 0 && !isByInputs && !isUntested) return estimate(output);
    const dependence = `whether a point has a value depends on ${names.join(', ')}, and each ${name} with such a point is left out`;
    const why = isByInputs
      ? 'without seeds the inputs probably decide which runs fail'
      : `${means.length} points are too few to tell whether their failures depend on the inputs`;
    const unknown =
      names.length > 0 ? dependence : `${partOf(lost, finished.length, plural)} are left out, and ${why}`;
    const [cure, advice] =
      names.length > 0
        ? [': more points do not cure this', 'Narrow']
        : ['', 'Request the failed runs again ("foray retry"), or narrow'];
    return {
      indices: [],
      unknown,
      warnings: [
        `There are no indices, because ${unknown}${cure}. ${advice} the ranges of the inputs to values at which every run succeeds.`,
      ],
    };
  };
}

/**
 * If the half-width of an index's interval is larger than this, the interval is too wide to rank inputs, and there is a
 * warning.
 */
const WIDE = 0.1;

function sobol(
  campaign: AnalyzedCampaign,
  table: PointTable,
  design: Of<'sobol'>['design'],
  confidence: number,
): Estimator {
  const points = pointsOfDesign(campaign, table);
  const inputs = design.inputs.map(({ name }) => name);
  const layout: SaltelliLayout = { ...design, inputs };
  const all = design.points * design.scrambles;
  const width = points.length / all;
  const rise = rising(table, inputs);
  // A and AB differ in one input, and so do B and BA
  const steps = Array.from({ length: all }, (_, block) => {
    const first = block * width;
    const last = first + width - 1;
    return inputs.flatMap((_name, input) => [
      rise({ input, from: points[first]!, to: points[first + 1 + input]! }),
      ...(design.secondOrder
        ? [rise({ input, from: points[last]!, to: points[first + 1 + inputs.length + input]! })]
        : []),
    ]);
  }).flat();
  const changed = changesBetween(table, inputs);
  const units = { name: 'base point', plural: 'base points', count: all, points };
  return unlessBiased(campaign, table, units, (output) => {
    const { means } = output;
    const values = means.filter((value) => !Number.isNaN(value));
    const moments = momentsOf(values);
    const chance = pointChance(output);
    const level = confidenceOfShares(confidence, output.chance, values.length, output.error?.freedom);
    const found = sobolIndices(layout, atRows(points, means), level, chance && { ...chance, points });
    const { used, firstTests, isHidden } = found;
    const ps = output.hasUnknownChance ? firstTests : stepTests(inputs.length, steps, output);
    const known = output.hasUnknownChance
      ? found.indices.map((one, at) => reachingZero(one, ps[at], level))
      : found.indices;
    const tested = withTests(isHidden ? inputs.map((input) => ({ input })) : known, ps);
    const indices = withChanges(tested, changed(output));
    const secondOrder = isHidden ? undefined : found.secondOrder;
    const widest = Math.max(
      0,
      ...indices
        .flatMap(({ firstInterval, totalInterval }) => [firstInterval, totalInterval])
        .map((interval) => (interval ? (interval[1] - interval[0]) / 2 : 0)),
    );
    return {
      indices,
      ...(secondOrder && { secondOrder }),
      warnings: [
        ...(indices.length === 0 && used > 1 && !areEqual(moments)
          ? ['The output differs at too few points. More base points are needed.']
          : []),
        ...leftOutOf(all - used, all, units.plural, 'one of their rows has no value'),
        ...(widest > WIDE
          ? [
              `The widest interval of an index is ± ${widest > 1 ? 'more than 1' : widest.toFixed(2)}: more base points make intervals narrower.`,
            ]
          : []),
      ],
    };
  });
}

/** If the test of an index says nothing, its interval reaches down to 0. */
function reachingZero(one: InputIndices, p: number | undefined, confidence: number): InputIndices {
  if (!one.firstInterval || p === undefined || p <= 1 - confidence) return one;
  const [low, high] = one.firstInterval;
  return { ...one, firstInterval: [Math.min(0, low), high] };
}

function leftOutOf(leftOut: number, all: number, what: string, why: string): string[] {
  return leftOut > 0 ? [`${partOf(leftOut, all, what)} are left out, because ${why}.`] : [];
}

function factorial(
  campaign: AnalyzedCampaign,
  table: PointTable,
  { inputs, values, generators }: Of<'factorial'>,
  confidence: number,
): Estimator {
  const points = pointsOfDesign(campaign, table);
  const isFull = generators.every((one) => one === null);
  const areNumbers = inputs.map((name) =>
    isNumericType(campaign.base.find((input) => input.name === name)!.type),
  );
  const levels = values.map((listed, at) =>
    areNumbers[at] ? listed.toSorted((a, b) => Number(a) - Number(b)) : listed,
  );
  const codeOf = levels.map((sorted) => new Map(sorted.map((value, level) => [value, level])));
  const codes = inputs.map(() => new Uint16Array(points.length));
  const places = inputs.map((name) => inputsOf(campaign.design).indexOf(name));
  let index = 0;
  for (const row of rowsOf(campaign.design, { base: campaign.base, contents: new Map() })) {
    for (const [at, place] of places.entries()) codes[at]![index] = codeOf[at]!.get(row[place]!)!;
    index += 1;
  }
  const design = {
    inputs,
    levels: levels.map(({ length }) => length),
    values: levels.map((names, at) => ({ names, areNumbers: areNumbers[at]! })),
    codes,
    isFull,
    aliases: isFull ? () => [] : aliasesOf(inputs, generators.map(ofSorted)),
  };

  /** The generator for sorted levels. That of a design is for the levels in the order of the definition. */
  function ofSorted(generator: Generators[number], at: number): Generators[number] {
    if (!generator) return null;
    const turned = [at, ...generator.of].filter((one) => levels[one]![0] !== values[one]![0]);
    return turned.length % 2 === 0 ? generator : { ...generator, sign: generator.sign === 1 ? -1 : 1 };
  }

  const ofSample = regression(campaign, table, confidence);
  return (output) => {
    const { replicates } = output;
    const means = atRows(points, output.means);
    if (!isFull && means.some(Number.isNaN)) return ofPart(ofSample(output));
    const rows = { ...output, means, replicates: replicates && ((row: number) => replicates(points[row]!)) };
    return factorialIndices(design, inPairs(rows), confidence);
  };
}

/** The effects of a fraction can only be separated if all of its points have a value. */
function ofPart(found: Found): Found {
  const warning =
    'The effects of a fraction with missing points cannot be separated, so the other points are analyzed by regression.';
  return { ...found, method: 'regression', warnings: [warning, ...found.warnings] };
}

function oneAtATime(
  campaign: AnalyzedCampaign,
  table: PointTable,
  { inputs, values }: Of<'one-at-a-time'>,
  confidence: number,
): Estimator {
  const names = campaign.varied.map(({ name }) => name);
  const unchanged = baseValues(names, campaign.base);
  const lines = inputs.map((input, at): InputLine => {
    const place = campaign.varied.findIndex(({ name }) => name === input);
    const base = unchanged[place]!;
    const placeOf = (value: string) => ({ value, point: table.find(unchanged.with(place, value)) });
    const { type } = campaign.varied[place]!;
    const all = [...new Set([base, ...values[at]!])];
    if (!isNumericType(type)) return { input, places: all.map(placeOf) };
    all.sort((a, b) => Number(a) - Number(b));
    return {
      input,
      places: all.map(placeOf),
      numbers: { low: Number(all[0]), high: Number(all.at(-1)), base: Number(base) },
    };
  });
  return (output) => swings(lines, table.find(unchanged), inPairs(output), confidence);
}
