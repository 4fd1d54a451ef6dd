import type {
  Analysis,
  InputIndices,
  Interval,
  Method,
  PairIndices,
  TimeIndices,
} from '../../sensitivity/analysis.ts';
import { holm } from '../../statistics/holm.ts';

/** What the indices of a method show, and what they cannot show. docs/guides/sensitivity.md has the same table. */
export interface Scope {
  shows: string;
  /** How the method tells an effect from chance. */
  test: string;
  cannot: string;
}

export const SCOPES: Record<Method, Scope> = {
  morris: {
    shows: 'the mean size of the effect of each input over the levels of the other inputs',
    test: 'pairs of points that differ in one input, with exchanged replications, or by replication with common random numbers; none with one run per point',
    cannot: 'shares of the variance; which inputs interact',
  },
  sobol: {
    shows: 'the share of the variance of each input, alone and with all others, for any function',
    test: 'pairs of points that differ in one input, with exchanged replications, or by replication with common random numbers; with one run per point only the effect of an input alone',
    cannot: 'the direction of an effect; with one run per point, interactions apart from chance',
  },
  regression: {
    shows: 'the linear effect of each input',
    test: 'the coefficient is 0 (t test and jackknife, with common random numbers also over the replications), also with one run per point',
    cannot: 'effects that rise and fall; interactions; inputs whose values are texts',
  },
  factorial: {
    shows: 'main effects and interactions of two inputs between the values of the design',
    test: 'F test against replications, or by replication with common random numbers; with one run per point against interactions of three and more inputs',
    cannot: 'anything between the values; effects that a fraction cannot distinguish',
  },
  'one-at-a-time': {
    shows: 'the effect of each input with the others unchanged',
    test: 't test of the replications for each pair of values; none with one run per point',
    cannot: 'interactions; effects at other values of the other inputs',
  },
  'gaussian-process': {
    shows: 'the shares of the variance of a model that was fitted to the points of a search',
    test: 'the model fits better than a model without the input (likelihood ratio), if it predicts at least half of the variance of points outside the fit',
    cannot:
      'that an input has no effect; what the model misses, which is most where the search has few points',
  },
};

/** The index by which each method measures how much an input matters, and its interval. */
const SIZES: Record<Method, (one: InputIndices) => Sized> = {
  sobol: ({ total, totalInterval }) => [total, totalInterval],
  morris: ({ muStar, muStarInterval }) => [muStar, muStarInterval],
  regression: ({ src, srcInterval }) => [src, srcInterval],
  factorial: ({ first, firstInterval, total = first, totalInterval = firstInterval }) => [
    total,
    totalInterval,
  ],
  'one-at-a-time': ({ effect, effectInterval }) => [effect, effectInterval],
  'gaussian-process': ({ total, totalInterval }) => [total, totalInterval],
};

type Sized = readonly [size: number | undefined, interval: Interval | undefined];

/**
 * The methods whose indices are shares of the variance. The indices of other methods are effects, and the squares of
 * effects are comparable with shares.
 */
const SHARES: readonly Method[] = ['sobol', 'factorial', 'gaussian-process'];

/**
 * An input has little effect if its share is at most this part of the largest share, and if even the upper end of its
 * interval is at most twice as large. Then its effect is surely less than a third of the largest effect, because shares
 * are squares of effects. An input whose interval reaches further is not said to have little effect.
 */
const LITTLE = { size: 0.05, high: 0.1 };
/** An index that is at most this part of the largest index is a rounding error. */
const ROUNDING = 1e-9;

/**
 * Tests are approximations, so they use this part of the allowed probability of a false claim: with a confidence of 0.95,
 * 0.03 instead of 0.05. Then even the most frequent false claim of a design stays below 0.05 in 500 drawn campaigns
 * (`npm run bench -- truth --only noise`), and effects of twice the detectable size are still found in 96 of 100.
 */
const CAREFUL = 0.6;

/** Whether the indices of a method are shares of the variance. */
export function areShares(method: Method): boolean {
  return SHARES.includes(method);
}

