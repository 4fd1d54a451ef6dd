import {
  type Allowed,
  allowedText,
  canonicalValue,
  checkAllowed,
  type InputItem,
  type RawValue,
  type Unit,
  ValueError,
} from '../api/index.ts';
import { ForayError, type Place } from '../errors.ts';

/** An input of the model's version, with its allowed values if the service has them. */
export interface ModelInput extends InputItem, Allowed {
  /**
   * Notes that the definition names a file for this input, and returns the value of the input: the path of the file,
   * relative to the folder of the definition. Only an INPUT_FILE that may differ between points has this function.
   *
   * @throws ForayError INVALID_VALUE
   */
  addFile?: ((written: RawValue, place: Place) => string) | undefined;
}

/**
 * The canonical text of a value from a person.
 *
 * @throws ForayError INVALID_VALUE
 */
export function canonical(input: ModelInput, value: RawValue, place: Place): string {
  if (input.addFile) return input.addFile(value, place);
  if (input.type === 'LONG' && typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    // the YAML reader has already rounded the number
    throw new ForayError('INVALID_VALUE', `The value of "${input.name}" is too large to be read exactly.`, {
      place,
      hint: 'Write it in quotes.',
    });
  }
  if (input.type === 'STRING' && typeof value !== 'string') {
    // the YAML reader has read 007, 1.50 or True as a number or a BOOLEAN, so their notation is lost
    throw new ForayError('INVALID_VALUE', `The value of "${input.name}" is a ${typeof value}, not a text.`, {
      place,
      hint: 'Write it in quotes.',
    });
  }
  try {
    const text = canonicalValue(input.type, value);
    checkAllowed(input, text);
    return text;
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new ForayError('INVALID_VALUE', `The value of "${input.name}" ${error.message}.`, {
      place,
      hint: `The input takes ${typeAndLimits(input)}.`,
    });
  }
}

/** The type and limits of an input, in words: "DOUBLE, in DAY, 0 to 1". */
export function typeAndLimits(input: ModelInput): string {
  const { type, units } = input;
  return [type, units && `in ${units}`, allowedText(input)].filter(Boolean).join(', ');
}

/**
 * Checks that a number has the units of its input. Units are not converted.
 *
 * @throws ForayError INVALID_VALUE
 */
export function checkUnits(input: ModelInput, written: Unit | undefined, place: Place): void {
  if (written === undefined || written === input.units) return;
  throw new ForayError(
    'INVALID_VALUE',
    `The input "${input.name}" is ${input.units === null ? 'without units' : `in ${input.units}`}, not in ${written}.`,
    { place, hint: 'Convert the numbers, because foray does not convert units.' },
  );
}

/** The default of an input: in its canonical form if it has one, otherwise as the service wrote it. */
export function canonicalDefault({ type, value }: Pick<InputItem, 'type' | 'value'>): string {
  try {
    return canonicalValue(type, value);
  } catch {
    return value;
  }
}
