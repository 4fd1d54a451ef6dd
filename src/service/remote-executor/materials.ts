import path from 'node:path';
import { messageOf } from '../../errors.ts';
import { Deferred } from '../deferred.ts';
import { ContentFiles } from '../files/content.ts';
import { FileCache } from '../files/file-cache.ts';
import { RunFiles } from '../files/run-files.ts';
import type { FetchedVersion } from '../fleet/protocol.ts';
import type { ModelCode } from '../models/folder.ts';
import { type Manifest, whyNotRunnable } from '../models/manifest.ts';
import { contentNames, VersionFiles } from '../models/version-files.ts';
import type { VersionFolders } from '../models/version-folders.ts';
import type { JobVersion } from '../executors/protocol.ts';
import { type Materials, type Prepared, VersionUnusable } from '../runs/dispatcher.ts';
import type { ClaimedRun } from '../runs/feed.ts';
import type { OutputTexts } from '../runs/stored-run.ts';
import { type FleetClient, ServiceFault } from './fleet-client.ts';

/** How long outputs may wait before the executor assumes that files cannot be stored at the moment, in milliseconds. */
const LONG_WAIT = 5_000;
/** The shortest time between two checks of the files of a version, in milliseconds. */
const LOOK_EVERY = 1_000;

/** The folder for the files of runs, in the folder of the cache. */
export function filesIn(folder: string): string {
  return path.join(folder, 'files');
}

/**
 * Prepares runs on the machine of an executor. The cache of the executor has the code of versions and the files of
 * runs. A file that is missing, or does not match its hash, is fetched.
 */
export class RemoteMaterials implements Materials {
  readonly #client: FleetClient;
  readonly #runFileCache: FileCache;
  readonly #versions: VersionFiles;
  /** The contents of versions, and the folders that are made from them. */
  readonly #code: { contents: FileCache; folders: FileCache<VersionFolders> };
  readonly #files: RunFiles;
  readonly #mostUploads: number;
  /** The times when outputs of runs began to wait, the oldest first. */
  readonly #uploads = new Set<{ since: number }>();
  /** The versions that were fetched, by id. */
  readonly #fetched = new Map<string, Promise<FetchedVersion>>();
  /** The code of versions, and the time when it was last found complete, by the version's id. */
  readonly #ready = new Map<string, { code: ModelCode; at: number }>();
  /** The ids of versions that this build cannot execute. */
  readonly #unwanted = new Set<string>();
  /** Why runs of versions are not accepted, by the version's id. */
  readonly #refusals = new Map<string, { model: string; reason: string }>();

