import path from 'node:path';
import { messageOf } from '../../errors.ts';
import { Deferred } from '../deferred.ts';
import { ContentFiles } from '../files/content.ts';
import { FetchedFiles } from '../files/fetched-files.ts';
import { RunFiles } from '../files/run-files.ts';
import type { FetchedVersion } from '../fleet/protocol.ts';
import { whyNotRunnable } from '../models/manifest.ts';
import { contentName, VersionFiles } from '../models/version-files.ts';
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
  readonly #local: ContentFiles;
  readonly #versions: VersionFiles;
  readonly #files: RunFiles;
  readonly #code: FetchedFiles;
  /** The versions that were fetched, by id. */
  readonly #fetched = new Map<string, Promise<FetchedVersion>>();
  readonly #unwanted = new Set<string>();

  constructor(client: NodeClient, folder: string) {
    this.#client = client;
    this.#local = new ContentFiles(filesIn(folder));
    this.#versions = new VersionFiles(path.join(folder, 'versions'));
    this.#files = new RunFiles(this.#local, {
      fetch: (hash, file) => client.fetch('files', hash, file),
      upload: (hash, file) => client.upload(hash, file),
    });
    this.#code = new FetchedFiles(this.#versions.content, (hash, file) => client.fetch('code', hash, file));
  }

  /** @throws Error of the system if the cache cannot be written */
  prepare(): void {
    this.#local.prepare();
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
    await this.#code.ensure(code);
    await this.#files.fetchInputs(template, inputs);
    return { code: this.#versions.ready(manifest, undefined), template, isElsewhere: true };
  }

  keepOutputs({ template }: VersionJob, outputs: OutputTexts): Promise<void> {
    return this.#files.keepOutputs(template, outputs);
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
}
