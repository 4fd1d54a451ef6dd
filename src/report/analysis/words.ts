import type { Analysis, InputIndices, Interval } from '../../sensitivity/analysis.ts';
import { inputText, numberText } from '../words/words.ts';
import { textIn } from './numbers.ts';
import { areShares, divided, mayBeHidden, sizeOf, withAdjustedP } from './claims.ts';
import { bounded, isMostlyChance, isKnown, jointShare, type Share } from './shares.ts';

/** The maximum number of inputs that a sentence names. */
const MOST_NAMED = 8;

/** A part of a sentence: "A and B have no visible effect". */
export function nothingText(analysis: Pick<Analysis, 'method'>, inputs: readonly InputIndices[]): string {
  return mayBeHidden(inputs) && analysis.method !== 'regression'
    ? `${listed(inputs)} cannot be distinguished from chance`
    : `${listed(inputs)} ${haveOf(inputs)} no visible ${linearOf(analysis)}effect`;
}

/** A part of a sentence: "A and B have little effect on Y". */
function littleText(analysis: Analysis, inputs: readonly InputIndices[], on = ''): string {
  return `${listed(inputs)} ${haveOf(inputs)} little ${linearOf(analysis)}effect${on}`;
}

/** The word "linear " before an effect of a regression, which knows no other effects. */
export function linearOf({ method }: Pick<Analysis, 'method'>): string {
  return method === 'regression' ? 'linear ' : '';
}

/**
 * A part of a sentence: "No input has a visible effect on Y", "The effects of A on Y cannot be distinguished from chance".
 *
 * @param inputs - the inputs without a visible effect; `all` if there are no others
 */
export function noEffectText(
  analysis: Pick<Analysis, 'method' | 'output'>,
  inputs: readonly InputIndices[] | 'all',
  isTested: boolean,
): string {
  const { method, output } = analysis;
  const isAll = inputs === 'all';
  if (isTested && method !== 'regression')
    return `The effects of ${isAll ? 'all inputs' : listed(inputs)} on ${output} cannot be distinguished from chance`;
  const none = isAll ? 'No input has a' : `${listed(inputs)} ${haveOf(inputs)} no`;
  return `${none} visible ${linearOf(analysis)}effect on ${output}`;
}

/** One sentence: which inputs matter for the output, how sure that is, and which inputs have little or no effect. */
export function analysisSentence(given: Analysis): string {
  const analysis = withAdjustedP(given);
  const { output, method, indices = [] } = analysis;
  const { matter, little, nothing, unknown } = divided(analysis);
  if (unknown.length === indices.length) return unknownSentence(analysis);
  const rest = unknown.length > 0 ? `; ${unknownText(unknown)}` : '';
  if (matter.length === 0 && little.length === 0)
    return `${noEffectText(analysis, unknown.length > 0 ? nothing : 'all', mayBeHidden(nothing))}${rest}.`;
  const none = nothing.length > 0 ? [nothingText(analysis, nothing)] : [];
  // none matters, because the input with the largest estimate has no visible effect: its estimate is too uncertain
  if (matter.length === 0)
    return `${[littleText(analysis, little, ` on ${output}`), ...none].join('; ')}${rest}.`;
  const haveShares =
    matter.length === indices.length &&
    indices.length > 1 &&
    areShares(method) &&
    !analysis.hasUnknownChance &&
    indices.every((one) => one.total !== undefined && isKnown(ownShare(method, one)));
  const most = haveShares ? allText(analysis, matter) : matterText(analysis, matter);
  const less = little.length > 0 ? [littleText(analysis, little)] : [];
  return `${[most, ...less, ...none].join('; ')}${rest}.`;
}

/** The sentence if nothing can be said about the effects, with the reason if it is known. */
function unknownSentence(analysis: Analysis): string {
  const { output, method, unknown, indices = [] } = analysis;
  const isModel = method === 'gaussian-process' && indices.length > 0;
  const why = isModel ? 'the points of the search are too few to tell' : unknown;
  return `It is unknown which inputs matter for ${output}${why === undefined ? '' : `, because ${why}`}.`;
}

/** "the effects of Days and Rule are unknown". */
export function unknownText(inputs: readonly InputIndices[]): string {
  return inputs.length > 1
    ? `the effects of ${listed(inputs)} are unknown`
    : `the effect of ${listed(inputs)} is unknown`;
}

