import type { Readable } from 'node:stream';

export interface NamedFile {
  hash: string;
  filename: string;
}

/** An executor uploads a file by a PUT to the address with these headers, without a key. */
export interface UploadAddress {
  url: string;
  headers: Record<string, string>;
}

/**
 * The store for the files of clients and runs. A file is named by the hash of its content. A store on another machine
 * throws ServiceError UNAVAILABLE while it cannot be used.
 */
export interface ContentStore {
  has(hash: string): Promise<boolean>;
  /** Whether the file is stored and matches its hash. */
  isWhole(hash: string): Promise<boolean>;
  /** @throws ServiceError UNKNOWN_FILE, FILE_DAMAGED */
  read(hash: string): Promise<Readable>;
  /**
   * Stores a body under the hash of its content. Returns the hash.
   *
   * @param limit - the largest size of the body, in bytes
   * @param expected - the required hash
   * @throws ServiceError TOO_LARGE, CONTENT_DIFFERS
   */
  store(body: Readable, limit: number, expected?: string): Promise<string>;
  /**
   * A pre-signed address for a download: it needs no key, and is valid for five minutes.
   *
   * @param root - the address of the service for the client
   * @throws ServiceError UNKNOWN_FILE, FILE_DAMAGED
   */
  address(file: NamedFile, root: string): Promise<string>;
  /**
   * A pre-signed address of the store itself, which takes only content with this hash. A store without this method gets
   * uploads through the service.
   *
   * @throws ServiceError UNKNOWN_FILE if the text is not a hash
   */
  uploadAddress?(hash: string): Promise<UploadAddress>;
}
