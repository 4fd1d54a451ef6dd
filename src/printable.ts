/**
 * What a terminal or a log would obey or could not show: control characters but newline and tab, marks that turn the direction of
 * text, separators of lines, lone surrogates. A carriage return before a newline only ends the line.
 */
const UNPRINTABLE =
  // eslint-disable-next-line no-control-regex
  /\r(?!\n)|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Surrogate}/gu;

/** Text as it may go to a terminal or a log, in one or more lines: what is not printable becomes visible, such as `\u001b`. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, escaped);
}

/** The same in one line: newlines and tabs become visible, too. */
export function printableLine(text: string): string {
  return printable(text).replace(/[\r\n\t]/g, escaped);
}

/** As JSON has it, so that a line of JSON stays JSON. */
function escaped(character: string): string {
  const short = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character];
  return short ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A text of at most so many characters; where it is longer it ends in "…". */
export function bounded(text: string, most: number): string {
  // a pair of surrogates is not cut in two
  return text.length > most ? `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…` : text;
}
