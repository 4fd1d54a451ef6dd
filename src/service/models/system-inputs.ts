import {
  type InputType,
  MAX_MEMORY_MB,
  MILLISECONDS,
  NUMBER_OF_REPLICATIONS,
  stopModes,
  type SystemInput,
  type Unit,
} from '../../api/constants.ts';
import type { InputItem } from '../../api/resources.ts';
import { canonicalValue, type RawValue, ValueError } from '../../api/values.ts';

/** The type of each system input (specification 2.2 names them and shows no types). */
export const systemInputTypes: Record<SystemInput, InputType> = {
  '{STOP_MODE}': 'STRING',
  '{START_TIME}': 'DOUBLE',
  '{STOP_TIME}': 'DOUBLE',
  '{START_DATE}': 'DATE_TIME',
  '{STOP_DATE}': 'DATE_TIME',
  '{MAX_MEMORY_MB}': 'INTEGER',
  '{RANDOM_SEED}': 'LONG',
  '{NUMBER_OF_REPLICATIONS}': 'INTEGER',
};

type StopMode = (typeof stopModes)[number];

/** The start and end of a run's simulated time, in the model's time units. */
export interface Horizon {
  start: number;
  /** The end of the simulated time; Infinity if only the model ends the run. */
  stop: number;
}

/** Canonical values by input name. */
type Values = Readonly<Record<string, string>>;

/** The least `{MAX_MEMORY_MB}`. No process starts with less. */
const LEAST_MEMORY_MB = 16;

/** The inputs whose units are the units of model time. The first one that is declared with a unit of time counts. */
const TIMES: readonly string[] = ['{STOP_TIME}', '{START_TIME}'];

export function isModelTime(input: string): boolean {
  return TIMES.includes(input);
}

/**
 * The canonical value of an input, of the model or of the system.
 *
 * @throws ValueError if the value does not have the type, or the system input does not take it
 */
export function canonicalInput(name: string, type: InputType, value: RawValue): string {
  const canonical = canonicalValue(type, value);
  if (name === '{STOP_MODE}') return stopMode(canonical);
  if (name === MAX_MEMORY_MB) return atLeast(LEAST_MEMORY_MB, canonical);
  if (name === NUMBER_OF_REPLICATIONS) return atLeast(1, canonical);
  return canonical;
}

/**
 * The simulated time, from `{STOP_MODE}` and the inputs for start and stop. Without `{STOP_MODE}` a model stops at its
 * `{STOP_TIME}`, else at its `{STOP_DATE}`, else never. If a date is the stop, the simulated time is as long as the
 * time from `{START_DATE}` to `{STOP_DATE}`.
 *
 * @throws ValueError if the stop is before the start, or the model does not declare an input that the stop mode needs;
 *   its message is a whole sentence with the name of the input
 */
export function horizonOf(template: readonly InputItem[], values: Values): Horizon {
  const start = Number(values['{START_TIME}'] ?? 0);
  switch (stopModeOf(values)) {
    case 'STOP_MODE_NEVER':
      return { start, stop: Infinity };
    case 'STOP_MODE_AT_TIME': {
      const stop = Number(declared(values, '{STOP_TIME}'));
      if (stop < start) {
        throw new ValueError(`The value of "{STOP_TIME}" is ${stop}, before the start at ${start}.`);
      }
      return { start, stop };
    }
    case 'STOP_MODE_AT_DATE': {
      const [from, to] = [declared(values, '{START_DATE}'), declared(values, '{STOP_DATE}')];
      if (to < from)
        throw new ValueError(`The value of "{STOP_DATE}" is ${to}, before the start at ${from}.`);
      // the dates are read as UTC, which has no summer time
      const length = Date.parse(`${to}Z`) - Date.parse(`${from}Z`);
      return { start, stop: start + length / MILLISECONDS[timeUnitOf(template)]! };
    }
  }
}

/** The memory limit that a request gives its run, in MB; undefined if the model does not declare it. */
export function memoryOf(values: Values): number | undefined {
  const value = values[MAX_MEMORY_MB];
  return value === undefined ? undefined : Number(value);
}

function stopModeOf(values: Values): StopMode {
  const stated = values['{STOP_MODE}'];
  if (stated !== undefined) return stated as StopMode;
  if ('{STOP_TIME}' in values) return 'STOP_MODE_AT_TIME';
  return '{STOP_DATE}' in values ? 'STOP_MODE_AT_DATE' : 'STOP_MODE_NEVER';
}

function declared(values: Values, name: SystemInput): string {
  const value = values[name];
  if (value === undefined) {
    throw new ValueError(`The value of "{STOP_MODE}" needs "${name}", which the model does not have.`);
  }
  return value;
}

/** The unit of model time: a second if no input has one. */
function timeUnitOf(template: readonly InputItem[]): Unit {
  const units = TIMES.map((name) => template.find((item) => item.name === name)?.units);
  return units.find((unit) => unit && Object.hasOwn(MILLISECONDS, unit)) ?? 'SECOND';
}

function stopMode(text: string): string {
  const mode = stopModes.find((known) => known === text.trim().toUpperCase());
  if (!mode) throw new ValueError(`is "${text.slice(0, 60)}", which is none of ${stopModes.join(', ')}`);
  return mode;
}

function atLeast(least: number, canonical: string): string {
  if (Number(canonical) < least) throw new ValueError(`is ${canonical}, but must be at least ${least}`);
  return canonical;
}
