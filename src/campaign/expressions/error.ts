import { bounded } from '../../text/printable.ts';
import { quoted } from '../../text/suggest.ts';

/**
 * A text is not a valid expression over a campaign's inputs or outputs. `message` is a sentence; `offset` is the
 * position of the cause in the text.
 */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  /** The position in UTF-16 code units, starting at 0; the length of the text if the text ends too early. */
  readonly offset: number;
  /** What to do, as a sentence. */
  readonly hint: string | undefined;

  constructor(message: string, offset: number, { hint }: { hint?: string | undefined } = {}) {
    super(message);
    this.offset = offset;
    this.hint = hint;
  }
}

/** The maximum number of characters that a message shows of a part of an expression. */
const MOST_SHOWN = 40;

/** A part of an expression, for a message. */
export function shown(text: string): string {
  return quoted(bounded(text, MOST_SHOWN));
}
