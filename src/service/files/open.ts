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
 * The prefix in a bucket for the files of model versions. Files of clients have another prefix, because a client who
 * may use a model may not read its code.
 */
export const VERSIONS = 'versions';

export interface S3Place {
  bucket: S3Bucket;
  credentials: S3Credentials;
}

export interface OpenContentOptions {
  /** The bucket for files. Without a bucket, the folder `files` keeps them. */
  s3: S3Place | undefined;
  /** The folder that executors of this machine read and write. */
  files: ContentFiles;
  presigner: Presigner;
  problems: Problems;
  now: () => number;
}

export interface Content {
  store: ContentStore;
  /** The store on the service's own disk, if there is no bucket. The service itself serves its pre-signed addresses. */
  disk?: DiskStore;
  /** With a bucket, copies files between the bucket and the folder that executors of this machine use. */
  runFiles?: RunFiles;
  /** With a bucket, the store for the files of model versions. The files of clients are in `store`. */
  versions?: S3Store;
}

/**
 * The folder that executors of this machine read and write. With a bucket, this is a folder for copies (`cache`).
 * Without a bucket, it is the folder `files`, which may have the only copy of a file, so nothing is removed from it.
 *
 * @param cacheDir - another folder for copies, for a service that may share its data folder with other services
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
