import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { ServiceError } from '../errors.ts';
import type { ContentFiles } from './content.ts';

/**
 * Stores a body as it arrives, without holding it in memory; returns its hash.
 *
 * @param expected - the required hash
 * @throws ServiceError TOO_LARGE if the body has more than `limit` bytes, CONTENT_DIFFERS if it has another hash
 */
export async function storeUpload(
  files: ContentFiles,
  body: Readable,
  limit: number,
  expected?: string,
): Promise<string> {
  const unfinished = files.unfinishedPath();
  const hash = createHash('sha256');
  try {
    const file = await open(unfinished, 'wx');
    try {
      let size = 0;
      // the connection is not destroyed here, because a refused upload must still get its answer over this connection
      for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > limit) throw tooLargeUpload(limit);
        hash.update(chunk);
        await file.writeFile(chunk);
      }
    } finally {
      await file.close();
    }
    const name = hash.digest('base64url');
    if (expected !== undefined && name !== expected) {
      throw new ServiceError('CONTENT_DIFFERS', `The upload has the hash ${name}, and not ${expected}.`);
    }
    files.adopt(unfinished, name);
    return name;
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

export function tooLargeUpload(limit: number): ServiceError {
  return new ServiceError('TOO_LARGE', `A file may have at most ${limit} bytes.`);
}
