import { styleText } from 'node:util';
import stringWidth from 'string-width';
import { bounded } from '../../text/printable.ts';

export type Style = 'bold' | 'dim' | 'green' | 'cyan' | 'red' | 'yellow';

/** A piece of a line, in one style or without a style. */
export type Span = string | { style: Style; text: string };

export type Line = readonly Span[];

/** Longest text that is measured, in characters: no terminal shows more of a line. */
const LONGEST = 1_000;

const graphemes = new Intl.Segmenter();

/** The number of columns of a text. A wide character takes two columns, and a combining mark takes no column. */
export function widthOf(text: string): number {
  return stringWidth(bounded(text, LONGEST));
}

/** Cuts a text to at most `width` columns. A cut text ends in "…". */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (width < 1) return '';
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes.segment(bounded(text, LONGEST))) {
    used += widthOf(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** A text of exactly `width` columns, padded with blanks after or before it. */
export function fitted(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const shown = cut(text, width);
  const space = ' '.repeat(Math.max(0, width - widthOf(shown)));
  return side === 'left' ? shown + space : space + shown;
}

/** Joins pieces to lines, with as many pieces on a line as fit. */
export function wrapped(pieces: readonly Span[], between: string, width: number): Line[] {
  const lines: Span[][] = [[]];
  let used = 0;
  for (const piece of pieces) {
    const own = widthOf(textOf(piece));
    const line = lines.at(-1)!;
    if (line.length > 0 && used + widthOf(between) + own > width) {
      lines.push([piece]);
      used = own;
      continue;
    }
    used += own + (line.length > 0 ? widthOf(between) : 0);
    line.push(...(line.length > 0 ? [between] : []), piece);
  }
  return lines;
}

/** A line as a terminal gets it, cut to `width` columns. */
export function painted(line: Line, width: number, isColoured: boolean): string {
  let room = width;
  return line
    .map((span) => {
      const text = cut(textOf(span), room);
      room -= widthOf(text);
      // isColoured already considers NO_COLOR and the abilities of the terminal
      return isColoured && typeof span !== 'string' && text !== ''
        ? styleText(span.style, text, { validateStream: false })
        : text;
    })
    .join('');
}

export function textOf(span: Span): string {
  return typeof span === 'string' ? span : span.text;
}

export function lengthOf(line: Line): number {
  return line.reduce((sum, span) => sum + widthOf(textOf(span)), 0);
}
