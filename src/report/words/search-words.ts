import { Batched } from '../../batched.ts';
import type { Requirement } from '../../campaign/search/search.ts';
import { hasSeed } from '../../campaign/seeds.ts';
import type { Campaign } from '../../campaign/types.ts';
import { measureOf } from '../../campaign/measures.ts';
import type { StrategyBy } from '../../campaign/strategy.ts';
import type { SelectSummary } from '../../search/select-story.ts';
import type { RequiredOutput, SeekingCampaign } from '../../search/interval.ts';
import type { BestPoint, SearchSummary } from '../../search/summary.ts';
import { count, inputColumns, number, text, uniquelyNamed } from '../tables/column-types.ts';
import { stopText } from './stop-words.ts';
import type { Table } from '../tables/result-table.ts';
import { amount, counted, intervalText, measureText, numberText, percent } from './words.ts';

/**
 * The progress of a search in one line: "43 points asked for, 41 have a value, 2 failed (the last one because its run
 * failed)".
 */
export function searchText(summary: SearchSummary): string {
  const { stage, asked, told, failed, stoppedBy, best } = summary;
  const failures = failed > 0 ? `, ${failed} failed (${failureText(summary)})` : '';
  const counts = `${counted(asked, 'point')} asked for, ${told} ${told === 1 ? 'has' : 'have'} a value${failures}`;
  // without a best point, the rule `stall` has counted the points that do not meet the requirements
  const why =
    stoppedBy === 'stall' && best === null ? 'no point met the requirements for long enough' : undefined;
  const stop = stoppedBy === null ? '' : `; it ended because ${why ?? stopText(stoppedBy)}`;
  const now: Partial<Record<SearchSummary['stage'], string>> = {
    comparing: '; the best points are compared',
    reporting: '; the winner gets its own runs',
  };
  return `${counts}${startText(summary)}${stop}${now[stage] ?? ''}`;
}

/** Why the last point failed. Without a reason, its failed runs were requested again. */
function failureText({ failed, lastFailure }: Pick<SearchSummary, 'failed' | 'lastFailure'>): string {
  if (lastFailure !== null) return `${failed === 1 ? '' : 'the last one '}because ${lastFailure}`;
  const runs = failed === 1 ? 'its runs' : 'the runs of the last one';
  return `${runs} were requested again, but the search does not use their new results`;
}

/**
 * "; it began with 9 known points, and left out 3 points outside the bounds". Empty if the search did not begin with
 * the points of another campaign.
 */
function startText({ known, unused }: Pick<SearchSummary, 'known' | 'unused'>): string {
  if (known === 0 && unused.length === 0) return '';
  const others = unused.map(({ points, which }) => `${counted(points, 'point')} ${which}`).join(', ');
  const points = known === 0 ? 'no known point' : counted(known, 'known point');
  return `; it began with ${points}${others && `, and left out ${others}`}`;
}

/** The comparison of the best points at the end of a planned search. */
interface PlannedComparison {
  /** The number of compared points. */
  best: number;
  /** The maximum number of runs if the first replications are enough for a decision. */
  runs: number;
  /** The maximum number of runs if the points are hard to distinguish. */
  mostRuns: number;
}

/**
 * The limits of a planned search: "at most 50 points and 600 runs; then up to 100 runs for the 6 best points, or up to
 * 14,210 runs if these points are hard to distinguish".
 *
 * @param points - 0 if the search has no limit
 * @param mostRuns - including the runs of the comparison
 */
export function searchPlanText(points: number, mostRuns: number, confirm: PlannedComparison | null): string {
  const runs = mostRuns - (confirm?.mostRuns ?? 0);
  const limits =
    points === 0
      ? 'no limit of points or runs'
      : `at most ${counted(points, 'point')} and ${counted(runs, 'run')}`;
  return confirm ? `${limits}; then ${comparisonPlanText(confirm)}` : limits;
}

/** "up to 100 runs for the 6 best points, or up to 14,210 runs if these points are hard to distinguish" */
export function comparisonPlanText({ best, runs, mostRuns }: PlannedComparison): string {
  const points = best === 1 ? 'best point' : `${best} best points`;
  return `up to ${counted(runs, 'run')} for the ${points}, or up to ${counted(mostRuns, 'run')} if these points are hard to distinguish`;
}

/** The progress of a selection in one line: "24 points, 1 failed; they are compared". */
export function selectText({ stage, points, failed }: SelectSummary): string {
  const now = {
    comparing: '; they are compared',
    reporting: '; the best one gets its own runs',
    over: '; the comparison is over',
  };
  return `${counted(points, 'point')}${failed > 0 ? `, ${failed} failed` : ''}${now[stage]}`;
}

