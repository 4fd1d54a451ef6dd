import { quoted } from '../../suggest.ts';

export interface ExpressionErrorOptions {
  /** What to do about it, a sentence. */
  hint?: string | undefined;
}

/** Why a text is no expression over a campaign's inputs: `message` is a sentence, `offset` where in the text the cause is. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  /** Counted in UTF-16 code units from 0; the text's length where it ends too early. */
  readonly offset: number;
  readonly hint: string | undefined;

  constructor(message: string, offset: number, { hint }: ExpressionErrorOptions = {}) {
    super(message);
    this.offset = offset;
    this.hint = hint;
  }
}

/** More of an expression than this is not shown in a message. */
const MOST_SHOWN = 40;

/** A part of an expression, for a message. */
export function shown(text: string): string {
  return quoted(text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN - 1)}…` : text);
}
