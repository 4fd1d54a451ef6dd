import { type InputType, numericOutputTypes, type RawValue, type Unit } from '../../api/index.ts';
import { ForayError, type Place } from '../../errors.ts';
import type { NamedTypes, ValueType } from '../expressions/index.ts';

/** An input of the version. Its canonical value holds at every point unless the design varies the input. */
export interface BaseInput {
  name: string;
  type: InputType;
  units: Unit | null;
  value: string;
}

/** The names of inputs in expressions, with the type of their values. An expression cannot use a file. */
export function expressionNames(inputs: readonly Pick<BaseInput, 'name' | 'type'>[]): NamedTypes {
  return new Map(inputs.map(({ name, type }) => [name, type === 'INPUT_FILE' ? 'file' : valueType(type)]));
}

/** A canonical value as an expression reads it. */
export function valueOf(type: InputType, canonical: string): RawValue {
  switch (valueType(type)) {
    case 'number':
      return Number(canonical);
    case 'boolean':
      return canonical === 'true';
    case 'text':
      return canonical;
  }
}

/** The values of a point as expressions read them, by the names of its inputs. */
export function namedValues(
  inputs: readonly { name: string; type: InputType }[],
  values: readonly string[],
): Record<string, RawValue> {
  return Object.fromEntries(inputs.map(({ name, type }, at) => [name, valueOf(type, values[at]!)]));
}

/**
 * The value of an input for an expression that calculates with it.
 *
 * @param place - the place of the expression, if it is known
 * @throws ForayError INVALID_VALUE if a number cannot have all digits of the value
 */
export function operandOf(name: string, type: InputType, canonical: string, place?: Place): RawValue {
  const value = valueOf(type, canonical);
  if (type !== 'LONG' || Number.isSafeInteger(value)) return value;
  throw new ForayError(
    'INVALID_VALUE',
    `The value of "${name}" is ${canonical}, which is too large to calculate with exactly.`,
    {
      place,
      hint: 'Expressions calculate with whole numbers below 2^53. In "derive", an expression that is only the name of the input copies its value.',
    },
  );
}

/** The type that an input's values have in expressions. */
export function valueType(type: InputType): ValueType {
  if (type === 'BOOLEAN') return 'boolean';
  return isNumeric(type) ? 'number' : 'text';
}

/** Whether an input takes a number. */
export function isNumeric(type: InputType): boolean {
  return (numericOutputTypes as readonly InputType[]).includes(type);
}

/** Whether an input takes only whole numbers. */
export function isWhole(type: InputType): boolean {
  return type === 'INTEGER' || type === 'LONG';
}
