import type { z } from 'zod';
import { ForayError } from '../errors.ts';
import { misfit } from '../misfit.ts';
import { oneLine } from '../suggest.ts';
import { type Locate, readYaml, type ReadYaml, YamlError } from '../yaml.ts';
import { Definition } from './definition.ts';

/** A definition with the means to say where in its file something stands. */
export interface ReadDefinition {
  definition: Definition;
  locate: Locate;
}

/**
 * Reads the text of a definition, YAML or JSON (which is YAML).
 *
 * @param file the name to put in front of errors
 * @throws ForayError DEFINITION_SYNTAX, DEFINITION_INVALID with the place
 */
export function readDefinition(text: string, file: string): ReadDefinition {
  const { plain, locate } = readText(text, file);
  return checkShape(plain, locate);
}

/**
 * Takes a definition that a program made. Its places are names on the way to a value.
 *
 * @param file the name to put in front of errors
 * @throws ForayError DEFINITION_INVALID with the place
 */
export function readObject(plain: unknown, file: string): ReadDefinition {
  return checkShape(plain, (path) => ({ file, path: oneLine(path.map(String).join('.')) }));
}

function checkShape(plain: unknown, locate: Locate): ReadDefinition {
  const result = Definition.safeParse(plain);
  if (!result.success) throw shapeError(result.error, plain, locate);
  return { definition: result.data, locate };
}

function readText(text: string, file: string): ReadYaml {
  try {
    return readYaml(text, file);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new ForayError('DEFINITION_SYNTAX', `The definition is not valid YAML: ${oneLine(error.message)}`, {
      place: error.place,
      hint: error.hint,
    });
  }
}

function shapeError(error: z.ZodError, plain: unknown, locate: Locate): ForayError {
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) {
    return new ForayError('DEFINITION_INVALID', 'The definition is not a mapping of names to values.', {
      place: locate([]),
      hint: 'It starts with "campaign: NAME" and "model: {name: MODEL}".',
    });
  }
  const { message, path, at, hint } = misfit(error, Definition, plain, 'definition');
  return new ForayError('DEFINITION_INVALID', message, { place: locate(path, at), hint });
}
