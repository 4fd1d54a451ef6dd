import type { Analysis, InputIndices, Interval, Method } from '../../sensitivity/analysis.ts';
import { numberText } from '../words/words.ts';

/** The index by which each method measures how much an input matters. */
const SIZES: Record<Method, (one: InputIndices) => number | undefined> = {
  sobol: ({ total }) => total,
  morris: ({ muStar }) => muStar,
  regression: ({ src }) => src,
  factorial: ({ total, first }) => total ?? first,
  'one-at-a-time': ({ effect }) => effect,
  'gaussian-process': ({ total }) => total,
};

const INTERVALS: Record<Method, (one: InputIndices) => Interval | undefined> = {
  sobol: ({ totalInterval }) => totalInterval,
  morris: ({ muStarInterval }) => muStarInterval,
  regression: ({ srcInterval }) => srcInterval,
  factorial: () => undefined,
  'one-at-a-time': ({ effectInterval }) => effectInterval,
  'gaussian-process': ({ totalInterval }) => totalInterval,
};

/**
 * The methods whose indices are shares of the variance. The indices of other methods are effects, and the squares of
 * effects are comparable with shares.
 */
const SHARES: readonly Method[] = ['sobol', 'factorial', 'gaussian-process'];

/** An input has little effect if its share is at most this part of the largest share. */
const LITTLE = 0.05;
/** An input has no visible effect if its index is at most this part of the largest index. */
const NOTHING = 0.01;
/** The maximum number of inputs that a sentence names. */
const MOST_NAMED = 8;

/** How much an input matters; 0 if it is unknown. An estimate of a share may be below 0 by chance, and then counts as 0. */
export function sizeOf(method: Method, one: InputIndices): number {
  const size = SIZES[method](one) ?? 0;
  return SHARES.includes(method) ? Math.max(0, size) : Math.abs(size);
}

/** Sorts the inputs, the most important first. */
export function ranked({ method, indices = [] }: Pick<Analysis, 'method' | 'indices'>): InputIndices[] {
  return indices.toSorted((a, b) => sizeOf(method, b) - sizeOf(method, a));
}

/** How much an input matters. */
type Kind = 'matter' | 'little' | 'nothing' | 'unknown';

/** The part of an analysis that is needed to divide the inputs. */
type Indexed = Pick<Analysis, 'method' | 'indices' | 'secondOrder' | 'confidence' | 'hasUnknownChance'>;

/**
 * Divides the inputs into inputs that matter, inputs with little effect, inputs without a visible effect, and inputs
 * whose effect is unknown, because the method has no number for them. An effect is not visible if it is very small
 * (`NOTHING`) or if its interval contains 0. A share of the variance must be above 0. In a factorial design, tests replace the interval: an effect is not
 * visible if the input or its interactions have tests and none of the tests is significant. Total indices may include
 * chance whose share is unknown. Then an effect is visible if the input has an effect alone, or if its total index is
 * certainly above the smallest total index, because chance is in each of them.
 */
export function divided(analysis: Indexed): Record<Kind, InputIndices[]> {
  const { method } = analysis;
  const all = ranked(analysis);
  const largest = all.length > 0 ? sizeOf(method, all[0]!) : 0;
  const kindOf = (one: InputIndices): Kind => {
    if (SIZES[method](one) === undefined) return 'unknown';
    const size = sizeOf(method, one);
    const part = SHARES.includes(method) ? size / largest : (size / largest) ** 2;
    if (!(size > NOTHING * largest) || !isVisible(analysis, one)) return 'nothing';
    return part > LITTLE ? 'matter' : 'little';
  };
  const of = (kind: Kind): InputIndices[] => all.filter((one) => kindOf(one) === kind);
  return { matter: of('matter'), little: of('little'), nothing: of('nothing'), unknown: of('unknown') };
}

function isVisible(analysis: Indexed, one: InputIndices): boolean {
  const { method, indices = [], secondOrder = [], confidence } = analysis;
  if (includesChance(analysis)) {
    const least = Math.min(...indices.map(({ total, totalInterval }) => totalInterval?.[1] ?? total!));
    return (one.firstInterval?.[0] ?? one.first!) > 0 || (one.totalInterval?.[0] ?? one.total!) > least;
  }
  if (method !== 'factorial') {
    const interval = INTERVALS[method](one);
    return !interval || interval[0] > 0 || (interval[1] < 0 && !SHARES.includes(method));
  }
  // the effect alone does not decide: an input with a third value may matter although the output is equal at both ends,
  // and an input that interacts may matter although its means are equal
  const own = secondOrder.filter(({ inputs, aliases }) => !aliases && inputs.includes(one.input));
  const tests = [one, ...own].flatMap(({ p }) => p ?? []);
  return tests.length === 0 || tests.some((p) => p < 1 - confidence);
}

/** Whether the indices by which inputs are divided (total Sobol' indices) include chance with an unknown share. */
function includesChance({
  method,
  hasUnknownChance,
}: Pick<Analysis, 'method' | 'hasUnknownChance'>): boolean {
  return method === 'sobol' && hasUnknownChance === true;
}

/** A part of a sentence: "A and B have no visible effect". */
export function nothingText(
  analysis: Pick<Analysis, 'method' | 'hasUnknownChance'>,
  inputs: readonly { input: string }[],
): string {
  return includesChance(analysis)
    ? `${listed(inputs)} cannot be distinguished from chance`
    : `${listed(inputs)} ${haveOf(inputs)} no visible effect`;
}

