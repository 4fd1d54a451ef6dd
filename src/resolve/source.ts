import type { CampaignDefinition } from '../campaign/definition.ts';
import { beginDefinition, beginObject, type ReadDefinition } from '../campaign/read.ts';
import { ForayError, messageOf } from '../errors.ts';
import { oneLine } from '../suggest.ts';

/**
 * A definition as a person hands it in: a text or an object, and the name of its file, in whose folder paths in it begin. An
 * object may do without: then they begin where the process is.
 */
export type DefinitionSource =
  { text: string; file: string } | { definition: CampaignDefinition; file?: string | undefined };

/** What an object that is of no file is called in errors. */
const NO_FILE = '<definition>';

export function fileOf(source: DefinitionSource): string {
  return source.file ?? NO_FILE;
}

/**
 * The definition as it is kept; an object as JSON.
 * @throws ForayError DEFINITION_INVALID
 */
export function textOf(source: DefinitionSource): string {
  if ('text' in source) return source.text;
  try {
    return JSON.stringify(source.definition, undefined, 2);
  } catch (error) {
    throw new ForayError(
      'DEFINITION_INVALID',
      `The definition cannot be written as JSON: ${oneLine(messageOf(error))}.`,
      {
        place: { file: fileOf(source), path: '' },
        hint: 'Write a number that is too large for JSON as a text.',
      },
    );
  }
}

/**
 * Reads a definition as far as it can be read; mistakes go to its `mistakes`.
 *
 * @throws ForayError DEFINITION_SYNTAX, DEFINITION_INVALID with the place
 */
export function readSource(source: DefinitionSource): ReadDefinition {
  if ('text' in source) return beginDefinition(source.text, source.file);
  // what cannot be kept (it holds itself, say) is not looked at any closer
  textOf(source);
  return beginObject(source.definition, fileOf(source));
}
