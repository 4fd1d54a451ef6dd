import { setTimeout as delay } from 'node:timers/promises';
import type { Got, Method } from 'got';
import { bounded } from '../text/printable.ts';
import { CloudError, isCloudError } from './errors.ts';
import { Gate } from './gate.ts';
import { codeOf, isTimeout } from './request-error.ts';
import { retryAfterMs } from './retry-after.ts';

export interface TransportOptions {
  /** Root address with /api/open/<version>. */
  url: string;
  key: string;
  /** The header that carries the key; the specification leaves it open. @default 'Authorization' */
  keyHeader?: string | undefined;
  /** Requests a second. @default no limit */
  rate?: number | undefined;
  /** Attempts per request before its error is thrown. Use 1 inside activities, because Temporal retries. @default 1 */
  attempts?: number | undefined;
  /** Total time limit of one request while bytes keep arriving, ms. @default 10 minutes */
  total?: number | undefined;
}

export interface TransportRequest {
  method: Method;
  /** Relative to the root address, segments encoded. */
  path: string;
  query?: Record<string, string>;
  /** A value to send as JSON, or bytes to send as they are. */
  body?: { json: unknown } | { bytes: Uint8Array };
  signal?: AbortSignal | undefined;
  /**
   * Whether the request starts a run. After an abort we still wait up to 5 s for its answer: the service may have started
   * the run, and we need its id to stop it.
   */
  isStart?: boolean;
  /** Whether the path is outside the interface, on the same host, and takes no key. */
  isBeside?: boolean;
}

/** Largest accepted response, bytes. */
export const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
/** Longest part of a service's error message that we pass on, characters. */
const LONGEST_MESSAGE = 500;
const CONNECT_MS = 10_000;
const ANSWER_MS = 60_000;
/** Enough for large files on slow lines, and an end for a service that sends too slowly. */
const TOTAL_MS = 600_000;
const LAST_WORDS_MS = 5_000;
const RETRY_BASE_MS = 300;

/** Makes requests, and turns every failure into a {@link CloudError}. It is the only place that knows the key. */
export class Transport {
  private readonly root: string;
  /** The address without the path of the interface. */
  private readonly host: string;
  private readonly headers: Record<string, string>;
  private readonly gate: Gate;
  private got: Promise<Got> | undefined;
  private readonly attempts: number;
  /** Total time limit of one request, ms. */
  readonly total: number;
  /** Secrets that a service may repeat in a message. */
  private readonly secrets: readonly string[];

  constructor({
    url,
    key,
    keyHeader = 'Authorization',
    rate = Infinity,
    attempts = 1,
    total = TOTAL_MS,
  }: TransportOptions) {
    this.root = url.replace(/(?<!\/)\/+$/, '');
    this.host = this.root.replace(/\/api\/open\/[^/]*$/, '');
    this.headers = { [keyHeader]: key };
    this.gate = new Gate(rate);
    this.attempts = attempts;
    this.total = total;
    const words = [key, key.split(/\s+/).at(-1) ?? ''];
    this.secrets = words.flatMap((word) => [word, encodeURIComponent(word.toWellFormed())]).filter(Boolean);
  }

