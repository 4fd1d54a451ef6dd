import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { CloudError, isCloudError } from './errors.ts';
import { codeOf, isTimeout } from './request-error.ts';
import { isThrottled, retryAfterMs } from './retry-after.ts';

/** Receives the bytes of a file as they arrive. The next bytes come only after the sink has handled these bytes. */
export type Sink = (chunk: Uint8Array) => void | Promise<void>;

export interface DownloadOptions {
  /** The largest accepted size, bytes. */
  most: number;
  /** The time limit of the whole download, even if bytes keep arriving, ms. */
  total?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** What is known about a received file. */
export interface Transfer {
  /** The SHA-256 of the received bytes, in base64url. */
  sha256: string;
  /** Whether the server announced the length. If so, the file is known to be complete. */
  isMeasured: boolean;
}

const CONNECT_MS = 10_000;
const SILENCE_MS = 60_000;

/**
 * Downloads a file from a pre-signed address. The address needs no key and is a secret itself, so no error contains any
 * part of it. The address may be on another host than the service. Redirects are not followed, and content is never
 * unpacked.
 *
 * @throws CloudError; its kind is `refused` when the address is not valid, no longer valid, or redirects
 */
export async function download(
  address: string,
  sink: Sink,
  { most, total, signal }: DownloadOptions,
): Promise<Transfer> {
  if (!/^https?:$/.test(URL.parse(address)?.protocol ?? ''))
    throw new CloudError('refused', 'The service gave no valid address for the output file.');
  const { default: got } = await import('got');
  const stream = got.stream(address, {
    decompress: false,
    throwHttpErrors: false,
    followRedirect: false,
    retry: { limit: 0 },
    timeout: {
      connect: CONNECT_MS,
      socket: SILENCE_MS,
      response: SILENCE_MS,
      ...(total !== undefined && { request: total }),
    },
    ...(signal && { signal }),
  });
  // the code below sees errors of the transfer, and an error after the last byte does not matter
  stream.on('error', () => undefined);
  let sinkError: unknown;
  try {
    const [response] = (await once(stream, 'response')) as [IncomingMessage];
    checkStatus(response);
    const length = response.headers['content-length'];
    if (Number(length ?? 0) > most) throw tooLarge(most);
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > most) throw tooLarge(most);
      hash.update(chunk);
      try {
        await sink(chunk);
      } catch (error) {
        sinkError = error;
        throw error;
      }
    }
    if (length !== undefined && size !== Number(length))
      throw new CloudError('unreachable', 'The output file is shorter than announced.');
    return { sha256: hash.digest('base64url'), isMeasured: length !== undefined };
  } catch (error) {
    signal?.throwIfAborted();
    if (isCloudError(error) || sinkError !== undefined) throw error;
    throw connectionError(error);
  } finally {
    stream.destroy();
  }
}

function checkStatus({ statusCode: status = 0, headers }: IncomingMessage): void {
  if (status === 200) return;
  const message = `The output file cannot be fetched: its address answered ${status}.`;
  const retryAfter = retryAfterMs(headers['retry-after'], Date.now());
  if (isThrottled(status, retryAfter)) throw new CloudError('throttled', message, { retryAfter });
  if (status === 404 || status === 410) throw new CloudError('not-found', message);
  throw new CloudError(status >= 500 ? 'server' : 'refused', message);
}

function tooLarge(most: number): CloudError {
  return new CloudError('too-large', `The output file is over ${most / 1_048_576} MiB.`);
}

/** The message of an error of got contains the whole address, so we use only the code of the error. */
function connectionError(error: unknown): CloudError {
  if (isTimeout(error)) return new CloudError('timeout', 'The output file did not arrive in time.');
  return new CloudError(
    'unreachable',
    `The output file cannot be fetched from its address (${codeOf(error)}).`,
  );
}
