import type { InputType, OutputType } from '../../api/constants.ts';
import type { OutputDescriptor } from '../../api/resources.ts';
import { messageOf } from '../../errors.ts';

type TypedValue = string | number | bigint | boolean;

const readers: Partial<Record<InputType, (canonical: string) => TypedValue>> = {
  DOUBLE: Number,
  INTEGER: Number,
  LONG: BigInt,
  BOOLEAN: (canonical) => canonical === 'true',
};

/** A canonical input value as the JavaScript value that a model is given (see `RunContext.inputs`). */
export function typedValue(type: InputType, canonical: string): TypedValue {
  return readers[type]?.(canonical) ?? canonical;
}

/**
 * The JSON text of each output's value, by output name.
 *
 * @throws Error naming the output that the model did not give, or not as declared
 */
export function outputTexts(
  outputs: readonly OutputDescriptor[],
  values: Record<string, unknown>,
): Record<string, string> {
  return Object.fromEntries(
    outputs.map(({ name, type }) => {
      try {
        return [name, outputText(type, values[name])];
      } catch (error) {
        throw new Error(`the output "${name}" ${messageOf(error)}`, { cause: error });
      }
    }),
  );
}

/**
 * The JSON text of an output's value (specification 2.5). `null` stands for a value that this run does not have, and
 * for NaN; infinite numbers are the strings "Infinity" and "-Infinity", as clients in the field know them.
 *
 * @throws Error with a phrase that completes "output X ..." when the value is not of the type
 */
export function outputText(type: OutputType, value: unknown): string {
  if (value === undefined) throw new Error('was not given by the model');
  if (value === null) return 'null';
  if (!fits(type, value))
    throw new Error(`was given by the model as ${typeof value}, which is not a ${type}`);
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value, jsonNumber);
}

function fits(type: OutputType, value: unknown): boolean {
  switch (type) {
    case 'DOUBLE':
      return typeof value === 'number';
    case 'INTEGER':
      return Number.isInteger(value);
    case 'LONG':
      return typeof value === 'bigint' || Number.isSafeInteger(value);
    case 'BOOLEAN':
      return typeof value === 'boolean';
    case 'STRING':
    case 'DATE_TIME':
    case 'MODEL_OUTPUT_NAME':
      return typeof value === 'string';
    case 'DATA_SET': {
      const { dataX, dataY } = value as Record<string, unknown>;
      return Array.isArray(dataX) && Array.isArray(dataY) && dataX.length === dataY.length;
    }
    case 'OUTPUT_FILE': {
      const { hash, localPath } = value as Record<string, unknown>;
      return typeof hash === 'string' && typeof localPath === 'string';
    }
    case 'STATISTICS_DISCRETE':
    case 'STATISTICS_CONTINUOUS':
    case 'HISTOGRAM_DATA':
    case 'HISTOGRAM_2D_DATA':
      return typeof value === 'object';
  }
}

function jsonNumber(_key: string, value: unknown): unknown {
  return value === Infinity || value === -Infinity ? String(value) : value;
}
