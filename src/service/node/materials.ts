import { rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../errors.ts';
import { Deferred } from '../deferred.ts';
import { ContentFiles } from '../files/content.ts';
import type { FetchedVersion } from '../fleet/protocol.ts';
import { whyNotRunnable } from '../models/manifest.ts';
import { contentName, VersionFiles } from '../models/version-files.ts';
import { Backoff } from '../backoff.ts';
import { type Materials, type VersionJob, VersionUnusable } from '../runs/dispatcher.ts';
import type { ClaimedRun } from '../runs/feed.ts';
import type { OutputTexts } from '../runs/stored-run.ts';
import type { NodeClient } from './client.ts';

/** The folder of the files of runs, in that of the cache. */
export function filesIn(folder: string): string {
  return path.join(folder, 'files');
}

/**
 * The code of versions and the files of runs in the cache of an executor. What is not there, or not what its hash says, is
 * fetched.
 */
export class NodeMaterials implements Materials {
  readonly #client: NodeClient;
  readonly #files: ContentFiles;
  readonly #versions: VersionFiles;
  /** The versions that were fetched, by id. */
  readonly #fetched = new Map<string, Promise<FetchedVersion>>();
  /** Contents that are being fetched, by hash. */
  readonly #fetching = new Map<string, Promise<void>>();
  readonly #unwanted = new Set<string>();

  constructor(client: NodeClient, folder: string) {
    this.#client = client;
    this.#files = new ContentFiles(filesIn(folder));
    this.#versions = new VersionFiles(path.join(folder, 'versions'));
  }

  /** @throws Error of the system if the cache cannot be written */
  prepare(): void {
    this.#files.prepare();
    this.#versions.prepare();
  }

  async jobOf({ versionId, inputs }: ClaimedRun): Promise<VersionJob> {
    const { template, manifest, retired } = await this.#versionOf(versionId);
    if (!manifest || retired !== null)
      throw new VersionUnusable(`the version takes no runs any more: ${retired ?? 'its files are not kept'}`);
    const reason = whyNotRunnable(manifest);
    if (reason !== undefined) {
      this.#unwanted.add(versionId);
      throw new Deferred(reason);
    }
    const code = manifest.files
      .filter(({ link }) => link === undefined)
      .map(({ sha256 }) => contentName(sha256));
    await this.#ensure('code', this.#versions.content, code);
    const files = template.inputs
      .filter(({ type }) => type === 'INPUT_FILE')
      .map(({ name }) => inputs[name]!)
      .filter((hash) => hash !== '');
    await this.#ensure('files', this.#files, files);
    return { code: this.#versions.ready(manifest, undefined), template, isElsewhere: true };
  }

  async keepOutputs({ template }: VersionJob, outputs: OutputTexts): Promise<void> {
    for (const { name, type } of template.outputs) {
      const value: unknown = type === 'OUTPUT_FILE' && JSON.parse(outputs[name]!);
      const { hash } = Object(value) as { hash?: unknown };
      if (typeof hash === 'string') await this.#upload(hash);
    }
  }

  unwanted(): readonly string[] {
    return [...this.#unwanted];
  }

  #versionOf(id: string): Promise<FetchedVersion> {
    let fetched = this.#fetched.get(id);
    if (!fetched) {
      fetched = this.#client.version(id).catch((error: unknown) => {
        this.#fetched.delete(id);
        throw new Deferred(`the version cannot be fetched: ${messageOf(error)}`);
      });
      this.#fetched.set(id, fetched);
    }
    return fetched;
  }

  /** Fetches what is missing or damaged. */
  async #ensure(kind: 'files' | 'code', files: ContentFiles, hashes: readonly string[]): Promise<void> {
    for (const hash of new Set(hashes)) {
      if (await files.isWhole(hash)) continue;
      const fetching = this.#fetching.get(hash) ?? this.#fetch(kind, files, hash);
      this.#fetching.set(hash, fetching);
      await fetching.finally(() => this.#fetching.delete(hash));
    }
  }

  async #fetch(kind: 'files' | 'code', files: ContentFiles, hash: string): Promise<void> {
    const unfinished = files.unfinishedPath();
    try {
      await this.#client.fetch(kind, hash, unfinished);
      if (!(await files.adoptAs(unfinished, hash))) throw new Error('it arrived damaged');
    } catch (error) {
      rmSync(unfinished, { force: true });
      throw new Deferred(`the file ${hash} cannot be fetched: ${messageOf(error)}`);
    }
  }

  /** A result is not lost because its file cannot be uploaded just now. */
  async #upload(hash: string): Promise<void> {
    for (const backoff = new Backoff(); ;) {
      try {
        return await this.#client.upload(hash, this.#files.pathOf(hash));
      } catch {
        await pause(backoff.next());
      }
    }
  }
}
