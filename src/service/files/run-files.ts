import { setTimeout as pause } from 'node:timers/promises';
import type { Version } from '../../api/resources.ts';
import { messageOf } from '../../errors.ts';
import { Backoff } from '../backoff.ts';
import { Deferred } from '../deferred.ts';
import type { ContentFiles } from './content.ts';
import { FetchedFiles } from './fetched-files.ts';

type Template = Version['experimentTemplate'];
type Texts = Readonly<Record<string, string>>;

/** The store for the files of runs, if that is not the folder of the executors. */
export interface RemoteFiles {
  /** Writes a file to a path. */
  fetch(hash: string, file: string): Promise<void>;
  /** Stores the file at a path under its hash. */
  upload(hash: string, file: string): Promise<void>;
}

/** Copies the input files of runs to the folder of the executors, and their output files to the store. */
export class RunFiles {
  readonly #local: ContentFiles;
  readonly #remote: RemoteFiles;
  readonly #fetched: FetchedFiles;
  readonly #closing = new AbortController();

  constructor(local: ContentFiles, remote: RemoteFiles) {
    this.#local = local;
    this.#remote = remote;
    this.#fetched = new FetchedFiles(local, (hash, file) => remote.fetch(hash, file));
  }

  /** @throws Deferred if a file cannot be fetched at the moment */
  async fetchInputs({ inputs }: Template, values: Texts): Promise<void> {
    const files = inputs.filter(({ type }) => type === 'INPUT_FILE').map(({ name }) => values[name]!);
    await this.#fetched.ensure(files.filter((hash) => hash !== ''));
  }

  /**
   * Stores the files among the outputs of a run. It tries until it succeeds, because a result must not be lost while
   * its file cannot be stored.
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
    const { signal } = this.#closing;
    for (const backoff = new Backoff(); ;) {
      try {
        return await this.#remote.upload(hash, this.#local.pathOf(hash));
      } catch (error) {
        await pause(backoff.next(), undefined, { signal }).catch(() => undefined);
        if (signal.aborted) throw new Deferred(`the file ${hash} cannot be stored: ${messageOf(error)}`);
      }
    }
  }
}
