import { type Design, nested } from '../campaign/designs/index.ts';
import { drawnRow } from '../campaign/designs/spread-input.ts';
import type { InputIndices } from './analysis.ts';
import { MOST_CHANCE } from './chance.ts';
import { dependents } from './dependence.ts';
import { areEqual, momentsOf } from './moments.ts';
import { type Estimator, inPairs } from './point-values.ts';
import type { PointTable } from './points.ts';
import { doubledRanks } from './ranks.ts';
import { GROUPS, type Regression, regressionOf } from './regression.ts';
import { commonReplications, type Replicate, valuesAt } from './replicates.ts';
import { numbered, rowNumbers, sampledMembers, type SampledRows } from './sampled-rows.ts';

/** If there are fewer points, or rows of a sample, per coefficient than this, there is a warning. */
const FEW_POINTS = 5;
/** If the explained share of the variance is smaller than this, coefficients cannot rank inputs. */
const LEAST_R2 = 0.7;

/**
 * Regression of values and of their ranks on the numeric and BOOLEAN inputs of a table.
 *
 * @param design - the design of the campaign
 * @param sharesRuns - whether the outputs have chance, and all draws of a point have the same runs. The draws are then not
 * independent, and count as one point
 */
export function sampleRegression(
  table: PointTable,
  design: Design,
  confidence: number,
  sharesRuns: boolean,
): Estimator {
  const members = sampledMembers(design);
  const isIndependent = areIndependent(design);
  const variances = isIndependent ? drawnVariances(design) : new Map<string, number>();
  const computed = new Set(
    [...nested(design)].flatMap((one) => (one.kind === 'refined' ? one.derive.map(({ name }) => name) : [])),
  );
  const places = table.inputs.flatMap((_, at) => (table.isText(at) ? [] : [at]));
  const texts = table.inputs.flatMap(({ name }, at) => (table.isText(at) ? [name] : []));
  const columnOf = (name: string): Float64Array =>
    table.column(table.inputs.findIndex((input) => input.name === name));
  const { pointOf, count: allPoints } = table.pointsOfRows();
  // Rows of a sample are recognized by their values. If a sample has drawn the same values several times, the number of
  // the draw distinguishes the rows. With several samples it cannot, so these rows count as one, and intervals are rather
  // too wide.
  const draws = members.length === 1 && !sharesRuns ? [table.draws] : [];
  const samplesOfAll = members.map((names) => ({
    names,
    ...rowNumbers([...names.map(columnOf), ...draws]),
  }));
  const names = table.inputs.map(({ name }) => name);
  if (sharesRuns && members.length === 0) samplesOfAll.push({ names, rowOf: pointOf, count: allPoints });
  /** The ranks of all points. Outputs that have a value at every point share them. */
  let ranksOfAll: Uint32Array[] | undefined;

  return (values) => {
    // with common random numbers, only the replications that all points have
    const { means, replicates, isPaired, error, lackingByPoint, ...others } = inPairs(values);
    const { chance = 0, hasUnknownChance = false } = others;
    // 1 for each row with a value, otherwise 0; undefined if all rows have a value
    const known = means.some(Number.isNaN) ? means.map((value) => Number(!Number.isNaN(value))) : undefined;
    const chosen = (column: Float64Array): Float64Array =>
      known ? column.filter((_, row) => known[row] === 1) : column;
    const chosenRows = (rowOf: Uint32Array): SampledRows | undefined =>
      known && numbered(rowOf.filter((_, row) => known[row] === 1));
    const output = chosen(means);
    const independent = sharesRuns ? (chosenRows(pointOf)?.count ?? allPoints) : output.length;
    const numbers = places.map((at) => ({ at, column: chosen(table.column(at)) }));
    const varied = numbers.filter(
      ({ column }) => column.length > 0 && column.some((one) => one !== column[0]),
    );
    const constant = numbers.filter((one) => !varied.includes(one)).map(({ at }) => names[at]!);
    const warnings = leftOutWarnings(output.length, means.length, texts, constant);
    const areTooFew = independent < varied.length + 2;
    if (areEqual(momentsOf(output)) || varied.length === 0 || areTooFew) {
      return {
        indices: [],
        warnings: [
          ...warnings,
          ...(areTooFew ? [`${independent} points are too few for a regression.`] : []),
        ],
      };
    }
    const columns = varied.map(({ column }) => column);
    const used = varied.map(({ at }) => names[at]!);
    const samples = samplesOfAll
      .map((sample) => ({
        ...sample,
        ...chosenRows(sample.rowOf),
        inputs: used.filter((name) => sample.names.includes(name)).length,
      }))
      .filter(({ count }) => count > 1);
    const rows = chosen(Float64Array.from(means.keys()));
    const runs = isPaired && replicates ? Array.from(rows, (row) => replicates(row)) : [];
    const meansWithoutGroups = meansWithout(runs);
    // common random numbers take away an unknown part of the chance
    const noise = isPaired ? 0 : (error?.variance ?? 0);
    const drawn = used.map((name) => variances.get(name));
    const plain = regressionOf(columns, output, confidence, samples, drawn, {
      noise,
      points: independent,
      withoutReplications: meansWithoutGroups,
    });
    // all columns share one array, because unused arrays would stay in memory for a while
    const sorted = new Float64Array(output.length);
    const rankedColumns = (): Uint32Array[] => columns.map((column) => doubledRanks(column, sorted));
    const hasAll = !known && varied.length === places.length;
    const ranks = hasAll ? (ranksOfAll ??= rankedColumns()) : rankedColumns();
    const ranked = regressionOf(ranks, doubledRanks(output, sorted), confidence, samples, [], {
      points: independent,
      withoutReplications: meansWithoutGroups.map((means) => doubledRanks(means, sorted)),
    });
    const isSingle = isPaired && meansWithoutGroups.length === 0;
    // nothing shows how much the effects vary with the random numbers
    const isUntested = isSingle && (hasUnknownChance || runs.some(({ length }) => length > 1));
    // points that are left out may make independent inputs dependent
    const lacking = known?.map((one) => 1 - one);
    const isFair = isIndependent && (!lacking || dependents(table, lacking, lackingByPoint).length === 0);
    const hasShares = isFair && chance <= MOST_CHANCE;
    // if nobody has said which input follows from the others, their effects cannot be separated
    const tied = new Set(
      plain.ties.flatMap(({ leftOut, others }) =>
        computed.has(used[leftOut]!) ? [leftOut] : [leftOut, ...others],
      ),
    );
    const dependent = used.filter((_, at) => tied.has(at));
    return {
      indices: used.map((input, at) =>
        tied.has(at) ? { input } : indicesOf(input, at, plain, ranked, { hasShares, isUntested }),
      ),
      r2: plain.r2,
      ...(plain.adjustedR2 !== undefined && { adjustedR2: plain.adjustedR2 }),
      ...(!isUntested && plain.adjustedR2Interval && { adjustedR2Interval: plain.adjustedR2Interval }),
      rankR2: ranked.r2,
      warnings: [
        ...warnings,
        ...(dependent.length > 0
          ? [
              `${dependent.join(', ')}: no coefficient, because other inputs determine the value by a linear function at these points.`,
            ]
          : []),
        ...fewWarnings(independent, used.length, samples),
        ...lowWarnings(Math.max(0, plain.adjustedR2 ?? plain.r2), ranked.r2, chance, hasUnknownChance),
      ],
    };
  };
}

