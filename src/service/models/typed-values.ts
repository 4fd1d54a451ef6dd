import { type InputType, isNumericType, isWholeType, type OutputType } from '../../api/constants.ts';
import type { OutputDescriptor } from '../../api/resources.ts';
import { canonicalValue, ValueError } from '../../api/values.ts';
import { messageOf } from '../../errors.ts';
import type { OutputFile } from './model.ts';

type TypedValue = string | number | bigint | boolean;

const readers: Partial<Record<InputType, (canonical: string) => TypedValue>> = {
  DOUBLE: Number,
  INTEGER: Number,
  LONG: BigInt,
  BOOLEAN: (canonical) => canonical === 'true',
};

/** A canonical input value as a JavaScript value for the model (see `RunContext.inputs`). */
export function typedValue(type: InputType, canonical: string): TypedValue {
  return readers[type]?.(canonical) ?? canonical;
}

/**
 * The JSON text of each output's value, by output name.
 *
 * @param values - what the model gave
 * @param files - all stored files, with those that the model wrote
 * @throws Error with the name of an output that is missing or is not as declared
 */
export function outputTexts(
  outputs: readonly OutputDescriptor[],
  values: Record<string, unknown>,
  files: { has(hash: string): boolean },
): Record<string, string> {
  if (typeof values !== 'object' || values === null) {
    throw new Error(`the model gave ${String(values)}, and not an object with its outputs by name`);
  }
  return Object.fromEntries(
    outputs.map(({ name, type }) => {
      try {
        // a model may give an instance of a class: outputs may be inherited from the class, but not from Object
        const isGiven = Object.hasOwn(values, name) || !(name in Object.prototype);
        const value = isGiven ? values[name] : undefined;
        const text = outputText(type, value);
        const file = type === 'OUTPUT_FILE' ? (value as OutputFile | null) : null;
        if (file && !files.has(file.hash))
          throw new Error('was given by the model as a file that it did not write');
        return [name, text];
      } catch (error) {
        throw new Error(`the output "${name}" ${messageOf(error)}`, { cause: error });
      }
    }),
  );
}

/**
 * The JSON text of an output's value (specification 2.5). `null` stands for a value that this run does not have, and
 * for NaN; infinite numbers are the strings "Infinity" and "-Infinity", as existing clients expect.
 *
 * @throws Error with a phrase that completes "output X ..." when the value is not of the type
 */
export function outputText(type: OutputType, value: unknown): string {
  if (value === undefined) throw new Error('was not given by the model');
  if (value === null || (Number.isNaN(value) && isNumericType(type))) return 'null';
  if (!fits(type, value)) {
    throw new Error(
      `was given by the model as ${kindOf(value)}, which is not of the type ${type}${adviceOn(type, value)}`,
    );
  }
  // databases and files would store other characters than the model gave
  if (typeof value === 'string' && !value.isWellFormed()) {
    const at = value.search(/\p{Surrogate}/u);
    const part = value.slice(Math.max(0, at - 20), at + 20);
    throw new Error(`is a text with bytes that are not UTF-8, as in ${JSON.stringify(part)}`);
  }
  if (type === 'DATE_TIME') return JSON.stringify(canonicalValue(type, value as string));
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value, jsonNumber);
}

/** What is wrong with a value, or what to do, as the end of a sentence. Empty if the type says enough. */
function adviceOn(type: OutputType, value: unknown): string {
  if (typeof value === 'bigint' && isWholeType(type))
    return `: it has more than ${type === 'LONG' ? 64 : 32} bits`;
  if (type === 'LONG' && Number.isInteger(value))
    return ': such a large number is not exact; use a BigInt, or write all digits';
  if (type !== 'DATA_SET') return '';
  const { dataX, dataY } = fieldsOf(value);
  return isNumbers(dataX) && isNumbers(dataY)
    ? `: dataX has ${dataX.length} numbers, and dataY has ${dataY.length}`
    : ', which is {"dataX": […], "dataY": […]} with numbers';
}

function fits(type: OutputType, value: unknown): boolean {
  switch (type) {
    case 'DOUBLE':
      return typeof value === 'number';
    case 'INTEGER':
      // 32 bits keep the value
      return typeof value === 'bigint'
        ? BigInt.asIntN(32, value) === value
        : typeof value === 'number' && (value | 0) === value;
    case 'LONG':
      return typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value);
    case 'BOOLEAN':
      return typeof value === 'boolean';
    case 'STRING':
    case 'MODEL_OUTPUT_NAME':
      return typeof value === 'string';
    case 'DATE_TIME':
      return typeof value === 'string' && isDateTime(value);
    case 'DATA_SET': {
      const { dataX, dataY } = fieldsOf(value);
      return isNumbers(dataX) && isNumbers(dataY) && dataX.length === dataY.length;
    }
    case 'OUTPUT_FILE': {
      const { hash, localPath } = fieldsOf(value);
      return typeof hash === 'string' && typeof localPath === 'string';
    }
    case 'STATISTICS_DISCRETE':
    case 'STATISTICS_CONTINUOUS':
      return isStatistics(value);
    case 'HISTOGRAM_DATA': {
      const { lowerBound, intervalWidth, hits, hitsOutLow, hitsOutHigh, statistics } = fieldsOf(value);
      const figures = [lowerBound, intervalWidth, hitsOutLow, hitsOutHigh];
      return figures.every(isNumber) && isNumbers(hits) && isStatistics(statistics);
    }
    case 'HISTOGRAM_2D_DATA': {
      const { hits, hitsOutLow, hitsOutHigh, xMin, xMax, yMin, yMax } = fieldsOf(value);
      const isMatrix = Array.isArray(hits) && hits.every(isNumbers);
      const isOut = [hitsOutLow, hitsOutHigh].every((out) => isNumber(out) || isNumbers(out));
      return isMatrix && isOut && [xMin, xMax, yMin, yMax].every(isNumber);
    }
  }
}

/** The fields of a value; none if it is not an object. */
function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function isStatistics(value: unknown): boolean {
  const { type, count, min, max, mean, variance } = fieldsOf(value);
  return (
    typeof type === 'string' &&
    Number.isInteger(count) &&
    // each figure is null if there are no values
    [min, max, mean, variance].every((figure) => figure === null || isNumber(figure))
  );
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every(isNumber);
}

function isDateTime(text: string): boolean {
  try {
    canonicalValue('DATE_TIME', text);
    return true;
  } catch (error) {
    if (error instanceof ValueError) return false;
    throw error;
  }
}

/** A description of a value for a message: the number itself, or the type of any other value. */
function kindOf(value: unknown): string {
  if (typeof value === 'bigint') return `the BigInt ${value}`;
  if (typeof value === 'number') return String(value);
  return Array.isArray(value) ? 'array' : typeof value;
}

function jsonNumber(_key: string, value: unknown): unknown {
  return value === Infinity || value === -Infinity ? String(value) : value;
}
