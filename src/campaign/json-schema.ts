import { isNumericType } from '../api/index.ts';
import * as z from 'zod';
import { Definition } from './definition.ts';
import { type ModelInput, typeAndLimits } from './input-values.ts';

type JsonSchema = z.core.JSONSchema.JSONSchema;

/**
 * The JSON Schema (draft 2020-12) of a definition as a person writes it. Editors use it, and
 * docs/reference/definition.md is made from it.
 *
 * @param inputs the inputs of one model, so that an editor completes their names and marks values that the model does
 * not allow
 */
export function definitionSchema(inputs: readonly ModelInput[] = []): JsonSchema {
  const schema: JsonSchema = {
    $id: 'urn:foray:definition',
    title: 'Campaign',
    description: 'The definition of a campaign of simulation runs.',
    ...z.toJSONSchema(Definition, { target: 'draft-2020-12', io: 'input' }),
  };
  return inputs.length === 0 ? schema : (withInputs(schema, inputs) as JsonSchema);
}

/** Adds the names of the inputs to each mapping from inputs. The names in such a mapping have the title "input". */
function withInputs(schema: unknown, inputs: readonly ModelInput[]): unknown {
  if (Array.isArray(schema)) return schema.map((item) => withInputs(item, inputs));
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => [key, withInputs(value, inputs)] as const);
  const copy = Object.fromEntries(entries) as Record<string, unknown>;
  if (!isByInput(schema)) return copy;
  const values = copy.additionalProperties as object;
  const properties = inputs.map((input) => [
    input.name,
    { description: `${typeAndLimits(input)}; default ${input.value}`, ...(limited(values, input) as object) },
  ]);
  return { ...copy, properties: Object.fromEntries(properties) as unknown };
}

function isByInput(schema: object): boolean {
  return 'propertyNames' in schema && (schema.propertyNames as JsonSchema).title === 'input';
}

/** Adds the limits of an input to the schemas of its values. These schemas have the title "value". */
function limited(schema: unknown, input: ModelInput): unknown {
  if (Array.isArray(schema)) return schema.map((item) => limited(item, input));
  if (typeof schema !== 'object' || schema === null) return schema;
  if ('title' in schema && schema.title === 'value') return { ...schema, ...limitsOf(input) };
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, limited(value, input)]));
}

function limitsOf({ type, min, max, values }: ModelInput): object {
  return {
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
    ...(values && { enum: values.flatMap((value) => writtenForms(type, value)) }),
  };
}

/** The notations of a value. A number may also be a text: a LONG can be too large for a JSON number. */
function writtenForms(type: ModelInput['type'], value: string): (string | number | boolean)[] {
  if (type === 'BOOLEAN') return [value === 'true'];
  return isNumericType(type) ? [Number(value), value] : [value];
}