/** Warnings about the points and inputs that a regression leaves out. */
function leftOutWarnings(
  points: number,
  allPoints: number,
  texts: readonly string[],
  constant: readonly string[],
): string[] {
  return [
    ...(points > 0 && points < allPoints
      ? [`${allPoints - points} of ${allPoints} points are left out, because they have no value.`]
      : []),
    ...(texts.length > 0
      ? [`${texts.join(', ')}: regression cannot use inputs whose values are texts.`]
      : []),
    ...(constant.length > 0 ? [`${constant.join(', ')}: the value is the same at all points.`] : []),
  ];
}

/** Warnings if there are few points for the inputs, in all or in a sample. */
function fewWarnings(
  points: number,
  inputs: number,
  samples: readonly { count: number; names: readonly string[]; inputs: number }[],
): string[] {
  return [
    ...(points < FEW_POINTS * (inputs + 1) ? [`${points} points are few for ${inputs} inputs.`] : []),
    ...samples
      .filter((sample) => sample.count < FEW_POINTS * (sample.inputs + 1))
      .map(
        ({ count, names }) =>
          `${count} points are few for the sample of ${names.join(', ')}: the intervals are rough or missing.`,
      ),
  ];
}

/**
 * The means of all points without a group of replications, for each group of those that all points have (jackknife).
 * Empty if the points have fewer than two replications in common.
 */
