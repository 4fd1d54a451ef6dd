import pLimit from 'p-limit';
import type { FileReference } from '../api/index.ts';
import { filesOfRun, MOST_KEPT_BYTES } from '../campaign/output-files.ts';
import type { Campaign } from '../campaign/types.ts';
import { type CloudClient, type CloudErrorKind, isCloudError } from '../cloud/index.ts';
import type { MissingReason, Store } from '../store/index.ts';
import type { World } from './types.ts';

/** The largest size of a small file. Most files are small. */
const SMALL_BYTES = 2 * 1_048_576;
/**
 * Limits how many small files all activities of a worker fetch at once. These files are in memory: up to 64 MiB, and
 * for a moment twice as much while the parts of the files are joined.
 */
const small = pLimit(32);
/** Limits how many large files all activities of a worker fetch at once, because they are in memory. */
const large = pLimit(2);

/** Errors that a further attempt would not change. */
const missingReasons: Partial<Record<CloudErrorKind, MissingReason>> = {
  'not-found': 'not-found',
  refused: 'refused',
  'too-large': 'too-large',
};

/** Fetches output files of the campaign into the store. A repeated call fetches only the missing files. */
export class OutputFileFetcher {
  readonly #store: Store;
  readonly #cloud: CloudClient;
  readonly #now: () => number;
  readonly #campaign: Campaign;
  readonly #signal: AbortSignal;
  /** Files that are being fetched, by hash, because several runs may have the same file. */
  readonly #fetches = new Map<string, Promise<void>>();

  constructor({ store, cloud, now }: World, campaign: Campaign, signal: AbortSignal) {
    this.#store = store;
    this.#cloud = cloud;
    this.#now = now;
    this.#campaign = campaign;
    this.#signal = signal;
  }

  get isAborted(): boolean {
    return this.#signal.aborted;
  }

  /**
   * Returns when the files of some runs are in the store, each under its content hash. If a file can never be fetched,
   * the store keeps the reason, and the run of the file counts as done.
   *
   * @param runs the outputs of each run
   * @throws CloudError when a file can perhaps be fetched later; the reason of the signal after an abort
   */
  async keep(runs: readonly Readonly<Record<string, string>>[]): Promise<void> {
    if (this.#campaign.outputFiles === 'link') return;
    const files = new Map<string, FileReference>();
    for (const values of runs)
      for (const file of filesOfRun(this.#campaign.outputs, values).values()) files.set(file.hash, file);
    if (files.size === 0) return;
    const kept = await this.#store.keptFiles(this.#campaign.id, [...files.keys()]);
    const missing = [...files.values()].filter(({ hash }) => !kept.has(hash));
    // all downloads end before the first error is thrown, so that no fetched file is lost
    const ends = await Promise.allSettled(missing.map((file) => this.#fetch(file)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  #fetch(file: FileReference): Promise<void> {
    let fetching = this.#fetches.get(file.hash);
    if (!fetching) {
      fetching = this.#fetchOnce(file).finally(() => this.#fetches.delete(file.hash));
      this.#fetches.set(file.hash, fetching);
    }
    return fetching;
  }

  async #fetchOnce(file: FileReference): Promise<void> {
    const { id } = this.#campaign;
    const { hash } = file;
    // another campaign or an input may have stored the file: most services name files by the SHA-256 of their content
    if (await this.#store.keepFile(id, hash, { sha256: hash }, this.#now())) return;
    try {
      try {
        await small(() => this.#download(file, SMALL_BYTES));
      } catch (error) {
        if (!isCloudError(error) || error.kind !== 'too-large') throw error;
        await large(() => this.#download(file, MOST_KEPT_BYTES));
      }
    } catch (error) {
      if (!isCloudError(error) && !this.isAborted) throw error;
      const reason = isCloudError(error) ? missingReasons[error.kind] : undefined;
      await this.#store.recordMissingFile(id, hash, reason ?? 'failing');
      if (reason === undefined) throw error;
    }
  }

  async #download(file: FileReference, most: number): Promise<void> {
    let parts: Uint8Array[] = [];
    const begin = () => {
      parts = [];
      return (part: Uint8Array): void => void parts.push(part);
    };
    const sha256 = await this.#cloud.fetchOutputFile(file, begin, { most, signal: this.#signal });
    const content = Buffer.concat(parts);
    await this.#store.keepFile(this.#campaign.id, file.hash, { sha256, content }, this.#now());
  }
}
