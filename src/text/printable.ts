/**
 * Characters that a terminal or a log would take as commands or could not show: control characters except newline and
 * tab, marks for the direction of text, line separators, lone surrogates. A carriage return before a newline only ends
 * the line, so this pattern does not match it.
 */
const UNPRINTABLE =
  // oxlint-disable-next-line no-control-regex
  /\r(?!\n)|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Surrogate}/gu;

/** Text for a terminal or a log, in one or more lines. Unprintable characters become visible, such as `\u001b`. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, escaped);
}

/** Like {@link printable}, but in one line: newlines and tabs become visible too. */
export function printableLine(text: string): string {
  return printable(text).replace(/[\r\n\t]/g, escaped);
}

/** Escapes a character as JSON does, so that a line of JSON stays JSON. */
function escaped(character: string): string {
  const short = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character];
  return short ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Shortens a text to at most `most` characters. A shortened text ends in "…". */
export function bounded(text: string, most: number): string {
  // never cut a pair of surrogates in two
  return text.length > most ? `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…` : text;
}

/** The text with a capital letter at its beginning. */
export function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
