import { closest, distance } from 'fastest-levenshtein';
import { bounded } from './printable.ts';

/** Longest name in a message, in characters. */
const LONGEST_QUOTED = 300;
/** Names longer than this get no suggestion, because comparing long texts is slow. */
const LONGEST_MISSPELT = 200;

/** The user's spelling of a name for a message: in quotes and on one line. */
export function quoted(name: string): string {
  return oneLine(JSON.stringify(bounded(name, LONGEST_QUOTED)));
}

/** Text without line breaks and control characters, which could control a terminal. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}

/** The name that the user probably meant; undefined when no name is similar enough. */
export function suggestion(name: string, known: readonly string[]): string | undefined {
  const isShort = (text: string): boolean => text.length <= LONGEST_MISSPELT;
  const candidates = known.filter(isShort);
  if (candidates.length === 0 || !isShort(name)) return undefined;
  const lower = name.trim().toLowerCase();
  const lowered = candidates.map((candidate) => candidate.toLowerCase());
  const best = closest(lower, lowered);
  // every name is similar to a very short name, so only one change is allowed there
  const limit = lower.length <= 3 ? 1 : Math.max(2, Math.floor(lower.length / 3));
  return distance(lower, best) <= limit ? candidates[lowered.indexOf(best)] : undefined;
}

/**
 * A hint for an unknown name: the probably meant name if there is one, otherwise up to twelve known names. Undefined if
 * no name is known.
 */
export function didYouMean(name: string, known: readonly string[]): string | undefined {
  const meant = suggestion(name, known);
  if (meant !== undefined) return `Did you mean ${quoted(meant)}?`;
  if (known.length === 0) return undefined;
  const shown = known.slice(0, 12).map(quoted);
  return `Known: ${shown.join(', ')}${known.length > shown.length ? ', …' : ''}.`;
}
