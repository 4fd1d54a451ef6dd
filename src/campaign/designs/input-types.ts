import { type InputType, isNumericType, type OutputType, type RawValue, type Unit } from '../../api/index.ts';
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

/**
 * @param given - what a definition gives the input, such as "a range of numbers"
 * @throws ForayError INVALID_VALUE if the input takes no numbers
 */
export function checkNumeric(
  { name, type }: Pick<BaseInput, 'name' | 'type'>,
  given: string,
  place: Place,
  hint = 'Give a list of values.',
): void {
  if (isNumericType(type)) return;
  throw new ForayError('INVALID_VALUE', `The input "${name}" takes ${type}, not ${given}.`, { place, hint });
}

/** The error for a value of an input that takes a file. */
export function takesFile(name: string, place: Place): ForayError {
  return new ForayError('INVALID_VALUE', `The input "${name}" takes a file.`, {
    place,
    hint: `Write it under "files": {"${name}": PATH}.`,
  });
}

/** The error for an input that two parts of a definition give. */
export function givenTwice(name: string, place: Place): ForayError {
  return new ForayError('INVALID_VALUE', `The input "${name}" is given more than once.`, {
    place,
    hint: 'Give it once, under one of inputs, files, design, search, calibrate and fresh.',
  });
}

/**
 * The type that the values of an input or output have in expressions. The path of a file counts as a text, and
 * `expressionNames` keeps it out of expressions.
 */
export function valueType(type: InputType | OutputType): ValueType {
  if (type === 'BOOLEAN') return 'boolean';
  return isNumericType(type) ? 'number' : 'text';
}
