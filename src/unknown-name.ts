import type { ErrorCode } from './error-codes.ts';
import { ForayError, type Place } from './errors.ts';
import { didYouMean } from './text/suggest.ts';

export interface UnknownNameOptions {
  /** The name as the user wrote it. */
  name: string;
  /** The names that exist. */
  known: readonly string[];
  /** The place of the name in the user's file. */
  place?: Place | undefined;
  /** A sentence that says what to do if no name exists. */
  hint?: string | undefined;
  /** A sentence for users of this machine. */
  local?: string | undefined;
}

/**
 * The error for a name of something that does not exist. The hint has the most similar name, or up to twelve names that
 * exist.
 */
export class UnknownNameError extends ForayError {
  constructor(code: ErrorCode, message: string, { name, known, place, hint, local }: UnknownNameOptions) {
    super(code, message, { place, local, hint: didYouMean(name, known) ?? hint });
  }
}
