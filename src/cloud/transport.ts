import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { Got, Method, Response } from 'got';
import { ErrorBody } from '../api/resources.ts';
import type { Place } from '../errors.ts';
import { bounded } from '../text/printable.ts';
import { traceHeaders } from '../tracing.ts';
import { CloudError, type CloudErrorKind } from './errors.ts';
import { Gate } from './gate.ts';
import { isLoopback } from './loopback.ts';
import { connectionError } from './request-error.ts';
import { withRetries } from './retries.ts';
import { isThrottled, retryAfterMs } from './retry-after.ts';

export interface TransportOptions {
  /** The root address of the service, including /api/open/<version>. */
  url: string;
  key: string;
  /** The header with the key. The specification does not name this header. @default 'Authorization' */
  keyHeader?: string | undefined;
  /** The maximum number of requests per second. @default no limit */
  rate?: number | undefined;
  /**
   * The maximum number of attempts per request before its error is thrown. Use 1 inside activities, because Temporal
   * retries them.
   * @default 1
   */
  attempts?: number | undefined;
  /** The time limit of one whole request, even if bytes keep arriving, ms. @default 10 minutes */
  total?: number | undefined;
  /** Called once, with the origin of the service, when nothing of a request or its answer has moved for a few seconds. */
  onSilence?: ((service: string) => void) | undefined;
}

export interface TransportRequest {
  method: Method;
  /** The path relative to the root address, with encoded segments. */
  path: string;
  query?: Record<string, string>;
  /** A value that is sent as JSON, or bytes that are sent unchanged. */
  body?: { json: unknown } | { bytes: Uint8Array };
  signal?: AbortSignal | undefined;
  /**
   * Whether the request starts a run. After an abort, the transport still waits up to 5 s for the answer: the service
   * may have started the run, and the caller needs the id of the run to stop it.
   */
  isStart?: boolean;
  /** Whether the path is on the same host but outside the interface. Such a path needs no key. */
  isBeside?: boolean;
}

/** The largest accepted response, bytes. */
export const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
/** What to do about a service that cannot work just now. */
const UNAVAILABLE_HINT = 'The log of the service says more. Try again later.';
/** The maximum number of characters of a service's error message that are passed on. */
const LONGEST_MESSAGE = 500;
const CONNECT_MS = 10_000;
const ANSWER_MS = 60_000;
/** A person who waits for an answer for this long wants to know for what, ms. */
const SILENT_MS = 5_000;
/**
 * The default time limit of one request, ms. It is enough for large files on slow lines, and it ends requests to a
 * service that sends too slowly.
 */
const TOTAL_MS = 600_000;
/** The options of our agents, which are those of Node's global agent. */
const KEPT_OPEN = { keepAlive: true, scheduling: 'lifo', timeout: 5_000 } as const;
/** How long the answer to a start is still awaited after an abort, ms. */
const LAST_WORDS_MS = 5_000;
/** The delay after the first attempt, ms. */
const AGAIN_MS = 300;

/**
 * Makes requests, and turns each failure except an abort into a {@link CloudError}. In this folder, only this class
 * keeps the key.
 */
export class Transport {
  readonly #root: string;
  /** The address without the path of the interface. */
  readonly #host: string;
  readonly #headers: Record<string, string>;
  readonly #gate: Gate;
  #got: Promise<Got> | undefined;
  readonly #attempts: number;
  /** The time limit of one whole request, ms. */
  readonly total: number;
  /** Secrets that a service may repeat in a message. */
  readonly #secrets: readonly string[];
  #onSilence: TransportOptions['onSilence'];