/** How much an input matters; 0 if it is unknown. An estimate of a share may be below 0 by chance, and then counts as 0. */
export function sizeOf(method: Method, one: InputIndices): number {
  const [size = 0] = SIZES[method](one);
  return areShares(method) ? Math.max(0, size) : Math.abs(size);
}

/** Sorts the inputs, the most important first. */
export function ranked({ method, indices = [] }: Pick<Analysis, 'method' | 'indices'>): InputIndices[] {
  return indices.toSorted((a, b) => sizeOf(method, b) - sizeOf(method, a) || (a.p ?? 1) - (b.p ?? 1));
}

/** What is said of an input. */
type Kind = 'matter' | 'little' | 'nothing' | 'unknown';

/** The part of an analysis that is needed to divide the inputs. */
export type Indexed = Pick<
  Analysis,
  'method' | 'indices' | 'secondOrder' | 'confidence' | 'hasUnknownChance' | 'r2' | 'chance'
>;

/**
 * Allows for the number of tests: replaces the p-values of all inputs and pairs of a sentence by Holm's adjusted values.
 * Pairs that cannot be distinguished from other effects do not count.
 */
export function allowingForTests<T extends Pick<TimeIndices, 'indices' | 'secondOrder'>>(
  parts: readonly T[],
): T[] {
  const adjusted = holm(
    parts.flatMap(({ indices, secondOrder = [] }) => [
      ...indices.flatMap(({ p }) => p ?? []),
      ...secondOrder.flatMap((pair) => (isDistinct(pair) ? (pair.p ?? []) : [])),
    ]),
  ).values();
  // the adjusted values are taken in the order in which the p-values were given
  const next = (): number => adjusted.next().value!;
  return parts.map((part) => ({
    ...part,
    indices: part.indices.map((one) => (one.p === undefined ? one : { ...one, p: next() })),
    ...(part.secondOrder && {
      secondOrder: part.secondOrder.map((pair) =>
        pair.p === undefined || !isDistinct(pair) ? pair : { ...pair, p: next() },
      ),
    }),
  }));
}

/** {@link allowingForTests} for an analysis of one column of values. */
export function withAdjustedP(analysis: Analysis): Analysis {
  const { indices = [], secondOrder } = analysis;
  return { ...analysis, ...allowingForTests([{ indices, ...(secondOrder && { secondOrder }) }])[0]! };
}

/** Whether the interaction of a pair can be distinguished from other effects. */
function isDistinct({ aliases }: PairIndices): boolean {
  return !aliases;
}

/**
 * Divides the inputs into inputs that matter, inputs with little effect, inputs whose effect is not visible or cannot be
 * told from chance, and inputs whose effect is unknown, because the method has no number or no test for them. If an
 * input has tests, they decide: its own or one of its interactions must be significant. Without chance, every effect is
 * visible: a change of the output at one pair of points shows it, although the interval of its share may begin at 0. A
 * search shows only what matters: its points are few, and lie where values are good, so an effect that is not visible is
 * unknown.
 *
 * @param analysis - with p-values that allow for the number of tests
 */
export function divided(analysis: Indexed): Record<Kind, InputIndices[]> {
  const { method } = analysis;
  const all = ranked(analysis);
  const largest = all.length > 0 ? sizeOf(method, all[0]!) : 0;
  const visible = new Map(all.map((one) => [one, isVisible(analysis, one, largest)]));
  // the size of an effect that cannot be told from chance is chance
  const sizes = all.filter((one) => visible.get(one) !== false).map((one) => sizeOf(method, one));
  const largestEffect = Math.max(0, ...sizes);
  const partOf = (size: number): number =>
    areShares(method) ? size / largestEffect : (size / largestEffect) ** 2;
  const kindOf = (one: InputIndices): Kind => {
    const isSeen = visible.get(one);
    if (isSeen === undefined) return 'unknown';
    if (!isSeen) return 'nothing';
    // chance may hide the sizes of all effects
    if (largestEffect === 0) return 'matter';
    const { size, high } = withInteractions(analysis, one);
    return partOf(size) <= LITTLE.size && partOf(high) <= LITTLE.high ? 'little' : 'matter';
  };
  const kinds = all.map(kindOf);
  const of = (kind: Kind): InputIndices[] => all.filter((_, at) => kinds[at] === kind);
  return { matter: of('matter'), little: of('little'), nothing: of('nothing'), unknown: of('unknown') };
}

