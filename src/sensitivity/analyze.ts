import { wordOfX, type XWord } from '../campaign/curves.ts';
import { growthProgress, growthText } from '../campaign/growth.ts';
import { hasStrategy } from '../campaign/strategy.ts';
import { hasRandomRuns, hasUnknownChance, pointsShareSeeds } from '../campaign/seeds.ts';
import type { RunCounts } from '../campaign/types.ts';
import type { Analysis, Chance, Found, Method, TimeIndices } from './analysis.ts';
import { unknownChanceWarnings } from './chance.ts';
import { type AnalyzedCampaign, estimatorOf } from './estimator-of-design.ts';
import { dependents, NO_DEPENDENCE } from './dependence.ts';
import type { CurveColumns, GatheredPoints, OutputColumn, ValueColumn } from './gather.ts';
import type { MissingValues } from './missing.ts';
import { haveOneValue } from './moments.ts';
import type { PointValues } from './point-values.ts';
import type { PointTable } from './points.ts';
import { CONFIDENCE, rangeOf } from '../statistics/sample.ts';
import { partHas, partOf } from '../text/part-of.ts';

/**
 * If the share of chance in the variance of single runs, or of the points' means, is larger than this, there is a
 * warning.
 */
const MUCH_CHANCE = { ofRuns: 0.5, ofMeans: 0.1 };

/** The indices of a curve at one time, and the method that gave them. */
interface Timed {
  used: Method;
  numbers: TimeIndices;
  /** The number of runs with a value at this time. */
  runs: number;
  /** Whether a point has no value at this time. */
  isLacking: boolean;
}

/**
 * The sensitivity analysis of outputs, by the method of the campaign's design.
 *
 * @param counts - counts of the campaign's runs. Failed and unfinished runs lead to warnings
 */
