import { type ErrorCode, isErrorCode } from './error-codes.ts';
import { bounded } from './text/printable.ts';

/** A place in a user's file. Line and column start at 1. */
export interface LinePlace {
  file: string;
  line: number;
  column: number;
  /** The text of the line, if it is known. */
  text?: string | undefined;
  /** The names that lead to the setting, if this is the place of a setting. */
  setting?: readonly string[] | undefined;
}

/** A place in an object from a program. It has no lines, only a path of names. */
export interface PathPlace {
  file: string;
  /** The path, such as `design.grid.Days`; empty for the whole object. */
  path: string;
  /** The names that lead to the setting, if this is the place of a setting. */
  setting?: readonly string[] | undefined;
}

/** A place in the user's input: a line of a file, or a value of an object. */
export type Place = LinePlace | PathPlace;

export interface ForayErrorOptions {
  /** The place of the cause in the user's file. */
  place?: Place | undefined;
  /** A sentence that says what to do. */
  hint?: string | undefined;
  /** A sentence for users of this machine, such as the path of a file. Servers leave it out. */
  local?: string | undefined;
  /** Further mistakes in the same file. */
  others?: readonly ForayError[] | undefined;
}

/** Longest message or hint, in characters. Both may repeat text from outside, which may have megabytes. */
const LONGEST = 4_000;

/**
 * The class of all errors for users: `message` says what is wrong, `hint` what to do. Neither contains a secret. The
 * text of an error is in the file that throws it.
 */
export class ForayError extends Error {
  override readonly name: string = 'ForayError';
  readonly code: ErrorCode;
  readonly place: Place | undefined;
  readonly hint: string | undefined;
  /** A sentence for users of this machine. Servers leave it out. */
  readonly local: string | undefined;
  /** Further mistakes in the same file. */
  readonly others: readonly ForayError[];

  constructor(code: ErrorCode, message: string, { place, hint, local, others = [] }: ForayErrorOptions = {}) {
    super(bounded(message, LONGEST));
    this.code = code;
    this.place = place;
    this.hint = hint && bounded(hint, LONGEST);
    this.local = local;
    this.others = others;
  }

  /** A copy of this error with further mistakes in the same file. */
  with(others: readonly ForayError[]): ForayError {
    const { code, message, place, hint, local } = this;
    return new ForayError(code, message, { place, hint, local, others });
  }

  /** One line for a terminal: place, message, the sentence for users of this machine, hint. */
  toLine(): string {
    // an answer of another program may have no full stop
    const end = /[.:!?…]$/.test(this.message) ? ' ' : '. ';
    const more = [this.local, this.hint].filter(Boolean).join(' ');
    return `${this.place ? prefixOf(this.place) : ''}${this.message}${more === '' ? '' : `${end}${more}`}`;
  }
}

/** The place in the form that comes before a message. */
function prefixOf(place: Place): string {
  if ('line' in place) return `${place.file}:${place.line}:${place.column}: `;
  return place.path === '' ? `${place.file}: ` : `${place.file}: ${place.path}: `;
}

/** True for a ForayError, also for a ForayError of another realm (a Jest module registry, a worker thread). */
export function isForayError(error: unknown): error is ForayError {
  return (
    error instanceof Error &&
    'code' in error &&
    'toLine' in error &&
    typeof error.code === 'string' &&
    isErrorCode(error.code)
  );
}

/** The message of anything that was thrown, here or in another realm. */
export function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error);
}
