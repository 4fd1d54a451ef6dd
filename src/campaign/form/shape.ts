import type * as z from 'zod';
import { isNumericType, RANDOM_SEED } from '../../api/index.ts';
import type { ModelInput } from '../input-values.ts';
import { definitionSchema } from '../json-schema.ts';
import { isMeasured } from '../measures.ts';
import { strategySettings } from '../strategy.ts';
import type { CampaignOutput } from '../types.ts';

/** The shape of the form for a definition. It is made from the schema of a definition and the declaration of a model. */

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** What a form needs to know about the version of a model. */
export interface FormModel {
  name: string;
  inputs: readonly ModelInput[];
  outputs: readonly FormOutput[];
}

type FormOutput = Pick<CampaignOutput, 'name' | 'type'>;

/** Which outputs the check of a definition accepts, by the title of their names in the schema. */
const accepts = new Map<string | undefined, (output: FormOutput) => boolean>([
  ['output', () => true],
  ['measure', isMeasured],
  ['curve', ({ type }) => type === 'DATA_SET'],
]);

/**
 * A part of the form.
 *
 * - `value`: one field. `any`: a text that looks like a number is a number.
 * - `list`: one field with a list, such as `1, 2, 3`.
 * - `table`: one field with CSV, for a list of mappings.
 * - `group`: settings by name. Only one setting of each of its `choices` is in use. `constants` are always there.
 * - `choice`: several shapes, of which one is in use.
 */
export type Shape =
  | ValueShape
  | { is: 'list'; of: ValueShape }
  | { is: 'table'; cells: ReadonlyMap<string, ValueShape> }
  | GroupShape
  | { is: 'choice'; of: readonly Alternative[] };

export interface ValueShape {
  is: 'value';
  type: 'number' | 'boolean' | 'text' | 'any';
  /** What the value names or is: input, output, measure, expression, duration. */
  title?: string | undefined;
  /** The only values that make sense. */
  options?: readonly string[] | undefined;
}

export interface GroupShape {
  is: 'group';
  /** What the names of the settings are, if the definition chooses them. */
  by?: 'input' | 'output' | undefined;
  settings: readonly Setting[];
  choices: readonly (readonly string[])[];
  constants: ReadonlyMap<string, { value: unknown; isNeeded: boolean }>;
}

export class Setting {
  readonly key: string;
  readonly description: string;
  readonly default: unknown;
  readonly isRequired: boolean;
  /** The input that the key names. */
  readonly input: ModelInput | undefined;
  readonly #make: () => Shape | undefined;
  #shape: Shape | undefined;

  constructor(
    about: Omit<Setting, 'shape' | 'input'> & { input?: ModelInput },
    make: () => Shape | undefined,
  ) {
    this.key = about.key;
    this.description = about.description;
    this.default = about.default;
    this.isRequired = about.isRequired;
    this.input = about.input;
    this.#make = make;
  }

  /**
   * Undefined if a form cannot show the setting. It is made when it is needed, because most parts of a definition are
   * not in use.
   */
  get shape(): Shape | undefined {
    return (this.#shape ??= this.#make());
  }
}

export interface Alternative {
  name: string;
  shape: Shape;
  /** Whether it only adds units to another alternative. */
  isRare: boolean;
}

const definition = definitionSchema() as JsonSchema & { $defs: Record<string, JsonSchema> };

/** The settings of a definition that ask for a strategy. A definition has at most one of them. */
export const STRATEGIES = Object.keys(strategySettings);

export function formShape(model: FormModel): GroupShape {
  const shape = new Shapes(model).of(definition) as GroupShape;
  return { ...shape, choices: [STRATEGIES] };
}

/** Makes the shapes of the parts of a definition for a model. */
class Shapes {
  readonly #model: FormModel;

  constructor(model: FormModel) {
    this.#model = model;
  }

  /**
   * The shape of a schema; undefined if a form cannot show it.
   *
   * @param input - the input whose values the schema describes
   */
  of(written: JsonSchema, input?: ModelInput): Shape | undefined {
    const schema = targetOf(written);
    const { title, type, properties, additionalProperties, items, anyOf } = schema;
    if (title === 'value') return valueOfInput(input);
    if (properties) return this.#group(schema, input);
    if (anyOf && !isScalar(schema)) return this.#choice(anyOf, input);
    if (isSchema(additionalProperties)) return this.#byName(schema, additionalProperties);
    if (isSchema(items)) return this.#list(targetOf(items), input);
    if (type === 'boolean') return { is: 'value', type };
    if (type === 'number' || type === 'integer') return { is: 'value', type: 'number' };
    const options = schema.enum as string[] | undefined;
    if (type === 'string') return { is: 'value', type: 'text', title, options };
    return isScalar(schema) ? { is: 'value', type: 'any', title } : undefined;
  }

  #list(items: JsonSchema, input: ModelInput | undefined): Shape | undefined {
    if (isSchema(items.propertyNames)) {
      const cells = this.#model.inputs.map((one): [string, ValueShape] => [one.name, valueOfInput(one)]);
      return { is: 'table', cells: new Map(cells) };
    }
    const of = this.of(items, input);
    return of?.is === 'value' ? { is: 'list', of } : undefined;
  }