/**
 * The requirements in words: "A point meets the requirements if the mean of Peak infected is at most 320". Undefined
 * without requirements.
 */
export function requirementsText(
  outputs: Campaign['outputs'],
  require: readonly Requirement[],
): string | undefined {
  if (require.length === 0) return undefined;
  const each = require.map((requirement) => {
    const { output, chance } = requirement;
    const measure = measureOf(outputs, output);
    const what = chance === null && measure.statistic === 'mean' ? `the mean of ${output}` : output;
    const limits = limitsText(requirement, (limit) => measureText(measure, limit));
    return `${what} is ${limits}${chance === null ? '' : ` in at least ${percent(chance)} of the runs`}`;
  });
  return `A point meets the requirements if ${each.length === 1 ? '' : 'all of these are true: '}${each.join('; ')}`;
}

type SearchWording = Pick<Campaign, 'goal' | 'outputs' | 'strategy' | 'base'>;

/**
 * The best point in words: "Contact rate 1.67, Recovery rate 0.44: Fit error 17.4 ± 0.3 (30 runs that were not used to
 * choose it); …".
 */
export function bestText(campaign: SearchWording, best: BestPoint): string {
  const { place, value, how } = bestParts(campaign, best);
  const [runs, ...more] = how;
  // the interval of a share is already in brackets
  const inBrackets = value.endsWith(')') ? `${value.slice(0, -1)}; ${runs})` : `${value} (${runs})`;
  return [`${place}: ${campaign.goal!.output} ${inBrackets}`, ...more].join('; ');
}

/**
 * The parts of `bestText`: the point, its value with the interval, and how its value was measured.
 */
export function bestParts(
  { goal, outputs, strategy, base }: SearchWording,
  best: BestPoint,
): { place: string; value: string; how: string[] } {
  const { inputs, interval, among, tied, runs, failed, seen, choice } = best;
  const measure = measureOf(outputs, goal!.output);
  const units = new Map(base.map((input) => [input.name, input.units]));
  const place = Object.entries(inputs)
    .map(([name, input]) => `${name} ${amount(String(input), units.get(name) ?? null)}`)
    .join(', ');
  const isAlone = choice === 'alone';
  const ran = counted(runs, 'run') + (isAlone ? '' : ' that were not used to choose it');
  const how = [ran + withoutIntervalText({ goal, outputs }, best)];
  if (failed > 0)
    how.push(
      `${counted(failed, 'other run')} ${failed === 1 ? 'has' : 'have'} no value, so the runs with a value may not be a fair sample`,
    );
  if (tied > 0) how.push(tiedText(tied));
  if (interval && among > 1) how.push(choiceText(among));
  const seenAs =
    strategy.by === 'selection' ? 'its value in the comparison' : 'the best value during the search';
  if (!isAlone && interval) how.push(`${seenAs} was ${measureText(measure, seen)}`);
  if (!isAlone && (strategy.by === 'search' || strategy.by === 'selection'))
    how.push(certaintyText(strategy, choice === 'compared'));
  const required = best.required.filter((one) => one.value !== null);
  how.push(...required.map((one) => requiredText({ outputs, base }, one)));
  return { place, value: valueText({ goal, outputs }, best), how };
}

/**
 * "Served 0.901 ± 0.007, required: at least 0.9, which is not certain", "Served at least 0.9 in 96 % (90 % to 99 %) of the
 * runs, required: 90 %". Without an interval, the number of runs tells how little is known.
 */
function requiredText(
  { outputs, base }: Pick<SearchWording, 'outputs' | 'base'>,
  required: RequiredOutput,
): string {
  const { requirement, interval, runs } = required;
  const { output, min, max, chance } = requirement;
  const measure = measureOf(outputs, output);
  const limits = limitsText(requirement, (limit) => measureText(measure, limit));
  const value = requiredValueText(outputs, required);
  const ran = interval === null && hasSeed(base) ? ` (${counted(runs, 'run')})` : '';
  const [least, most] = chance === null ? [min ?? -Infinity, max ?? Infinity] : [chance, Infinity];
  const open = interval && (interval[0] < least || interval[1] > most) ? ', which is not certain' : '';
  return chance === null
    ? `${output} ${value}${ran}, required: ${limits}${open}`
    : `${output} ${limits} in ${value} of the runs${ran}, required: ${percent(chance)}${open}`;
}

/** The value of a required output at a point with its interval; empty without a value. */
export function requiredValueText(
  outputs: Campaign['outputs'],
  { requirement: { output, chance }, value, interval }: RequiredOutput,
): string {
  if (value === null) return '';
  const measure = measureOf(outputs, output);
  const shown = chance === null ? measure : { statistic: 'share' as const, units: null };
  return interval === null ? measureText(shown, value) : intervalText(shown, value, interval);
}