  /** @returns the parsed JSON of a 2xx response; undefined for an empty one */
  async send(request: TransportRequest): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.sendOnce(request);
      } catch (error) {
        if (!isCloudError(error) || !error.isRetryable || attempt >= this.attempts) throw error;
        await delay(Math.max(error.retryAfter, RETRY_BASE_MS * 2 ** (attempt - 1)), undefined, {
          ...(request.signal && { signal: request.signal }),
        });
      }
    }
  }

  private async sendOnce(request: TransportRequest): Promise<unknown> {
    const { signal } = request;
    await this.gate.pass(signal);
    signal?.throwIfAborted();
    const target = `${request.method} ${request.path}`;
    const response = await this.exchange(request, target);
    const { statusCode } = response;
    const retryAfter = retryAfterMs(response.headers['retry-after'], Date.now());
    if (statusCode === 429 || (statusCode === 503 && retryAfter > 0)) {
      this.gate.blockFor(retryAfter);
      throw new CloudError('throttled', `${target}: the service asks to slow down (${statusCode})`, {
        retryAfter,
        mayHaveArrived: false,
      });
    }
    if (statusCode < 200 || statusCode > 299)
      throw statusError(target, statusCode, this.messageIn(response.body));
    if (response.body.trim() === '') return undefined;
    try {
      return JSON.parse(response.body) as unknown;
    } catch {
      throw new CloudError('malformed', `${target}: the answer is not JSON`);
    }
  }

  /** Waits for the rate limit on behalf of a request that is made elsewhere. */
  turn(signal?: AbortSignal): Promise<void> {
    return this.gate.pass(signal);
  }

  /** Blocks all requests for this long, ms. */
  rest(ms: number): void {
    this.gate.blockFor(ms);
  }

  /**
   * The text of a service in at most `most` characters, without the key and without signed addresses: the service may
   * repeat them.
   *
   * @param most - longest result, characters; at most about ten times as many are read
   */
  redacted(text: string, most: number): string {
    const longest = Math.max(0, ...this.secrets.map(({ length }) => length));
    const read = text.slice(0, 10 * most + longest);
    const safe = this.secrets
      .reduce((rest, secret) => rest.replaceAll(secret, '…'), read)
      .replace(/\?[^\s"'<>]+/g, (query) => (query.includes('=') ? '?…' : query));
    // a cut text may end with a part of a secret
    return bounded(read === text ? safe : safe.slice(0, Math.max(0, safe.length - longest)), most);
  }

  /**
   * The message of an error body on one line, if the body has the format of the interface; otherwise (an HTML page of a
   * proxy) empty.
   */
  private messageIn(body: string): string {
    try {
      const { message } = JSON.parse(body) as { message?: unknown };
      if (typeof message !== 'string') return '';
      return this.redacted(message, LONGEST_MESSAGE).replace(/[\s\p{Cc}]+/gu, ' ');
    } catch {
      return '';
    }
  }

  private async exchange(
    { method, path, query, body, signal, isStart, isBeside }: TransportRequest,
    target: string,
  ) {
    const limit = new AbortController();
    const patience = isStart && signal ? delayed(signal, LAST_WORDS_MS) : undefined;
    const end = patience?.signal ?? signal;
    this.got ??= gotOf(this.total);
    const got = await this.got;
    try {
      const pending = got(`${isBeside ? this.host : this.root}${path}`, {
        method,
        headers: {
          ...(!isBeside && this.headers),
          ...(body && 'bytes' in body && { 'content-type': 'application/octet-stream' }),
        },
        ...(query && { searchParams: query }),
        ...(body && ('json' in body ? { json: body.json } : { body: body.bytes })),
        signal: end ? AbortSignal.any([end, limit.signal]) : limit.signal,
      });
      void pending.on('downloadProgress', ({ transferred }) => {
        if (transferred > MAX_RESPONSE_BYTES) limit.abort();
      });
      return await pending;
    } catch (error) {
      signal?.throwIfAborted();
      if (limit.signal.aborted) throw new CloudError('too-large', `${target}: the answer is over 64 MiB`);
      throw connectionError(target, this.root, error);
    } finally {
      patience?.forget();
    }
  }
}

/**
 * got with the options that all requests share. It checks these once, which saves a quarter of the CPU time of a request.
 *
 * @param total - time limit of one request, ms
 */
async function gotOf(total: number): Promise<Got> {
  // half of the commands make no request, and got takes a while to load
  const { default: got } = await import('got');
  return got.extend({
    responseType: 'text',
    throwHttpErrors: false,
    followRedirect: false,
    retry: { limit: 0 },
    timeout: { connect: CONNECT_MS, socket: ANSWER_MS, response: ANSWER_MS, request: total },
  });
}

/** A signal that aborts some time after another signal. Call `forget` when it is no longer needed. */
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

/** Codes of a connection that was never made. */
const neverConnected = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ERR_INVALID_URL',
];
/** Codes of a header that Node does not send, such as a key with a line break. */
const invalidHeader = ['ERR_INVALID_CHAR', 'ERR_INVALID_HTTP_TOKEN'];

/** The message of got contains the whole address, so we use only its code. */
function connectionError(target: string, root: string, error: unknown): CloudError {
  if (isTimeout(error)) return new CloudError('timeout', `${target}: no answer in time`);
  const code = codeOf(error);
  if (invalidHeader.includes(code)) {
    return new CloudError('unauthorized', 'The API key or the name of its header cannot be sent as it is.', {
      mayHaveArrived: false,
    });
  }
  return new CloudError(
    'unreachable',
    URL.canParse(root)
      ? `The model service at ${new URL(root).origin} cannot be reached (${code}).`
      : 'The address of the model service is not an address.',
    {
      mayHaveArrived: !neverConnected.includes(code),
    },
  );
}

function statusError(target: string, status: number, said: string): CloudError {
  const kind =
    status === 401 || status === 403
      ? 'unauthorized'
      : status === 404
        ? 'not-found'
        : status >= 400 && status < 500
          ? 'refused'
          : status >= 500
            ? 'server'
            : 'malformed';
  return new CloudError(kind, `${target}: ${status}${said ? `: ${said}` : ''}`, {
    mayHaveArrived: kind !== 'unauthorized',
  });
}
