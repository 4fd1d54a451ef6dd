import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from 'acorn';
import type { CampaignDefinition } from '../campaign/definition.ts';
import { ForayError, type LinePlace, messageOf } from '../errors.ts';
import { moduleTypeHint } from '../package/module-type.ts';
// with this, the module can import "foray"
import '../package/own-package.ts';
import { oneLine } from '../text/suggest.ts';

/**
 * Imports the definition that a module exports by default: an object, a promise of an object, or a function that
 * returns an object or a promise.
 * @throws ForayError DEFINITION_SYNTAX, DEFINITION_UNREADABLE
 */
export async function importDefinition(file: string): Promise<CampaignDefinition> {
  const { href } = pathToFileURL(resolve(file));
  let given: unknown;
  try {
    const module = (await import(href)) as { default?: unknown };
    given = await (typeof module.default === 'function'
      ? (module.default as () => unknown)()
      : module.default);
  } catch (error) {
    const place = await syntaxPlace(error, file, href);
    const hint = error instanceof SyntaxError ? moduleTypeHint(resolve(file)) : undefined;
    if (place) {
      throw new ForayError('DEFINITION_SYNTAX', `The module is wrong: ${oneLineOf(error)}.`, { place, hint });
    }
    throw new ForayError(
      'DEFINITION_UNREADABLE',
      `The definition "${file}" cannot be imported: ${oneLineOf(error)}.`,
      { hint },
    );
  }
  if (given !== undefined) return given as CampaignDefinition;
  throw new ForayError('DEFINITION_UNREADABLE', `The definition "${file}" has no default export.`, {
    hint: 'End the module with: export default defineCampaign({…});',
  });
}

function oneLineOf(error: unknown): string {
  return oneLine(messageOf(error)).trim().replace(/\.$/, '');
}

/** The place of a syntax error in the module itself. Undefined for other errors, and if the place is not known. */
async function syntaxPlace(error: unknown, file: string, href: string): Promise<LinePlace | undefined> {
  if (!(error instanceof SyntaxError)) return undefined;
  // most stacks begin with the file and the line, and have a mark below the place
  const [head = '', ...rest] = (error.stack ?? '').split('\n');
  for (const name of [href, resolve(file)]) {
    if (!head.startsWith(`${name}:`)) continue;
    const pointer = rest.find((text) => /^\s*\^+\s*$/.test(text)) ?? '^';
    return { file, line: Number(head.slice(name.length + 1)), column: 1 + pointer.indexOf('^') };
  }
  if (/ts$/i.test(file)) return undefined;
  // if JavaScript cannot be parsed, Node says what is wrong but not where
  try {
    parse(await readFile(file, 'utf8'), { ecmaVersion: 'latest', sourceType: 'module' });
  } catch (again) {
    const { loc } = again as { loc?: { line: number; column: number } };
    return loc && { file, line: loc.line, column: 1 + loc.column };
  }
  return undefined;
}
