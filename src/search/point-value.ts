import { difference } from '../campaign/expressions/index.ts';
import { type Measure, measureOf } from '../campaign/measures.ts';
import type { PointValue } from '../campaign/search/log.ts';
import type { Requirement } from '../campaign/search/search.ts';
import type { CampaignBy } from '../campaign/types.ts';
import { quantile } from '../statistics/quantile.ts';
import { areEqual, chanceVariance, spreadOf } from '../statistics/chance.ts';
import { halfWidth, meanOf } from '../statistics/sample.ts';
import { shareOf, wilsonInterval } from '../statistics/share.ts';

/** A finished run. `outputs` is empty for a failed run. */
export interface FinishedRun {
  replication: number;
  outputs: Readonly<Record<string, string>>;
}

/** The finished runs of points, by the ordinals of the points. */
export type FinishedPoints = ReadonlyMap<number, readonly FinishedRun[]>;

/** What the runs of a point say about a requirement. */
export interface RequiredValue {
  requirement: Requirement;
  /**
   * The mean, share or quantile of the output. If the requirement has a chance (the least share of runs that must be within
   * its limits): the share of runs that are within the limits. Null without a value.
   */
  value: number | null;
  /** The variance of `value`; null if it is unknown. */
  variance: number | null;
  runs: number;
  isShare: boolean;
  /** The sorted values and the probability of a quantile; undefined for another value. */
  ranked?: { sorted: number[]; probability: number };
}

/** A point with a larger share of failed runs has failed, unless the definition sets another share. */
const MOST_FAILED = 0.5;

/** Reads the value of a point from its runs. */
export class PointReader {
  readonly #goal: Measure;
  readonly #sign: 1 | -1;
  readonly #requirements: { requirement: Requirement; measure: Measure }[];
  readonly #mostFailed: number;

