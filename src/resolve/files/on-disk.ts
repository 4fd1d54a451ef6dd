import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { PointCheck, PointFile } from '../../campaign/designs/table.ts';
import type { Contents } from '../../campaign/points.ts';
import type { OutsideMethod } from '../../campaign/search/search.ts';
import type { FoundFile, WantedFile } from '../../campaign/varied-files.ts';
import { ForayError, type Place } from '../../errors.ts';
import type { Mistakes } from '../../yaml/mistake-collector.ts';
import type { DefinitionFiles } from './definition-files.ts';
import { readPointsFile } from './points-file.ts';
import { sizeOfFile, unreadableFile } from './unreadable-file.ts';

/**
 * The largest size of the files of inputs, in bytes: of each file, and of all files together. They are held in memory,
 * and each in a column of the database.
 */
const MOST_BYTES = 256 * 1_048_576;

/** The files that a definition names, on the disk of the person who submits it. */
export class FilesOnDisk implements DefinitionFiles {
  /** The contents of the files by hash, in the form in which the store keeps them. */
  readonly contents = new Map<string, Uint8Array>();
  /** The point files, by the path in the definition. */
  readonly points = Object.create(null) as Record<string, PointFile>;
  readonly #definitionFile: string;
  /** The size of the files of inputs, in bytes. Files with the same content count once. */
  #bytes = 0;

  /** @param definitionFile the definition's file: paths are relative to its folder */
  constructor(definitionFile: string) {
    this.#definitionFile = definitionFile;
  }

  async find(wanted: readonly WantedFile[], mistakes: Mistakes): Promise<FoundFile[]> {
    const found: FoundFile[] = [];
    for (const file of wanted) {
      const hash = await mistakes.attemptAsync(async () => this.#keep(file, await this.read(file)));
      if (hash !== undefined) found.push({ ...file, hash });
    }
    return found;
  }

  #keep({ path, input, place }: WantedFile, content: Uint8Array): string {
    const hash = createHash('sha256').update(content).digest('base64url');
    if (this.contents.has(hash)) return hash;
    if (this.#bytes + content.length > MOST_BYTES) {
      throw tooLarge(`With the file "${path}" for "${input}", the files of inputs together have`, place);
    }
    this.#bytes += content.length;
    this.contents.set(hash, content);
    return hash;
  }

  findVaried(wanted: readonly WantedFile[], mistakes: Mistakes): Promise<FoundFile[]> {
    return this.find(wanted, mistakes);
  }

  /** @throws ForayError DEFINITION_UNREADABLE with the place */
  protected async read({ input, path, place, of }: WantedFile): Promise<Uint8Array> {
    const file = resolve(dirname(this.#definitionFile), path);
    const name = `"${path}" for "${input}"`;
    try {
      if ((await sizeOfFile(file)) <= MOST_BYTES) return await readFile(file);
    } catch (error) {
      throw unreadableFile(name, error, place, of);
    }
    throw tooLarge(`The file ${name} has`, place);
  }

  async findPoints(path: string, place: Place, check: PointCheck): Promise<PointFile> {
    const { content, ...file } = await readPointsFile(path, this.#definitionFile, place, check);
    this.contents.set(file.hash, content);
    this.points[path] = file;
    return file;
  }

  async findProgram(command: readonly string[]): Promise<Pick<OutsideMethod, 'folder' | 'files'>> {
    const folder = resolve(dirname(this.#definitionFile));
    const files: Record<string, string> = {};
    for (const word of command) {
      // a word that names no readable file is an ordinary argument
      const file = resolve(folder, word);
      const content = await sizeOfFile(file).then(
        () => readFile(file),
        () => undefined,
      );
      if (content) files[word] = createHash('sha256').update(content).digest('base64url');
    }
    return { folder, files };
  }

  contentsOf(): Promise<Contents> {
    return Promise.resolve(this.contents);
  }
}

function tooLarge(what: string, place: Place): ForayError {
  return new ForayError('DEFINITION_UNREADABLE', `${what} more than 256 MiB.`, {
    place,
    hint: 'foray keeps the files of a campaign in its store. Put larger data where the model can open it, and give the model its path as a text.',
  });
}