  constructor({
    url,
    key,
    keyHeader = 'Authorization',
    rate = Infinity,
    attempts = 1,
    total = TOTAL_MS,
    onSilence,
  }: TransportOptions) {
    this.#root = url.replace(/(?<!\/)\/+$/, '');
    this.#host = this.#root.replace(/\/api\/open\/[^/]*$/, '');
    this.#headers = { [keyHeader]: key };
    this.#gate = new Gate(rate);
    this.#attempts = attempts;
    this.total = total;
    this.#onSilence = onSilence;
    // the key may be several words, such as "Bearer" and the secret
    const words = [key, key.split(/\s+/).at(-1) ?? ''];
    this.#secrets = words.flatMap((word) => [word, encodeURIComponent(word.toWellFormed())]).filter(Boolean);
  }

  /** @returns the parsed JSON of a 2xx response; undefined for an empty response */
  async send(request: TransportRequest): Promise<unknown> {
    return withRetries(() => this.#sendOnce(request), {
      attempts: this.#attempts,
      firstDelay: AGAIN_MS,
      mayRetry: (error) => error.isRetryable,
      signal: request.signal,
    });
  }

  /** Waits until the rate limit allows a request that the caller makes without this class. */
  waitForTurn(signal?: AbortSignal): Promise<void> {
    return this.#gate.pass(signal);
  }

  /** Blocks all requests for this many ms from now. */
  blockFor(ms: number): void {
    this.#gate.blockFor(ms);
  }

  /**
   * A text of the service without the key and signed addresses, which the service may repeat.
   *
   * @param most - the most characters of the result. At most about ten times as many characters are read
   */
  redacted(text: string, most: number): string {
    const longest = Math.max(0, ...this.#secrets.map(({ length }) => length));
    const read = text.slice(0, 10 * most + longest);
    const safe = this.#secrets
      .reduce((rest, secret) => rest.replaceAll(secret, '…'), read)
      .replace(/\?[^\s"'<>]+/g, (query) => (query.includes('=') ? '?…' : query));
    // a text that was cut may end with a part of a secret
    return bounded(read === text ? safe : safe.slice(0, Math.max(0, safe.length - longest)), most);
  }

  async #sendOnce(request: TransportRequest): Promise<unknown> {
    const { signal } = request;
    await this.#gate.pass(signal);
    signal?.throwIfAborted();
    const target = `${request.method} ${request.path}`;
    const response = await this.#exchange(request, target);
    if (response.statusCode < 200 || response.statusCode > 299) throw this.#errorOf(response, target);
    if (response.body.trim() === '') return undefined;
    try {
      return JSON.parse(response.body) as unknown;
    } catch {
      throw new CloudError('malformed', `${target}: the answer is not JSON`);
    }
  }

  async #exchange(
    { method, path, query, body, signal, isStart, isBeside }: TransportRequest,
    target: string,
  ) {
    const sizeLimit = new AbortController();
    const later = isStart && signal ? delayed(signal, LAST_WORDS_MS) : undefined;
    const abort = later?.signal ?? signal;
    this.#got ??= gotOf(this.total, this.#root);
    const got = await this.#got;
    const silence = setTimeout(() => this.#tellSilence(), SILENT_MS).unref();
    try {
      const pending = got(`${isBeside ? this.#host : this.#root}${path}`, {
        method,
        headers: {
          ...(!isBeside && this.#headers),
          ...traceHeaders(),
          ...(body && 'bytes' in body && { 'content-type': 'application/octet-stream' }),
        },
        ...(query && { searchParams: query }),
        ...(body && ('json' in body ? { json: body.json } : { body: body.bytes })),
        signal: abort ? AbortSignal.any([abort, sizeLimit.signal]) : sizeLimit.signal,
      });
      void pending.on('uploadProgress', () => void silence.refresh());
      void pending.on('downloadProgress', ({ transferred }) => {
        silence.refresh();
        if (transferred > MAX_RESPONSE_BYTES) sizeLimit.abort();
      });
      return await pending;
    } catch (error) {
      signal?.throwIfAborted();
      if (sizeLimit.signal.aborted) throw new CloudError('too-large', `${target}: the answer is over 64 MiB`);
      throw connectionError(this.#root, error);
    } finally {
      clearTimeout(silence);
      later?.forget();
    }
  }

  #tellSilence(): void {
    this.#onSilence?.(new URL(this.#root).origin);
    this.#onSilence = undefined;
  }

  /** The error of an answer. If the service asks for fewer requests, all requests of this client wait. */
  #errorOf({ statusCode, headers, body }: Response<string>, target: string): CloudError {
    const { code, message, place } = this.#errorIn(body);
    // this limits animated runs, and not requests
    if (code === 'TOO_MANY_ANIMATIONS') return new CloudError('crowded', message, { mayHaveArrived: false });
    if (code === 'MODEL_REFUSED') return new CloudError('refused-model', message, { place });
    const retryAfter = retryAfterMs(headers['retry-after'], Date.now());
    if (!isThrottled(statusCode, retryAfter)) return statusError(target, statusCode, message);
    this.#gate.blockFor(retryAfter);
    const own = message === '' ? 'the service asks for fewer requests' : message;
    return new CloudError('throttled', `${target}: ${statusCode}: ${own}`, {
      retryAfter,
      mayHaveArrived: false,
      // a service that lacks a part of its own cannot be helped with fewer requests
      ...(statusCode === 503 && { hint: UNAVAILABLE_HINT }),
    });
  }

  /**
   * The code of an error body, its message on one line, and its place in a file. The texts are empty if the body does not
   * have the format of the interface. For example, a proxy may send an HTML page.
   */
  #errorIn(body: string): { code: unknown; message: string; place: Place | undefined } {
    try {
      const { code, message, place } = JSON.parse(body) as Record<string, unknown>;
      if (typeof message !== 'string') return { code: '', message: '', place: undefined };
      const ofFile = ErrorBody.shape.place.safeParse(place).data;
      return {
        code,
        message: this.#inOneLine(message),
        place: ofFile && { ...ofFile, file: this.#inOneLine(ofFile.file) },
      };
    } catch {
      return { code: '', message: '', place: undefined };
    }
  }

  #inOneLine(text: string): string {
    return this.redacted(text, LONGEST_MESSAGE).replace(/[\s\p{Cc}]+/gu, ' ');
  }
}

