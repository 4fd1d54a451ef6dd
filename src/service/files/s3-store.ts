import { createWriteStream } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ForayError, messageOf } from '../../errors.ts';
import { ServiceError } from '../errors.ts';
import type { Problems } from '../problems.ts';
import { attachment } from './attachment.ts';
import { EMPTY, isHash } from './content.ts';
import type { ContentStore, NamedFile, UploadAddress } from './content-store.ts';
import type { FileCache } from './file-cache.ts';
import type { RemoteFiles } from './run-files.ts';
import type { S3Bucket, S3Credentials } from './s3-address.ts';
import { S3Fault, S3Requests } from './s3-requests.ts';
import { storeUpload } from './upload.ts';

export interface S3StoreOptions {
  bucket: S3Bucket;
  credentials: S3Credentials;
  /** Files pass through this folder, and it keeps copies for the executors of this machine. */
  cache: FileCache;
  problems: Problems;
  now: () => number;
  /** The prefix of the names of objects. @default 'files' */
  prefix?: string;
}

/** How long a client should wait before it tries again while the store cannot be used, in seconds. */
const TRY_AGAIN = 5;
/**
 * The store's codes, or statuses, for a file that it does not have or never takes. All other refusals are about its
 * keys, its bucket or its clock. They pass when somebody corrects these, and no run is lost.
 */
const OF_FILE: ReadonlySet<string | undefined> = new Set([
  'NoSuchKey',
  '404',
  'EntityTooLarge',
  'MaxMessageLengthExceeded',
  '413',
  'KeyTooLongError',
  'InvalidObjectName',
]);
/** A larger difference between the clock of this machine and the store's clock leads to a warning. In seconds. */
const MOST_SKEW = 30;

/**
 * Files in a bucket of an S3-compatible store. Each file is an object `PREFIX/HASH`. Clients get addresses of the store
 * itself.
 */
export class S3Store implements ContentStore, RemoteFiles {
  readonly #requests: S3Requests;
  readonly #options: S3StoreOptions;

  constructor(options: S3StoreOptions) {
    this.#options = options;
    this.#requests = new S3Requests(options.bucket, options.credentials, options.now);
  }

  /** Checks that files can be stored and found. @throws ForayError FILES_UNREACHABLE, FILES_UNUSABLE */
  async check(): Promise<void> {
    const { cache, bucket } = this.#options;
    const empty = cache.files.unfinishedPath();
    await writeFile(empty, '');
    try {
      await this.#requests.put(this.#keyOf(EMPTY), empty, hexOf(EMPTY));
      await this.#requests.has(this.#keyOf(EMPTY));
      // this needs the right to list objects: without this right, the store refuses a request for a missing object
      await this.#requests.has(this.#keyOf('none'));
      this.#compareClocks();
    } catch (error) {
      if (!(error instanceof S3Fault)) throw error;
      const where = `The store of files at ${bucket.url}`;
      if (error.code === undefined) {
        throw new ForayError('FILES_UNREACHABLE', `${where} cannot be reached: ${error.message}.`, {
          hint: 'Start it, or correct the endpoint in --files.',
        });
      }
      throw new ForayError('FILES_UNUSABLE', `${where} cannot be used: ${error.message}.`, {
        hint: hintFor(error.code),
      });
    } finally {
      await rm(empty, { force: true });
    }
  }

  async has(hash: string): Promise<boolean> {
    return isHash(hash) && this.#do(() => this.#requests.has(this.#keyOf(hash)));
  }

  /** A stored file is whole, because the store checks the content when it accepts a file. */
  isWhole(hash: string): Promise<boolean> {
    return this.has(hash);
  }

