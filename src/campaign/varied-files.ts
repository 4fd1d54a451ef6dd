import { posix } from 'node:path';
import type { RawValue } from '../api/index.ts';
import { ForayError, type Place } from '../errors.ts';
import type { Mistakes } from '../yaml/mistake-collector.ts';
import type { Campaign, VariedFile } from './types.ts';

/**
 * Files that differ between the points of a campaign. The value of such an input at a point is the path of a file, so
 * that people read the path everywhere. The service and the key of a point get the hash of its content.
 */

/** A file that a definition names for an input. */
export interface WantedFile {
  input: string;
  /** Relative to the definition's folder. */
  path: string;
  /** The place where the definition or a point file first names the file. */
  place: Place;
  /** What names the file, by the path from its own folder. @default 'definition' */
  of?: 'definition' | 'point file';
}

/** The files that a design or a strategy names, each once. */
export class WantedFiles {
  readonly #files = new Map<string, WantedFile>();
  readonly #folder: string;
  readonly #of: 'definition' | 'point file';

  /** @param folder - the folder of the point file that names the files, relative to the definition's folder */
  constructor(folder?: string) {
    this.#folder = folder ?? '';
    this.#of = folder === undefined ? 'definition' : 'point file';
  }

  [Symbol.iterator](): Iterator<WantedFile> {
    return this.#files.values();
  }

  /**
   * Notes a file of an input.
   *
   * @returns the path relative to the definition's folder, in one spelling
   * @throws ForayError INVALID_VALUE
   */
  add(input: string, written: RawValue, place: Place): string {
    if (typeof written !== 'string' || written === '') {
      throw new ForayError('INVALID_VALUE', `The input "${input}" takes the path of a file.`, { place });
    }
    const path = posix.isAbsolute(written) ? written : posix.join(this.#folder, written);
    if (posix.isAbsolute(path) || path === '..' || path.startsWith('../')) {
      throw new ForayError('INVALID_VALUE', `The file "${written}" is not in the definition's folder.`, {
        place,
        hint: "Put the files of a design into the definition's folder, or a folder within it. Their paths there name the points.",
      });
    }
    const key = fileKey({ input, path });
    if (!this.#files.has(key)) this.#files.set(key, { input, path, place, of: this.#of });
    return path;
  }
}

/** A file that was found, with the hash of its content. */
export type FoundFile = WantedFile & VariedFile;

/**
 * The files of varied inputs, each once. Two paths of an input must have different contents: otherwise their points
 * would be the same.
 *
 * @param mistakes - gets INVALID_VALUE for a file with the content of another one
 */
export function variedFilesOf(found: readonly FoundFile[], mistakes: Mistakes): VariedFile[] {
  const byContent = new Map<string, VariedFile>();
  for (const { input, path, hash, place } of found) {
    const key = JSON.stringify([input, hash]);
    const first = byContent.get(key);
    if (!first) byContent.set(key, { input, path, hash });
    else if (first.path !== path)
      mistakes.add(
        new ForayError('INVALID_VALUE', `The file "${path}" has the same content as "${first.path}".`, {
          place,
          hint: 'Name only one of them: the content decides a run, and not the path.',
        }),
      );
  }
  return [...byContent.values()];
}

/** The path of a file that is given by its hash; any other value as it is. */
export function pathOf(files: readonly VariedFile[] = [], name: string, value: string): string {
  return files.find(({ input, hash }) => input === name && hash === value)?.path ?? value;
}

/** The key of a file among the files of a campaign. */
export function fileKey({ input, path }: Pick<VariedFile, 'input' | 'path'>): string {
  return JSON.stringify([input, path]);
}

/** The hashes of files, by {@link fileKey}. */
const hashes = new WeakMap<readonly VariedFile[], Map<string, string>>();

/** What the service gets for the value of an input at a point: the hash of a file, or else the value itself. */
export function contentOf(
  { variedFiles }: Partial<Pick<Campaign, 'variedFiles'>>,
  input: string,
  value: string,
): string {
  if (!variedFiles) return value;
  let known = hashes.get(variedFiles);
  if (!known) {
    known = new Map(variedFiles.map((file) => [fileKey(file), file.hash]));
    hashes.set(variedFiles, known);
  }
  return known.get(fileKey({ input, path: value })) ?? value;
}
