import { bounded } from './printable.ts';

/**
 * Every error that a user can meet is a {@link ForayError} with a code from this one table; docs/errors.md documents
 * each code, and a test keeps the two in step. A code is never reused for something else.
 *
 * `exit` is the exit code of the command line: 2 the command or the definition is wrong, 3 a server cannot be reached.
 */
export const errorCodes = {
  USAGE: { exit: 2, about: 'the command line is wrong' },
  DEFINITION_SYNTAX: { exit: 2, about: 'the definition is not valid YAML, JSON or TypeScript' },
  DEFINITION_INVALID: {
    exit: 2,
    about: 'the definition does not have the shape that docs/definition.md describes',
  },
  DEFINITION_UNREADABLE: { exit: 2, about: 'the definition, or a file that it names, cannot be read' },
  UNKNOWN_MODEL: { exit: 2, about: 'the service has no model or version of that name' },
  UNKNOWN_EXPERIMENT: { exit: 2, about: 'the version has no stored experiment of that name' },
  UNKNOWN_INPUT: { exit: 2, about: 'the version has no input of that name' },
  UNKNOWN_OUTPUT: { exit: 2, about: 'the version has no output of that name' },
  INVALID_VALUE: { exit: 2, about: "a value does not fit its input's type" },
  INVALID_EXPRESSION: {
    exit: 2,
    about: 'an expression under where or derive, or a formula over outputs, is wrong',
  },
  POINTS_INVALID: { exit: 2, about: 'a file of points is not a table of points' },
  EMPTY_DESIGN: { exit: 2, about: 'the design has no points' },
  REPLICATIONS_NEED_SEED: {
    exit: 2,
    about: 'replications above 1 need a model with the input {RANDOM_SEED}',
  },
  SEED_NEEDED: {
    exit: 2,
    about: 'a new seed is asked for, and the model has no input {RANDOM_SEED}',
  },
  TOO_MANY_RUNS: { exit: 2, about: 'the campaign has more runs than are submitted without a word' },
  VERSION_RETIRED: { exit: 2, about: "the version of the campaign's model takes no new runs" },
  CHANGE_REFUSED: { exit: 2, about: 'a campaign cannot be changed into what a definition says' },
  UNKNOWN_CAMPAIGN: { exit: 2, about: 'there is no campaign of that id' },
  UNKNOWN_POINT: { exit: 2, about: 'the campaign has no point of that key' },
  RUN_NOT_KEPT: { exit: 2, about: 'no folder is kept of the failed run that is to be repeated by hand' },
  NOTHING_TO_COMPARE: {
    exit: 2,
    about: 'two campaigns have no point, or no numeric or BOOLEAN output, in common',
  },
  NOTHING_TO_ANALYZE: { exit: 2, about: 'the campaign has no sample that says which inputs matter' },
  CAMPAIGN_EXISTS: { exit: 2, about: 'a campaign of that id exists with another definition' },
  CAMPAIGN_OPEN: { exit: 2, about: 'the campaign is not over' },
  CAMPAIGN_CLOSED: { exit: 2, about: 'the campaign has already finished' },
  CAMPAIGN_CHANGED: { exit: 2, about: 'a followed campaign was changed, and has other columns now' },
  HOME_IN_USE: { exit: 2, about: 'another foray dev runs in this home folder' },
  HOME_UNUSABLE: { exit: 2, about: 'the home folder cannot be written' },
  DEV_NOT_RUNNING: {
    exit: 3,
    about: 'no foray dev runs in this home, and no model service is named',
  },
  PORT_IN_USE: { exit: 2, about: 'the address to listen on is taken' },
  STORE_UNUSABLE: { exit: 2, about: 'the store cannot be opened' },
  STORE_MISSING: { exit: 2, about: 'there is no store yet where one is to be read' },
  STORE_UNREACHABLE: { exit: 3, about: 'the PostgreSQL server of the store cannot be reached' },
  STORE_NEWER: { exit: 2, about: 'the store was written by a newer foray' },
  MODEL_INVALID: { exit: 2, about: 'a model folder is not a valid model' },
  MODEL_UNREADABLE: { exit: 2, about: 'a folder of models, or a file in it, cannot be read' },
  KEYS_INVALID: { exit: 2, about: 'the key file of the model service cannot be used' },
  UNKNOWN_KEY: { exit: 2, about: 'the key file has no key of that id' },
  REFERENCE_INVALID: { exit: 2, about: 'a file of reference values does not fit the campaign' },
  OUTPUT_UNWRITABLE: { exit: 2, about: 'the output cannot be written' },
  FILE_UNAVAILABLE: {
    exit: 2,
    about: 'an output file is neither in the store nor to be had from the service',
  },
  KEY_REFUSED: { exit: 2, about: 'the model service refuses the API key' },
  REQUEST_REFUSED: { exit: 2, about: 'the model service refuses a request as wrong' },
  SERVICE_UNREACHABLE: { exit: 3, about: 'the model service cannot be reached' },
  SERVICE_FAILED: {
    exit: 3,
    about: 'the model service answers with an error or with something that is no answer',
  },
  TEMPORAL_UNREACHABLE: { exit: 3, about: 'the Temporal server cannot be reached' },
  TEMPORAL_REFUSED: { exit: 3, about: 'the Temporal server refuses what it is asked' },
  TEMPORAL_MISSING: { exit: 3, about: 'no Temporal server program can be found, downloaded or built' },
  PART_FAILED: { exit: 3, about: 'a part of foray dev does not start' },
  WORKER_ELSEWHERE: {
    exit: 3,
    about: "the worker serves another store or model service than the campaign's",
  },
} as const satisfies Record<string, { exit: 2 | 3; about: string }>;

