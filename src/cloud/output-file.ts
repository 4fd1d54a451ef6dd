import { setTimeout as delay } from 'node:timers/promises';
import { download, type DownloadOptions, type Sink, type Transfer } from './download.ts';
import { CloudError, type CloudErrorKind, isCloudError } from './errors.ts';

/** How often a file is asked for, and the first wait between, ms. */
const ATTEMPTS = 4;
const AGAIN_MS = 250;

/** What may be better a moment later. After a time-out as much time again is not spent at once. */
const passing: readonly CloudErrorKind[] = ['throttled', 'server', 'unreachable', 'malformed'];

/** SHA-256 in base64url without padding, as most services call files (notes on real clients). */
const SHA256 = /^[A-Za-z0-9_-]{43}$/;

interface Fetch extends DownloadOptions {
  /** What the service calls the file by. */
  hash: string;
  /** Gives an address that holds for a while. */
  address: () => Promise<string>;
  /** What takes the bytes, from the first one, of each attempt. */
  begin: () => Sink | Promise<Sink>;
  /** Is told for how long, ms, nothing more is to be asked for. */
  rest: (ms: number) => void;
}

/**
 * Fetches an output file whole. An address that does not hold any more is asked for anew. What came is known to be the file by its
 * hash. A service may call its files otherwise: then a file that has the length that was said is taken, and of one that looks like
 * another than its hash, or of no known length, a second transfer has to be the same.
 *
 * @returns the SHA-256 of the content, in base64url
 * @throws CloudError when it cannot be had, without the address
 */
export async function fetchOutputFile({ hash, address, begin, rest, ...options }: Fetch): Promise<string> {
  let before: string | undefined;
  for (let attempt = 1; ; attempt += 1) {
    let isSigned = false;
    try {
      const signed = await address();
      isSigned = true;
      const transfer = await download(signed, await begin(), options);
      if (isIt(hash, transfer) || transfer.sha256 === before) return transfer.sha256;
      before = transfer.sha256;
      throw new CloudError('malformed', 'The output file does not come whole.');
    } catch (error) {
      if (!isCloudError(error)) throw error;
      if (error.kind === 'throttled') rest(error.retryAfter);
      const mayPass = passing.includes(error.kind) || (isSigned && error.kind === 'refused');
      if (!mayPass || attempt === ATTEMPTS) throw error;
      await delay(Math.max(error.retryAfter, AGAIN_MS * 2 ** (attempt - 1)), undefined, {
        ...(options.signal && { signal: options.signal }),
      });
    }
  }
}

function isIt(hash: string, { sha256, isMeasured }: Transfer): boolean {
  return sha256 === hash || (isMeasured && !SHA256.test(hash));
}
