import { stringify } from 'yaml';
import { type InputType, numericOutputTypes, stepCount, stepValues } from '../../api/index.ts';
import { isNumeric } from '../../campaign/designs/input-types.ts';
import type { ModelInput } from '../../campaign/input-values.ts';
import type { ModelAtService } from '../../client/index.ts';
import { starterDefinition } from '../../client/starter.ts';
import { listItems } from '../../text/list-items.ts';

/** Designs that draw points from ranges. `count`: the name of the setting for the number of points. */
export const drawn = {
  lhs: { name: 'Latin hypercube', count: 'points' },
  sobol: { name: 'Sobol sequence', count: 'points' },
  halton: { name: 'Halton sequence', count: 'points' },
  random: { name: 'random', count: 'points' },
  morris: { name: 'trajectories (Morris)', count: 'trajectories' },
  saltelli: { name: 'for Sobol’ indices (Saltelli)', count: 'points' },
} as const;

/** Designs that cannot be combined with a grid, because their analysis needs exactly their points. */
const UNCOMBINED = ['morris', 'saltelli'];
/** A range with a step and at most this many values can be written as a list. */
const MOST_LISTED = 1_000;

/** The default number of points. */
export const POINTS = 64;
/** The default for the maximum number of replications of a point that is repeated until its mean is precise. */
const MOST_REPLICATIONS = 200;
/** The number of replications of a point before the first check of its precision. */
const FIRST_REPLICATIONS = 5;

/**
 * Writes a definition from the fields of a form. `in:INPUT` with one value fixes an input. Several values or
 * FROM..TO/STEP make a grid, or are the values of an input in a design that cannot be combined with a grid. FROM..TO,
 * log(FROM..TO) and normal(MEAN, SD) are distributions. Only an input of numbers can have ranges and distributions.
 * Without fields, the result is the definition that `foray init` writes.
 */
export function definitionFrom(model: ModelAtService, fields: URLSearchParams): string {
  const inputs = byInput();
  const grid = byInput();
  const spread = byInput();
  const isUncombined = UNCOMBINED.includes(textIn(fields, 'kind'));
  for (const input of model.version.experimentTemplate.inputs) {
    const { name } = input;
    const given = fields.get(`in:${name}`) ?? '';
    if (given.trim() === '') continue;
    const distribution = distributionIn(input, given.trim());
    const values = valuesIn(input, given);
    if (distribution) spread[name] = distribution;
    else if (Array.isArray(values) && values.length === 1) inputs[name] = values[0];
    else if (isUncombined) spread[name] = listed(values);
    else grid[name] = values;
  }
  const outputs = fields.getAll('output').filter(Boolean);
  const seed = textIn(fields, 'seed');
  const definition = {
    ...(hasAny(inputs) && { inputs }),
    ...designOf(grid, spread, fields),
    ...replicationsOf(model, outputs, fields),
    ...(seed !== '' && { seed: valueOf(seed) }),
    ...(outputs.length > 0 && { outputs }),
  };
  if (!hasAny(definition)) return starterDefinition(model, model.version, model.experiments);
  const name = model.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return stringify({
    campaign: name.replaceAll(/^-|-$/g, ''),
    model: { name: model.name },
    ...definition,
  });
}

/** An object without a prototype, because another object would lose an input with the name __proto__. */
function byInput(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}

function designOf(grid: object, spread: object, fields: URLSearchParams): { design?: unknown } {
  if (!hasAny(spread)) return hasAny(grid) ? { design: { grid } } : {};
  const kind = textIn(fields, 'kind');
  const [name, { count }] = Object.entries(drawn).find(([known]) => known === kind) ?? ['lhs', drawn.lhs];
  const points = textIn(fields, 'points');
  const sample = { [name]: { [count]: points === '' ? POINTS : valueOf(points), inputs: spread } };
  return { design: hasAny(grid) ? { product: [{ grid }, sample] } : sample };
}

/**
 * The setting for replications: a number, or replications until a mean is precise. The mean is that of the first chosen
 * output, or else of the first numeric output of the model.
 */
function replicationsOf(
  { version }: ModelAtService,
  outputs: readonly string[],
  fields: URLSearchParams,
): { replications?: unknown } {
  const given = textIn(fields, 'replications');
  const relative = textIn(fields, 'relative');
  if (relative === '') return given === '' ? {} : { replications: valueOf(given) };
  const { experimentTemplate } = version;
  const output =
    outputs[0] ?? experimentTemplate.outputs.find(({ type }) => numericOutputTypes.includes(type))?.name;
  const max = given === '' ? MOST_REPLICATIONS : valueOf(given);
  return { replications: { min: FIRST_REPLICATIONS, max, output, relative: valueOf(relative) } };
}

interface SteppedRange {
  from: unknown;
  to: unknown;
  step: unknown;
}

/** Parses a value, a list, or a range with a step. The default and the allowed values of an input may have commas. */
function valuesIn({ type, value, values = [] }: ModelInput, text: string): unknown[] | SteppedRange {
  const range = isNumeric(type) && /^\s*(\S+?)\.\.(\S+?)\/(\S+)\s*$/.exec(text);
  if (range) {
    const [from, to, step] = range.slice(1).map((bound) => valueOf(bound, type));
    return { from, to, step };
  }
  const items = [value, ...values].includes(text) ? [text] : listItems(text);
  return items.map((item) => valueOf(item, type));
}

/** The values as a list. A range that is wrong or very long stays a range, which the check of the definition refuses. */
function listed(values: unknown[] | SteppedRange): unknown {
  if (Array.isArray(values)) return values;
  const { from, to, step } = values;
  if (typeof from !== 'number' || typeof to !== 'number' || typeof step !== 'number') return values;
  const count = stepCount(from, to, step);
  return step > 0 && count > 0 && count <= MOST_LISTED ? stepValues(from, to, step) : values;
}

function distributionIn({ type }: ModelInput, text: string): unknown {
  if (!isNumeric(type)) return undefined;
  const valueIn = (bound: string): unknown => valueOf(bound, type);
  const [, logFrom, logTo] = /^log\(\s*(\S+?)\.\.(\S+?)\s*\)$/.exec(text) ?? [];
  if (logFrom) return { distribution: 'log-uniform', min: valueIn(logFrom), max: valueIn(logTo!) };
  const [, mean, sd] = /^normal\(\s*([^\s,]+)\s*,\s*([^\s,]+)\s*\)$/.exec(text) ?? [];
  if (mean) return { distribution: 'normal', mean: valueIn(mean), sd: valueIn(sd!) };
  const [, min, max] = /^([^\s/]+?)\.\.([^\s/]+)$/.exec(text) ?? [];
  return min && { min: valueIn(min), max: valueIn(max!) };
}

function textIn(fields: URLSearchParams, name: string): string {
  return (fields.get(name) ?? '').trim();
}

function hasAny(value: object): boolean {
  return Object.keys(value).length > 0;
}

/** Parses a value of a type. A text that is no such value stays a text, which the check of the definition refuses. */
function valueOf(text: string, type: InputType = 'DOUBLE'): unknown {
  if (type === 'BOOLEAN') return text === 'true' || (text === 'false' ? false : text);
  if (!isNumeric(type) || !/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)) return text;
  // a number would round a large LONG
  return type === 'LONG' && !Number.isSafeInteger(Number(text)) ? text : Number(text);
}
