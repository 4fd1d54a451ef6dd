import type { LinePlace } from '../errors.ts';

/**
 * All errors of the service: the code, the HTTP status and the meaning of each.
 * Codes are part of the error body (`ErrorBody` in src/api) and are never reused for something else.
 */
export const serviceErrors = {
  BAD_REQUEST: {
    status: 400,
    about: 'the request is not valid HTTP, or has a broken address or body length',
  },
  INVALID_BODY: { status: 400, about: 'the body is not JSON in UTF-8 with the shape of the endpoint' },
  INVALID_QUERY: { status: 400, about: 'a query parameter is missing or wrong' },
  UNKNOWN_INPUT: { status: 400, about: 'the version has no input of that name' },
  INVALID_VALUE: { status: 400, about: 'a value is not valid for its input' },
  UNKNOWN_OUTPUT: { status: 400, about: 'the version has no output of that name' },
  UNSUPPORTED_EXPERIMENT: {
    status: 400,
    about: 'the service or the model does not have experiments of that type',
  },
  KEY_REFUSED: { status: 401, about: 'the API key is missing or unknown' },
  URL_REFUSED: { status: 403, about: 'a pre-signed address has expired or was altered' },
  NOT_PERMITTED: {
    status: 403,
    about: "the user of the key is neither the model's owner nor one of its developers",
  },
  UNKNOWN_ROUTE: { status: 404, about: 'there is no such address' },
  UNKNOWN_INTERFACE: { status: 404, about: 'the request is for another version of the interface' },
  UNKNOWN_MODEL: { status: 404, about: 'there is no such model' },
  UNKNOWN_VERSION: { status: 404, about: 'there is no such model version' },
  UNKNOWN_RUN: { status: 404, about: 'no such run was ever requested' },
  RESULTS_NOT_FOUND: { status: 404, about: 'the run has not completed, or there is no such run' },
  UNKNOWN_SESSION: { status: 404, about: 'there is no animated run at that address, or it ended long ago' },
  UNKNOWN_FILE: { status: 404, about: 'no file with that hash is stored' },
  METHOD_NOT_ALLOWED: { status: 405, about: 'the address takes other methods; the header Allow names them' },
  TOO_SLOW: { status: 408, about: 'the request did not arrive completely in time' },
  VERSION_RETIRED: {
    status: 409,
    about: "the version's files are no longer kept: results stay, new runs do not start",
  },
  MODEL_IN_FOLDER: {
    status: 409,
    about: 'the model is in a folder of models of the service, so it changes there and cannot be pushed',
  },
  NAME_TAKEN: { status: 409, about: 'a newer executor has the name of this executor' },
  OTHER_BUILD: { status: 409, about: 'the executor has another version of foray than the service' },
  HOLDER_CLOSED: {
    status: 409,
    about: 'the executor counts as lost: its runs wait for another executor, and it must register again',
  },
  ANIMATION_ENDED: { status: 409, about: 'the animated run has ended: its values and functions are gone' },
  FILE_DAMAGED: { status: 410, about: 'the stored file is damaged' },
  CONTENT_DIFFERS: { status: 422, about: 'an uploaded file does not have the hash in its address' },
  TOO_LARGE: { status: 413, about: 'the body is larger than the service accepts' },
  RESULTS_TOO_LARGE: { status: 413, about: 'the results are too large for one answer' },
  RANGE_REFUSED: { status: 416, about: 'the file ends before the part that was asked for' },
  ANIMATION_FAILED: { status: 422, about: 'an animated run ended before its first picture' },
  COMMAND_REFUSED: { status: 422, about: 'the model of an animated run refuses a value or a call' },
  MODEL_REFUSED: {
    status: 422,
    about: 'the files of a pushed model are not a model that the service can run',
  },
  RATE_LIMITED: { status: 429, about: 'too many requests with this key; Retry-After says how long to wait' },
  TOO_MANY_ANIMATIONS: { status: 429, about: 'too many animated runs are running' },
  INTERNAL: { status: 500, about: 'a fault of the service' },
  FILE_REFUSED: {
    status: 503,
    about: 'the store of files refuses this file, for example because it is too large; the message says why',
  },
  UNAVAILABLE: {
    status: 503,
    about: 'the system cannot do this at present; Retry-After says how long to wait',
  },
  STORAGE_FULL: { status: 507, about: "the service's disk is full or read-only" },
} as const satisfies Record<string, { status: number; about: string }>;

export type ServiceErrorCode = keyof typeof serviceErrors;

/** An error for a client: the answer contains its message. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ServiceErrorCode;
  /** Additional headers of the answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** The place of the cause in a file of a pushed model. */
  readonly place: LinePlace | undefined;

  constructor(
    code: ServiceErrorCode,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    place?: LinePlace,
  ) {
    super(message);
    this.code = code;
    this.headers = headers;
    this.place = place;
  }
}

/** The error for a user who may not push or prune the versions of a model. */
export function notPermitted(model: string): ServiceError {
  return new ServiceError(
    'NOT_PERMITTED',
    `Only the owner of the model "${model}" and its developers may push or prune its versions. A model that the key file does not name belongs to the user "local".`,
  );
}
