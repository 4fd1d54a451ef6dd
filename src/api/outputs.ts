/**
 * The finite number in a numeric output of a service; undefined if there is none. The output is JSON text
 * (specification 2.5): a number, or a string with a number, such as "Infinity".
 */
export function numberIn(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    return Number.isFinite(number) ? (number as number) : undefined;
  } catch {
    return undefined;
  }
}

/** The reference in the value of an OUTPUT_FILE: a file of the service, and its name for the download. */
export interface FileReference {
  hash: string;
  localPath: string;
}

/** The longest accepted hash, in characters. */
const LONGEST_HASH = 1_000;

/** The reference in the value of an OUTPUT_FILE, JSON text `{"hash","localPath"}`; undefined if there is none. */
export function fileIn(text: string | undefined): FileReference | undefined {
  if (text === undefined) return undefined;
  try {
    const { hash, localPath } = (JSON.parse(text) ?? {}) as { hash?: unknown; localPath?: unknown };
    if (typeof hash !== 'string' || hash === '' || hash.length > LONGEST_HASH) return undefined;
    return { hash, localPath: typeof localPath === 'string' ? localPath : '' };
  } catch {
    return undefined;
  }
}

/** The value of a BOOLEAN output of a service; undefined if there is none. */
export function booleanIn(text: string | undefined): boolean | undefined {
  if (text === 'true' || text === '"true"') return true;
  return text === 'false' || text === '"false"' ? false : undefined;
}

/** The value of a text or date output of a service; undefined if there is none. */
export function textIn(text: string | undefined): string | undefined {
  if (text === undefined || text === '' || text === 'null') return undefined;
  if (!text.startsWith('"')) return text;
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}
