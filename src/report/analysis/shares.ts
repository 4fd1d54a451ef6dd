import type { Analysis, InputIndices, Interval } from '../../sensitivity/analysis.ts';
import { MOST_CHANCE } from '../../sensitivity/chance.ts';
import { sumOf } from '../../statistics/sample.ts';
import { areShares } from './claims.ts';

/** A share of the variance. It has no interval if nothing about it is uncertain. */
export interface Share {
  value: number;
  interval?: Interval | undefined;
  /** Whether chance of an unknown size may be a part of the share of other inputs. */
  isLeast?: boolean;
}

/** The widest interval of a share that a sentence states. A wider one says little more than that it is a share. */
const WIDEST = 0.75;

/**
 * Whether the interval of a share says something. An estimate below 0 or above 1 errs by at least its distance from
 * there, and may err as much in the other direction.
 */
export function isKnown({ value, interval }: Share): boolean {
  const [low, high] = (interval ?? [value, value]).map(bounded) as [number, number];
  return high - low + 2 * Math.abs(value - bounded(value)) <= WIDEST;
}

/** A share from 0 to 1: an estimate may be beyond these ends by chance. */
export function bounded(share: number): number {
  return Math.min(1, Math.max(0, share));
}

/**
 * The share of the variance that inputs explain together.
 *
 * - A regression divides the variance only between inputs that vary independently.
 * - A factorial with chance adds the main effects of the inputs and the interactions of each pair of them. It estimates
 *   these parts independently of each other, so the squares of the distances to their limits are added.
 * - Otherwise it is a lower bound: 1 minus the sum of the total indices of the other inputs. If these include chance, it
 *   is the sum of the indices of the inputs alone.
 *
 * @returns undefined if the method has no shares, if nobody can divide the variance, and if too little is known of the
 * share
 */
export function jointShare(analysis: Analysis, matter: readonly InputIndices[]): Share | undefined {
  const share = shareOf(analysis, matter);
  return share && isKnown(share) ? share : undefined;
}

function shareOf(analysis: Analysis, matter: readonly InputIndices[]): Share | undefined {
  if (isMostlyChance(analysis)) return undefined;
  if (analysis.method === 'regression') return linearShare(analysis, matter);
  if (!areShares(analysis.method)) return undefined;
  if (matter.every(({ first, total }) => first === undefined && total === undefined)) return undefined;
  const names = namesOf(matter);
  const others = (analysis.indices ?? []).filter(({ input }) => !names.has(input));
  const parts = ownParts(analysis, matter);
  if (analysis.method === 'factorial' && parts.some(([, interval]) => interval))
    return factorialShare(analysis, parts, matter, others);
  const own = together(parts, sumOf);
  if (includesChance(analysis)) return { ...own, isLeast: true };
  const isAll = others.length === 0;
  const haveTotals = (isAll ? matter : others).every(({ total }) => total !== undefined);
  if (!haveTotals || (isAll && analysis.hasUnknownChance)) return own;
  // all inputs together explain everything, which says nothing about any of them
  if (isAll && matter.length > 1) return undefined;
  const value = 1 - sumOf(others.map(({ total }) => total!));
  if (!others.some(({ totalInterval }) => totalInterval)) return { value: Math.max(value, own.value) };
  const endOf = (end: 0 | 1): number =>
    1 - sumOf(others.map(({ total, totalInterval }) => totalInterval?.[end] ?? total!));
  return { value, interval: [endOf(1), endOf(0)] };
}

/**
 * Whether nearly all variance is chance, so that nothing can be said about shares of the rest. Estimators leave out the
 * shares themselves; R² is still there.
 */
export function isMostlyChance({ chance }: Pick<Analysis, 'chance'>): boolean {
  return (chance?.ofMeans ?? 0) > MOST_CHANCE;
}

/** Whether the indices by which inputs are divided (total Sobol' indices) include chance with an unknown share. */
function includesChance({ method, hasUnknownChance }: Analysis): boolean {
  return method === 'sobol' && hasUnknownChance === true;
}

/** The shares of the inputs alone, and the interactions of each pair of them. */
function ownParts({ secondOrder = [] }: Analysis, matter: readonly InputIndices[]): Part[] {
  const names = namesOf(matter);
  return [
    ...matter.map(({ first = 0, firstInterval }): Part => [first, firstInterval]),
    ...secondOrder
      .filter(({ inputs, aliases }) => !aliases && inputs.every((one) => names.has(one)))
      .map(({ value = 0, interval }): Part => [value, interval]),
  ];
}

/**
 * The joint share of inputs of a factorial with chance. It is also at least 1 minus the sum of the total indices of the
 * other inputs. Nobody knows the part of three and more inputs in the interactions of so many inputs, so these only add to
 * the upper end.
 */
function factorialShare(
  { higherOrder = 0, higherOrderInterval }: Analysis,
  own: Part[],
  matter: readonly InputIndices[],
  others: readonly InputIndices[],
): Share {
  const { value, interval } = together(own, hypotOf);
  const withHigherOrder =
    matter.length > 2
      ? together([...own, [Math.max(0, higherOrder), higherOrderInterval]], hypotOf)
      : { interval };
  const ofOthers = sumOf(others.map(({ totalInterval }) => totalInterval?.[1] ?? 1));
  const least = others.length > 0 ? 1 - ofOthers : 0;
  return { value, interval: [Math.max(interval![0], Math.min(value, least)), withHigherOrder.interval![1]] };
}

type Part = readonly [value: number, interval: Interval | undefined];

/**
 * The sum of shares, and its interval if they have intervals.
 *
 * @param added - adds the distances of the shares to their limits
 */
function together(parts: readonly Part[], added: (sizes: readonly number[]) => number): Share {
  const value = sumOf(parts.map(([own]) => own));
  if (!parts.some(([, interval]) => interval)) return { value };
  const distance = (end: 0 | 1): number =>
    added(parts.map(([own, interval]) => Math.abs(own - (interval?.[end] ?? own))));
  return { value, interval: [value - distance(0), value + distance(1)] };
}

/** The joint share of inputs that vary independently: the sum of their shares, or the share of all without the others. */
function linearShare(analysis: Analysis, matter: readonly InputIndices[]): Share | undefined {
  const { indices = [], adjustedR2, adjustedR2Interval } = analysis;
  const partOf = ({ share, shareInterval }: InputIndices): Part => [share!, shareInterval];
  const names = namesOf(matter);
  const own = matter.filter(({ share }) => share !== undefined);
  if (adjustedR2 === undefined || own.length < matter.length) return undefined;
  const sum = together(own.map(partOf), sumOf);
  if (!sum.interval || !adjustedR2Interval) return undefined;
  const others = indices.filter(({ input, share }) => !names.has(input) && share !== undefined);
  const rest = together(others.map(partOf), sumOf);
  const [low, high] = rest.interval ?? [rest.value, rest.value];
  return {
    value: sum.value,
    interval: [
      Math.max(sum.interval[0], Math.min(sum.value, adjustedR2Interval[0] - high)),
      Math.min(sum.interval[1], Math.max(sum.value, adjustedR2Interval[1] - low)),
    ],
  };
}

function namesOf(inputs: readonly InputIndices[]): Set<string> {
  return new Set(inputs.map(({ input }) => input));
}

function hypotOf(numbers: readonly number[]): number {
  return Math.hypot(...numbers);
}
