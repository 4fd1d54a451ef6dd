import {
  type ExperimentType,
  type InputType,
  NUMBER_OF_REPLICATIONS,
  RANDOM_SEED,
} from '../../api/constants.ts';
import { isRandom, isRange, randomTypes, rangeCount, rangeTypes } from '../../api/ranges.ts';
import type { InputItem, RequestInputItem, RunRequest } from '../../api/resources.ts';
import { nameKey, ValueError } from '../../api/values.ts';
import { ServiceError } from '../errors.ts';
import { canonicalInput } from '../models/system-inputs.ts';
import { singleRun } from './experiments.ts';
import type { Settings } from './identity.ts';

/**
 * The largest number of runs of one experiment. One transaction makes all of them parts of the experiment, while other
 * requests wait.
 */
const MOST_SUB_RUNS = 10_000;

type Template = readonly InputItem[];

/**
 * Reads a request. Names match without regard to case and surrounding spaces. For a repeated name, the first entry
 * counts. Omitted inputs have the template's defaults. If the request states a range or random type for an input, the
 * value becomes canonical by this type. Any other stated type is ignored, and the template's type counts. The random
 * values of a single run are drawn here. So a request with the drawn values means the same run.
 *
 * @throws ServiceError UNKNOWN_INPUT or INVALID_VALUE with the name of the input, or UNSUPPORTED_EXPERIMENT
 */
export function readSettings(template: Template, { experimentType, inputs }: RunRequest): Settings {
  const items = inputsOf(template, experimentType);
  const given = firstOfEach(items, inputs);
  const values: [string, string][] = [];
  const types: [string, InputType][] = [];
  items.forEach((item, at) => {
    const { type, value } = readInput(item, given[at], experimentType);
    values.push([item.name, value]);
    if (isRange(type) || isRandom(type)) types.push([item.name, type]);
  });
  const settings: Settings = {
    experimentType,
    inputs: Object.fromEntries(values),
    types: Object.fromEntries(types),
  };
  checkChance(template, settings);
  if (experimentType === 'SIMULATION') {
    return { ...settings, inputs: singleRun(template, settings.inputs, settings.types), types: {} };
  }
  checkSize(settings);
  return settings;
}

/**
 * The inputs of an experiment. Monte Carlo adds the number of replications, if the template does not have this input
 * (notes on real clients, Runs).
 */
export function inputsOf(template: Template, experimentType: ExperimentType): Template {
  const adds =
    experimentType === 'MONTE_CARLO' && !template.some(({ name }) => name === NUMBER_OF_REPLICATIONS);
  return adds
    ? [...template, { name: NUMBER_OF_REPLICATIONS, type: 'INTEGER', units: null, value: '' }]
    : template;
}

/** The first entry in a request for each input of the template, if there is one. */
function firstOfEach(
  items: Template,
  requested: readonly RequestInputItem[],
): readonly (RequestInputItem | undefined)[] {
  const places = placesOf(items);
  const given = new Array<RequestInputItem | undefined>(items.length);
  for (const item of requested) {
    // most requests write names in the same way as the template
    const at = places.get(item.name) ?? places.get(nameKey(item.name));
    if (at === undefined) throw new ServiceError('UNKNOWN_INPUT', `The model has no input "${item.name}".`);
    given[at] ??= item;
  }
  return given;
}

/**
 * The positions of inputs in templates, by name and by name key. They are kept, because templates do not change and
 * each request needs the positions.
 */
const knownPlaces = new WeakMap<Template, ReadonlyMap<string, number>>();

function placesOf(items: Template): ReadonlyMap<string, number> {
  let places = knownPlaces.get(items);
  if (!places) {
    places = new Map(items.flatMap(({ name }, at) => [nameKey(name), name].map((key) => [key, at])));
    knownPlaces.set(items, places);
  }
  return places;
}

function readInput(
  { name, type: base, units, value: defaultValue }: InputItem,
  requested: RequestInputItem | undefined,
  experimentType: ExperimentType,
): { type: InputType; value: string } {
  checkUnits(name, units, requested?.units);
  const type = readType(name, base, requested?.type, experimentType);
  // only the added number of replications has no default
  if (name === NUMBER_OF_REPLICATIONS && defaultValue === '' && !requested) {
    throw invalid(`${experimentType} needs the input "${name}": how many times the run is repeated.`);
  }
  const raw = requested?.value ?? defaultValue;
  try {
    const value = canonicalInput(name, type, typeof raw === 'object' ? JSON.stringify(raw) : raw);
    return { type, value };
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw invalid(`The value of "${name}" (${type}) ${error.message}.`);
  }
}

/** Values are not converted. So a request may repeat the units of the template or omit them, but not state others. */
function checkUnits(name: string, units: InputItem['units'], stated: RequestInputItem['units']): void {
  if (!units || !stated || stated === units) return;
  throw invalid(
    `The value of "${name}" is given in ${stated}, but the model takes ${units}: convert the value, and state ${units}.`,
  );
}

/** The type of an input's value in a request: the range or random type that it states, otherwise the base type. */
function readType(
  name: string,
  base: InputType,
  stated: InputType | undefined,
  experimentType: ExperimentType,
): InputType {
  if (stated === undefined || (!isRange(stated) && !isRandom(stated))) return base;
  const fitting = (isRange(stated) ? rangeTypes : randomTypes)[base as keyof typeof randomTypes];
  if (stated !== fitting) {
    const instead = fitting ? `use ${fitting}` : 'give it a single value';
    throw invalid(`The type ${stated} does not fit "${name}", which is of the type ${base}: ${instead}.`);
  }
  if (isRange(stated) && experimentType !== 'PARAMETER_VARIATION') {
    throw invalid(
      `The value of "${name}" is a range (${stated}): ${experimentType} takes single values, and only PARAMETER_VARIATION takes ranges.`,
    );
  }
  return stated;
}

/** Random values are drawn from the seed, so a request for random values needs a model with a seed. */
function checkChance(template: Template, { experimentType, types }: Settings): void {
  if (template.some(({ name }) => name === RANDOM_SEED)) return;
  if (experimentType === 'MONTE_CARLO') {
    throw new ServiceError(
      'UNSUPPORTED_EXPERIMENT',
      `MONTE_CARLO repeats a run with other seeds, and the model has no input ${RANDOM_SEED}.`,
    );
  }
  const drawn = Object.entries(types).find(([, type]) => isRandom(type));
  if (drawn) {
    throw invalid(
      `The value of "${drawn[0]}" (${drawn[1]}) is drawn from the seed, and the model has no input ${RANDOM_SEED}.`,
    );
  }
}

function checkSize({ experimentType, inputs, types }: Settings): void {
  const varied = Object.entries(types).filter(([, type]) => isRange(type));
  const size =
    experimentType === 'MONTE_CARLO'
      ? Number(inputs[NUMBER_OF_REPLICATIONS])
      : varied.reduce((product, [name, type]) => product * rangeCount(type, inputs[name]!), 1);
  if (size <= MOST_SUB_RUNS) return;
  const named = experimentType === 'MONTE_CARLO' ? [NUMBER_OF_REPLICATIONS] : varied.map(([name]) => name);
  throw invalid(
    `The values of ${named.map((name) => `"${name}"`).join(', ')} make ${size.toLocaleString('en')} runs; at most ${MOST_SUB_RUNS.toLocaleString('en')} are taken at once.`,
  );
}

function invalid(message: string): ServiceError {
  return new ServiceError('INVALID_VALUE', message);
}
