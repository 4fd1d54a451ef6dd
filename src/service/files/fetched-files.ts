import { rmSync } from 'node:fs';
import { messageOf } from '../../errors.ts';
import { Deferred } from '../deferred.ts';
import type { ContentFiles } from './content.ts';

/**
 * Copies files to this machine from the store that keeps them, because runs need them. A missing or damaged copy is
 * fetched again.
 */
export class FetchedFiles {
  readonly #local: ContentFiles;
  readonly #fetch: (hash: string, file: string) => Promise<void>;
  readonly #fetching = new Map<string, Promise<void>>();

  constructor(local: ContentFiles, fetch: (hash: string, file: string) => Promise<void>) {
    this.#local = local;
    this.#fetch = fetch;
  }

  /** @throws Deferred if a file cannot be fetched at the moment */
  async ensure(hashes: Iterable<string>): Promise<void> {
    for (const hash of new Set(hashes)) {
      if (await this.#local.isWhole(hash)) continue;
      const fetching = this.#fetching.get(hash) ?? this.#fetchOne(hash);
      this.#fetching.set(hash, fetching);
      await fetching.finally(() => this.#fetching.delete(hash));
    }
  }

  async #fetchOne(hash: string): Promise<void> {
    const unfinished = this.#local.unfinishedPath();
    try {
      await this.#fetch(hash, unfinished);
      if (await this.#local.adoptAs(unfinished, hash)) return;
    } catch (error) {
      const why = `the file ${hash} cannot be fetched: ${messageOf(error)}`;
      throw new Deferred(why, { cause: error, isLasting: isCausedByFile(error) });
    } finally {
      rmSync(unfinished, { force: true });
    }
    throw new Deferred(`the file ${hash} cannot be fetched: it arrived damaged`, { isLasting: true });
  }
}

/** The codes of errors whose cause is the file itself, so that a later attempt fails as well. */
const CODES_OF_FILE: readonly unknown[] = [
  'UNKNOWN_FILE',
  'FILE_DAMAGED',
  'FILE_REFUSED',
  'CONTENT_DIFFERS',
  'TOO_LARGE',
];

/** Whether a transfer has failed because of the file, and not because the store of files was away. */
export function isCausedByFile(error: unknown): boolean {
  return CODES_OF_FILE.includes((Object(error) as { code?: unknown }).code);
}
