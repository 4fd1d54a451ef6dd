import type { z } from 'zod';
import { ForayError } from '../errors.ts';
import type { Mistakes } from './mistake-collector.ts';
import { type SchemaError, schemaErrors } from './schema-error.ts';
import type { Locate } from './yaml.ts';

/** The maximum number of attempts to leave out wrong settings, one for each level of nesting. */
const MOST_TRIES = 20;

export interface MatchOptions {
  locate: Locate;
  mistakes: Mistakes;
  /**
   * The settings that all other checks need. If one of them is wrong, only mistakes that the schema finds are reported.
   */
  needed: readonly string[];
}

/**
 * Reads a definition by its schema. A wrong setting is added to the mistakes and left out, so that the rest can still
 * be checked.
 *
 * @throws ForayError DEFINITION_INVALID if nothing else can be checked without the wrong setting
 */
export function matchSchema<T>(
  schema: z.ZodType<T>,
  plain: object,
  { locate, mistakes, needed }: MatchOptions,
): T {
  let rest = plain;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const result = schema.safeParse(rest);
    if (result.success) return result.data;
    const found = schemaErrors(result.error, schema, rest, 'definition');
    // an error that appears only because a wrong setting was left out is not another mistake
    if (tries === 0) for (const one of found) mistakes.add(mistakeOf(one, locate));
    if (found.some(({ path: [setting] }) => setting === undefined || needed.includes(String(setting)))) break;
    for (const { path } of found) rest = without(rest, path);
  }
  mistakes.throwAny();
  throw new Error('a definition is wrong and has no mistake');
}

function mistakeOf({ message, path, at, hint }: SchemaError, locate: Locate): ForayError {
  return new ForayError('DEFINITION_INVALID', message, { place: locate(path, at), hint });
}

/**
 * A copy without the value at a path. If the value is missing, the object that lacks it is left out. If the path leads
 * into a list, the whole list is left out.
 */
function without(whole: object, [segment, ...rest]: readonly PropertyKey[]): object {
  const { [segment!]: inner, ...others } = whole as Record<PropertyKey, unknown>;
  const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
  const leadsOn = rest.length > 0 && isObject && Object.hasOwn(inner, rest[0]!);
  return leadsOn ? { ...others, [segment!]: without(inner, rest) } : others;
}
