import { statSync } from 'node:fs';
import { ForayError } from '../../errors.ts';
import { firstItems } from '../../text/list-items.ts';
import { ServiceError } from '../errors.ts';
import type { ContentFiles } from '../files/content.ts';
import type { SharedContents } from '../models/version-files.ts';

/** The number of files that are sent at once. */
const UPLOADS = 8;
/** The maximum number of damaged files that a message names. */
const MOST_NAMED = 10;

/** Files in a folder that are moved to a bucket. */
export interface FilesToMove {
  dir: string;
  files: ContentFiles;
  target: SharedContents;
}

/** The files of a move that are in the bucket now, also those that were there before. */
export interface MovedFiles {
  files: number;
  bytes: number;
}

/**
 * Copies files to a bucket, except files that are there already. The function checks the hash of each file that it
 * copies, and the store checks the hash again when it takes the file.
 *
 * @param onFile - called with the size of each file that is in the bucket now
 * @throws ForayError FILES_UNUSABLE if files are damaged, after all other files were copied; FILES_UNREACHABLE
 */
export async function moveFiles(
  { dir, files, target }: FilesToMove,
  names: readonly string[],
  onFile: (bytes: number) => void,
): Promise<MovedFiles> {
  const moved: MovedFiles = { files: 0, bytes: 0 };
  const damaged: string[] = [];
  // each worker takes the next file
  const next = names.values();
  const work = async (): Promise<void> => {
    for (const name of next) {
      const { size } = statSync(files.pathOf(name));
      if (!(await target.has(name))) {
        if (!(await files.isWhole(name))) {
          damaged.push(name);
          continue;
        }
        await target.upload(name, files.pathOf(name));
      }
      moved.files += 1;
      moved.bytes += size;
      onFile(size);
    }
  };
  try {
    await Promise.all(Array.from({ length: UPLOADS }, work));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ForayError('FILES_UNREACHABLE', 'The store of files cannot be used just now.', {
      hint: 'Repeat the command later: it continues where it stopped.',
    });
  }
  if (damaged.length === 0) return moved;
  const paths = damaged.map((name) => files.pathOf(name));
  throw new ForayError(
    'FILES_UNUSABLE',
    `${damaged.length === 1 ? 'A file is' : `${damaged.length} files are`} damaged in ${dir}: ${firstItems(paths, MOST_NAMED)}.`,
    {
      hint: 'Restore the damaged files from a copy, or remove them, because they are lost. Then repeat the command: it continues where it stopped.',
    },
  );
}