function meansWithout(points: readonly (readonly Replicate[])[]): Float64Array[] {
  const common = commonReplications(points);
  if (common.length < 2) return [];
  const groups = Math.min(common.length, GROUPS);
  const table = points.map((point) => valuesAt(point, common));
  return Array.from({ length: groups }, (_, group) =>
    Float64Array.from(table, (own) => momentsOf(own.filter((_value, at) => at % groups !== group)).mean),
  );
}

/** A warning if the regression explains too little of the variance that is not chance. */
function lowWarnings(r2: number, rankR2: number, chance: number, isRandom: boolean): string[] {
  const least = LEAST_R2 * (1 - chance);
  if (r2 >= least || chance > MOST_CHANCE) return [];
  const without = (r2 / (1 - chance)).toFixed(2);
  const value = `${r2.toFixed(2)}${chance > 0 ? ` (${without} without chance)` : ''}`;
  if (isRandom)
    return [
      `R² is ${value}: much of the output is chance, or the output is not a linear function of the inputs. With "replications: 2" or more, the share of chance is known.`,
    ];
  const start = `R² is ${value}: the output is not a linear function of the inputs, so the coefficients (src) explain only a part of it.`;
  return [
    rankR2 >= least
      ? `${start} The coefficients of ranks (srrc, prcc) explain more: their R² is ${rankR2.toFixed(2)}.`
      : `${start} A saltelli design measures the effects of inputs for any function.`,
  ];
}

/** The number of quantiles from which the variance of a distribution is computed. */
const QUANTILES = 2_000;

/** The variance of the distribution of each numeric input that a design draws. */
function drawnVariances(design: Design): Map<string, number> {
  const drawn = [...nested(design)].flatMap((one) => (one.kind === 'sample' ? one.inputs : []));
  return new Map(
    drawn.map((input) => {
      const values = Float64Array.from({ length: QUANTILES }, (_, at) =>
        Number(drawnRow([input], [(at + 0.5) / QUANTILES])[0]),
      );
      return [input.name, momentsOf(values).variance];
    }),
  );
}

/**
 * Whether the inputs of a design vary independently of each other. Inputs that a design computes, or whose points it
 * leaves out, do not.
 */
function areIndependent(design: Design): boolean {
  if (design.kind === 'product') return design.designs.every(areIndependent);
  return design.kind === 'sample' || design.kind === 'grid';
}

function indicesOf(
  input: string,
  at: number,
  plain: Regression,
  ranked: Regression,
  { hasShares, isUntested }: { hasShares: boolean; isUntested: boolean },
): InputIndices {
  const [src, srrc, prcc] = [plain.src[at]!, ranked.src[at]!, ranked.partial[at]!];
  const coefficients = {
    ...(!Number.isNaN(src) && { src }),
    ...(!Number.isNaN(srrc) && { srrc }),
    ...(!Number.isNaN(prcc) && { prcc }),
  };
  if (isUntested) return { input, ...coefficients };
  const [p, shareInterval] = [plain.ps[at], plain.shareIntervals[at]];
  const share = hasShares ? plain.shares[at] : undefined;
  const [srcInterval, srrcInterval, prccInterval] = [
    plain.srcIntervals[at],
    ranked.srcIntervals[at],
    ranked.partialIntervals[at],
  ];
  return {
    input,
    ...coefficients,
    ...(!Number.isNaN(src) && srcInterval && { srcInterval }),
    ...(share !== undefined && !Number.isNaN(share) && { share, ...(shareInterval && { shareInterval }) }),
    ...(!Number.isNaN(srrc) && srrcInterval && { srrcInterval }),
    ...(!Number.isNaN(prcc) && prccInterval && { prccInterval }),
    ...(p !== undefined && { p }),
  };
}
