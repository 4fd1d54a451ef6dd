import { quoted } from '../../text/suggest.ts';

export interface ExpressionErrorOptions {
  /** What to do, as a sentence. */
  hint?: string | undefined;
}

/**
 * A text is not a valid expression over a campaign's inputs or outputs. `message` is a sentence; `offset` is the
 * position of the cause in the text.
 */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  /** The position in UTF-16 code units, starting at 0; the length of the text if the text ends too early. */
  readonly offset: number;
  readonly hint: string | undefined;

  constructor(message: string, offset: number, { hint }: ExpressionErrorOptions = {}) {
    super(message);
    this.offset = offset;
    this.hint = hint;
  }
}

/** The maximum number of characters that a message shows of a part of an expression. */
const MOST_SHOWN = 40;

/** A part of an expression, for a message. */
export function shown(text: string): string {
  return quoted(text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN - 1)}…` : text);
}
