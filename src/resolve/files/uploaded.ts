import { join, posix } from 'node:path';
import type { PointCheck, PointFile } from '../../campaign/designs/table.ts';
import type { WantedFile } from '../../campaign/varied-files.ts';
import { ForayError, isForayError, type Place } from '../../errors.ts';
import { FilesOnDisk } from './on-disk.ts';

/**
 * The files of a definition that came over HTTP. The uploaded files are in their own folder. The last part of a path in
 * the definition selects a file. So the definition stays unchanged, and no path leads out of the folder.
 */
export class UploadedFiles extends FilesOnDisk {
  /** The path that selects each file, by its last part. */
  readonly #paths = new Map<string, string>();
  readonly #hint: string;

  /** @param hint - a sentence that says what to do about a missing file */
  constructor({ folder, hint }: { folder: string; hint: string }) {
    super(join(folder, 'definition'));
    this.#hint = hint;
  }

  protected override async read(file: WantedFile): Promise<Uint8Array> {
    return this.#withHint(super.read({ ...file, path: this.#nameOf(file.path, file.place) }));
  }

  override async findPoints(path: string, place: Place, check: PointCheck): Promise<PointFile> {
    const file = await this.#withHint(super.findPoints(this.#nameOf(path, place), place, check));
    this.points[path] = file;
    return file;
  }

  override findProgram(): Promise<never> {
    throw new ForayError('DEFINITION_INVALID', 'A definition that comes over HTTP cannot start a program.', {
      hint: 'Submit it with "foray submit" on the machine of the worker.',
    });
  }

  /** @throws ForayError INVALID_VALUE if another path selects the same file */
  #nameOf(written: string, place: Place): string {
    const [name, path] = [nameIn(written), posix.normalize(written)];
    const other = this.#paths.get(name) ?? path;
    this.#paths.set(name, other);
    if (other === path) return name;
    throw new ForayError('INVALID_VALUE', `The files "${other}" and "${path}" have the same name.`, {
      place,
      hint: 'Over HTTP, the last part of a path selects a file. Give each file a name of its own, or submit the definition with "foray submit".',
    });
  }

  /** Gives the error for an unreadable file the hint about uploads: its own hint is about folders. */
  async #withHint<T>(read: Promise<T>): Promise<T> {
    try {
      return await read;
    } catch (error) {
      if (!isForayError(error) || error.code !== 'DEFINITION_UNREADABLE') throw error;
      const { code, message, place } = error;
      throw new ForayError(code, message, { place, hint: this.#hint });
    }
  }
}

/** The last name in a path. For a path without a name: the folder itself, which cannot be read as a file. */
function nameIn(path: string): string {
  return path.split(/[\\/]/).findLast((part) => !['', '.', '..'].includes(part)) ?? '.';
}