export function analysesOf(
  campaign: AnalyzedCampaign,
  { table, columns, curves }: GatheredPoints,
  counts: Pick<RunCounts, 'total' | 'done' | 'failed'>,
): Analysis[] {
  const confidence =
    (hasStrategy(campaign, 'growing') ? campaign.strategy : campaign.precision)?.confidence ?? CONFIDENCE;
  const { method, estimate } = estimatorOf(campaign, table, confidence);
  const isPaired = campaign.commonRandomNumbers;
  const { pointOf, count: points } = table.pointsOfRows();
  const general = [
    ...runWarnings(counts),
    ...growthWarnings(campaign),
    ...selectionWarnings(campaign, points, counts.total),
  ];
  const head = (output: string, used: Method, runs: number) => ({
    campaign: campaign.id,
    output,
    method: used,
    runs,
  });
  const hasSingleRuns = hasUnknownChance(campaign);
  const isRandom = hasRandomRuns(campaign);
  /** Whether no point has two values: after the first replication of a campaign, and if others fail. */
  const lacksRepeats = (column: ValueColumn): boolean =>
    isRandom && !hasSingleRuns && column.hasUnknownChance(isPaired);
  /** Why the size of chance is unknown; undefined if it is known. */
  const whyUnknownChance = (isSingle: boolean): string | undefined =>
    hasSingleRuns ? ONE_RUN : isSingle ? NO_REPEAT : undefined;
  const counted = hasStrategy(campaign, 'selection') ? 'first runs' : 'finished runs';
  const warningsOf = (isSingle: boolean, { isOfOneReplication }: OutputColumn | CurveColumns): string[] => [
    ...(hasSingleRuns || isSingle ? unknownChanceWarnings(method, !hasSingleRuns) : []),
    ...(isOfOneReplication && pointsShareSeeds(campaign) ? [ONE_CHANCE] : []),
  ];

  const valuesOf = (column: ValueColumn, isChanceUnknown: boolean): PointValues => {
    const { means, replicates } = column;
    return {
      means,
      replicates: replicates && ((row) => replicates.of(pointOf[row]!)),
      isPaired,
      hasUnknownChance: isChanceUnknown,
      chance: column.chance(isPaired)?.ofMeans,
      error: column.error(isPaired),
    };
  };

  function ofColumn(column: OutputColumn): Analysis {
    const { measure, means, runs } = column;
    const chance = column.chance(isPaired);
    const isSingle = lacksRepeats(column);
    const ofQuantile = measure.statistic === 'quantile' && isRandom ? QUANTILE : undefined;
    const whyUnknown = whyUnknownChance(isSingle) ?? ofQuantile;
    const isChanceUnknown = whyUnknown !== undefined;
    const found = estimate({
      ...valuesOf(column, isChanceUnknown),
      isShare: measure.statistic === 'share',
      lackingByPoint: column.missing.byPoint,
    });
    const { warnings, method: used = method, ...numbers } = found;
    const isEmpty = found.indices.length === 0;
    const same = isEmpty ? sameWarning(measure.name, means) : undefined;
    return {
      ...head(measure.name, used, runs),
      ...numbers,
      ...(chance && { chance }),
      ...(isChanceUnknown && { hasUnknownChance: true }),
      ...unknownEffects(found, same, whyUnknown),
      confidence,
      warnings: [
        ...general,
        ...lackingWarnings(column, table, counts, counted),
        ...(same ? [`${same.text}.`] : []),
        ...(isEmpty ? [] : warningsOf(isSingle, column)),
        ...warnings,
        ...(chance ? chanceWarnings(chance, used) : []),
      ],
    };
  }

  function ofCurve(curve: CurveColumns): Analysis {
    const word = wordOfX(campaign.outputs.find(({ name }) => name === curve.name)?.axis);
    /** The number of times that have no indices although their values differ, and the reasons. */
    let without = 0;
    const reasons = new Set<string>();
    const found = curve.times.flatMap(({ time, column }): Timed[] => {
      const { means, runs } = column;
      const chance = column.chance(isPaired);
      const isSingle = lacksRepeats(column);
      const one = estimate(valuesOf(column, hasSingleRuns || isSingle));
      const { indices, secondOrder, r2, warnings, method: used = method } = one;
      if (indices.length === 0) {
        if (!sameWarning(curve.name, means)) {
          without += 1;
          for (const warning of warnings) reasons.add(warning);
        }
        return [];
      }
      const numbers = {
        time,
        indices,
        ...(secondOrder && { secondOrder }),
        ...(r2 !== undefined && { r2 }),
        ...(chance && { chance }),
        ...(isSingle && { hasUnknownChance: true as const }),
      };
      return [{ used, numbers, runs, isLacking: means.some(Number.isNaN) }];
    });
    // all times of a curve have one method, so that its indices are comparable
    const used = found.some((one) => one.used === method) ? method : (found[0]?.used ?? method);
    const kept = found.filter((one) => one.used === used);
    const times = kept.map(({ numbers }) => numbers);
    const lacking = kept.filter(({ isLacking }) => isLacking).length;
    const leftOut = found.length - kept.length + without;
    const single = times.filter((one) => one.hasUnknownChance).length;
    const isSingle = single > 0 && single === times.length;
    const unknown = whyUnknownChance(isSingle);
    const noisy = times.filter(({ chance }) => chance && chance.ofRuns > MUCH_CHANCE.ofRuns);
    return {
      ...head(curve.name, used, curve.runs),
      times,
      ...(unknown !== undefined && { hasUnknownChance: true, unknown }),
      confidence,
      warnings: [
        ...general,
        ...spanWarnings(curve, word),
        ...cutWarnings(
          curve,
          kept.map(({ runs }) => runs),
          table,
          counts,
          { counted, word },
        ),
        ...(lacking > 0
          ? [
              `At ${lacking} of ${times.length} ${word}s, ${curve.name} has no value at some points. These points are left out there.`,
            ]
          : []),
        ...(times.length > 0 && leftOut > 0
          ? [`${leftOut} other ${word}s are left out, because some points have no value there.`]
          : []),
        ...(single > 0 && !isSingle
          ? [
              `At ${single} of ${times.length} ${word}s, no point has two runs with a value, so chance is unknown there.`,
            ]
          : []),
        ...(times.length > 0 ? warningsOf(isSingle, curve) : []),
        ...(noisy.length > 0
          ? [
              `Chance dominates at ${noisy.length} of ${times.length} ${word}s: chance explains more of the variance of single runs than the inputs do.`,
            ]
          : []),
        ...(times.length > 0
          ? []
          : reasons.size > 0
            ? reasons
            : [`${curve.name} is the same at all points, or has no values.`]),
      ],
    };
  }

  return [...columns.map(ofColumn), ...curves.map(ofCurve)];
}

