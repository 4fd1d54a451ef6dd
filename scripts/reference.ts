/**
 * Generates the tables of docs/reference/definition.md from the schema of a definition. `npm run reference` writes them
 * into the page, between `<!-- generated: NAME -->` and `<!-- end -->`. A test checks that they are up to date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parameters } from '../src/campaign/designs/spread-input.ts';
import { kinds } from '../src/campaign/designs/index.ts';
import { definitionSchema } from '../src/campaign/json-schema.ts';
import { table, withTables } from './table.ts';

const PAGE = join(import.meta.dirname, '../docs/reference/definition.md');

/** The parts of a JSON Schema that this script reads. */
interface Schema {
  title?: string;
  description?: string;
  default?: unknown;
  $ref?: string;
  type?: string | string[];
  const?: string;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | false;
  required?: string[];
}

const whole = definitionSchema() as Schema & { $defs: Record<string, Schema> };
const {
  Design,
  Range,
  Distribution,
  Precise,
  Growing,
  Axis,
  Outputs,
  Goal,
  Failures,
  Timeouts,
  Search,
  Outside,
  Select,
  Bounds,
  Limit,
  Stop,
  Confirm,
  Abc,
  CalibrationStop,
} = whole.$defs;
const { sobol, morris, saltelli, factorial, onePerInput } = Design!.properties!;

export const tables: Record<string, () => string> = {
  settings: () => settings(whole),
  designs: () => settings({ properties: only(Design!, [...kinds, 'where', 'derive']) }),
  range: () => settings(Range!),
  sample: () => settings(sobol!),
  morris: () => settings(morris!),
  saltelli: () => settings(saltelli!),
  factorial: () => settings(factorial!),
  onePerInput: () => settings(onePerInput!),
  distribution: () => settings(Distribution!),
  distributions: () =>
    table(
      ['distribution', 'needs', 'may have'],
      Object.entries(parameters).map(([name, { needs, takes }]) => [
        code(name),
        listed(needs),
        listed(takes),
      ]),
    ),
  precise: () => settings(Precise!),
  growing: () => settings(Growing!),
  outputs: () => settings(Outputs!),
  axis: () => settings(Axis!),
  goal: () => settings(Goal!),
  search: () => settings(Search!),
  bounds: () => settings(Bounds!),
  limit: () => settings(Limit!),
  outside: () => settings(Outside!),
  stop: () => settings(Stop!),
  confirm: () => settings(Confirm!),
  select: () => settings(Select!),
  calibrate: () => settings(Abc!),
  calibrationStop: () => settings(CalibrationStop!),
  failures: () => settings(Failures!),
  timeouts: () => settings(Timeouts!),
};

/** A table with a row per setting. A setting inside `model` has the name `model.NAME`. */
function settings(schema: Schema): string {
  const rows = rowsOf(schema);
  const hasDefaults = rows.some((row) => row.at(-1) !== '');
  return table(
    ['setting', 'takes', 'meaning', 'default'].slice(0, hasDefaults ? 4 : 3),
    rows.map((row) => row.slice(0, hasDefaults ? 4 : 3)),
  );
}

function rowsOf({ properties = {}, required = [] }: Schema, within = ''): string[][] {
  return Object.entries(properties).flatMap(([key, setting]) => {
    const name = `${within}${key}`;
    if (setting.properties && name === 'model') return rowsOf(setting, `${name}.`);
    const { description = target(setting).description ?? '', default: value } = setting;
    const byDefault =
      value === undefined ? '' : code(typeof value === 'string' ? value : JSON.stringify(value));
    return [[code(name), kindOf(setting), description, required.includes(key) ? 'required' : byDefault]];
  });
}

/** The values of a setting, in words. */
function kindOf(schema: Schema): string {
  const { title, anyOf, type, const: constant, enum: choices, items } = schema.$ref ? target(schema) : schema;
  if (title !== undefined) return words[title] ?? title;
  if (constant !== undefined) return code(constant);
  if (type === 'object') return 'mapping';
  if (choices) return choices.map((choice) => code(String(choice))).join(', ');
  if (anyOf) {
    const kinds = anyOf.filter((option) => option.type !== 'null').map(kindOf);
    return [...new Set(kinds)].join(' or ');
  }
  if (items) return `list of ${kindOf(items)}s`;
  return [type]
    .flat()
    .map((name) => words[name!] ?? name)
    .join(', ');
}

const words: Record<string, string> = {
  string: 'text',
  integer: 'whole number',
  boolean: '`true`, `false`',
  measure: 'output',
};

function target({ $ref }: Schema): Schema {
  return $ref === undefined ? {} : whole.$defs[$ref.split('/').at(-1)!]!;
}

function only({ properties = {} }: Schema, names: readonly string[]): Record<string, Schema> {
  return Object.fromEntries(names.map((name) => [name, properties[name]!]));
}

function code(text: string): string {
  return `\`${text}\``;
}

function listed(names: readonly string[]): string {
  return names.map(code).join(', ');
}

if (import.meta.main) writeFileSync(PAGE, withTables(readFileSync(PAGE, 'utf8'), tables));
