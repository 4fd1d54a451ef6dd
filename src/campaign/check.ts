import {
  canonicalValue,
  type Experiment,
  type InputItem,
  nameKey,
  type RawValue,
  ValueError,
  type Version,
} from '../api/index.ts';
import { ForayError } from '../errors.ts';
import { pointCount, rangeCount, rangeValues } from './design.ts';
import type { Definition } from './definition.ts';
import type { Locate } from '../yaml.ts';
import type { ReadDefinition } from './read.ts';
import { checkSeeds, freshness } from './seeds.ts';
import { didYouMean, quoted } from '../suggest.ts';
import {
  type BaseInput,
  type Campaign,
  type CampaignOutput,
  ONE_ATTEMPT,
  type VariedInput,
} from './types.ts';

/** More values than this in one range is a slip of the pen, not a design. */
const MOST_VALUES = 1_000_000;
const MOST_POINTS = 10_000_000;
const MOST_RUNS = 10_000_000;

/** What the service says about the model that a definition names. */
export interface ModelFacts {
  name: string;
  version: Version;
  experiments: readonly Experiment[];
}

/** What of a campaign the definition and the model's version determine. */
export type CheckedDefinition = Omit<Campaign, 'id' | 'service' | 'model' | 'files'> & {
  /** Input name to path, as written. */
  files: Record<string, string>;
};

/**
 * Checks every name and value of a definition against the model's version, and resolves it: nothing in it is defaulted
 * silently, and a typo is an error with what was probably meant.
 *
 * @throws ForayError UNKNOWN_INPUT, UNKNOWN_OUTPUT, UNKNOWN_EXPERIMENT, INVALID_VALUE, EMPTY_DESIGN,
 *   REPLICATIONS_NEED_SEED, SEED_NEEDED, each with its place
 */
export function checkDefinition(read: ReadDefinition, facts: ModelFacts): CheckedDefinition {
  const { definition, locate } = read;
  const template = facts.version.experimentTemplate;
  const find = inputFinder(facts, locate);
  const base: BaseInput[] = template.inputs.map(({ name, type, units, value }) => ({
    name,
    type,
    units,
    value,
  }));
  const set = (name: string, value: string): void => {
    base.find((input) => input.name === name)!.value = value;
  };

  for (const input of experimentInputs(read, facts)) {
    const known = template.inputs.find(({ name }) => nameKey(name) === nameKey(input.name));
    if (known) set(known.name, canonical(known, input.value, locate(['experiment'])));
  }
  const given = new Set<string>();
  const once = (name: string, path: string[]): void => {
    if (given.has(name)) {
      throw new ForayError('INVALID_VALUE', `The input "${name}" is given more than once.`, {
        place: locate(path, 'key'),
        hint: 'Give it under one of inputs, files and design only.',
      });
    }
    given.add(name);
  };
  for (const [written, value] of Object.entries(definition.inputs)) {
    const path = ['inputs', written];
    const input = find(written, path);
    once(input.name, path);
    if (input.type === 'INPUT_FILE') throw notAFile(input.name, locate, path);
    set(input.name, canonical(input, value, locate(path)));
  }
  const files: Record<string, string> = {};
  for (const [written, path] of Object.entries(definition.files)) {
    const input = find(written, ['files', written]);
    once(input.name, ['files', written]);
    if (input.type !== 'INPUT_FILE') {
      throw new ForayError('INVALID_VALUE', `The input "${input.name}" takes ${input.type}, not a file.`, {
        place: locate(['files', written], 'key'),
        hint: 'Give its value under "inputs".',
      });
    }
    files[input.name] = path;
  }
  const varied: VariedInput[] = Object.entries(definition.design?.grid ?? {}).map(([written, values]) => {
    const path = ['design', 'grid', written];
    const input = find(written, path);
    once(input.name, path);
    if (input.type === 'INPUT_FILE') throw notAFile(input.name, locate, path);
    return {
      name: input.name,
      type: input.type,
      units: input.units,
      values: gridValues(input, values, locate, path),
    };
  });
  const points = pointCount({ varied });
  if (points > MOST_POINTS) {
    throw new ForayError('INVALID_VALUE', `The grid has ${points.toLocaleString('en')} points.`, {
      place: locate(['design', 'grid'], 'key'),
      hint: `At most ${MOST_POINTS.toLocaleString('en')} are taken.`,
    });
  }
  const runs = points * definition.replications;
  if (runs > MOST_RUNS) {
    throw new ForayError('INVALID_VALUE', `The campaign has ${runs.toLocaleString('en')} runs.`, {
      place: locate(['replications']),
      hint: `At most ${MOST_RUNS.toLocaleString('en')} are taken.`,
    });
  }
  checkSeeds(read, facts, varied, given);
  const fresh = freshness(read, find, once);
  for (const input of base) input.value = canonicalTemplate(input);
  return {
    name: definition.campaign,
    base,
    varied,
    files,
    replications: definition.replications,
    seed: definition.seed ?? null,
    outputs: chosenOutputs(read, facts),
    concurrency: definition.concurrency,
    ...failureSettings(definition),
    timeouts: { run: definition.timeouts?.run ?? null, campaign: definition.timeouts?.campaign ?? null },
    fresh,
    priority: definition.priority,
  };
}

/** What is said of failures under one heading are two policies: of one run, and of the campaign. */
function failureSettings({ failures }: Definition): Pick<Campaign, 'attempts' | 'failures'> {
  if (!failures) return { attempts: ONE_ATTEMPT, failures: null };
  const { attempts: count, backoff, seed, ...policy } = failures;
  const judges = policy.rate !== undefined || policy.count !== undefined;
  return { attempts: { count, backoff, seed }, failures: judges ? policy : null };
}

