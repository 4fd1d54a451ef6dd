import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { ByteRange } from '../../http/range.ts';
import type { ContentFiles } from './content.ts';
import type { ContentStore, NamedFile } from './content-store.ts';
import type { Presigner } from './presign.ts';
import { storeUpload } from './upload.ts';

/**
 * The path of a file's pre-signed addresses. It is outside the root of the interface, because these addresses need no
 * key.
 */
export function filePath(hash: string): string {
  return `/files/${hash}`;
}

/** Files on the service's own disk. The service itself serves their pre-signed addresses. */
export class DiskStore implements ContentStore {
  readonly #files: ContentFiles;
  readonly #presigner: Presigner;

  constructor(files: ContentFiles, presigner: Presigner) {
    this.#files = files;
    this.#presigner = presigner;
  }

  has(hash: string): Promise<boolean> {
    return Promise.resolve(this.#files.has(hash));
  }

  isWhole(hash: string): Promise<boolean> {
    return this.#files.isWhole(hash);
  }

  /** @throws ServiceError UNKNOWN_FILE, FILE_DAMAGED */
  async sizeOf(hash: string): Promise<number> {
    await this.#files.require(hash);
    return (await stat(this.#files.pathOf(hash))).size;
  }

  /** Reads a file, or a part of it. */
  read(hash: string, range?: ByteRange): Promise<Readable> {
    return this.#files.open(hash, range);
  }

  store(body: Readable, limit: number, expected?: string): Promise<string> {
    return storeUpload(this.#files, body, limit, expected);
  }

  async address(file: NamedFile, root: string): Promise<string> {
    await this.#files.require(file.hash);
    const query = new URLSearchParams({ ...this.#presigner.sign(file) });
    return `${root}${filePath(file.hash)}?${query.toString()}`;
  }
}
