import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pLimit from 'p-limit';
import { fileIn, type FileReference } from '../api/index.ts';
import { MOST_KEPT_BYTES } from '../campaign/output-files.ts';
import { type CloudClient, isCloudError } from '../cloud/index.ts';
import { ForayError } from '../errors.ts';
import { FREE_SPACE, isStorageFull } from '../system/disk-full.ts';
import { isSystemError, makeFolder } from '../system/file-system.ts';
import { replaceFile, type UnfinishedFile } from '../system/replace-file.ts';
import type { ServiceAtHand } from '../resolve/index.ts';
import type { CampaignRecord, Store } from '../store/index.ts';

/** The value of an OUTPUT_FILE: JSON text as in the store, or an object. */
export type FileValue = string | FileReference;

/**
 * A SHA-256 in base64url. foray takes a hash of this form as the SHA-256 of the content, so it does not request a file
 * that is on the disk already.
 */
const SHA256 = /^[A-Za-z0-9_-]{43}$/;
/** Maximum number of files that are read from the store at once. Each file is held in memory. */
const FROM_STORE_AT_ONCE = 2;
/**
 * After `MOST_SILENCES` failed requests without a download between them, no file is requested for `LEFT_ALONE_MS`. A
 * request does not count if the service does not have the file or refuses it, or if the file is too large.
 */
const MOST_SILENCES = 3;
const LEFT_ALONE_MS = 30_000;

/** The output files of a campaign, from the store or from its model service. */
export class OutputFiles {
  readonly #store: Store;
  readonly #cloud: CloudClient;
  readonly #campaign: CampaignRecord['campaign'];
  /** The service behind `cloud`. */
  readonly #service: ServiceAtHand;
  #isKnownAtService: Promise<boolean> | undefined;
  readonly #limit = pLimit(FROM_STORE_AT_ONCE);
  #silences = 0;
  #silentUntil = 0;
  /** The error that requests get until `#silentUntil`. */
  #silence: unknown;

  /** @internal */
  constructor(
    store: Store,
    cloud: CloudClient,
    campaign: CampaignRecord['campaign'],
    service: ServiceAtHand,
  ) {
    this.#store = store;
    this.#cloud = cloud;
    this.#campaign = campaign;
    this.#service = service;
  }

  /**
   * Reads a file of up to 64 MiB.
   * @throws ForayError FILE_UNAVAILABLE; SERVICE_UNREACHABLE and other errors of the service
   */
  async read(value: FileValue): Promise<Uint8Array> {
    const file = referenceIn(value);
    const kept = await this.#keptAs(file);
    const content = kept === undefined ? undefined : await this.#store.getFile(kept);
    if (content) return content;
    let parts: Uint8Array[] = [];
    await this.#fetch(file, MOST_KEPT_BYTES, () => {
      parts = [];
      return (part) => void parts.push(part);
    });
    return Buffer.concat(parts);
  }

  /**
   * Writes a file of any size to a path, completely or not at all, and creates missing folders. A file that already has
   * this content stays as it is.
   *
   * @throws ForayError the same errors as `read`; OUTPUT_UNWRITABLE
   */
  async save(value: FileValue, path: string): Promise<'written' | 'there'> {
    const file = referenceIn(value);
    const kept = await this.#keptAs(file);
    const sha256 = kept ?? (SHA256.test(file.hash) ? file.hash : undefined);
    try {
      if (sha256 !== undefined && (await sha256Of(path)) === sha256) return 'there';
      await this.#write(file, kept, path);
      return 'written';
    } catch (error) {
      if (!isSystemError(error)) throw error;
      throw new ForayError('OUTPUT_UNWRITABLE', `The file ${path} cannot be written (${error.code}).`, {
        hint: isStorageFull(error) ? FREE_SPACE : 'Check the path and its permissions.',
      });
    }
  }

  async #write(file: FileReference, kept: string | undefined, path: string): Promise<void> {
    await makeFolder(dirname(path));
    await replaceFile(path, async (unfinished) => {
      const isWritten = kept !== undefined && (await this.#limit(() => this.#copy(kept, unfinished)));
      if (isWritten) return;
      await this.#fetch(file, Infinity, async () => {
        await unfinished.clear();
        return (part) => unfinished.append(part);
      });
    });
  }

  /** Copies a file from the store; false when the store no longer has it. */
  async #copy(kept: string, unfinished: UnfinishedFile): Promise<boolean> {
    const content = await this.#store.getFile(kept);
    if (content) await unfinished.append(content);
    return content !== undefined;
  }

  /** The hash of the content in the store; undefined if the store does not have the file. */
  async #keptAs({ hash }: FileReference): Promise<string | undefined> {
    return (await this.#store.keptFiles(this.#campaign.id, [hash])).get(hash);
  }

  async #fetch(
    file: FileReference,
    most: number,
    begin: Parameters<CloudClient['fetchOutputFile']>[1],
  ): Promise<void> {
    if (performance.now() < this.#silentUntil) throw this.#silence;
    try {
      if (!(await this.#isAtService())) {
        throw unavailable(
          `The file is at ${this.#campaign.service}, where the campaign ran.`,
          'Name that service with --service-url or FORAY_SERVICE_URL.',
        );
      }
      await this.#cloud.fetchOutputFile(file, begin, { most });
      this.#silences = 0;
    } catch (error) {
      if (!isCloudError(error)) throw error;
      if (error.kind === 'not-found') throw unavailable('The model service does not have the file.');
      if (error.kind === 'too-large') throw unavailable(error.message, 'Save it to a file instead.');
      if (error.kind === 'refused') throw unavailable('The model service refuses the file.');
      this.#silences += 1;
      if (this.#silences >= MOST_SILENCES) {
        this.#silence = error;
        this.#silentUntil = performance.now() + LEFT_ALONE_MS;
      }
      throw error;
    }
  }

  /** Whether the campaign belongs to the service. A service that cannot tell is asked again for the next file. */
  async #isAtService(): Promise<boolean> {
    this.#isKnownAtService ??= this.#service.has(this.#campaign).catch((error: unknown) => {
      this.#isKnownAtService = undefined;
      throw error;
    });
    return this.#isKnownAtService;
  }
}

function referenceIn(value: FileValue): FileReference {
  const file = fileIn(typeof value === 'string' ? value : JSON.stringify(value));
  if (file) return file;
  throw unavailable('The value is not a reference to a file.');
}

function unavailable(message: string, hint?: string): ForayError {
  return new ForayError('FILE_UNAVAILABLE', message, { hint });
}

/** The SHA-256 of a file in base64url; undefined when the file does not exist. */
async function sha256Of(path: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
    return hash.digest('base64url');
  } catch (error) {
    if (isSystemError(error) && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return undefined;
    throw error;
  }
}
