import { setTimeout as pause } from 'node:timers/promises';
import type { Version } from '../../api/resources.ts';
import { messageOf } from '../../errors.ts';
import { Backoff } from '../backoff.ts';
import { Deferred } from '../deferred.ts';
import { FetchedFiles, isCausedByFile } from './fetched-files.ts';
import type { FileCache } from './file-cache.ts';

type Template = Version['experimentTemplate'];
type Texts = Readonly<Record<string, string>>;

/** A file that the store of files has refused this many times makes its run fail. */
const MOST_REFUSALS = 10;

/** The store of files refuses an output file. Its run fails with this message as its reason. */
export class OutputRefused extends Error {
  override readonly name = 'OutputRefused';
}

/** The place for the files of runs (the service or a bucket), if it is not the folder of the executors. */
export interface RemoteFiles {
  /** Downloads the file with this hash to the path `file`. */
  fetch(hash: string, file: string): Promise<void>;
  /** Uploads the file at the path `file`. Its name there is its hash. */
  upload(hash: string, file: string): Promise<void>;
}

/** Copies the input files of runs to the folder of the executors, and their output files to their place. */
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
   * Stores the files among the outputs of a run. A failed upload is repeated until it succeeds or until `close`,
   * because a result must not be lost when its file cannot be stored at the moment. Only refusals of the file are
   * counted.
   *
   * @param texts - each output as JSON text
   * @throws Deferred after `close`, or if a file was removed before it was stored; OutputRefused
   */
  async keepOutputs({ outputs }: Template, texts: Texts): Promise<void> {
    for (const { name, type } of outputs) {
      if (type !== 'OUTPUT_FILE') continue;
      const { hash } = Object(JSON.parse(texts[name]!)) as { hash?: unknown };
      if (typeof hash === 'string') await this.#keep(hash);
    }
  }

  /** Ends the repetition of failed uploads. The runs of these files are executed again. */
  close(): void {
    this.#closing.abort();
  }

  async #keep(hash: string): Promise<void> {
    const { files } = this.#cache;
    this.#cache.hold([hash]);
    try {
      // Files with the same content are one file. If an earlier run wrote the same content, the cache may have removed
      // the file before it was held here
      if (!files.has(hash)) throw new Deferred(`the file ${hash} was removed before it was stored`);
      await this.#upload(hash, files.pathOf(hash));
    } finally {
      this.#cache.release([hash]);
    }
  }

  async #upload(hash: string, file: string): Promise<void> {
    const { signal } = this.#closing;
    let refusals = 0;
    for (const backoff = new Backoff(); ;) {
      try {
        return await this.#remote.upload(hash, file);
      } catch (error) {
        if (isCausedByFile(error)) refusals += 1;
        if (refusals >= MOST_REFUSALS) {
          const why = `the file ${hash} could not be stored in ${refusals} attempts: ${messageOf(error)}`;
          throw new OutputRefused(why);
        }
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
