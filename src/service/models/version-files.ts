import path from 'node:path';
import type { Readable } from 'node:stream';
import { ForayError } from '../../errors.ts';
import { Deferred } from '../deferred.ts';
import { ServiceError } from '../errors.ts';
import { ContentFiles, isHash } from '../files/content.ts';
import { FetchedFiles } from '../files/fetched-files.ts';
import { storeUpload } from '../files/upload.ts';
import { filesOf, type ModelCode } from './folder.ts';
import type { Manifest, ManifestFile } from './manifest.ts';
import { VersionFolders } from './version-folders.ts';

/** The folder for the files of model versions, in the data folder of a service. */
export function versionFilesIn(dataDir: string): string {
  return path.join(dataDir, 'versions');
}

/** A store for the files of model versions besides the folder, such as a bucket. Several services may share it. */
export interface SharedContents {
  has(hash: string): Promise<boolean>;
  fetch(hash: string, file: string): Promise<void>;
  upload(hash: string, file: string): Promise<void>;
}

export interface VersionFilesOptions {
  /** The place for the folders of old versions. @default the subfolder `cache` */
  cache?: string | undefined;
  /** The place for contents that are not complete yet. @default as in {@link ContentFiles} */
  unfinished?: string | undefined;
  /** Contents that are not in the folder are fetched from here. @default the folder has all of them */
  source?: Pick<SharedContents, 'fetch'> | undefined;
  /** A store that all services use. The contents are also stored there. @default only the folder has contents */
  shared?: SharedContents | undefined;
}

/** The number of files that are stored at the same time. */
const UPLOADS = 8;

/**
 * The files of model versions by the hash of their content. The files of clients are in another folder, because the
 * permission to use a model does not include the permission to read its code.
 */
export class VersionFiles {
  /** The contents of the files, each under its {@link contentName}. */
  readonly content: ContentFiles;
  /** The folders that old versions run from. */
  readonly folders: VersionFolders;
  readonly #fetched: FetchedFiles | undefined;
  readonly #shared: SharedContents | undefined;
  /** The SHA-256 of contents that are known to be in the store of all services. */
  readonly #published = new Set<string>();

  constructor(dir: string, { cache, unfinished, source, shared }: VersionFilesOptions = {}) {
    this.content = new ContentFiles(path.join(dir, 'content'), unfinished);
    this.#shared = shared;
    const from = source ?? shared;
    this.#fetched = from && new FetchedFiles(this.content, (hash, file) => from.fetch(hash, file));
    this.folders = new VersionFolders(cache ?? path.join(dir, 'cache'), {
      fetch: (files) => this.#fetch(files),
      copy: (sha256, file) => this.content.copyTo(contentName(sha256), file),
    });
  }

  /** Whether contents are also in a store that all services use. */
  get isShared(): boolean {
    return this.#shared !== undefined;
  }

  /** Prepares the folder, and removes incomplete files of an earlier process. */
  prepare(): void {
    this.content.prepare();
    this.folders.prepare();
  }

  /** Makes sure that all files are hashed again before their next use. */
  recheck(): void {
    this.content.recheck();
    this.folders.recheck();
  }

  /**
   * Stores the files of a version.
   *
   * @throws ForayError MODEL_UNREADABLE when they have changed since they were read; Error of the system
   */
  async keep(code: ModelCode, { files }: Manifest): Promise<void> {
    for (const [index, { file }] of filesOf(code).entries()) {
      const { link, sha256 } = files[index]!;
      if (link === undefined && !(await this.content.copy(file, contentName(sha256)))) {
        throw new ForayError('MODEL_UNREADABLE', `The file ${file} changes while it is read.`);
      }
    }
  }

  /** Stores the files of a version in the store that all services use. @throws ServiceError UNAVAILABLE */
  async publish(code: ModelCode, { files }: Manifest): Promise<void> {
    const shared = this.#shared!;
    const placed = filesOf(code).map(({ file }, at) => ({ ...files[at]!, file }));
    const wanted = placed.filter(({ link, sha256 }) => link === undefined && !this.#published.has(sha256));
    // each of the parallel loops takes the next content
    const next = wanted.values();
    const work = async (): Promise<void> => {
      for (const { sha256, file } of next) {
        const name = contentName(sha256);
        if (!(await shared.has(name))) await shared.upload(name, file);
        this.#published.add(sha256);
      }
    };
    await Promise.all(Array.from({ length: UPLOADS }, work));
  }

  /** Whether the contents of all files of a version are in the folder. */
  has(manifest: Manifest): boolean {
    return contentNames(manifest).every((name) => this.content.has(name));
  }

  /** Stores a content while it arrives; returns its SHA-256. @throws ServiceError TOO_LARGE, UNAVAILABLE */
  async store(body: Readable, limit: number): Promise<string> {
    const name = await storeUpload(this.content, body, limit);
    await this.#shared?.upload(name, this.content.pathOf(name));
    return Buffer.from(name, 'base64url').toString('hex');
  }

  /** Whether the content is stored. */
  async isWhole(sha256: string): Promise<boolean> {
    const name = contentName(sha256);
    return (await this.content.isWhole(name)) || ((await this.#shared?.has(name)) ?? false);
  }

  /** Reads a content by its name. @throws ServiceError UNKNOWN_FILE, FILE_DAMAGED, UNAVAILABLE */
  async read(name: string): Promise<Readable> {
    try {
      if (isHash(name)) await this.#fetched?.ensure([name]);
    } catch (error) {
      throw error instanceof Deferred && error.cause instanceof ServiceError ? error.cause : error;
    }
    return this.content.open(name);
  }

  /** Removes folders and contents that no manifest needs; returns the number of removed bytes of contents. */
  removeOthers(kept: readonly Manifest[]): number {
    this.folders.removeOthers(kept);
    const hashes = kept.flatMap(({ files }) => files.map(({ sha256 }) => contentName(sha256)));
    return this.content.removeOthers(new Set(hashes));
  }

  async #fetch(files: readonly Omit<ManifestFile, 'size'>[]): Promise<void> {
    await this.#fetched?.ensure(contentNames({ files }));
  }
}

/** The name of a content in the store: the hash, in the form that is used for other files. */
export function contentName(sha256: string): string {
  return Buffer.from(sha256, 'hex').toString('base64url');
}

export function contentNames({ files }: { files: readonly Omit<ManifestFile, 'size'>[] }): string[] {
  const contents = files.filter(({ link }) => link === undefined);
  return contents.map(({ sha256 }) => contentName(sha256));
}
