/**
 * Every error that the service answers with, once: its code, its HTTP status and when it is given.
 * Codes are part of the error body (`ErrorBody` in src/api) and are never reused for something else.
 */
export const serviceErrors = {
  BAD_REQUEST: {
    status: 400,
    about: 'the request is not valid HTTP, or has a broken address or body length',
  },
  INVALID_BODY: { status: 400, about: 'the body is not JSON of the shape that the endpoint takes' },
  INVALID_QUERY: { status: 400, about: 'a query parameter is missing or wrong' },
  UNKNOWN_INPUT: { status: 400, about: 'the version has no input of that name' },
  INVALID_VALUE: { status: 400, about: "a value does not fit its input's type" },
  UNKNOWN_OUTPUT: { status: 400, about: 'the version has no output of that name' },
  UNSUPPORTED_EXPERIMENT: {
    status: 400,
    about: 'experiments of that type are not served, or not by that model',
  },
  KEY_REFUSED: { status: 401, about: 'the API key is missing or unknown' },
  URL_REFUSED: { status: 403, about: 'a pre-signed address has expired or was altered' },
  UNKNOWN_ROUTE: { status: 404, about: 'there is nothing at that address' },
  UNKNOWN_INTERFACE: { status: 404, about: 'another version of the interface is asked for' },
  UNKNOWN_MODEL: { status: 404, about: 'there is no such model' },
  UNKNOWN_VERSION: { status: 404, about: 'there is no such model version' },
  UNKNOWN_RUN: { status: 404, about: 'no such run was ever requested' },
  RESULTS_NOT_FOUND: { status: 404, about: 'there is no completed run with those results' },
  UNKNOWN_SESSION: {
    status: 404,
    about: 'there is no animated run at that address, or it was over long ago',
  },
  UNKNOWN_FILE: { status: 404, about: 'no file of that hash is stored' },
  METHOD_NOT_ALLOWED: { status: 405, about: 'the address takes other methods; the header Allow names them' },
  TOO_SLOW: { status: 408, about: 'the request did not arrive, or too slowly' },
  VERSION_RETIRED: {
    status: 409,
    about: "the version's model has changed or is gone: results stay, new runs do not start",
  },
  FILE_DAMAGED: { status: 410, about: 'what is stored of the file is not what was stored' },
  TOO_LARGE: { status: 413, about: 'the body is larger than the service takes' },
  ANIMATION_FAILED: { status: 422, about: 'an animated run ended before its first picture' },
  RATE_LIMITED: {
    status: 429,
    about: 'more requests with the key than the service takes; Retry-After says when to go on',
  },
  TOO_MANY_ANIMATIONS: { status: 429, about: 'as many animated runs as the service takes are running' },
  INTERNAL: { status: 500, about: 'a fault of the service' },
  UNAVAILABLE: {
    status: 503,
    about: 'the system cannot do it just now; Retry-After says when to ask again',
  },
  STORAGE_FULL: { status: 507, about: "the service's disk is full" },
} as const satisfies Record<string, { status: number; about: string }>;

export type ServiceErrorCode = keyof typeof serviceErrors;

/** An error to be answered as it is: the message goes to the client. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ServiceErrorCode;
  /** Headers that the answer has besides the usual ones. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ServiceErrorCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.headers = headers;
  }
}
