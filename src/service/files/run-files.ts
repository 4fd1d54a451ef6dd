import { setTimeout as pause } from 'node:timers/promises';
import type { Version } from '../../api/resources.ts';
import { messageOf } from '../../errors.ts';
import { Backoff } from '../backoff.ts';
import { Deferred } from '../deferred.ts';
import { FetchedFiles } from './fetched-files.ts';
import type { FileCache } from './file-cache.ts';

type Template = Version['experimentTemplate'];
type Texts = Readonly<Record<string, string>>;

/** The store for the files of runs, if the service does not keep them in the folder of the executors. */
export interface RemoteFiles {
  /** Writes a file to a path. */
  fetch(hash: string, file: string): Promise<void>;
  /** Stores the file at a path under its hash. */
  upload(hash: string, file: string): Promise<void>;
}

/** Copies the input files of runs to the folder of the executors, and their output files to the store. */
export class RunFiles {
  readonly #cache: FileCache;
  readonly #remote: RemoteFiles;
  readonly #fetched: FetchedFiles;
  readonly #closing = new AbortController();

  constructor(cache: FileCache, remote: RemoteFiles) {
    this.#cache = cache;
    this.#remote = remote;
    this.#fetched = new FetchedFiles(cache.files, (hash, file) => remote.fetch(hash, file));
  }

  /**
   * Fetches the input files of a run. They stay until they are released.
   *
   * @throws Deferred if a file cannot be fetched at the moment
   */
  async fetchInputs(template: Template, values: Texts): Promise<void> {
    const files = inputFiles(template, values);
    this.#cache.hold(files);
    try {
      await this.#fetched.ensure(files);
    } catch (error) {
      this.#cache.release(files);
      throw error;
    }
  }

  /** Releases the input files of a run that has ended. */
  releaseInputs(template: Template, values: Texts): void {
    this.#cache.release(inputFiles(template, values));
  }

  /**
   * Stores the files among the outputs of a run. It tries until it succeeds, because a result must not be lost when its
   * file cannot be stored at the moment.
   *
   * @param texts - each output as JSON text
   * @throws Deferred after `close`
   */
  async keepOutputs({ outputs }: Template, texts: Texts): Promise<void> {
    for (const { name, type } of outputs) {
      const value: unknown = type === 'OUTPUT_FILE' && JSON.parse(texts[name]!);
      const { hash } = Object(value) as { hash?: unknown };
      if (typeof hash === 'string') await this.#keep(hash);
    }
  }

  /** Ends all waiting attempts. Their runs are executed again. */
  close(): void {
    this.#closing.abort();
  }

  async #keep(hash: string): Promise<void> {
    const { files } = this.#cache;
    this.#cache.hold([hash]);
    try {
      // a copy from an earlier run may have been removed just after this run had written the same content
      if (!files.has(hash)) throw new Deferred(`the file ${hash} is not there any more`);
      await this.#upload(hash, files.pathOf(hash));
    } finally {
      this.#cache.release([hash]);
    }
  }

  async #upload(hash: string, file: string): Promise<void> {
    const { signal } = this.#closing;
    for (const backoff = new Backoff(); ;) {
      try {
        return await this.#remote.upload(hash, file);
      } catch (error) {
        await pause(backoff.next(), undefined, { signal }).catch(() => undefined);
        if (signal.aborted) throw new Deferred(`the file ${hash} cannot be stored: ${messageOf(error)}`);
      }
    }
  }
}

function inputFiles({ inputs }: Template, values: Texts): string[] {
  const files = inputs.filter(({ type }) => type === 'INPUT_FILE').map(({ name }) => values[name]!);
  return files.filter((hash) => hash !== '');
}
