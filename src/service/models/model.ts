import type { OutputType, TimeUnit, Unit } from '../../api/constants.ts';
import type { Horizon } from './system-inputs.ts';

/**
 * The contract between the service and a model. A model is a folder with a `model.ts` (or `model.js`) whose default
 * export is what {@link defineModel} returns.
 */

/** Types that a model may declare for an input (specification 2.11); ranges and random values belong to requests. */
export const modelInputTypes = [
  'STRING',
  'DOUBLE',
  'INTEGER',
  'LONG',
  'DATE_TIME',
  'BOOLEAN',
  'INPUT_FILE',
] as const;
/** A type that a model may declare for an input. */
export type ModelInputType = (typeof modelInputTypes)[number];

/** Types that a settable value of an animated run may have. A value of such a type is a single text. */
export const settableTypes = ['STRING', 'DOUBLE', 'INTEGER', 'LONG', 'DATE_TIME', 'BOOLEAN'] as const;
/** A type of a settable value of an animated run. */
export type SettableType = (typeof settableTypes)[number];

/** An input of a model. */
export interface InputDeclaration {
  /** Unique in the model, ignoring case. Only the system inputs of specification 2.2 have names in braces. */
  name: string;
  type: ModelInputType;
  units?: Unit | null;
  /** The default value. For an INPUT_FILE it is the empty string, which means no file. */
  default: string | number | boolean;
  /** The least allowed value of a number. The service refuses smaller values. */
  min?: number;
  /** The greatest allowed value of a number. The service refuses larger values. */
  max?: number;
  /** All allowed values. */
  values?: readonly (string | number | boolean)[];
}

/** The x axis of a curve. */
export interface AxisDeclaration {
  name?: string;
  units?: Unit | null;
  /** @default linear */
  scale?: 'linear' | 'log';
  /** The date of x = 0, such as 2026-01-31. The axis then shows dates; its units must be units of time. */
  start?: string;
}

/** An output of a model. */
export interface OutputDeclaration {
  /** Unique in the model, ignoring case. An item of a chart is named `<chart>|<item>` (specification 2.5, rule 4). */
  name: string;
  type: OutputType;
  units?: Unit | null;
  /** The x axis of a DATA_SET. */
  axis?: AxisDeclaration;
}

/**
 * A range of values for an input (specification 2.11). The last word of `type` is the type of the input. The range
 * includes `max` if a step reaches it.
 */
export type RangeDeclaration =
  | { type: 'FIXED_RANGE_DOUBLE' | 'FIXED_RANGE_INTEGER'; min: number; max: number; step: number }
  | { type: 'FIXED_RANGE_LONG'; min: number | string; max: number | string; step: number | string }
  | { type: 'FULL_RANGE_BOOLEAN' };

/**
 * An experiment stored with the model: input values that differ from the defaults, by input name. A parameter variation
 * may also have ranges.
 */
export type ExperimentDeclaration =
  | { name: string; type: 'SIMULATION'; inputs: Record<string, string | number | boolean> }
  | {
      name: string;
      type: 'PARAMETER_VARIATION';
      inputs: Record<string, string | number | boolean | RangeDeclaration>;
    };

/** The value of a DATA_SET: points of a curve. */
export interface DataSet {
  dataX: number[];
  dataY: number[];
}

/**
 * Statistics of values. Further fields are kept, such as `deviation`, `confidence`, and `sum` (discrete) or `integral`
 * (continuous).
 */
export interface Statistics {
  type: string;
  count: number;
  min: number | null;
  max: number | null;
  mean: number | null;
  variance: number | null;
  [further: string]: string | number | null;
}

/** The value of a HISTOGRAM_DATA: how many values lie in each interval, from the lower bound on. */
export interface Histogram {
  lowerBound: number;
  intervalWidth: number;
  hits: number[];
  hitsOutLow: number;
  hitsOutHigh: number;
  statistics: Statistics;
}

/** A histogram over two values, x and y. `hits` has a list for each interval of x. */
export interface Histogram2d {
  hits: number[][];
  hitsOutLow: number | number[];
  hitsOutHigh: number | number[];
  xMin: number;
  xMax: number;
  yMin: number;
  yMax: number;
}

/** A file that {@link RunContext.writeFile} has stored. */
export interface OutputFile {
  hash: string;
  localPath: string;
}

interface InputValueOf {
  STRING: string;
  DOUBLE: number;
  INTEGER: number;
  LONG: bigint;
  /** A local time, `yyyy-MM-ddTHH:mm:ss`. */
  DATE_TIME: string;
  BOOLEAN: boolean;
  /** The file's hash, empty for no file; its bytes come from {@link RunContext.readFile}. */
  INPUT_FILE: string;
}

interface OutputValueOf {
  STRING: string;
  DOUBLE: number;
  INTEGER: number;
  LONG: bigint | number;
  DATE_TIME: string;
  BOOLEAN: boolean;
  DATA_SET: DataSet;
  STATISTICS_DISCRETE: Statistics;
  STATISTICS_CONTINUOUS: Statistics;
  HISTOGRAM_DATA: Histogram;
  HISTOGRAM_2D_DATA: Histogram2d;
  MODEL_OUTPUT_NAME: string;
  OUTPUT_FILE: OutputFile;
}

