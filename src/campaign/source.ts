import { ForayError, messageOf } from '../errors.ts';
import { oneLine } from '../text/suggest.ts';
import type { CampaignDefinition } from './definition.ts';

/**
 * A definition as a user gives it: a text or an object, and the name of its file. Paths in the definition are relative
 * to the folder of the file. An object needs no file. Without a file, the paths are relative to the working directory.
 */
export type DefinitionSource = (
  | { text: string; file: string }
  | { definition: CampaignDefinition; file?: string | undefined }
) & {
  /**
   * A folder with the files that were sent with the definition, and what to do about a missing one. Without it, files are
   * read at the paths in the definition.
   */
  uploads?: { folder: string; hint: string } | undefined;
};

/** The file name in errors about an object without a file. */
const NO_FILE = '<definition>';

export function fileOf(source: DefinitionSource): string {
  return source.file ?? NO_FILE;
}

/**
 * The text of the definition for the store. An object becomes JSON.
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
        hint: 'If a number is too large for JSON, write it as a text.',
      },
    );
  }
}
