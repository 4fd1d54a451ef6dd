import { closest, distance } from 'fastest-levenshtein';
import { bounded } from './printable.ts';

/** Characters of a name in a message. */
const LONGEST_QUOTED = 300;
/** Nobody misspells a name that is longer, and comparing long texts takes long. */
const LONGEST_MISSPELT = 200;

/** A name as somebody wrote it, for a message: in quotes, and on one line whatever it holds. */
export function quoted(name: string): string {
  return oneLine(JSON.stringify(bounded(name, LONGEST_QUOTED)));
}

/** Text without line breaks and control characters, which a terminal would obey. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}

/** The name that was probably meant, when one is near enough; undefined otherwise. */
export function suggestion(name: string, known: readonly string[]): string | undefined {
  const isShort = (text: string): boolean => text.length <= LONGEST_MISSPELT;
  const candidates = known.filter(isShort);
  if (candidates.length === 0 || !isShort(name)) return undefined;
  const lower = name.trim().toLowerCase();
  const best = closest(
    lower,
    candidates.map((candidate) => candidate.toLowerCase()),
  );
  // of a very short name everything is a neighbour
  const limit = lower.length <= 3 ? 1 : Math.max(2, Math.floor(lower.length / 3));
  return distance(lower, best) <= limit
    ? candidates.find((candidate) => candidate.toLowerCase() === best)
    : undefined;
}

/** A hint for an unknown name: what was meant if that is clear, else what there is. */
export function didYouMean(name: string, known: readonly string[]): string | undefined {
  const meant = suggestion(name, known);
  if (meant !== undefined) return `Did you mean ${quoted(meant)}?`;
  if (known.length === 0) return undefined;
  const shown = known.slice(0, 12).map(quoted);
  return `Known: ${shown.join(', ')}${known.length > shown.length ? ', …' : ''}.`;
}
