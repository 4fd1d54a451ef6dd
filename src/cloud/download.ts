import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import got, { RequestError, TimeoutError } from 'got';
import { CloudError, isCloudError } from './errors.ts';
import { retryAfterMs } from './retry-after.ts';

/** Takes the bytes of a file as they come; the next ones wait for it. */
export type Sink = (chunk: Uint8Array) => void | Promise<void>;

export interface DownloadOptions {
  /** Bytes that are taken at most. */
  most: number;
  /** How long it may take in all while bytes keep coming, ms. */
  total?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** What has come of a file: everything that was sent. */
export interface Transfer {
  /** Of what came, in base64url. */
  sha256: string;
  /** How much it would be was said beforehand, so it is all that there is. */
  isMeasured: boolean;
}

const CONNECT_MS = 10_000;
const SILENCE_MS = 60_000;

/**
 * Fetches what is at a pre-signed address, which needs no key and is a secret itself: no error says any of it. It may be on
 * another host than the service, and is taken at its word: redirects are not followed, and content is taken as it is
 * sent, never unpacked.
 *
 * @throws CloudError `refused` where the address does not hold (any more), is none, or leads elsewhere
 */
export async function download(
  address: string,
  sink: Sink,
  { most, total, signal }: DownloadOptions,
): Promise<Transfer> {
  if (!/^https?:$/.test(URL.parse(address)?.protocol ?? ''))
    throw new CloudError('refused', 'The service gave no address of the output file.');
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
  // one that comes after the last byte says nothing any more
  stream.on('error', () => undefined);
  let unwritten: unknown;
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
        unwritten = error;
        throw error;
      }
    }
    if (length !== undefined && size !== Number(length))
      throw new CloudError('unreachable', 'The output file ended before its end.');
    return { sha256: hash.digest('base64url'), isMeasured: length !== undefined };
  } catch (error) {
    signal?.throwIfAborted();
    if (isCloudError(error) || unwritten !== undefined) throw error;
    throw connectionError(error);
  } finally {
    stream.destroy();
  }
}

function checkStatus({ statusCode: status = 0, headers }: IncomingMessage): void {
  if (status === 200) return;
  const said = `The output file cannot be fetched: ${status} from where it is kept.`;
  const retryAfter = retryAfterMs(headers['retry-after'], Date.now());
  if (status === 429 || (status === 503 && retryAfter > 0))
    throw new CloudError('throttled', said, { retryAfter });
  if (status === 404 || status === 410) throw new CloudError('not-found', said);
  throw new CloudError(status >= 500 ? 'server' : 'refused', said);
}

function tooLarge(most: number): CloudError {
  return new CloudError('too-large', `The output file is over ${most / 1_048_576} MiB.`);
}

/** got's own message holds the whole address, so only its code is kept. */
function connectionError(error: unknown): CloudError {
  if (error instanceof TimeoutError)
    return new CloudError('timeout', 'The output file does not come in time.');
  const code = error instanceof RequestError ? ` (${error.code})` : '';
  return new CloudError('unreachable', `The output file cannot be fetched from where it is kept${code}.`);
}
