import type { ErrorCode } from '../error-codes.ts';
import { ForayError, type Place } from '../errors.ts';

/** The kinds of errors of a model service, with the status codes of HTTP that they come from. */
export type CloudErrorKind =
  | 'unreachable' // no connection, or a broken connection
  | 'timeout' // no answer in time; 408: the request did not arrive in time, for example because its process stood still
  | 'throttled' // 429; 503 with Retry-After
  | 'crowded' // 429 because too many animated runs are running
  | 'server' // another 5xx
  | 'malformed' // an answer outside the interface
  | 'too-large' // an answer over the size limit
  | 'unauthorized' // 401, 403
  | 'not-found' // 404
  | 'refused-model' // the files of a pushed model are not a valid model
  | 'refused'; // another 4xx

const codes: Record<CloudErrorKind, ErrorCode> = {
  unreachable: 'SERVICE_UNREACHABLE',
  timeout: 'SERVICE_UNREACHABLE',
  throttled: 'SERVICE_FAILED',
  crowded: 'TOO_MANY_ANIMATIONS',
  server: 'SERVICE_FAILED',
  malformed: 'SERVICE_FAILED',
  'too-large': 'SERVICE_FAILED',
  unauthorized: 'KEY_REFUSED',
  'not-found': 'REQUEST_REFUSED',
  'refused-model': 'MODEL_INVALID',
  refused: 'REQUEST_REFUSED',
};

const hints: Partial<Record<CloudErrorKind, string>> = {
  unreachable:
    'Check the address (--service-url or FORAY_SERVICE_URL), and check that the service runs. "foray dev" starts a service.',
  timeout: 'The service may be overloaded or frozen: see its log and the load of its machine.',
  throttled: 'Lower the request rate with FORAY_SERVICE_RATE.',
  crowded: 'An animated run also stops when nobody has watched it for 5 minutes.',
  unauthorized: 'Check the API key (--api-key or FORAY_API_KEY) and its header (--api-key-header).',
};

/** The kinds of errors after which another attempt may succeed. */
const retryable: readonly CloudErrorKind[] = ['unreachable', 'timeout', 'throttled', 'server', 'malformed'];

/** The kinds of answers that the service would give again. */
const final: readonly CloudErrorKind[] = ['not-found', 'refused', 'refused-model', 'too-large'];

interface CloudErrorOptions {
  retryAfter?: number;
  mayHaveArrived?: boolean;
  hint?: string | undefined;
  place?: Place | undefined;
}

/** An error of the model service or on the way to it. Its text never contains the key, a query or a signature. */
export class CloudError extends ForayError {
  override readonly name = 'CloudError';
  readonly kind: CloudErrorKind;
  /** How long the service asked us to wait, ms. */
  readonly retryAfter: number;

  /**
   * False if the service certainly did not carry out the request, because it was not reached, or refused the key or the
   * rate. Otherwise true.
   */
  readonly mayHaveArrived: boolean;

  constructor(
    kind: CloudErrorKind,
    message: string,
    { retryAfter = 0, mayHaveArrived = true, hint = hints[kind], place }: CloudErrorOptions = {},
  ) {
    super(codes[kind], message, { hint, place });
    this.kind = kind;
    this.retryAfter = retryAfter;
    this.mayHaveArrived = mayHaveArrived;
  }

  get isRetryable(): boolean {
    return retryable.includes(this.kind);
  }

  get isFinal(): boolean {
    return final.includes(this.kind);
  }
}

/** Whether another attempt may succeed in a moment. After a timeout, another attempt could take as long. */
export function isShortOutage(error: CloudError): boolean {
  return error.isRetryable && error.kind !== 'timeout';
}

/** Whether an error is a CloudError, even from another realm. */
export function isCloudError(error: unknown): error is CloudError {
  return error instanceof Error && error.name === 'CloudError';
}

/** Whether a service does not have what a request names. Some services then refuse the request (notes on real clients). */
export function isUnknownThere(error: unknown): boolean {
  return isCloudError(error) && (error.kind === 'not-found' || error.kind === 'refused');
}

/** The kinds of errors of a host that does not know a path. Such a host answers with an error or an HTML page. */
const pathUnknown: readonly CloudErrorKind[] = ['not-found', 'refused', 'malformed', 'too-large'];

/** Whether an error means that a service does not have an endpoint outside the specification. */
export function lacksExtension(error: unknown): boolean {
  return isCloudError(error) && [...pathUnknown, 'server'].includes(error.kind);
}

/** Whether an error means that a host has no health document, or gives it only to known users. */
export function lacksHealth(error: unknown): boolean {
  return isCloudError(error) && [...pathUnknown, 'unauthorized'].includes(error.kind);
}