/** One sentence: which inputs matter for the output, how sure that is, and which inputs have little or no effect. */
export function analysisSentence(analysis: Analysis): string {
  const { output, indices = [] } = analysis;
  if (indices.length === 0) return `It is unknown which inputs matter for ${output}.`;
  const { matter, little, nothing, unknown } = divided(analysis);
  if (unknown.length === indices.length) return `It is unknown which inputs matter for ${output}.`;
  const isAll =
    matter.length === indices.length &&
    indices.length > 1 &&
    SHARES.includes(analysis.method) &&
    !analysis.hasUnknownChance &&
    indices.every(({ total }) => total !== undefined);
  const rest = unknown.length > 0 ? `; ${unknownText(unknown)}` : '';
  if (matter.length === 0) {
    if (little.length === 0) {
      if (includesChance(analysis))
        return `The effects of all inputs on ${output} cannot be distinguished from chance.`;
      const none = unknown.length > 0 ? `${listed(nothing)} ${haveOf(nothing)} no` : 'No input has a';
      return `${none} visible effect on ${output}${rest}.`;
    }
    // the largest estimate is so uncertain that its input has no visible effect
    return `${listed(little)} ${haveOf(little)} little effect on ${output}; ${nothingText(analysis, nothing)}${rest}.`;
  }
  const others = [
    ...(little.length > 0 ? [`${listed(little)} ${haveOf(little)} little effect`] : []),
    ...(nothing.length > 0 ? [nothingText(analysis, nothing)] : []),
  ];
  return `${[isAll ? allText(analysis, matter) : matterText(analysis, matter), ...others].join('; ')}${rest}.`;
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
  const parts = matter.map((one) => {
    const share = shareText(sizeOf(method, one), method === 'factorial' ? undefined : one.totalInterval);
    return `${one.input} takes part in ${share}`;
  });
  return `All inputs matter for ${output}: ${parts.join(', ')} of its variance`;
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
      return `${names} ${many ? 'explain' : 'explains'} ${share} of the variance of ${output}`;
    }
    case 'regression':
      return `${names} ${many ? 'explain' : 'explains'} ${percentText(analysis.r2!)} of the variance of ${output} as a linear function`;
    case 'morris':
      return `${names} ${many ? 'change' : 'changes'} ${output} most; over the range of ${top.input}, ${output} changes by ${rangeText(top.muStar!, top.muStarInterval)} on average`;
    case 'one-at-a-time': {
      const values =
        top.lowAt === undefined ? 'the lowest to the highest value' : `${top.lowAt} to ${top.highAt}`;
      return `${names} ${many ? 'change' : 'changes'} ${output} most; from ${values} of ${top.input}, ${output} changes by ${rangeText(top.effect!, top.effectInterval)}`;
    }
  }
}

/**
 * A lower bound for the joint share of the variance of some inputs: 1 minus the sum of the total indices of the other
 * inputs. If those indices have no intervals, the share is at least the sum of the main effects and the interactions of
 * the inputs. If those indices are unknown or include chance, the share is this sum. It is also this sum if there are no
 * other inputs, because chance or unknown interactions may be a part of the variance.
 */
function jointShare(analysis: Analysis, matter: readonly InputIndices[]): string {
  const { indices = [], secondOrder = [] } = analysis;
  const names = new Set(matter.map(({ input }) => input));
  const rest = indices.filter(({ input }) => !names.has(input));
  if (includesChance(analysis)) return `at least ${shareText(ownShare(), undefined)}`;
  const totals = rest.map(({ total }) => total);
  const isSure = !analysis.hasUnknownChance && matter.every(({ total }) => total !== undefined);
  if ((rest.length > 0 || isSure) && totals.every((one) => one !== undefined)) {
    const value = 1 - totals.reduce((sum, one) => sum + one, 0);
    const low =
      1 - rest.reduce((sum, { total = 0, totalInterval }) => sum + (totalInterval?.[1] ?? total), 0);
    const high =
      1 - rest.reduce((sum, { total = 0, totalInterval }) => sum + (totalInterval?.[0] ?? total), 0);
    if (rest.some(({ totalInterval }) => totalInterval)) return shareText(value, [low, high]);
    return shareText(Math.max(value, ownShare()), undefined);
  }
  return shareText(ownShare(), undefined);

  /** The main effects of the inputs plus the interactions of each pair of these inputs. */
  function ownShare(): number {
    const pairs = secondOrder.filter(
      ({ inputs, aliases }) => !aliases && inputs.every((one) => names.has(one)),
    );
    return (
      matter.reduce((sum, { first = 0 }) => sum + first, 0) + pairs.reduce((sum, pair) => sum + pair.value, 0)
    );
  }
}

function shareText(value: number, interval: Interval | undefined): string {
  const bounded = (one: number): number => Math.min(1, Math.max(0, one));
  if (!interval) return percentText(bounded(value));
  const [low, high] = interval.map((end) => Math.round(100 * bounded(end)));
  const text = percentText(bounded(value));
  return low === high ? text : `${text} (${low}–${high} %)`;
}

/** The verb "has" or "have" after a list of inputs. */
export function haveOf(inputs: readonly unknown[]): string {
  return inputs.length > 1 ? 'have' : 'has';
}

export function percentText(share: number): string {
  return `${Math.round(100 * share)} %`;
}

/** A value with its interval: "3.2 (2.9 to 3.5)". */
export function rangeText(value: number, interval: Interval | undefined): string {
  const ends = interval && ` (${numberText(interval[0])} to ${numberText(interval[1])})`;
  return `${numberText(value)}${ends ?? ''}`;
}

/** The names of inputs as a list: "Contact rate, Days and Rule". */
export function listed(inputs: readonly { input: string }[]): string {
  const all = inputs.map(({ input }) => input);
  const names =
    all.length > MOST_NAMED
      ? [...all.slice(0, MOST_NAMED - 1), `${all.length - MOST_NAMED + 1} others`]
      : all;
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