/** The warning if all runs have the same chance, so that nothing shows how much the effects vary with it. */
export const ONE_CHANCE =
  'Each point has one run with the same random numbers: the effects are those with these numbers.';

function runWarnings({ total, done, failed }: Pick<RunCounts, 'total' | 'done' | 'failed'>): string[] {
  const open = total - done - failed;
  return [
    ...(failed > 0 ? [`${partOf(failed, total, 'runs')} failed.`] : []),
    ...(open > 0 ? [`${partHas(open, total, 'runs')} not finished.`] : []),
  ];
}

/**
 * The warning for runs without a value that did not fail, and for a dependence of missing values on the inputs. Failed
 * runs have a warning of their own.
 *
 * @param counted - the runs that count
 */
function lackingWarnings(
  { measure, missing, runs }: OutputColumn,
  table: PointTable,
  { failed }: Pick<RunCounts, 'failed'>,
  counted: string,
): string[] {
  if (missing.runs === 0 || runs === 0) return [];
  const areFailed = missing.runs <= failed;
  const counts = areFailed ? [] : [missingText(missing.runs, missing.runs + runs, counted, measure.name)];
  return missingWarnings(missing, table, counts, 'has a value');
}

/**
 * The warnings for runs without a curve, for curves that do not reach all times, and for a dependence of both on the
 * inputs.
 *
 * @param reached - the number of runs with a value, by time
 * @param words - the runs that count, and what an x of the curve is
 */
function cutWarnings(
  { name, missing, runs, finished }: CurveColumns,
  reached: readonly number[],
  table: PointTable,
  { failed }: Pick<RunCounts, 'failed'>,
  { counted, word }: { counted: string; word: XWord },
): string[] {
  if (missing.runs === 0 || runs === 0) return [];
  const cut = reached.filter((count) => count < runs);
  const [fewest, most] = [Math.min(...cut), Math.max(...cut)];
  const counts = [
    ...(finished - runs > failed ? [missingText(finished - runs, finished, counted, name)] : []),
    ...(cut.length > 0
      ? [
          `At ${cut.length} of ${reached.length} ${word}s, ${name} has a value in only ${fewest === most ? '' : `${fewest} to `}${most} of the ${runs} runs that have a curve.`,
        ]
      : []),
  ];
  return missingWarnings(missing, table, counts, `has a value at all ${word}s`);
}

function missingText(without: number, runs: number, counted: string, name: string): string {
  return `${partHas(without, runs, counted)} no value of ${name}.`;
}

/**
 * The warning for missing values: how many there are, and whether they depend on the inputs.
 *
 * @param counts - sentences with numbers of runs; none for failed runs, of which another warning tells
 * @param what - what a run without missing values does: "has a value"
 */
function missingWarnings(
  { shares, byPoint }: MissingValues,
  table: PointTable,
  counts: readonly string[],
  what: string,
): string[] {
  const names = dependents(table, shares, byPoint);
  if (names.length === 0) return counts.length === 0 ? [] : [[...counts, NO_DEPENDENCE].join(' ')];
  const why = `Whether a run ${what} depends on ${names.join(', ')}, so the runs with a value are not a fair sample.`;
  return [[...counts, why].join(' ')];
}