type InputValues<I extends readonly InputDeclaration[]> = {
  [D in I[number] as D['name']]: InputValueOf[D['type']];
};

/**
 * One value per output; `null` for an output that has no value in this run (its `value` is then the JSON text `null`).
 */
type OutputValues<O extends readonly OutputDeclaration[]> = {
  [D in O[number] as D['name']]: OutputValueOf[D['type']] | null;
};

type FileInputName<I extends readonly InputDeclaration[]> = Extract<
  I[number],
  { type: 'INPUT_FILE' }
>['name'];

/** The argument of a model's run. */
export interface RunContext<I extends readonly InputDeclaration[] = readonly InputDeclaration[]> {
  inputs: InputValues<I>;
  /** The value of `{RANDOM_SEED}`, where the model declares it. */
  seed: '{RANDOM_SEED}' extends I[number]['name'] ? bigint : undefined;
  /**
   * The start and the end of the simulation. They come from the system inputs of the model. The defaults are 0 and
   * Infinity.
   */
  horizon: Horizon;
  /** The bytes of an INPUT_FILE, or null when the request gives none. */
  readFile: (input: FileInputName<I>) => Uint8Array | null;
  /** Stores a file. Its result is the value of an OUTPUT_FILE. `localPath` is the name for downloads. */
  writeFile: (localPath: string, content: Uint8Array | string) => OutputFile;
  /** Reports the finished share of the run, 0 to 1. A model may call this often. */
  progress: (fraction: number) => void;
}

/** A part of the picture that a page may show by itself, in pixels. */
export interface ViewArea {
  /** Unique among the view areas, ignoring case. */
  name: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A value of a drawn run that a page may read, and set if it is settable. */
export interface SceneValueDeclaration {
  /** Unique among the values, ignoring case. */
  name: string;
  /** The type of the value. A settable value has one of the {@link settableTypes}. */
  type: Exclude<OutputType, 'OUTPUT_FILE'>;
  units?: Unit | null;
  /** Whether a page may set the value. @default false */
  settable?: boolean;
}

/** A function of a drawn run that a page may call. */
export interface SceneFunctionDeclaration {
  /** Unique among the functions, ignoring case. */
  name: string;
  /** Names of the arguments. A call gives all of them. @default none */
  parameters?: readonly string[];
}

/** Access to a declared value of a drawn run. */
export interface SceneValue {
  /** The current value, as an output of its type; null if there is none. */
  get(): unknown;
  /** Sets a settable value of its type. An error refuses the value, and the run goes on. */
  set?(value: never): void;
}

/** Takes JSON values, and returns a JSON value or a promise of it. An error refuses the call, and the run goes on. */
export type SceneFunction = (...args: never[]) => unknown;

/** A run that is being drawn. Times are in the animation's units, from 0. */
export interface Scene<O extends readonly OutputDeclaration[] = readonly OutputDeclaration[]> {
  /** The time at which the run is over. It is finite. */
  readonly end: number;
  /** Advances the run to a time. Times never decrease, and the last one is `end`. An error fails the run. */
  advance(time: number): void;
  /** SVG elements that show the current state of the run, in a box of the animation's width and height. */
  draw(): string;
  /** The outputs at the end. They are the same as the outputs of `run` with the same inputs. */
  outputs(): OutputValues<O> | Promise<OutputValues<O>>;
  /** The values and functions that the animation declares, by name. */
  values?: Readonly<Record<string, SceneValue>>;
  functions?: Readonly<Record<string, SceneFunction>>;
}

/** The animation of a model (docs/guides/animation.md). */
export interface AnimationDefinition<
  I extends readonly InputDeclaration[] = readonly InputDeclaration[],
  O extends readonly OutputDeclaration[] = readonly OutputDeclaration[],
> {
  /** Native size of the picture, in pixels. */
  width: number;
  height: number;
  /** The unit of the scene's time. */
  units: TimeUnit;
  /** How much time of the scene passes in a second, in `units`. @default 1 */
  speed?: number;
  /** The parts of the picture that a page may show by name. */
  viewAreas?: readonly ViewArea[];
  values?: readonly SceneValueDeclaration[];
  functions?: readonly SceneFunctionDeclaration[];
  /** Begins a drawn run. An error fails the run, with the error's message as the reason. */
  start(context: RunContext<I>): Scene<O> | Promise<Scene<O>>;
}

/** A model: its declaration, and the function that runs it. */
export interface ModelDefinition<
  I extends readonly InputDeclaration[] = readonly InputDeclaration[],
  O extends readonly OutputDeclaration[] = readonly OutputDeclaration[],
> {
  name: string;
  description: string;
  /** Whether all users may use the model (specification 2.1). @default false */
  published?: boolean;
  inputs: I;
  outputs: O;
  experiments?: readonly ExperimentDeclaration[];
  /** Executes one run. An error fails the run, with the error's message as the reason. */
  run(context: RunContext<I>): OutputValues<O> | Promise<OutputValues<O>>;
  /** How a run is drawn. Without it, the model has no animated runs. */
  animation?: AnimationDefinition<I, O>;
}

/** Declares a model. The types of `run` follow from the declared inputs and outputs. */
export function defineModel<
  const I extends readonly InputDeclaration[],
  const O extends readonly OutputDeclaration[],
>(model: ModelDefinition<I, O>): ModelDefinition<I, O> {
  return model;
}
