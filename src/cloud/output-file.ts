import { download, type DownloadOptions, type Sink, type Transfer } from './download.ts';
import { CloudError, isCloudError, isShortOutage } from './errors.ts';
import { withRetries } from './retries.ts';

/** The maximum number of attempts for a file. */
const ATTEMPTS = 4;
/** The delay after the first attempt, ms. */
const AGAIN_MS = 250;

/** A SHA-256 in base64url without padding. Most services name their files this way (notes on real clients). */
const SHA256 = /^[A-Za-z0-9_-]{43}$/;

interface Fetch extends DownloadOptions {
  /** The service's name of the file. */
  hash: string;
  /** Requests an address that is valid for a while. */
  newAddress: () => Promise<string>;
  /** Returns a new receiver of the bytes for each attempt. Each attempt starts at the first byte. */
  begin: () => Sink | Promise<Sink>;
  /** Called when the service asks for a pause. No requests may be made for this many ms. */
  pause: (ms: number) => void;
}

/**
 * Fetches a complete output file. Each attempt requests a new address, because the old one may have expired. The hash
 * of the file shows whether the content is right. Some services do not name files by their hash. Their files are
 * accepted if they have the announced length. If the length is unknown, or if the content does not match a name that
 * looks like a hash, a second transfer must give the same content.
 *
 * @returns the SHA-256 of the content, in base64url
 * @throws CloudError when the file cannot be fetched; the error never contains the address
 */
export async function fetchOutputFile({
  hash,
  newAddress,
  begin,
  pause,
  ...options
}: Fetch): Promise<string> {
  let lastSha256: string | undefined;
  let hasAddress = false;
  const fetchOnce = async (): Promise<string> => {
    hasAddress = false;
    try {
      const address = await newAddress();
      hasAddress = true;
      const transfer = await download(address, await begin(), options);
      if (hasContentOf(hash, transfer) || transfer.sha256 === lastSha256) return transfer.sha256;
      lastSha256 = transfer.sha256;
      throw new CloudError('malformed', 'The output file arrived incomplete or changed.');
    } catch (error) {
      if (isCloudError(error) && error.kind === 'throttled') pause(error.retryAfter);
      throw error;
    }
  };
  return withRetries(fetchOnce, {
    attempts: ATTEMPTS,
    firstDelay: AGAIN_MS,
    // the address may have expired
    mayRetry: (error) => isShortOutage(error) || (hasAddress && error.kind === 'refused'),
    signal: options.signal,
  });
}

/** Whether a transfer is certainly whole: its SHA-256 is the file's name, or, for another kind of name, it was measured. */
function hasContentOf(hash: string, { sha256, isMeasured }: Transfer): boolean {
  return sha256 === hash || (isMeasured && !SHA256.test(hash));
}
