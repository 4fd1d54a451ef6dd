import path from 'node:path';
import type { Problems } from '../problems.ts';
import type { ContentFiles } from './content.ts';
import type { ContentStore } from './content-store.ts';
import { DiskStore } from './disk-store.ts';
import { FileCache } from './file-cache.ts';
import type { Presigner } from './presign.ts';
import { RunFiles } from './run-files.ts';
import type { S3Bucket, S3Credentials } from './s3-address.ts';
import type { S3Store } from './s3-store.ts';

/**
 * The prefix for the files of versions in a bucket. It is separate, because a person with permission to use a model has
 * no permission to read its code.
 */
export const VERSIONS = 'versions';

/** A bucket for files, with a key for it. */
export interface S3Place {
  bucket: S3Bucket;
  credentials: S3Credentials;
}

export interface OpenContentOptions {
  /** The bucket for files. @default files are kept in the folder */
  s3: S3Place | undefined;
  /** The folder that executors of this machine read and write. */
  files: ContentFiles;
  presigner: Presigner;
  problems: Problems;
  now: () => number;
}

/** The places where a service keeps its files. */
export interface Content {
  store: ContentStore;
  /** The files on the service's own disk, if the service itself serves their pre-signed addresses. */
  disk?: DiskStore;
  /** Copies files to and from the folder that executors of this machine use, if files are not kept there. */
  runFiles?: RunFiles;
  /**
   * The store for the files of versions, if files are not kept in a folder. It is separate from the store for the files
   * of clients.
   */
  versions?: S3Store;
}

/**
 * The folder that executors of this machine read and write. Copies of files in a bucket have a separate folder. The
 * other folder may have the only copy of a file, so its files are never removed.
 *
 * @param cacheDir - the folder for copies of a service that shares its data folder
 */
export function filesIn(dataDir: string, s3: S3Place | undefined, cacheDir?: string): string {
  return s3 ? (cacheDir ?? path.join(dataDir, 'cache')) : path.join(dataDir, 'files');
}

/** @throws ForayError FILES_UNREACHABLE, FILES_UNUSABLE */
export async function openContent({
  s3,
  files,
  presigner,
  ...options
}: OpenContentOptions): Promise<Content> {
  if (!s3) {
    files.prepare();
    const disk = new DiskStore(files, presigner);
    return { store: disk, disk };
  }
  const { S3Store } = await import('./s3-store.ts');
  const cache = new FileCache(files);
  cache.prepare();
  const parts = { ...s3, ...options, cache };
  const store = new S3Store(parts);
  await store.check();
  const versions = new S3Store({ ...parts, prefix: VERSIONS });
  return { store, runFiles: new RunFiles(cache, store), versions };
}