function inputFinder(facts: ModelFacts, locate: Locate): (written: string, path: string[]) => InputItem {
  const { inputs } = facts.version.experimentTemplate;
  return (written, path) => {
    const found = inputs.find(({ name }) => nameKey(name) === nameKey(written));
    if (found) return found;
    throw new ForayError('UNKNOWN_INPUT', `The model "${facts.name}" has no input ${quoted(written)}.`, {
      place: locate(path, 'key'),
      hint: didYouMean(
        written,
        inputs.map(({ name }) => name),
      ),
    });
  };
}

function experimentInputs({ definition, locate }: ReadDefinition, facts: ModelFacts): readonly InputItem[] {
  const wanted = definition.experiment;
  if (wanted === undefined) return [];
  const found = facts.experiments.find(({ name }) => nameKey(name) === nameKey(wanted));
  if (!found) {
    const names = facts.experiments.map(({ name }) => name);
    throw new ForayError(
      'UNKNOWN_EXPERIMENT',
      `The model "${facts.name}" has no experiment ${quoted(wanted)}.`,
      {
        place: locate(['experiment']),
        hint: didYouMean(wanted, names) ?? 'It has none at all.',
      },
    );
  }
  // a varied input of a stored multi-run experiment has a range, which is not the value of one run
  return found.inputs.filter(({ type }) => !type.includes('_RANGE_'));
}

function gridValues(
  input: InputItem,
  written: readonly RawValue[] | { from: number; to: number; step: number },
  locate: Locate,
  path: string[],
): string[] {
  const place = locate(path);
  if (!('from' in written)) {
    if (written.length === 0) {
      throw new ForayError('EMPTY_DESIGN', `The list of values for "${input.name}" is empty.`, {
        place,
        hint: 'Give at least one value.',
      });
    }
    return distinct(
      input,
      written.map((value, index) => canonical(input, value, locate([...path, index]))),
      (index) => locate([...path, index]),
    );
  }
  const { from, to, step } = written;
  const range = `from ${from} to ${to} by ${step}`;
  if (input.type !== 'DOUBLE' && input.type !== 'INTEGER' && input.type !== 'LONG') {
    throw new ForayError(
      'INVALID_VALUE',
      `The input "${input.name}" takes ${input.type}, not a range of numbers.`,
      {
        place,
        hint: 'Give a list of values.',
      },
    );
  }
  if (step <= 0 || to < from) {
    throw new ForayError('EMPTY_DESIGN', `The range for "${input.name}", ${range}, is empty.`, {
      place,
      hint: step <= 0 ? 'The step must be above 0.' : '"from" must not exceed "to".',
    });
  }
  if (rangeCount(written) > MOST_VALUES) {
    throw new ForayError('INVALID_VALUE', `The range for "${input.name}", ${range}, has too many values.`, {
      place,
      hint: `At most ${MOST_VALUES.toLocaleString('en')} are taken.`,
    });
  }
  return distinct(
    input,
    rangeValues(written).map((value) => canonical(input, value, place)),
    () => place,
  );
}

/** Two equal values would be two points of the same key. */
function distinct(
  input: InputItem,
  values: string[],
  placeOf: (index: number) => ReturnType<Locate>,
): string[] {
  const seen = new Set<string>();
  for (const [index, value] of values.entries()) {
    if (seen.has(value)) {
      throw new ForayError('INVALID_VALUE', `The value ${value} for "${input.name}" is there twice.`, {
        place: placeOf(index),
        hint: 'Use replications to repeat a point.',
      });
    }
    seen.add(value);
  }
  return values;
}

function canonical(input: InputItem, value: RawValue, place: ReturnType<Locate>): string {
  if (input.type === 'LONG' && typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    // YAML's reader has rounded it already
    throw new ForayError('INVALID_VALUE', `The value of "${input.name}" is too large to be read exactly.`, {
      place,
      hint: 'Write it in quotes.',
    });
  }
  try {
    return canonicalValue(input.type, value);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new ForayError('INVALID_VALUE', `The value of "${input.name}" ${error.message}.`, {
      place,
      hint: `The input takes ${input.type}${input.units ? `, in ${input.units}` : ''}.`,
    });
  }
}

/** The template's own default: canonical where it can be, otherwise as the service wrote it. */
function canonicalTemplate(input: BaseInput): string {
  try {
    return canonicalValue(input.type, input.value);
  } catch {
    return input.value;
  }
}

function notAFile(name: string, locate: Locate, path: string[]): ForayError {
  return new ForayError('INVALID_VALUE', `The input "${name}" takes a file.`, {
    place: locate(path, 'key'),
    hint: `Write it under "files": {"${name}": PATH}.`,
  });
}

function chosenOutputs({ definition, locate }: ReadDefinition, facts: ModelFacts): CampaignOutput[] {
  const all = facts.version.experimentTemplate.outputs.map(({ name, type, units }) => ({
    name,
    type,
    units,
  }));
  if (!definition.outputs) return all;
  const chosen = new Set<CampaignOutput>();
  for (const [index, written] of definition.outputs.entries()) {
    const found = all.find(({ name }) => nameKey(name) === nameKey(written));
    if (!found) {
      throw new ForayError('UNKNOWN_OUTPUT', `The model "${facts.name}" has no output ${quoted(written)}.`, {
        place: locate(['outputs', index]),
        hint: didYouMean(
          written,
          all.map(({ name }) => name),
        ),
      });
    }
    chosen.add(found);
  }
  return [...chosen];
}
