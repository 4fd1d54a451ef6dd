import { Document, type ToStringOptions } from 'yaml';
import {
  type Experiment,
  isNumericType,
  isWholeType,
  type Model,
  nameKey,
  RANDOM_SEED,
  type RawValue,
} from '../api/index.ts';
import { campaignName } from '../campaign/definition.ts';
import type { LimitedVersion } from '../campaign/facts.ts';
import { type ModelInput, typeAndLimits } from '../campaign/input-values.ts';
import { oneLine } from '../text/suggest.ts';

type ModelOutput = LimitedVersion['experimentTemplate']['outputs'][number];

/** Options of the YAML library that put any value on one line. */
const ON_ONE_LINE: ToStringOptions = {
  lineWidth: 0,
  blockQuote: false,
  doubleQuotedMinMultiLineLength: Infinity,
  singleQuote: false,
  flowCollectionPadding: false,
};

/**
 * Writes a first definition for a user: a campaign of one point. The definition names all inputs (in comments, with
 * their default values), outputs and stored experiments of the model.
 */
export function starterDefinition(
  model: Model,
  version: LimitedVersion,
  experiments: readonly Experiment[],
): string {
  const [first, ...others] = experiments.toSorted((a, b) => Number(isSingle(b)) - Number(isSingle(a)));
  const experiment = first && isSingle(first) ? first : undefined;
  const unused = experiment ? others : experiments;
  const { outputs } = version.experimentTemplate;
  const numeric = firstNumeric(outputs);
  const inputs = version.experimentTemplate.inputs.map((input) => {
    const own = experiment?.inputs.find(({ name }) => nameKey(name) === nameKey(input.name));
    return own ? { ...input, value: own.value } : input;
  });
  const files = inputs.filter(({ type }) => type === 'INPUT_FILE');
  const values = inputs.filter(({ type }) => type !== 'INPUT_FILE');
  const unusedNames = unused.map(({ name, type }) => `${yaml(name)} (${type})`).join(', ');
  const lines = [
    `# yaml-language-server: $schema=./${schemaFileOf(model)}`,
    `# ${oneLine(`${model.name}${model.description ? `: ${model.description}` : ''}`)}`,
    '',
    `campaign: ${yaml(campaignName(model.name))}`,
    'model:',
    `  ${yaml({ name: model.name })}`,
    `  version: latest # ${version.version} so far`,
    ...(experiment ? [yaml({ experiment: experiment.name })] : []),
    ...(unusedNames ? [`# other stored experiments: ${unusedNames}`] : []),
    '',
    'inputs: # the same in every point',
    ...values.map((input) => `  # ${yaml({ [input.name]: valueIn(input) })} # ${typeAndLimits(input)}`),
    ...(files.length > 0 ? ["files: # relative to this file's folder"] : []),
    ...files.map((input) => `  # ${yaml({ [input.name]: './FILE' })} # ${typeAndLimits(input)}`),
    '',
    ...designs(values),
    ...search(values, outputs),
    ...(inputs.some(({ name }) => name === RANDOM_SEED)
      ? ['# replications: 10 # runs per point, each with its own seed', '# seed: 42', '']
      : []),
    ...(numeric
      ? [`# ${yaml({ goal: { minimize: numeric.name } })} # or maximize: which points are best`]
      : []),
    ...(outputs.some(({ type }) => type === 'OUTPUT_FILE')
      ? [
          '# outputs: {files: keep} # instead of the list: all outputs, with copies of their files in the store',
        ]
      : []),
    ...(outputs.length > 0 ? ['outputs:'] : []),
    ...outputs.map((output) => `  - ${yaml(output.name)} # ${kindOfOutput(output)}`),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

/** A design of one point, and other kinds of design in comments. */
function designs(inputs: readonly ModelInput[]): string[] {
  const input = variedInput(inputs);
  if (!input) return [];
  const { name } = input;
  const value = valueIn(input);
  const lines = [
    'design: # one of these kinds; docs/reference/definition.md has them all',
    `  ${yaml({ grid: { [name]: [value] } })}`,
  ];
  const range = rangeAbout(input);
  if (!range || typeof value !== 'number') return [...lines, ''];
  const [low, high] = range;
  const spread = { [name]: { min: low, max: high } };
  const isBetween = low < value && value < high;
  const others: Record<string, unknown>[] = [
    { grid: { [name]: { from: low, to: high, count: 5 } } },
    { oneAtATime: { [name]: [low, high] } },
    { zip: { [name]: [low, high] } },
    { points: [{ [name]: low }, { [name]: high }] },
    { points: './points.csv' },
    ...['random', 'lhs', 'sobol', 'halton'].map((kind) => ({ [kind]: { points: 16, inputs: spread } })),
    { morris: { trajectories: 10, inputs: spread } },
    { saltelli: { points: 64, inputs: spread } },
    { factorial: { inputs: { [name]: [low, high] } } },
    ...(isBetween ? [{ onePerInput: { inputs: { [name]: { low, high } } } }] : []),
    { union: [{ grid: { [name]: [low] } }, { grid: { [name]: [high] } }] },
  ];
  return [
    ...lines,
    ...others.map((design) => `  # ${yaml(design)}`),
    `  # each design, except morris and saltelli, can have a condition: ${yaml({ where: `\`${name.replaceAll('`', '``')}\` <= ${high}` })}`,
    '',
  ];
}

/** The commented line for a search, which a user may take in place of the design. */
function search(inputs: readonly ModelInput[], outputs: readonly ModelOutput[]): string[] {
  const input = variedInput(inputs);
  const range = input && rangeAbout(input);
  const output = firstNumeric(outputs);
  if (!range || !output) return [];
  const over = { [input.name]: { min: range[0], max: range[1] } };
  const sought = { search: { minimize: output.name, over, stop: { points: 40 } } };
  return [`# ${yaml(sought)} # in place of the design: finds the best point`, ''];
}

function firstNumeric(outputs: readonly ModelOutput[]): ModelOutput | undefined {
  return outputs.find(({ type }) => isNumericType(type));
}

/** The input that the example lines vary: the first input with a number, otherwise the first input. */
function variedInput(inputs: readonly ModelInput[]): ModelInput | undefined {
  // names of system inputs begin with a brace, such as that of the seed
  const free = inputs.filter(({ name }) => !name.startsWith('{'));
  return free.find((input) => typeof valueIn(input) === 'number') ?? free[0];
}

/**
 * A range around the default value, within the limits of the input. The ends are whole numbers, unless the limits are
 * closer to the default. Undefined for an input that takes no numbers or only listed numbers, and if the
 * limits leave no range.
 */
function rangeAbout(input: ModelInput): [number, number] | undefined {
  const { type, min, max, values } = input;
  const value = valueIn(input);
  if (values || typeof value !== 'number') return undefined;
  const size = Math.max(1, Math.abs(value));
  const low = Math.max(Math.floor(value - size / 2), min ?? -Infinity);
  const high = Math.min(Math.ceil(value + size / 2), max ?? Infinity);
  const [least, most] = isWholeType(type) ? [Math.ceil(low), Math.floor(high)] : [low, high];
  return least < most ? [least, most] : undefined;
}

function isSingle({ type }: Experiment): boolean {
  return type === 'SIMULATION';
}

/** The default value of an input, in the form that a definition uses. */
function valueIn({ type, value }: ModelInput): RawValue {
  if (type === 'BOOLEAN') return value === 'true';
  const number = Number(value);
  const isExact = Number.isInteger(number) ? Number.isSafeInteger(number) : Number.isFinite(number);
  return isNumericType(type) && value.trim() !== '' && isExact ? number : value;
}

function kindOfOutput({ type, units }: ModelOutput): string {
  return units === null ? type : `${type}, ${units}`;
}

/** YAML on one line: a text, or a name with its value. */
function yaml(value: Record<string, unknown> | string): string {
  if (typeof value === 'string') return new Document(value).toString(ON_ONE_LINE).trimEnd();
  const line = new Document();
  line.contents = line.createNode({});
  for (const [name, inner] of Object.entries(value)) line.set(name, line.createNode(inner, { flow: true }));
  return line.toString(ON_ONE_LINE).trimEnd();
}

/** The name of a model's schema file. The file lies beside the definitions. */
export function schemaFileOf({ name }: Pick<Model, 'name'>): string {
  return `${campaignName(name)}.schema.json`;
}