/**
 * The sentence if all inputs matter. Together they explain the whole variance, so the sentence gives the share of each.
 */
function allText({ output, method }: Analysis, matter: readonly InputIndices[]): string {
  const parts = matter.map((one) => `${one.input} takes part in ${shareText(ownShare(method, one))}`);
  return `All inputs matter for ${output}: ${parts.join(', ')} of its variance`;
}

/** The share in which an input takes part. */
function ownShare(method: Analysis['method'], one: InputIndices): Share {
  return { value: sizeOf(method, one), interval: one.totalInterval };
}

function matterText(analysis: Analysis, matter: readonly InputIndices[]): string {
  const { output, method } = analysis;
  const [top] = matter as [InputIndices];
  const names = listed(matter);
  const many = matter.length > 1;
  switch (method) {
    case 'sobol':
    case 'gaussian-process':
    case 'factorial': {
      const share = jointShare(analysis, matter);
      return share
        ? explainText(analysis, matter, share)
        : `${names} ${many ? 'change' : 'changes'} ${output}, but it is uncertain by how much`;
    }
    case 'regression':
      return linearText(analysis, matter);
    case 'morris':
      return `${names} ${many ? 'change' : 'changes'} ${output} most; over the range of ${top.input}, ${output} changes by ${rangeText(top.muStar!, top.muStarInterval)} on average`;
    case 'one-at-a-time': {
      const values =
        top.lowAt === undefined
          ? 'the lowest to the highest value'
          : `${inputText(top.lowAt)} to ${inputText(top.highAt!)}`;
      return `${names} ${many ? 'change' : 'changes'} ${output} most; from ${values} of ${top.input}, ${output} changes by ${rangeText(top.effect!, top.effectInterval)}`;
    }
  }
}

/**
 * "A and B explain 80 % of the variance of Y as a linear function". Inputs that depend on each other have no share of their
 * own. Then the sentence has the share of all inputs together, if it is known.
 */
function linearText(analysis: Analysis, matter: readonly InputIndices[]): string {
  const { output, adjustedR2 = 0, adjustedR2Interval } = analysis;
  const [names, many] = [listed(matter), matter.length > 1];
  const share = jointShare(analysis, matter);
  if (share) return `${explainText(analysis, matter, share)} as a linear function`;
  const ofAll = { value: adjustedR2, interval: adjustedR2Interval };
  const all =
    isMostlyChance(analysis) || !adjustedR2Interval || !isKnown(ofAll)
      ? ''
      : ` (all inputs together explain ${shareText(ofAll)} of its variance)`;
  return `${names} ${many ? 'matter' : 'matters'} for ${output} as a linear function${all}`;
}

function explainText({ output }: Analysis, matter: readonly InputIndices[], share: Share): string {
  return `${listed(matter)} ${matter.length > 1 ? 'explain' : 'explains'} ${shareText(share)} of the variance of ${output}`;
}

function shareText({ value, interval, isLeast }: Share): string {
  const text = `${isLeast ? 'at least ' : ''}${percentText(bounded(value))}`;
  const [low, high] = (interval ?? [value, value]).map((end) => Math.round(100 * bounded(end)));
  return low === high ? text : `${text} (${low}–${high} %)`;
}

/** The verb "has" or "have" after a list of inputs. */
export function haveOf(inputs: readonly unknown[]): string {
  return inputs.length > 1 ? 'have' : 'has';
}

export function percentText(share: number): string {
  return `${Math.round(100 * share)} %`;
}

/** A value with its interval, all with the digits that the interval allows: "3.20 (2.92 to 3.48)". */
function rangeText(value: number, interval: Interval | undefined): string {
  if (!interval) return numberText(value);
  const text = textIn(value, interval);
  return `${text(value)} (${text(interval[0])} to ${text(interval[1])})`;
}

/** The names of inputs as a list: "Contact rate, Days and Rule". */
export function listed(inputs: readonly { input: string }[], last: 'and' | 'or' = 'and'): string {
  const all = inputs.map(({ input }) => input);
  const names =
    all.length > MOST_NAMED
      ? [...all.slice(0, MOST_NAMED - 1), `${all.length - MOST_NAMED + 1} others`]
      : all;
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1)}`;
}
