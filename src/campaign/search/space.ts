import { canonicalValue } from '../../api/index.ts';
import { expressionNames, isWhole, operandOf } from '../designs/input-types.ts';
import type { Place } from '../../errors.ts';
import { compileExpression } from '../expressions/index.ts';
import { rounded } from '../rounding.ts';
import type { BaseInput } from '../types.ts';
import type { Search, SearchedInput } from './search.ts';

/**
 * One input that a search varies, as a method sees it: a coordinate from 0 to 1. Methods do not see a logarithmic scale
 * or the step of a `real` input. When a method is told the value of a point, it also gets the coordinates that the
 * point really had.
 *
 * - `real`: 0 is the lower bound, 1 the upper bound, both included.
 * - `integer`: level i of n in their order has the coordinate (i + 0.5) / n; each coordinate belongs to the level
 *   floor(n·x).
 * - `choice`: like `integer`, but the levels have no order.
 */
export type Dimension =
  | { kind: 'real' }
  | { kind: 'integer'; levels: number }
  | { kind: 'choice'; levels: number };

/** A range with more levels than this is a `real` input. So is each range with a logarithmic scale. */
const MOST_LEVELS = 100;

/** Converts between the coordinates that methods propose and the canonical values of inputs. */
export interface Space {
  dimensions: readonly Dimension[];
  /** Returns the allowed canonical values that are nearest to the coordinates, in the order of the inputs. */
  valuesAt: (x: readonly number[]) => string[];
  /** Returns the coordinates of canonical values; undefined for values outside the space. */
  coordinatesOf: (values: readonly string[]) => number[] | undefined;
  /** Whether the condition of the search holds for canonical values. */
  isAllowed: (values: readonly string[]) => boolean;
}

/** @param base - the inputs of the version, with the values of those that the search does not vary */
export function spaceOf(
  { inputs, where }: Pick<Search, 'inputs' | 'where'>,
  base: readonly BaseInput[],
): Space {
  const axes = inputs.map(axisOf);
  return {
    dimensions: axes.map(({ dimension }) => dimension),
    valuesAt: (x) => axes.map((axis, at) => axis.valueAt(x[at]!)),
    coordinatesOf: (values) => {
      const x = axes.map((axis, at) => axis.coordinateOf(values[at]!));
      return x.includes(undefined) ? undefined : (x as number[]);
    },
    isAllowed: conditionOf(
      where,
      inputs.map(({ name }) => name),
      base,
    ),
  };
}

interface Axis {
  dimension: Dimension;
  valueAt: (x: number) => string;
  coordinateOf: (value: string) => number | undefined;
}

function axisOf(input: SearchedInput): Axis {
  return input.kind === 'choice' ? choiceAxis(input) : rangeAxis(input);
}

function choiceAxis({ values, isOrdered }: Extract<SearchedInput, { kind: 'choice' }>): Axis {
  const levels = values.length;
  return {
    dimension: { kind: isOrdered ? 'integer' : 'choice', levels },
    valueAt: (x) => values[levelAt(x, levels)]!,
    coordinateOf: (value) => {
      const level = values.indexOf(value);
      return level < 0 ? undefined : (level + 0.5) / levels;
    },
  };
}

function rangeAxis(input: Extract<SearchedInput, { kind: 'range' }>): Axis {
  const { type, min, max, scale } = input;
  const step = stepOf(input);
  const levels = step === null ? Infinity : 1 + Math.floor((max - min) / step + 1e-9);
  const text = (value: number): string => canonicalValue(type, value);
  if (levels <= MOST_LEVELS && scale === 'linear') {
    const level = (at: number): number => cut(min + at * step!, input);
    return {
      dimension: { kind: 'integer', levels },
      valueAt: (x) => text(level(levelAt(x, levels))),
      coordinateOf: (value) => {
        const at = Math.round((Number(value) - min) / step!);
        return isWithin(Number(value), input) ? (at + 0.5) / levels : undefined;
      },
    };
  }
  const [low, high] = scale === 'log' ? [Math.log(min), Math.log(max)] : [min, max];
  const top = step === null ? max : min + (levels - 1) * step;
  return {
    dimension: { kind: 'real' },
    valueAt: (x) => {
      const at = low + Math.min(1, Math.max(0, x)) * (high - low);
      const value = scale === 'log' ? Math.exp(at) : at;
      const stepped = step === null ? value : min + Math.round((value - min) / step) * step;
      return text(cut(Math.min(top, Math.max(min, stepped)), input));
    },
    coordinateOf: (value) => {
      const number = Number(value);
      if (!isWithin(number, input)) return undefined;
      return ((scale === 'log' ? Math.log(number) : number) - low) / (high - low);
    },
  };
}

function isWithin(value: number, { min, max }: { min: number; max: number }): boolean {
  return value >= min && value <= max;
}

/** The step between values, if there is one. */
function stepOf({ type, step, digits, min }: Extract<SearchedInput, { kind: 'range' }>): number | null {
  if (step !== null) return step;
  if (isWhole(type)) return 1;
  // rounded values are a whole number of steps from the minimum only if the minimum has no more digits than these
  // values
  return digits !== null && Number(min.toFixed(digits)) === min ? 10 ** -digits : null;
}

/** Rounds a computed value, because its last digits may differ between machines. The result stays within the bounds. */
function cut(value: number, { type, digits, min, max }: Extract<SearchedInput, { kind: 'range' }>): number {
  if (isWhole(type)) return Math.round(value);
  const near = digits === null ? rounded(value, max - min, Math.abs(max)) : Number(value.toFixed(digits));
  return Math.min(max, Math.max(min, near));
}

/** The level that a coordinate belongs to. */
function levelAt(x: number, levels: number): number {
  return Math.min(levels - 1, Math.max(0, Math.floor(x * levels)));
}

/**
 * Whether a condition holds for canonical values.
 *
 * @param names - the inputs of the values, in their order; other inputs have the values in the base
 */
export function conditionOf(
  where: string | null,
  names: readonly string[],
  base: readonly BaseInput[],
): Space['isAllowed'] {
  if (where === null) return () => true;
  const condition = compileExpression(where, expressionNames(base));
  const fixed = new Map(base.map(({ name, type, value }) => [name, { type, value }]));
  const places = new Map(names.map((name, at) => [name, at]));
  return (values) =>
    condition.evaluate((name) => {
      const { type, value } = fixed.get(name)!;
      const at = places.get(name);
      return operandOf(name, type, at === undefined ? value : values[at]!);
    }) === true;
}

/**
 * Checks that a condition can calculate with the values of the inputs that it reads. The condition itself notices an
 * unusable value only when it reads this value, perhaps in the middle of a campaign.
 *
 * @param varied - values of the inputs that vary, by name; other inputs have the values in the base
 * @param place - the place of the condition
 * @throws ForayError INVALID_VALUE
 */
export function checkOperands(
  where: string,
  varied: ReadonlyMap<string, readonly string[]>,
  base: readonly BaseInput[],
  place: Place,
): void {
  const { names } = compileExpression(where, expressionNames(base));
  for (const { name, type, value } of base.filter((input) => names.includes(input.name)))
    for (const one of varied.get(name) ?? [value]) operandOf(name, type, one, place);
}