/** "at least 0.9 and at most 1" */
function limitsText({ min, max }: Requirement, textOf: (limit: number) => string): string {
  return [
    ...(min === null ? [] : [`at least ${textOf(min)}`]),
    ...(max === null ? [] : [`at most ${textOf(max)}`]),
  ].join(' and ');
}

/** The warning of luck: the best of several values that vary by chance is too good. */
export const TOO_GOOD =
  'If chance affects the output, the best value tends to be too good, because it decided which point is the best';

/** "3 other points have exactly this value". */
export function tiedText(tied: number): string {
  return `${counted(tied, 'other point')} ${tied === 1 ? 'has' : 'have'} exactly this value`;
}

/** Says that the interval of a point knows that the point was chosen by its value. */
export function choiceText(among: number): string {
  return `the interval allows for the choice among ${counted(among, 'point')}`;
}

/**
 * Why the mean of several runs has no interval; empty if it has one. A share of several runs always has one, and a
 * quantile never.
 */
function withoutIntervalText(
  { goal, outputs }: Pick<Campaign, 'goal' | 'outputs'>,
  { runs, interval, isEqual }: Pick<BestPoint, 'runs' | 'interval' | 'isEqual'>,
): string {
  const isMean = measureOf(outputs, goal!.output).statistic === 'mean';
  if (!isMean || runs < 2 || interval !== null) return '';
  return isEqual ? ', with equal values' : ', with too few different values for an interval';
}

/** "no other point", "no other point that meets the requirements" */
export function noOtherText(
  which: 'point' | 'finalist',
  { require }: { require: readonly Requirement[] },
): string {
  return `no other ${which}${require.length > 0 ? ' that meets the requirements' : ''}`;
}

/** The certainty of the choice: "no other point is better by more than 10, with 95 % confidence". */
function certaintyText(strategy: StrategyBy<'search' | 'selection'>, isSure: boolean): string {
  if (strategy.method === 'ocba') return `chosen with a budget of ${counted(strategy.runs, 'run')}`;
  const isOfDesign = strategy.by === 'selection';
  const { confidence, indifference } = isOfDesign ? strategy : strategy.confirm!;
  const which = isOfDesign ? 'point' : 'finalist';
  return isSure
    ? `${noOtherText(which, strategy)} is better by more than ${numberText(indifference)}, with ${percent(confidence)} confidence`
    : `the best ${which}s could not be distinguished`;
}

/** Why there is no best point. */
export function noBestText(
  { strategy }: Pick<SeekingCampaign, 'strategy'>,
  { stage }: Pick<SearchSummary | SelectSummary, 'stage'>,
): string {
  const isAsked = strategy.require.length > 0;
  if (stage === 'over') return `no point has a value${isAsked ? ' and meets the requirements' : ''}`;
  return isAsked ? 'no known point meets the requirements so far' : 'no point has a value yet';
}

/** The value of the best point with its interval: "17.4 ± 0.3 days", "12.5 % (9 % to 17.1 %)". */
export function valueText(
  { goal, outputs }: Pick<Campaign, 'goal' | 'outputs'>,
  { value, interval }: Pick<BestPoint, 'value' | 'interval'>,
): string {
  const measure = measureOf(outputs, goal!.output);
  return interval === null ? measureText(measure, value) : intervalText(measure, value, interval);
}

/**
 * The best point of a search as a table with one row: its inputs, the value with its interval, the number of its runs,
 * and the best value during the search, which may be that of another point.
 */
export function bestTable(
  campaign: Pick<Campaign, 'goal' | 'outputs' | 'varied'>,
  best: BestPoint | null,
): Table {
  const { name, type, units } = measureOf(campaign.outputs, campaign.goal!.output);
  const columns = uniquelyNamed([
    text('point'),
    // a reader may copy the inputs to another definition
    ...inputColumns(campaign).map((column) => ({ ...column, isExact: true })),
    { name, kind: 'number', type, units, of: 'output' },
    number('low'),
    number('high'),
    count('runs'),
    number('seen'),
  ]);
  if (!best) return { columns, rows: Batched.of([]) };
  const { key, inputs, value, interval, runs, seen } = best;
  const numbers = [value, interval?.[0], interval?.[1], runs, seen];
  const row = [
    key,
    ...campaign.varied.map((input) =>
      Object.hasOwn(inputs, input.name) ? String(inputs[input.name]) : null,
    ),
    ...numbers.map((each) => (each === undefined ? null : String(each))),
  ];
  return { columns, rows: Batched.of([row]) };
}