  #choice(anyOf: readonly JsonSchema[], input: ModelInput | undefined): Shape | undefined {
    const all = anyOf.flatMap((option) => {
      const target = targetOf(option);
      // each distribution is an alternative with its own parameters
      const variants = (target.anyOf ?? []).filter(({ properties = {} }) =>
        Object.values(properties).includes(false),
      );
      if (variants.length > 0) return variants.map((variant) => this.#variant(target, variant, input));
      const shape = this.of(option, input);
      if (!shape || (shape.is === 'group' && !shape.settings.every(isShown))) return [];
      const name = option.$ref?.split('/').at(-1) ?? nameOf(shape);
      return [{ name, shape, isRare: onlyAddsUnits(target) }];
    });
    const of = all.filter(({ shape }) => !input || isNumericType(input.type) || !takesNumbers(shape));
    return of.length > 1 ? { is: 'choice', of } : of[0]?.shape;
  }

  /** An alternative of an object: its parameters depend on the value of one of its settings. */
  #variant(object: JsonSchema, variant: JsonSchema, input: ModelInput | undefined): Alternative {
    const { properties: given = {}, required = [] } = variant;
    // the setting with the constant value, beside parameters that the variant does not have
    const [key, constant] = Object.entries(given).find(([, one]) => one !== false)!;
    const { const: value } = constant as { const: unknown };
    const parameters = Object.entries(object.properties!).filter(
      ([name]) => name !== key && given[name] !== false,
    );
    const shape = this.#group({ properties: Object.fromEntries(parameters), required }, input);
    const constants = new Map([[key, { value, isNeeded: required.includes(key) }]]);
    return { name: String(value), shape: { ...shape, constants }, isRare: false };
  }

  #group({ properties, required = [], oneOf, allOf = [] }: JsonSchema, input?: ModelInput): GroupShape {
    const choices = [oneOf, ...allOf.map((one) => one.oneOf)]
      .map((options = []) => options.flatMap((one) => one.required ?? []))
      .filter((names) => names.length > 0);
    const settings = Object.entries(properties as Record<string, JsonSchema>).map(([key, schema]) => {
      const description = schema.description ?? targetOf(schema).description ?? '';
      const about = { key, description, default: schema.default, isRequired: required.includes(key) };
      return new Setting(about, () => this.of(schema, input));
    });
    return { is: 'group', settings, choices, constants: new Map() };
  }

  #byName({ propertyNames }: JsonSchema, values: JsonSchema): Shape | undefined {
    const title = isSchema(propertyNames) ? propertyNames.title : undefined;
    const group = { is: 'group' as const, choices: [], constants: new Map<string, never>() };
    const about = { description: '', default: undefined, isRequired: false };
    if (title === 'input') {
      const inputs = this.#model.inputs.filter(({ name }) => name !== RANDOM_SEED);
      const settings = inputs.map((input) => {
        const { name: key, value } = input;
        return new Setting({ ...about, key, default: value, input }, () => this.of(values, input));
      });
      return { ...group, by: 'input', settings };
    }
    const isAccepted = accepts.get(title);
    if (!isAccepted) return undefined;
    const outputs = this.#model.outputs.filter(isAccepted);
    const settings = outputs.map(({ name }) => new Setting({ ...about, key: name }, () => this.of(values)));
    return { ...group, by: 'output', settings };
  }
}

/** Whether a form can show the setting. */
export function isShown({ shape }: Pick<Setting, 'shape'>): boolean {
  return shape !== undefined;
}

function valueOfInput(input: ModelInput | undefined): ValueShape {
  if (!input) return { is: 'value', type: 'any' };
  const { type, values } = input;
  if (type === 'BOOLEAN') return { is: 'value', type: 'boolean' };
  return { is: 'value', type: isNumericType(type) ? 'number' : 'text', options: values };
}

/** Whether a shape gives the values of an input by numbers, such as a range. An input with other values cannot have it. */
function takesNumbers(shape: Shape): boolean {
  if (shape.is !== 'group') return false;
  const needed = shape.settings.filter(({ isRequired }) => isRequired);
  return needed.length > 0 && needed.every(({ shape: one }) => one?.is === 'value' && one.type === 'number');
}

function nameOf(shape: Shape): string {
  if (shape.is === 'value') return shape.type === 'boolean' ? 'boolean' : 'value';
  if (shape.is !== 'group') return shape.is;
  return shape.by ?? shape.settings.flatMap(({ key, isRequired }) => (isRequired ? [key] : [])).join(', ');
}

function targetOf(schema: JsonSchema): JsonSchema {
  return schema.$ref === undefined ? schema : definition.$defs[schema.$ref.split('/').at(-1)!]!;
}

function isSchema(schema: unknown): schema is JsonSchema {
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema);
}

/** Whether one field is enough: a schema that takes only texts and numbers. */
function isScalar({ anyOf, type }: JsonSchema): boolean {
  if (anyOf) return anyOf.every((one) => isScalar(targetOf(one)));
  return type !== undefined && [type].flat().every((one) => ['string', 'number', 'integer'].includes(one));
}

/** Whether an object is a value or values with units. A person who fills in a form need not repeat the units. */
function onlyAddsUnits({ properties = {} }: JsonSchema): boolean {
  return 'units' in properties && Object.keys(properties).length === 2;
}
