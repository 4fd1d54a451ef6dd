/** The constants of the open REST interface. Section numbers refer to its specification. */

/** The interface version that foray speaks and its service serves (section 9). */
export const API_VERSION = '8.5.0';

/** The states of a run (section 3). */
export const runStatuses = ['FRESH', 'RUNNING', 'COMPLETED', 'FAILED', 'STOPPED'] as const;
export type RunStatus = (typeof runStatuses)[number];

/** The types of an experiment. Section 2.6 names the first two. Existing clients also send the others. */
export const experimentTypes = ['SIMULATION', 'PARAMETER_VARIATION', 'MONTE_CARLO', 'ANIMATION_SVG'] as const;
export type ExperimentType = (typeof experimentTypes)[number];

/** The types of an input (section 2.11). */
export const inputTypes = [
  'STRING',
  'DOUBLE',
  'INTEGER',
  'LONG',
  'DATE_TIME',
  'BOOLEAN',
  'RANDOM_DOUBLE',
  'RANDOM_INTEGER',
  'RANDOM_BOOLEAN',
  'FIXED_RANGE_DOUBLE',
  'FIXED_RANGE_INTEGER',
  'FIXED_RANGE_LONG',
  'FULL_RANGE_BOOLEAN',
  'INPUT_FILE',
] as const;
export type InputType = (typeof inputTypes)[number];

/** The types of an output (section 2.13). */
export const outputTypes = [
  'STRING',
  'DOUBLE',
  'INTEGER',
  'LONG',
  'DATE_TIME',
  'BOOLEAN',
  'DATA_SET',
  'STATISTICS_DISCRETE',
  'STATISTICS_CONTINUOUS',
  'HISTOGRAM_DATA',
  'HISTOGRAM_2D_DATA',
  'MODEL_OUTPUT_NAME',
  'OUTPUT_FILE',
] as const;
export type OutputType = (typeof outputTypes)[number];

/** Whether each value of an input or output of this type is one number. */
export function isNumericType(type: InputType | OutputType): boolean {
  return type === 'DOUBLE' || isWholeType(type);
}

/** Whether each value of an input or output of this type is one whole number. */
export function isWholeType(type: InputType | OutputType): boolean {
  return type === 'INTEGER' || type === 'LONG';
}

/** Output types whose value is one cell of a table. */
export const scalarOutputTypes: readonly OutputType[] = [
  'DOUBLE',
  'INTEGER',
  'LONG',
  'STRING',
  'DATE_TIME',
  'BOOLEAN',
  'MODEL_OUTPUT_NAME',
];

/** The units of inputs and outputs that the interface defines, by dimension (section 2.12). */
export const units = {
  time: ['MILLISECOND', 'SECOND', 'MINUTE', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR'],
  length: ['MILLIMETER', 'CENTIMETER', 'METER', 'KILOMETER', 'INCH', 'FOOT', 'YARD', 'MILE', 'NAUTICAL_MILE'],
  area: [
    'SQ_MILLIMETER',
    'SQ_CENTIMETER',
    'SQ_METER',
    'SQ_KILOMETER',
    'SQ_INCH',
    'SQ_FOOT',
    'SQ_YARD',
    'SQ_MILE',
    'SQ_NAUTICAL_MILE',
  ],
  rate: [
    'PER_MILLISECOND',
    'PER_SECOND',
    'PER_MINUTE',
    'PER_HOUR',
    'PER_DAY',
    'PER_WEEK',
    'PER_MONTH',
    'PER_YEAR',
  ],
  speed: ['MPS', 'KPH', 'FPS', 'FPM', 'MPH', 'KN', 'MPS_SQ', 'FPS_SQ'],
  volumeAndMass: ['LITER', 'OIL_BARREL', 'CUBIC_METER', 'KILOGRAM', 'TON'],
  flow: [
    'LITER_PER_SECOND',
    'OIL_BARREL_PER_SECOND',
    'CUBIC_METER_PER_SECOND',
    'KILOGRAM_PER_SECOND',
    'TON_PER_SECOND',
  ],
  angle: ['TURN', 'RADIAN', 'DEGREE', 'RPM', 'RAD_PER_SECOND', 'DEG_PER_SECOND'],
} as const;
export type KnownUnit = (typeof units)[keyof typeof units][number];
export const unitNames = Object.values(units).flat() as [KnownUnit, ...KnownUnit[]];
/** A unit of an input or output. A unit that the interface does not define is a text that only people read. */
export type Unit = KnownUnit | (string & {});
/** The maximum length of a unit, in characters. */
export const LONGEST_UNIT = 40;
export type TimeUnit = (typeof units.time)[number];
/** The lengths of the units of time in ms. A month has 30 days, and a year 365. */
export const MILLISECONDS: Readonly<Partial<Record<string, number>>> = {
  MILLISECOND: 1,
  SECOND: 1_000,
  MINUTE: 60_000,
  HOUR: 3_600_000,
  DAY: 86_400_000,
  WEEK: 7 * 86_400_000,
  MONTH: 30 * 86_400_000,
  YEAR: 365 * 86_400_000,
};

export const RANDOM_SEED = '{RANDOM_SEED}';
export const MAX_MEMORY_MB = '{MAX_MEMORY_MB}';
/** Existing clients send this input for Monte Carlo. */
export const NUMBER_OF_REPLICATIONS = '{NUMBER_OF_REPLICATIONS}';
/** System inputs, named with braces (section 2.2). */
export type SystemInput =
  | '{STOP_MODE}'
  | '{START_TIME}'
  | '{STOP_TIME}'
  | '{START_DATE}'
  | '{STOP_DATE}'
  | typeof MAX_MEMORY_MB
  | typeof RANDOM_SEED
  | typeof NUMBER_OF_REPLICATIONS;

/** The specification shows only `STOP_MODE_AT_TIME` (2.2). Our service adds the other two values. */
export const stopModes = ['STOP_MODE_AT_TIME', 'STOP_MODE_AT_DATE', 'STOP_MODE_NEVER'] as const;

/** `aggregationType` of an outputs element (2.5). Clients send `HISTOGRAM_DATA` for Monte Carlo. */
export const aggregationTypes = ['IDENTITY', 'ARRAY', 'HISTOGRAM_DATA'] as const;

/** How long a pre-signed download address is valid, in seconds (section 8). */
export const PRESIGNED_SECONDS = 300;
