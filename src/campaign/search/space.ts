import { canonicalValue, isWholeType } from '../../api/index.ts';
import type { BaseInput } from '../designs/input-types.ts';
import { rounded, settled } from '../rounding.ts';
import { AllowedPoints } from './allowed.ts';
import { coordinateOf, type Dimension, levelAt } from './dimension.ts';
import { rulesOf } from './rules.ts';
import type { Search, SearchedInput } from './search.ts';

/** A range with more levels than this is a `real` input. So is each range with a logarithmic scale. */
const MOST_LEVELS = 100;

/** Up to this number of points, the points of a box are listed. */
const MOST_LISTED = 100_000;

/** A part of a step that may be missing at the end of a range, because of rounding. */
const TOLERANCE = 1e-9;

/** Converts between the coordinates that methods propose and the canonical values of inputs. */
export interface Space {
  dimensions: readonly Dimension[];
  /**
   * Returns the values that are nearest to the coordinates: canonical values in the order of the inputs, then the
   * computed values.
   */
  valuesAt: (x: readonly number[]) => string[];
  /** Returns the coordinates of such values; undefined for values outside the space. */
  coordinatesOf: (values: readonly string[]) => number[] | undefined;
  /** Whether a point with such values may be run: it meets the condition, and its computed values are allowed. */
  isAllowed: (values: readonly string[]) => boolean;
  /** How far such a point is from being allowed; 0 if it is. */
  lackOf: (values: readonly string[]) => number;
  /**
   * The points that may be run, if there are points in the box that may not.
   *
   * @param seed - decides which points are drawn
   */
  allowed: (seed: number) => AllowedPoints;
  /** The coordinates of all points that may be run; undefined if the box has more than 100,000 points. */
  list: () => readonly (readonly number[])[] | undefined;
}

/** @param base - the inputs of the version, with the values of those that the search does not vary */
export function spaceOf(
  { inputs, where, derive }: Pick<Search, 'inputs' | 'where' | 'derive'>,
  base: readonly BaseInput[],
): Space {
  const axes = inputs.map(axisOf);
  const names = inputs.map(({ name }) => name);
  const { complete, isAllowed, lackOf } = rulesOf({ where, ...(derive && { derive }) }, names, base);
  const dimensions = axes.map(({ dimension }) => dimension);
  const valuesAt = (x: readonly number[]): string[] => complete(axes.map((axis, at) => axis.valueAt(x[at]!)));
  let listed: readonly (readonly number[])[] | undefined;
  const list = (): readonly (readonly number[])[] | undefined => {
    const count = axes.reduce((product, { levels }) => product * levels, 1);
    if (count > MOST_LISTED) return undefined;
    listed ??= pointsOf(axes).filter((x) => isAllowed(valuesAt(x)));
    return listed;
  };
  const region = {
    dimensions,
    list,
    isAllowed: (x: readonly number[]) => isAllowed(valuesAt(x)),
    lackOf: (x: readonly number[]) => lackOf(valuesAt(x)),
  };
  return {
    dimensions,
    valuesAt,
    isAllowed,
    lackOf,
    list,
    coordinatesOf: (values) => {
      const x = axes.map((axis, at) => axis.coordinateOf(values[at]!));
      if (x.includes(undefined)) return undefined;
      // a point with other computed values is no point of the space
      const completed = complete(values.slice(0, axes.length));
      return completed.every((value, at) => value === values[at]) ? (x as number[]) : undefined;
    },
    allowed: (seed) => new AllowedPoints(region, seed),
  };
}

interface Axis {
  dimension: Dimension;
  /** The number of values; Infinity if they have no step. */
  levels: number;
  /** The coordinate of a level, from 0. */
  coordinateOfLevel: (level: number) => number;
  /** The canonical value that is nearest to a coordinate. */
  valueAt: (x: number) => string;
  /** The coordinate of a canonical value; undefined for a value outside the space. */
  coordinateOf: (value: string) => number | undefined;
}