  async read(hash: string): Promise<Readable> {
    const content = isHash(hash) && (await this.#do(() => this.#requests.get(this.#keyOf(hash))));
    if (!content) throw unknown(hash);
    return content;
  }

  async store(body: Readable, limit: number, expected?: string): Promise<string> {
    const { cache } = this.#options;
    const hash = await storeUpload(cache.files, body, limit, expected);
    cache.hold([hash]);
    try {
      await this.upload(hash, cache.files.pathOf(hash));
    } finally {
      cache.release([hash]);
    }
    return hash;
  }

  async address({ hash, filename }: NamedFile): Promise<string> {
    if (!(await this.has(hash))) throw unknown(hash);
    return this.#requests.address(this.#keyOf(hash), {
      'response-content-disposition': attachment(filename),
      'response-content-type': 'application/octet-stream',
    });
  }

  uploadAddress(hash: string): Promise<UploadAddress> {
    if (!isHash(hash)) return Promise.reject(unknown(hash));
    return this.#requests.uploadAddress(this.#keyOf(hash), hexOf(hash));
  }

  async fetch(hash: string, file: string): Promise<void> {
    await pipeline(await this.read(hash), createWriteStream(file, { mode: 0o600 }));
  }

  async upload(hash: string, file: string): Promise<void> {
    await this.#do(() => this.#requests.put(this.#keyOf(hash), file, hexOf(hash)));
  }

  #keyOf(hash: string): string {
    return `${this.#options.prefix ?? 'files'}/${hash}`;
  }

  /**
   * The end of a pre-signed address is a time by the store's clock. If the clock of this machine differs, the address is
   * valid for a shorter or longer time.
   */
  #compareClocks(): void {
    const { problems, bucket } = this.#options;
    const seconds = Math.round(Math.abs(this.#requests.skew) / 1000);
    if (seconds <= MOST_SKEW) return problems.resolve('FILES_CLOCK', '');
    problems.raise({
      code: 'FILES_CLOCK',
      subject: '',
      message: 'The clock of the service differs from the clock of the store of files.',
      detail: `The clock of this machine is ${seconds} seconds ${this.#requests.skew > 0 ? 'ahead of' : 'behind'} that of the store of files at ${bucket.url}: addresses of files are valid for a shorter or longer time than they should be. Set the clock.`,
    });
  }

  /**
   * Makes a request. Its success or failure also shows in the problems of the service.
   *
   * @throws ServiceError UNAVAILABLE if the store cannot be used at the moment, FILE_REFUSED if it refuses the file
   */
  async #do<T>(request: () => Promise<T>): Promise<T> {
    const { problems, bucket } = this.#options;
    try {
      const answer = await request();
      problems.resolve('FILES_STUCK', '');
      this.#compareClocks();
      return answer;
    } catch (error) {
      if (!(error instanceof S3Fault)) throw error;
      problems.raise({
        code: 'FILES_STUCK',
        subject: '',
        message: 'The store of files cannot be used: runs with files wait.',
        detail: `The store of files at ${bucket.url} cannot be used; foray tries again: ${messageOf(error)}`,
      });
      const headers = { 'retry-after': String(TRY_AGAIN) };
      throw OF_FILE.has(error.code)
        ? new ServiceError('FILE_REFUSED', `The store of files refuses this file (${error.code}).`, headers)
        : new ServiceError(
            'UNAVAILABLE',
            'The store of files cannot be used at the moment. Ask again later.',
            headers,
          );
    }
  }
}

function hexOf(hash: string): string {
  return Buffer.from(hash, 'base64url').toString('hex');
}

function unknown(hash: string): ServiceError {
  return new ServiceError('UNKNOWN_FILE', `No file with the hash ${hash} is stored.`);
}

function hintFor(code: string): string {
  switch (code) {
    case 'NoSuchBucket':
      return 'Make the bucket, or correct its name in --files.';
    case 'InvalidAccessKeyId':
    case 'SignatureDoesNotMatch':
      return 'Correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.';
    case 'RequestTimeTooSkewed':
      return 'Set the clock of this machine.';
    case 'AuthorizationHeaderMalformed':
    case 'PermanentRedirect':
      return 'Correct the region in --files.';
    default:
      return 'Correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or permit that key to get, put and list objects of the bucket (s3:GetObject, s3:PutObject, s3:ListBucket).';
  }
}