  /**
   * @param mostUploads - while the outputs of this many runs wait to be sent to the service, no more runs begin
   * @param most - the maximum size of the copies of each kind, in bytes
   */
  constructor(client: FleetClient, folder: string, mostUploads: number, most?: number) {
    this.#client = client;
    this.#mostUploads = mostUploads;
    this.#versions = new VersionFiles(path.join(folder, 'versions'), {
      source: { fetch: (hash, file) => client.fetchCode(hash, file) },
    });
    this.#code = {
      contents: new FileCache(this.#versions.content, most),
      folders: new FileCache(this.#versions.folders, most),
    };
    this.#runFileCache = new FileCache(new ContentFiles(filesIn(folder)), most);
    this.#files = new RunFiles(this.#runFileCache, client);
  }

  /** @throws Error of the system if the cache cannot be written */
  prepare(): void {
    for (const cache of [this.#runFileCache, this.#code.contents, this.#code.folders]) cache.prepare();
  }

  async jobOf({ versionId, inputs }: ClaimedRun): Promise<Prepared> {
    const { template, manifest, retired, isLeaky } = await this.#versionOf(versionId);
    if (!manifest || retired !== null)
      throw new VersionUnusable(`the version takes no runs any more: ${retired ?? 'its files are not kept'}`);
    const model = manifest.declaration.name;
    const reason = whyNotRunnable(manifest);
    if (reason !== undefined) {
      this.#unwanted.add(versionId);
      throw this.#refuse(versionId, model, reason);
    }
    const { folders } = this.#code;
    folders.hold([manifest.contentHash]);
    try {
      const code = await this.#codeOf(versionId, manifest);
      await this.#files.fetchInputs(template, inputs);
      this.#refusals.delete(versionId);
      // a leaky version has let a run change the outputs of later runs, so each run gets a process of its own
      return { code, template, isElsewhere: true, isAlone: isLeaky };
    } catch (error) {
      folders.release([manifest.contentHash]);
      const { cause, message } = error as Error;
      if (cause instanceof ServiceFault) this.#refusals.set(versionId, { model, reason: message });
      throw error;
    }
  }

  async keepOutputs({ template }: JobVersion, outputs: OutputTexts): Promise<void> {
    const upload = { since: performance.now() };
    this.#uploads.add(upload);
    await this.#files.keepOutputs(template, outputs).finally(() => this.#uploads.delete(upload));
  }

  release({ code, template }: JobVersion, { inputs }: ClaimedRun): void {
    this.#code.folders.release([code.contentHash]);
    this.#files.releaseInputs(template, inputs);
  }

  /** Whether too many outputs wait, so that no more runs may begin. */
  isFull(): boolean {
    return this.#uploads.size >= this.#mostUploads;
  }

  /** Why no more runs begin; undefined when runs may begin, or when outputs wait only for a moment. */
  whyFull(): string | undefined {
    const [oldest] = this.#uploads;
    if (!oldest || !this.isFull() || performance.now() - oldest.since < LONG_WAIT) return undefined;
    return `the outputs of ${this.#uploads.size} runs wait, because the service cannot store them`;
  }

  unwanted(): readonly string[] {
    return [...this.#unwanted];
  }

  /** Whether runs of a version are refused for a reason that is not a fault of this machine. */
  refuses(versionId: string): boolean {
    return this.#refusals.has(versionId);
  }

  /** The models whose runs are not accepted, and why. */
  refusals(): string[] {
    return [...this.#refusals.values()].map(({ model, reason }) => `${model}: ${reason}`);
  }

  /**
   * Makes sure that all files are hashed again before their next use. Otherwise only their sizes and times are
   * compared, and damage by a disk does not change these.
   */
  recheck(): void {
    this.#ready.clear();
    this.#versions.recheck();
    this.#runFileCache.files.recheck();
  }

  #refuse(versionId: string, model: string, reason: string): Deferred {
    this.#refusals.set(versionId, { model, reason });
    return new Deferred(reason);
  }

  /**
   * The code of a version in the cache. There may be many files and many runs, so the files are not checked again
   * within a second after a check. The executing process checks them, and puts a run back if they are missing.
   */
  async #codeOf(versionId: string, manifest: Manifest): Promise<ModelCode> {
    const { contents, folders } = this.#code;
    const ready = this.#ready.get(versionId);
    const isThere = ready && folders.has(manifest.contentHash);
    if (isThere && performance.now() - ready.at < LOOK_EVERY) return ready.code;
    const names = contentNames(manifest);
    contents.hold(names);
    try {
      // this machine has no folder of the model whose packages the version could use
      const code = await folders.files.ready(manifest, undefined);
      this.#ready.set(versionId, { code, at: performance.now() });
      return code;
    } finally {
      contents.release(names);
    }
  }

  #versionOf(id: string): Promise<FetchedVersion> {
    let fetched = this.#fetched.get(id);
    if (!fetched) {
      fetched = this.#client.version(id).catch((error: unknown) => {
        this.#fetched.delete(id);
        throw this.#refuse(id, `version ${id}`, `it cannot be fetched: ${messageOf(error)}`);
      });
      this.#fetched.set(id, fetched);
    }
    return fetched;
  }
}
