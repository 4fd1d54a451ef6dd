import { messageOf } from '../../errors.ts';
import { buildIn, type PythonBuild } from '../models/python-build.ts';

/** The meaning of a printed line of a command model's program. */
export type Line =
  | { kind: 'progress'; fraction: number }
  /** `before`: the text before the outputs on their line, such as a progress bar. */
  | { kind: 'outputs'; outputs: Record<string, unknown>; before: string }
  /**
   * A line for readers. `problem`: why it is no valid message, if it looks like one. `ignored`: why its progress is
   * ignored.
   */
  | { kind: 'print'; problem?: string; ignored?: string };

/** The meaning of a printed line of a program that stays loaded. `before`: as for {@link Line}. */
export type LoopLine =
  | { kind: 'ready'; python: PythonBuild | undefined }
  | { kind: 'progress'; run: number; fraction: number | undefined }
  | { kind: 'answer'; run: number; answer: LoopAnswer; before: string }
  | { kind: 'print' };

/**
 * The end of a run in a program that stays loaded. `last`: why the program wants no further run. `opened`: the files
 * outside the model's folder that the run has opened, if the program watches them.
 */
export type LoopAnswer = ({ outputs: Record<string, unknown>; opened?: string[] } | { error: string }) & {
  last?: string;
};

/** Tells whether the output of a name is a LONG. A LONG keeps all its digits. */
export type IsLong = (output: string) => boolean;