/** The warning for times that are not analyzed, because the first curve does not have them. */
function spanWarnings({ name, span, wholeSpan }: CurveColumns, word: XWord): string[] {
  const hasFurther = wholeSpan[0] < span[0] || wholeSpan[1] > span[1];
  if (!hasFurther) return [];
  const text = ([from, to]: CurveColumns['span']): string => `${from} to ${to}`;
  return [
    `Only ${word}s of the first run's curve are analyzed, from ${text(span)}. The curves of ${name} together are from ${text(wholeSpan)}.`,
  ];
}

function growthWarnings(campaign: AnalyzedCampaign): string[] {
  if (!hasStrategy(campaign, 'growing')) return [];
  const growth = growthProgress({ design: campaign.design, growth: campaign.strategy });
  const last = growth.rounds.at(-1)?.widest;
  if (!last || last.width <= growth.width) return [];
  return [`Not all intervals are as narrow as wanted. The design has ${growthText(growth)}.`];
}

/** The warning for runs of a selection that do not count (see `PointGatherer`). */
function selectionWarnings(campaign: AnalyzedCampaign, points: number, runs: number): string[] {
  const { replications } = campaign;
  if (!hasStrategy(campaign, 'selection') || runs <= points * replications) return [];
  const first = replications === 1 ? 'first run' : `first ${replications} runs`;
  return [
    `Only the ${first} of each point count here, because the selection gave further runs to points by their results.`,
  ];
}

/** Why the size of chance is unknown. */
const ONE_RUN = 'each point has one run with its own seed';
const NO_REPEAT = 'no point has two runs with a value';
const QUANTILE = 'the chance in a quantile of the runs is unknown';

/**
 * The reason why nothing can be said about the effects of inputs, if there is one.
 *
 * @param why - why the size of chance is unknown; undefined if it is known
 */
function unknownEffects(
  { indices }: Found,
  same: ReturnType<typeof sameWarning>,
  why: string | undefined,
): Pick<Analysis, 'unknown'> {
  if (same) return { unknown: same.why };
  const areUntested = indices.length > 0 && indices.every(({ p }) => p === undefined);
  return why !== undefined && areUntested ? { unknown: why } : {};
}

/** Values that differ by at most this share of their size are surely equal. Other values that count as equal may differ. */
const SURELY_ROUNDING = 2 ** -46;

/** The warning for values that do not differ. If a method finds no indices for other values, it gives its own reason. */
function sameWarning(output: string, means: Float64Array): { text: string; why: string } | undefined {
  const values = means.filter((value) => !Number.isNaN(value));
  if (values.length === 0)
    return { text: `No run has a value of ${output}`, why: 'no run has a value of it' };
  if (!haveOneValue(values)) return undefined;
  const [low, high] = rangeOf(Array.from(values));
  if (high - low <= SURELY_ROUNDING * Math.max(Math.abs(low), Math.abs(high)))
    return {
      text: `${output} is the same at all points: nothing in this sample changes it`,
      why: 'it is the same at all points',
    };
  return {
    text: `${output} differs by hardly more than rounding from point to point: let the model subtract a constant from it`,
    why: 'it differs by hardly more than rounding',
  };
}

function chanceWarnings({ ofRuns, ofMeans = 0 }: Chance, method: Method): string[] {
  const percent = (share: number): string => `${Math.round(100 * share)} %`;
  const warnings: string[] = [];
  if (ofRuns > MUCH_CHANCE.ofRuns)
    warnings.push(
      `Chance dominates: ${percent(ofRuns)} of the variance of single runs comes from chance in the replications.`,
    );
  if (ofMeans > MUCH_CHANCE.ofMeans)
    warnings.push(
      `${percent(ofMeans)} of the variance of the points' means is chance${WITH_CHANCE[method]}. More replications lower this share.`,
    );
  return warnings;
}

/** The effect of chance on the results of each method, as the end of a sentence. */
const WITH_CHANCE: Record<Method, string> = {
  sobol: ', and the indices are corrected for it as far as possible',
  morris: ', and μ* and σ are corrected for it as far as possible',
  regression: ': no regression can explain it',
  factorial: ', and the shares are corrected for it as far as possible',
  'one-at-a-time': '',
  'gaussian-process': '',
};