/** A size with the ends of its interval. */
interface Extent {
  size: number;
  low: number;
  high: number;
}

/** How much an input matters, by the index of the method. The interval has one point if it is unknown. */
function extentOf(method: Method, one: InputIndices): Extent {
  const size = sizeOf(method, one);
  const [, [start, end] = [size, size]] = SIZES[method](one);
  // an interval that reaches far below 0 shows how uncertain a share is
  if (areShares(method)) return { size, low: start, high: Math.max(end, -start) };
  const low = start <= 0 && end >= 0 ? 0 : Math.min(Math.abs(start), Math.abs(end));
  return { size, low, high: Math.max(Math.abs(start), Math.abs(end)) };
}

/**
 * How much an input matters. For a factorial without total indices, this includes the interactions of the input. An
 * interaction that cannot be distinguished from others may belong to the input, so it counts at the upper end.
 */
function withInteractions({ method, secondOrder = [] }: Indexed, one: InputIndices): Extent {
  const own = extentOf(method, one);
  if (method !== 'factorial' || one.total !== undefined) return own;
  const pairs = secondOrder.filter(({ inputs }) => inputs.includes(one.input));
  return pairs.reduce(({ size, low, high }, pair) => {
    const value = Math.max(0, pair.value ?? 0);
    return {
      size: size + (isDistinct(pair) ? value : 0),
      low,
      high: high + Math.max(value, pair.interval?.[1] ?? 0),
    };
  }, own);
}

/** The inputs that may matter most: their intervals overlap with that of the largest effect. */
export function leading(
  { method }: Pick<Analysis, 'method'>,
  matter: readonly InputIndices[],
): InputIndices[] {
  const [top] = matter;
  if (!top) return [];
  const { low } = extentOf(method, top);
  return matter.filter((one) => one === top || extentOf(method, one).high >= low);
}

/** Whether an effect is visible; undefined if it is unknown. */
function isVisible(analysis: Indexed, one: InputIndices, largest: number): boolean | undefined {
  const { method, secondOrder = [], confidence, hasUnknownChance, chance } = analysis;
  // the effect alone does not decide: an input that interacts may matter although its means are equal
  const pairs = secondOrder.filter((pair) => pair.inputs.includes(one.input));
  const tests = [one, ...pairs.filter(isDistinct)].flatMap(({ p }) => p ?? []);
  if (tests.some((p) => isSignificant(p, confidence))) return true;
  if (method === 'gaussian-process') return undefined;
  // an interaction that cannot be distinguished from others may belong to the input
  const mayInteract = pairs.some((pair) => !isDistinct(pair) && isVisiblePair(pair, analysis));
  const unseen = mayInteract ? undefined : false;
  if (tests.length > 0) return unseen;
  if (SIZES[method](one)[0] === undefined || method === 'regression') return undefined;
  // chance is possible, but nothing tells it from an effect
  if (hasUnknownChance || (chance && (chance.ofRuns > 0 || chance.mayBeHidden))) return undefined;
  return sizeOf(method, one) > ROUNDING * largest ? true : unseen;
}

/** @param p - a p-value that allows for the number of tests */
function isSignificant(p: number, confidence: number): boolean {
  return p < CAREFUL * (1 - confidence);
}

/** Whether inputs without a visible effect had a test, so that chance may hide an effect. */
export function mayBeHidden(inputs: readonly InputIndices[]): boolean {
  return inputs.some(({ p }) => p !== undefined);
}

/**
 * Whether the interaction of a pair differs from 0. An interaction that has neither a test nor an interval counts as
 * different, unless chance is unknown.
 *
 * @param pair - with a p-value that allows for the number of tests
 */
export function isVisiblePair(
  { p, value = 0, interval }: PairIndices,
  { confidence, hasUnknownChance }: Pick<Analysis, 'confidence' | 'hasUnknownChance'>,
): boolean {
  if (p !== undefined) return isSignificant(p, confidence);
  if (!interval) return !hasUnknownChance && Math.abs(value) > ROUNDING;
  return interval[0] > 0 || interval[1] < 0;
}
