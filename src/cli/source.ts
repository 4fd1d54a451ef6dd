import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { text } from 'node:stream/consumers';
import type { DefinitionSource } from '../client/index.ts';
import { whyUnreadable } from '../system/why-unreadable.ts';
import { ForayError } from '../errors.ts';

/** Endings of files that are imported instead of read. */
const MODULES = ['.ts', '.mts', '.js', '.mjs'];

/**
 * Reads a definition from a file, or from standard input for `-`. A module is imported: its default export is the
 * definition.
 * @throws ForayError DEFINITION_UNREADABLE, DEFINITION_SYNTAX
 */
export async function readSource(file: string): Promise<DefinitionSource> {
  if (file === '-') return { text: await text(process.stdin), file: '<stdin>' };
  try {
    const content = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
    if (!MODULES.includes(extname(file).toLowerCase())) return { text: content, file };
  } catch (error) {
    const why = error instanceof TypeError ? 'is not UTF-8 text' : whyUnreadable(error);
    throw new ForayError('DEFINITION_UNREADABLE', `The definition "${file}" ${why}.`);
  }
  // this module is loaded only here, because it changes how this process imports modules
  const { importDefinition } = await import('./definition-module.ts');
  return { definition: await importDefinition(file), file };
}
