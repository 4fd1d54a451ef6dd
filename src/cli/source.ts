import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { type DefinitionSource, whyUnreadable } from '../client/index.ts';
import { ForayError } from '../errors.ts';

/**
 * Reads a definition from a file, or from standard input for `-`.
 * @throws ForayError DEFINITION_UNREADABLE
 */
export async function readSource(file: string): Promise<DefinitionSource> {
  if (file === '-') return { text: await text(process.stdin), file: '<stdin>' };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file)), file };
  } catch (error) {
    const why = error instanceof TypeError ? 'is not UTF-8 text' : whyUnreadable(error);
    throw new ForayError('DEFINITION_UNREADABLE', `The definition "${file}" ${why}.`);
  }
}