/** Matches the beginning of a message that follows another text on its line. */
const MESSAGE = /\{\s*"(?:outputs|progress)"\s*:/g;
/** Matches what only messages of a program that stays loaded have. */
const OF_LOOP = /\{\s*"(?:run|ready)"\s*:/g;
/** Names that a program has probably written in place of "outputs". */
const MISSPELT = /^outputs?$/i;

/** Whether a text has the beginning of a message of any program. */
export function looksLikeMessage(text: string): boolean {
  return text.search(MESSAGE) >= 0 || text.search(OF_LOOP) >= 0;
}

/**
 * Where the message of a line may begin: at the object with which the line begins, or at the first or last match of a
 * pattern. Blanks and a byte order mark may stand before the object. Only three places are tried, because each costs as
 * much time as the line is long. The last match does not count if outputs stand before it, so that no outputs are lost.
 */
function* startsIn(text: string, pattern: RegExp): Generator<number> {
  const first = /^\s*\{/.test(text) ? text.indexOf('{') : -1;
  if (first >= 0) yield first;
  const early = text.search(pattern);
  if (early > first) yield early;
  let last = -1;
  for (const { index } of text.matchAll(pattern)) last = index;
  if (last > Math.max(early, first) && !/"outputs"\s*:/.test(text.slice(0, last))) yield last;
}

/**
 * Reads a line of standard output: `{"progress": 0.5}`, `{"outputs": {…}}`, or any other text, a line for readers.
 * Numbers may also be NaN, Infinity and -Infinity, as Python writes them. Text may stand before a message, if the
 * program prints without line breaks.
 *
 * @throws Error if outputs are invalid
 */
export function readLine(text: string, isLong: IsLong): Line {
  const found = messageIn(text, MESSAGE, isLong);
  if (!found) return { kind: 'print' };
  if ('said' in found) return meaningOf(found.said, text, found.before);
  return { kind: 'print', problem: notJson(text, found.error) };
}

/**
 * Reads a line of a program that stays loaded: `{"ready": {…}}`, `{"run": 1, "progress": 0.5}`,
 * `{"run": 1, "outputs": {…}}`, `{"run": 1, "error": "…"}`, or any other text. Numbers and text before a message are as
 * for {@link readLine}.
 *
 * @throws Error if a message is wrong
 */
export function readLoopLine(text: string, isLong: IsLong): LoopLine {
  const found = messageIn(text, OF_LOOP, isLong);
  if (!found) return { kind: 'print' };
  if ('said' in found) return loopMeaningOf(found.said, text, found.before);
  if (!text.includes('"run"')) return { kind: 'print' };
  throw new Error(notJson(text, found.error), { cause: found.error });
}

/** The message of a line, with the text before it. If no place has JSON, the error of the first place. */
function messageIn(
  text: string,
  pattern: RegExp,
  isLong: IsLong,
): { said: Record<string, unknown>; before: string } | { error: unknown } | undefined {
  let failure: { error: unknown } | undefined;
  for (const at of startsIn(text, pattern)) {
    try {
      const said = parse(text.slice(at), isLong) as Record<string, unknown>;
      return { said, before: text.slice(0, at) };
    } catch (error) {
      failure ??= { error };
    }
  }
  return failure;
}

/** @throws Error if a message is wrong */
function loopMeaningOf(said: Record<string, unknown>, text: string, before: string): LoopLine {
  const { ready, run, progress, outputs, opened, error, last } = said;
  if (typeof run !== 'number') {
    if (isObject(ready)) return { kind: 'ready', python: buildIn(ready) };
    if (outputs === undefined) return { kind: 'print' };
    throw new Error(`the answer ${shortened(text)} has no number "run"`);
  }
  const end = typeof last === 'string' ? { last } : {};
  // programs may write all members, those without a value as null or an empty text
  if (typeof error === 'string' && (error !== '' || !isObject(outputs)))
    return { kind: 'answer', run, answer: { error, ...end }, before };
  if (isObject(outputs)) {
    const outside = Array.isArray(opened) ? { opened: opened.map(String) } : {};
    return { kind: 'answer', run, answer: { outputs, ...outside, ...end }, before };
  }
  if (progress !== undefined) return { kind: 'progress', run, fraction: shareOf(progress) };
  throw new Error(`the line ${shortened(text)} has neither an object "outputs" nor a text "error"`);
}

function meaningOf(said: Record<string, unknown>, text: string, before: string): Line {
  const { progress, outputs } = said;
  if (outputs !== undefined) {
    if (isObject(outputs)) return { kind: 'outputs', outputs, before };
    throw new Error(`"outputs" must be an object of names and values, as in {"outputs": {"Name": 1}}`);
  }
  if (progress === undefined) {
    const misspelt = Object.keys(said).find((key) => MISSPELT.test(key) && isObject(said[key]));
    if (misspelt === undefined) return { kind: 'print' };
    return { kind: 'print', problem: `the line ${shortened(text)} has "${misspelt}" in place of "outputs"` };
  }
  const fraction = shareOf(progress);
  if (fraction !== undefined) return { kind: 'progress', fraction };
  return { kind: 'print', ignored: `progress must be a number from 0 to 1, as in {"progress": 0.5}` };
}

/** A share may miss the range from 0 to 1 by this much, because sums of steps are not exact. */
const SLACK = 0.01;

/** The finished share of a run that a model reports, from 0 to 1; undefined if the value is no share. */
export function shareOf(progress: unknown): number | undefined {
  const isShare = typeof progress === 'number' && progress >= -SLACK && progress <= 1 + SLACK;
  return isShare ? Math.min(Math.max(progress, 0), 1) : undefined;
}

/** Texts in place of the numbers that JSON does not have. */
const SPECIAL = new Map([
  ['\u0000NaN', Number.NaN],
  ['\u0000Infinity', Infinity],
  ['\u0000-Infinity', -Infinity],
]);
/** Matches special numbers, and also quotes and escapes, which show whether a special number is inside a text. */
const SPECIAL_OR_QUOTE = /NaN|-?Infinity|"|\\./g;

function parse(text: string, isLong: IsLong): unknown {
  return JSON.parse(withSpecials(text), (key, value: unknown, context?: { source?: string }) => {
    if (typeof value === 'string') return SPECIAL.get(value) ?? value;
    const digits = context?.source;
    const isRoundedLong = typeof value === 'number' && !Number.isSafeInteger(value) && isLong(key);
    return isRoundedLong && digits !== undefined && /^-?\d+$/.test(digits) ? BigInt(digits) : value;
  });
}

/** JSON with texts in place of the special numbers. */
function withSpecials(text: string): string {
  if (!/NaN|Infinity/.test(text)) return text;
  let isInText = false;
  return text.replaceAll(SPECIAL_OR_QUOTE, (found) => {
    if (found === '"') isInText = !isInText;
    const isSpecial = !isInText && found !== '"' && !found.startsWith('\\');
    return isSpecial ? `"\\u0000${found}"` : found;
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function notJson(text: string, error: unknown): string {
  return `the line ${shortened(text)} is not JSON: ${whyNotJson(text, messageOf(error))}`;
}

function whyNotJson(text: string, message: string): string {
  if (text.includes('\0')) return 'it has zero bytes, which no text has';
  return message.includes('after JSON') ? 'another text follows the message on its line' : message;
}

function shortened(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