/**
 * Loads got with the options that all requests share. got checks these options only once, which saves a quarter of the
 * CPU time of a request.
 *
 * @param total - the time limit of one whole request, ms
 * @param root - the root address of the service
 */
async function gotOf(total: number, root: string): Promise<Got> {
  // got is loaded only here: half of the commands make no request, and loading it takes a while
  const { default: got } = await import('got');
  return got.extend({
    // the global agent may send requests to a proxy (NODE_USE_ENV_PROXY), also those to this machine with their key
    ...(isLoopback(root) && { agent: { http: new Agent(KEPT_OPEN), https: new TlsAgent(KEPT_OPEN) } }),
    responseType: 'text',
    throwHttpErrors: false,
    followRedirect: false,
    retry: { limit: 0 },
    timeout: { connect: CONNECT_MS, socket: ANSWER_MS, response: ANSWER_MS, request: total },
  });
}

/** A signal that aborts `ms` after another signal. Call `forget` when the new signal is no longer needed. */
function delayed(signal: AbortSignal, ms: number): { signal: AbortSignal; forget(): void } {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const start = (): void => {
    timer = setTimeout(() => controller.abort(signal.reason), ms);
  };
  signal.addEventListener('abort', start, { once: true });
  return {
    signal: controller.signal,
    forget() {
      signal.removeEventListener('abort', start);
      clearTimeout(timer);
    },
  };
}

function statusError(target: string, status: number, message: string): CloudError {
  const kind = kindOf(status);
  return new CloudError(kind, `${target}: ${status}${message ? `: ${message}` : ''}`, {
    mayHaveArrived: kind !== 'unauthorized',
  });
}

function kindOf(status: number): CloudErrorKind {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404) return 'not-found';
  if (status === 408) return 'timeout';
  if (status >= 500) return 'server';
  return status >= 400 ? 'refused' : 'malformed';
}