/** The code of an error; docs/errors.md says what to do about each. */
export type ErrorCode = keyof typeof errorCodes;

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorCodes, text);
}

/** A place in a user's file: 1-based line and column. */
export interface LinePlace {
  file: string;
  line: number;
  column: number;
  /** The line itself, where it is at hand. */
  text?: string | undefined;
}

/** A place in an object that a program gave: there are no lines, only names on the way to it. */
export interface PathPlace {
  file: string;
  /** Such as `design.grid.Days`; empty for the whole. */
  path: string;
}

/** A place in what a person gave: a line of a file, or a value of an object. */
export type Place = LinePlace | PathPlace;

export interface ForayErrorOptions {
  /** Where in the user's file the cause is. */
  place?: Place | undefined;
  /** What to do about it, a sentence. */
  hint?: string | undefined;
  /** Further mistakes in the same file. */
  others?: readonly ForayError[] | undefined;
}

/** Characters of a message or a hint: either may repeat what came from outside, which may be megabytes. */
const LONGEST = 4_000;

/** The one class of errors for users: `message` says what is wrong, `hint` what to do. Neither ever holds a secret. */
export class ForayError extends Error {
  override readonly name: string = 'ForayError';
  readonly code: ErrorCode;
  readonly place: Place | undefined;
  readonly hint: string | undefined;
  /** Further mistakes in the same file. */
  readonly others: readonly ForayError[];

  constructor(code: ErrorCode, message: string, { place, hint, others = [] }: ForayErrorOptions = {}) {
    super(bounded(message, LONGEST));
    this.code = code;
    this.place = place;
    this.hint = hint && bounded(hint, LONGEST);
    this.others = others;
  }

  /** The same mistake, with further ones in the same file. */
  with(others: readonly ForayError[]): ForayError {
    const { code, message, place, hint } = this;
    return new ForayError(code, message, { place, hint, others });
  }

  /** One line for a terminal: place, message, hint. */
  toLine(): string {
    return `${this.place ? spoken(this.place) : ''}${this.message}${this.hint ? ` ${this.hint}` : ''}`;
  }
}

/** What is put in front of a message. */
function spoken(place: Place): string {
  if ('line' in place) return `${place.file}:${place.line}:${place.column}: `;
  return place.path === '' ? `${place.file}: ` : `${place.file}: ${place.path}: `;
}

/** True for a ForayError, also one of another realm (a Jest module registry, a worker thread). */
export function isForayError(error: unknown): error is ForayError {
  return (
    error instanceof Error &&
    'code' in error &&
    'toLine' in error &&
    typeof error.code === 'string' &&
    isErrorCode(error.code)
  );
}

/** The text of whatever was thrown, here or in another realm. */
export function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error);
}
