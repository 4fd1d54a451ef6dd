import type * as z from 'zod';
import { ForayError, type Place } from '../errors.ts';
import type { Guarded } from '../system/guarded-text.ts';
import { type Locate, readYaml, type ReadYaml, YamlError } from './yaml.ts';

/**
 * Reads the YAML of a file with keys or secrets. Its places have no text and no names of the file, because commands print
 * the text of a place.
 *
 * @throws ForayError with the code of the file
 */
export function readGuardedYaml(text: string, file: string, { what, code }: Guarded): ReadYaml {
  try {
    const { locate, ...read } = readYaml(text, file);
    return { ...read, locate: (...of) => withoutText(locate(...of)) };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    // the parser's message may repeat the text at this place, which may be a key
    throw new ForayError(code, `The ${what} is neither YAML nor JSON.`, { place: withoutText(error.place) });
  }
}

/** The first mistake. The names in the message and in the path of an issue may be keys, so they are left out. */
export function guardedMistake({ issues }: z.ZodError, locate: Locate, { what, code }: Guarded): ForayError {
  const { why, place } = mistakeIn(issues[0]!, locate);
  return new ForayError(code, `The ${what} is wrong here: ${why}.`, { place });
}

function mistakeIn(issue: z.core.$ZodIssue, locate: Locate): { why: string; place: Place } {
  const { code, path: at, message } = issue;
  if (code === 'unrecognized_keys')
    return { why: 'this name is unknown', place: locate([...at, issue.keys[0]!], 'key') };
  // this issue says only that a name is wrong; the reason is one level below
  if (code === 'invalid_key') return { why: issue.issues[0]!.message, place: locate(at, 'key') };
  return { why: message, place: locate(at) };
}

/** Neither the text of the line nor the names that lead to it, which may be keys. */
function withoutText(place: Place): Place {
  const { file } = place;
  return 'line' in place ? { file, line: place.line, column: place.column } : { file, path: '' };
}
