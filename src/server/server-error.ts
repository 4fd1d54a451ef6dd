/** Errors of the server itself. `statuses` in problems.ts has those of foray, and docs/reference/errors.md has both. */
export const serverErrors = {
  BAD_REQUEST: { status: 400, about: 'the request is not valid HTTP, or a parameter or the body is wrong' },
  KEY_NEEDED: { status: 401, about: 'the request has no known key and no login' },
  ROLE_TOO_LOW: { status: 403, about: 'the key has a role that may not do this' },
  CROSS_SITE: { status: 403, about: 'a page of another site, or a program without a key, requests a change' },
  UNKNOWN_FIGURE: { status: 404, about: 'the report of the campaign has no figure of that name' },
  UNKNOWN_ROUTE: { status: 404, about: 'there is nothing at that address' },
  METHOD_NOT_ALLOWED: { status: 405, about: 'the address takes other methods; the header Allow names them' },
  TOO_SLOW: { status: 408, about: 'the body of the request came too slowly' },
  DEFINITION_CHANGED: { status: 409, about: 'somebody else has changed the definition meanwhile' },
  TOO_LARGE: {
    status: 413,
    about: 'the body is larger than the server takes, or an answer takes too much time or memory',
  },
  RANGE_REFUSED: { status: 416, about: 'the file has no such range' },
  WRONG_HOST: { status: 421, about: 'the header Host names a host that the server does not serve' },
  TOO_MANY: {
    status: 429,
    about: 'the key has too many definitions, reports or analyses in work, or too many open streams',
  },
  INTERNAL: { status: 500, about: 'a fault of the server' },
  STORAGE_FULL: { status: 507, about: 'a disk of the server is full or read-only' },
} as const satisfies Record<string, { status: number; about: string }>;

export type ServerErrorCode = keyof typeof serverErrors;

export interface ServerErrorOptions {
  /** What the user can do, as a sentence. */
  hint?: string | undefined;
  /** Additional headers of the answer. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Further fields of the problem. */
  more?: Readonly<Record<string, unknown>> | undefined;
}

/** An error whose message is sent to the client. */
export class ServerError extends Error {
  override readonly name = 'ServerError';
  readonly code: ServerErrorCode;
  readonly options: ServerErrorOptions;

  constructor(code: ServerErrorCode, message: string, options: ServerErrorOptions = {}) {
    super(message);
    this.code = code;
    this.options = options;
  }
}