  constructor({
    goal,
    outputs,
    strategy,
    failures,
  }: Pick<CampaignBy<'search' | 'selection'>, 'goal' | 'outputs' | 'strategy' | 'failures'>) {
    this.#goal = measureOf(outputs, goal!.output);
    this.#sign = goal!.wants === 'lowest' ? 1 : -1;
    this.#requirements = strategy.require.map((requirement) => ({
      requirement,
      measure: measureOf(outputs, requirement.output),
    }));
    this.#mostFailed = failures?.rate ?? MOST_FAILED;
  }

  /** Whether the value of a run is 0 or 1, or 0 or -1, and the value of a point is a share. */
  get isShare(): boolean {
    return this.#goal.statistic === 'share';
  }

  /** The minimized value of each run; null for a run without a value. */
  valuesOf(runs: readonly FinishedRun[]): (number | null)[] {
    return runs.map(({ outputs }) => {
      const value = numberOf(this.#goal, outputs);
      return value === null ? null : this.#sign * value;
    });
  }

  /** The value of a point. If too many of its runs have failed, the point has failed. */
  valueOf(runs: readonly FinishedRun[]): PointValue {
    const values = this.valuesOf(runs).filter((value) => value !== null);
    const isFailed = values.length === 0 || 1 - values.length / runs.length > this.#mostFailed;
    if (isFailed) return { value: null, variance: null, runs: runs.length, excess: [] };
    const n = values.length;
    const estimate =
      this.#goal.statistic === 'quantile'
        ? { value: this.#quantileOf(values), variance: null }
        : { value: meanOf(values), variance: varianceOf(values, this.isShare) };
    return {
      ...estimate,
      runs: n,
      ...(n < runs.length && { failed: runs.length - n }),
      excess: this.required(runs).map(excessOf),
    };
  }

  /** What the runs of a point say about each requirement. */
  required(runs: readonly FinishedRun[]): RequiredValue[] {
    return this.#requirements.map(({ requirement, measure }) => {
      const values = runs.flatMap(({ outputs }) => numberOf(measure, outputs) ?? []);
      const { chance } = requirement;
      const isShare = chance !== null || measure.statistic === 'share';
      // with a chance, the share of runs that meet the limits counts
      const numbers = chance === null ? values : values.map((value) => Number(isWithin(requirement, value)));
      const estimate = (): Pick<RequiredValue, 'value' | 'variance' | 'ranked'> => {
        if (values.length === 0) return { value: null, variance: null };
        if (measure.statistic !== 'quantile' || chance !== null)
          return { value: meanOf(numbers), variance: varianceOf(numbers, isShare) };
        const ranked = { sorted: numbers.toSorted((a, b) => a - b), probability: measure.probability! };
        return { value: quantile(ranked.sorted, ranked.probability), variance: null, ranked };
      };
      return { requirement, ...estimate(), runs: values.length, isShare };
    });
  }

  /**
   * Whether a point may meet the requirements, although its runs may miss some: the interval of each missed one reaches
   * the limits. Equal values count as sure.
   */
  mayMeet(runs: readonly FinishedRun[], confidence: number): boolean {
    return this.required(runs).every((one, at) => {
      const { value, variance, isShare, requirement } = one;
      const { min, max, chance } = requirement;
      const { measure } = this.#requirements[at]!;
      if (value === null) return false;
      if (excessOf(one) <= 0) return true;
      const values = runs.flatMap(({ outputs }) => numberOf(measure, outputs) ?? []);
      const n = values.length;
      /** The upper end of the interval of the share of runs within the limits. */
      const mostWithin = (limits: RequiredLimits): number => {
        const mean = meanOf(values.map((each) => Number(isWithin(limits, each))));
        return wilsonInterval(shareOf(mean, n), n, confidence).high;
      };
      if (chance !== null) return mostWithin(requirement) >= chance;
      if (measure.statistic === 'quantile') {
        // the quantile is within a limit if a large enough share of the values is
        const p = measure.probability!;
        return mostWithin({ min: null, max }) >= p && mostWithin({ min, max: null }) >= 1 - p;
      }
      if (!isShare && areEqual(spreadOf(values))) return false;
      if (variance === null) return true;
      const half = halfWidth(n, Math.sqrt(variance * n), confidence);
      const { low, high } = isShare
        ? wilsonInterval(shareOf(value, n), n, confidence)
        : { low: value - half, high: value + half };
      return isWithin({ min, max: null }, high) && isWithin({ min: null, max }, low);
    });
  }

  /** Whether several runs have values, and all values are equal. */
  areEqual(runs: readonly FinishedRun[]): boolean {
    return areEqual(spreadOf(this.valuesOf(runs).filter((value) => value !== null)));
  }

  /**
   * Why a point failed: "f has no finite value in its run", "2 of its 3 runs failed". Null if all runs have a value
   * now, because the failed runs were requested again.
   */
  whyFailed(runs: readonly FinishedRun[]): string | null {
    const failed = runs.filter(({ outputs }) => Object.keys(outputs).length === 0).length;
    const without = this.valuesOf(runs).filter((value) => value === null).length - failed;
    const runsIn = (count: number): string =>
      runs.length === 1 ? 'its run' : `${count} of its ${runs.length} runs`;
    const causes: string[] = [];
    if (failed > 0) causes.push(`${runsIn(failed)} failed`);
    if (without > 0) causes.push(`${this.#goal.name} has no finite value in ${runsIn(without)}`);
    return causes.length > 0 ? causes.join(', and ') : null;
  }

  /** The runs from which a value was computed, with the failed runs among them. The point may have more runs by now. */
  runsOf(runs: readonly FinishedRun[], { value, runs: count }: PointValue): readonly FinishedRun[] {
    // a failed point counts all of its runs, and another point only those with a value
    if (value === null) return runs.slice(0, count);
    const withValue = this.valuesOf(runs).flatMap((own, at) => (own === null ? [] : [at]));
    const last = withValue[count - 1] ?? runs.length - 1;
    return runs.slice(0, last + 1);
  }

  /** Converts a value of the output into the minimized value, or back. */
  signed(value: number): number {
    // a zero has no sign for readers
    return this.#sign * value + 0;
  }

  #quantileOf(values: readonly number[]): number {
    const p = this.#goal.probability!;
    const sorted = values.toSorted((a, b) => a - b);
    return quantile(sorted, this.#sign > 0 ? p : 1 - p);
  }
}

/**
 * The variance of the mean; null if it is unknown. If nearly all values are equal, it allows for rare values that these
 * runs have missed. A rare value of a share differs from the others by 1, so even equal values of a share have a
 * variance. For a mean, this difference is unknown.
 */
function varianceOf(values: readonly number[], isShare: boolean): number | null {
  const variance = chanceVariance(spreadOf(values), isShare ? 1 : null);
  return variance === null ? null : variance / values.length;
}

/** By how much a requirement is missed; at most 0 if it is met. Without any value, the requirement counts as missed. */
function excessOf({ requirement, value }: RequiredValue): number {
  if (value === null) return Number.MAX_VALUE;
  return requirement.chance === null ? beyond(requirement, value) : difference(requirement.chance, value);
}

type RequiredLimits = Pick<Requirement, 'min' | 'max'>;

function isWithin(limits: RequiredLimits, value: number): boolean {
  return beyond(limits, value) <= 0;
}

/** By how much a value lies outside the limits of a requirement; at most 0 if it lies within them. */
function beyond({ min, max }: RequiredLimits, value: number): number {
  return Math.max(
    min === null ? -Infinity : difference(min, value),
    max === null ? -Infinity : difference(value, max),
  );
}

function numberOf({ read }: Measure, outputs: Readonly<Record<string, string>>): number | null {
  const value = read(outputs);
  return value !== undefined && Number.isFinite(value) ? value : null;
}

/** Whether all requirements are met. */
export function isFeasible({ excess }: { excess: readonly number[] }): boolean {
  return excess.every((each) => each <= 0);
}
