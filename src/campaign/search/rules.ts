import { canonicalValue, checkAllowed, isWholeType, type RawValue, ValueError } from '../../api/index.ts';
import { ForayError, type Place } from '../../errors.ts';
import { type BaseInput, expressionNames, operandOf, valueType } from '../designs/input-types.ts';
import { compileExpression, type Value } from '../expressions/index.ts';
import { roundedDerived } from '../rounding.ts';
import type { Computed, WrittenRules } from './computed.ts';

/** The rules for the points of a search or a calibration. Values are canonical. */
export interface Rules {
  /** Adds the computed values to the values of the other inputs. */
  complete: (values: readonly string[]) => string[];
  /** Whether a point with its computed values may be run. */
  isAllowed: (values: readonly string[]) => boolean;
  /** How far such a point is from being allowed; 0 if it is. */
  lackOf: (values: readonly string[]) => number;
}

/** A lack of 1, for values that are either right or wrong. */
const WRONG = 1;

/**
 * @param names - the inputs of the values, in their order, without the computed ones; other inputs have the values in
 *   the base
 */
export function rulesOf(
  { where, derive = [] }: WrittenRules,
  names: readonly string[],
  base: readonly BaseInput[],
): Rules {
  if (where === null && derive.length === 0)
    return { complete: (values) => [...values], isAllowed: () => true, lackOf: () => 0 };
  const types = expressionNames(base);
  const fixed = new Map(base.map(({ name, type, value }) => [name, { type, value }]));
  const places = new Map([...names, ...derive.map(({ name }) => name)].map((name, at) => [name, at]));
  const condition = where === null ? undefined : compileExpression(where, types, 'boolean');
  const computed = derive.map((one) => ({ one, ...compileExpression(one.expression, types) }));
  const textIn = (values: readonly string[], name: string): string => {
    const at = places.get(name);
    return (at === undefined ? undefined : values[at]) ?? fixed.get(name)!.value;
  };
  const reader =
    (values: readonly string[]) =>
    (name: string): Value =>
      operandOf(name, fixed.get(name)!.type, textIn(values, name));
  const areComputedAllowed = (values: readonly string[]): boolean =>
    derive.every((one, at) => lackOfValue(one, values[names.length + at]!) === 0);
  return {
    complete: (values) => {
      const all = [...values];
      for (const { one, evaluate, copied } of computed) {
        // a number would not have all digits of a large LONG
        const isCopy = one.type === 'LONG' && copied !== undefined && fixed.get(copied)!.type === 'LONG';
        all.push(textOf(one, isCopy ? textIn(all, copied) : evaluate(reader(all))));
      }
      return all;
    },
    isAllowed: (values) =>
      areComputedAllowed(values) && (condition === undefined || condition.evaluate(reader(values)) === true),
    lackOf: (values) => {
      let lack = 0;
      for (const [at, one] of derive.entries()) lack += lackOfValue(one, values[names.length + at]!);
      // a condition may read a computed value that is no value of its input
      if (condition !== undefined && lack < Infinity) lack += condition.lack(reader(values));
      return lack;
    },
  };
}

/** A computed value as canonical text; if it is no value of its input, as it is. */
function textOf({ type }: Computed, value: RawValue): string {
  const roundedValue = typeof value === 'number' ? roundedDerived(value) : value;
  try {
    return canonicalValue(type, roundedValue);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    return String(roundedValue);
  }
}

/** How far a computed value is from what its input and the model allow. */
function lackOfValue({ type, allowed }: Computed, text: string): number {
  if (valueType(type) === 'number') {
    const number = Number(text);
    if (!Number.isFinite(number)) return Infinity;
    const { min = -Infinity, max = Infinity } = allowed;
    const fraction = isWholeType(type) ? Math.abs(number - Math.round(number)) : 0;
    const beyond = Math.max(0, min - number, number - max);
    if (fraction + beyond > 0) return fraction + beyond;
  }
  try {
    canonicalValue(type, text);
    checkAllowed(allowed, text);
    return 0;
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    return WRONG;
  }
}

/**
 * Checks that the expressions of a search or a calibration can calculate with the values of the inputs that they read.
 * An expression itself notices an unusable value only when it reads this value, perhaps in the middle of a campaign.
 *
 * @param inputs - the inputs that vary, with their values or bounds; `isReal`: the input varies without steps
 * @param placeOf - the place of `where`, or of a computed input
 * @throws ForayError INVALID_VALUE; EMPTY_DESIGN if `where` holds only by an equality
 */
export function checkExpressions(
  rules: WrittenRules,
  inputs: readonly { name: string; values: readonly string[]; isReal: boolean }[],
  base: readonly BaseInput[],
  placeOf: (path: string[]) => Place,
): void {
  const { where, derive = [] } = rules;
  // the computed values are numbers of expressions already
  const varied = new Map<string, readonly string[]>([
    ...inputs.map(({ name, values }) => [name, values] as const),
    ...derive.map(({ name }) => [name, []] as const),
  ]);
  const check = (expression: string, place: Place): void => {
    const { names } = compileExpression(expression, expressionNames(base));
    for (const { name, type, value } of base.filter((input) => names.includes(input.name)))
      for (const one of varied.get(name) ?? [value]) operandOf(name, type, one, place);
  };
  if (where !== null) check(where, placeOf(['where']));
  for (const { name, expression } of derive) check(expression, placeOf(['derive', name]));
  const reals = inputs.filter(({ isReal }) => isReal).map(({ name }) => name);
  checkEqualities(rules, reals, base, placeOf);
}

/**
 * Refuses a condition that real inputs meet only by an equality, because almost no point meets it.
 *
 * @throws ForayError EMPTY_DESIGN
 */
function checkEqualities(
  { where, derive = [] }: WrittenRules,
  reals: readonly string[],
  base: readonly BaseInput[],
  placeOf: (path: string[]) => Place,
): void {
  if (where === null) return;
  const types = expressionNames(base);
  const following = new Set(reals);
  for (const { name, expression } of derive)
    if (compileExpression(expression, types).follows.some((one) => following.has(one))) following.add(name);
  const tied = compileExpression(where, types)
    .equations.flat()
    .filter((name) => following.has(name));
  const last = tied.at(-1);
  if (last === undefined) return;
  throw new ForayError(
    'EMPTY_DESIGN',
    `Almost no point meets "where", which ties the real input "${last}" by ==.`,
    {
      place: placeOf(['where']),
      hint: `Compute one input from the others, such as derive: {"${last}": "1 - …"}, or give the inputs steps.`,
    },
  );
}
