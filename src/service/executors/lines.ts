import { messageOf } from '../../errors.ts';

/** The meaning of a printed line of a command model's program. */
export type Line =
  | { kind: 'progress'; fraction: number }
  | { kind: 'outputs'; outputs: Record<string, unknown> }
  /** A line for readers. `problem`: why it is no valid message, if it looks like one. */
  | { kind: 'print'; problem?: string };

/**
 * Reads a line of standard output: `{"progress": 0.5}`, `{"outputs": {…}}`, or any other text, a line for readers.
 * Numbers may also be NaN, Infinity and -Infinity, as Python writes them.
 *
 * @param isLong - whether the output of this name is a LONG; a LONG keeps all its digits
 * @throws Error if progress or outputs are invalid
 */
export function readLine(text: string, isLong: (output: string) => boolean): Line {
  if (!text.trimStart().startsWith('{')) return { kind: 'print' };
  let said: unknown;
  try {
    said = parse(text, isLong);
  } catch (error) {
    return { kind: 'print', problem: `the line ${shortened(text)} is not JSON: ${messageOf(error)}` };
  }
  const { progress, outputs } = said as Record<string, unknown>;
  if (outputs !== undefined) {
    if (isObject(outputs)) return { kind: 'outputs', outputs };
    throw new Error(`"outputs" must be an object of names and values, as in {"outputs": {"Name": 1}}`);
  }
  if (progress === undefined) return { kind: 'print' };
  if (typeof progress === 'number') return { kind: 'progress', fraction: progress };
  throw new Error(`"progress" must be a number from 0 to 1, as in {"progress": 0.5}`);
}

/** Texts in place of the numbers that JSON does not have. */
const SPECIAL = new Map([
  ['\u0000NaN', Number.NaN],
  ['\u0000Infinity', Infinity],
  ['\u0000-Infinity', -Infinity],
]);
/** Matches special numbers, and also quotes and escapes, which show whether a special number is inside a text. */
const SPECIAL_OR_QUOTE = /NaN|-?Infinity|"|\\./g;

function parse(text: string, isLong: (output: string) => boolean): unknown {
  return JSON.parse(withSpecials(text), (key, value: unknown, context?: { source?: string }) => {
    if (typeof value === 'string') return SPECIAL.get(value) ?? value;
    const digits = context?.source;
    const isCut = typeof value === 'number' && !Number.isSafeInteger(value) && isLong(key);
    return isCut && digits !== undefined && /^-?\d+$/.test(digits) ? BigInt(digits) : value;
  });
}

/** JSON with texts in place of the special numbers. */
function withSpecials(text: string): string {
  if (!/NaN|Infinity/.test(text)) return text;
  let isInText = false;
  return text.replaceAll(SPECIAL_OR_QUOTE, (found) => {
    if (found === '"') isInText = !isInText;
    return isInText || found === '"' || found.startsWith('\\') ? found : `"\\u0000${found}"`;
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shortened(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