/** The coordinates of all points. The last dimension changes fastest. */
function pointsOf(axes: readonly Axis[]): number[][] {
  return axes.reduce<number[][]>(
    (points, { levels, coordinateOfLevel }) => {
      const coordinates = Array.from({ length: levels }, (_, level) => coordinateOfLevel(level));
      return points.flatMap((point) => coordinates.map((x) => [...point, x]));
    },
    [[]],
  );
}

function axisOf(input: SearchedInput): Axis {
  return input.kind === 'choice' ? choiceAxis(input) : rangeAxis(input);
}

function choiceAxis({ values, isOrdered }: Extract<SearchedInput, { kind: 'choice' }>): Axis {
  const levels = values.length;
  return {
    dimension: { kind: isOrdered ? 'integer' : 'choice', levels },
    levels,
    coordinateOfLevel: (level) => coordinateOf(level, levels),
    valueAt: (x) => values[levelAt(x, levels)]!,
    coordinateOf: (value) => {
      const level = values.indexOf(value);
      return level < 0 ? undefined : coordinateOf(level, levels);
    },
  };
}

type SearchedRange = Extract<SearchedInput, { kind: 'range' }>;

function rangeAxis(input: SearchedRange): Axis {
  const { min, max, scale } = input;
  const step = stepOf(input);
  const levels = step === null ? Infinity : 1 + Math.floor((max - min) / step + TOLERANCE);
  const isLevelled = step !== null && levels <= MOST_LEVELS && scale === 'linear';
  return isLevelled ? levelledAxis(input, step, levels) : realAxis(input, step, levels);
}

/** A range with few values. */
function levelledAxis(input: SearchedRange, step: number, levels: number): Axis {
  const { min, max } = input;
  return {
    dimension: { kind: 'integer', levels },
    levels,
    coordinateOfLevel: (level) => coordinateOf(level, levels),
    valueAt: (x) => textOf(settled(min + levelAt(x, levels) * step, min, max), input),
    coordinateOf: (value) => {
      const level = Math.round((Number(value) - min) / step);
      return isWithin(Number(value), input) ? coordinateOf(level, levels) : undefined;
    },
  };
}

/** A range with many values, or with a logarithmic scale. */
function realAxis(input: SearchedRange, step: number | null, levels: number): Axis {
  const { min, max, scale } = input;
  const [low, high] = scale === 'log' ? [Math.log(min), Math.log(max)] : [min, max];
  const top = step === null ? max : min + (levels - 1) * step;
  const shareAt = (number: number): number =>
    ((scale === 'log' ? Math.log(number) : number) - low) / (high - low);
  return {
    dimension: { kind: 'real' },
    levels,
    coordinateOfLevel: (level) => shareAt(min + level * step!),
    valueAt: (x) => {
      const at = low + Math.min(1, Math.max(0, x)) * (high - low);
      const value = scale === 'log' ? Math.exp(at) : at;
      const stepped = step === null ? value : min + Math.round((value - min) / step) * step;
      const bounded = Math.min(top, Math.max(min, stepped));
      return textOf(settled(bounded, min, max), input);
    },
    coordinateOf: (value) => (isWithin(Number(value), input) ? shareAt(Number(value)) : undefined),
  };
}

function isWithin(value: number, { min, max }: { min: number; max: number }): boolean {
  return value >= min && value <= max;
}

/** The step between values, if there is one. */
function stepOf({ type, step, digits }: SearchedRange): number | null {
  if (step !== null) return step;
  if (isWholeType(type)) return 1;
  // the bounds have no more digits than the values
  return digits === null ? null : 10 ** -digits;
}

/** A computed value, rounded because its last digits may differ between machines, as canonical text within the bounds. */
function textOf(value: number, { type, digits, min, max }: SearchedRange): string {
  if (isWholeType(type)) return canonicalValue(type, Math.round(value));
  const near = digits === null ? rounded(value, max - min, Math.abs(max)) : Number(value.toFixed(digits));
  return canonicalValue(type, Math.min(max, Math.max(min, near)));
}
