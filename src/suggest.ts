import { closest, distance } from 'fastest-levenshtein';

/** A name as somebody wrote it, for a message: in quotes, and on one line whatever it holds. */
export function quoted(name: string): string {
  return oneLine(JSON.stringify(name));
}

/** Text without line breaks and control characters, which a terminal would obey. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}

/** The name that was probably meant, when one is near enough; undefined otherwise. */
export function suggestion(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const lower = name.trim().toLowerCase();
  const best = closest(
    lower,
    known.map((candidate) => candidate.toLowerCase()),
  );
  // of a very short name everything is a neighbour
  const limit = lower.length <= 3 ? 1 : Math.max(2, Math.floor(lower.length / 3));
  return distance(lower, best) <= limit
    ? known.find((candidate) => candidate.toLowerCase() === best)
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
