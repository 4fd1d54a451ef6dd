import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { nameKey } from '../../api/index.ts';
import type { PointCheck, PointFile } from '../../campaign/designs/table.ts';
import type { Contents } from '../../campaign/points.ts';
import type { ReadDefinition } from '../../campaign/read.ts';
import type { OutsideMethod } from '../../campaign/search/search.ts';
import type { CampaignFile } from '../../campaign/types.ts';
import type { Place } from '../../errors.ts';
import type { DefinitionFiles } from './definition-files.ts';
import { readPointsFile } from './points-file.ts';
import { unreadableFile } from './unreadable-file.ts';

/** The files that a definition names, on the disk of the person who submits it. */
export class FilesOnDisk implements DefinitionFiles {
  /** The contents of the files by hash, in the form in which the store keeps them. */
  readonly contents = new Map<string, Uint8Array>();
  /** The point files, by the path in the definition. */
  readonly points = Object.create(null) as Record<string, PointFile>;
  readonly #definitionFile: string;

  /** @param definitionFile the definition's file: paths are relative to its folder */
  constructor(definitionFile: string) {
    this.#definitionFile = definitionFile;
  }

  async find(
    { definition, locate, mistakes }: ReadDefinition,
    paths: Record<string, string>,
  ): Promise<CampaignFile[]> {
    const files: CampaignFile[] = [];
    for (const [input, path] of Object.entries(paths)) {
      let content: Uint8Array;
      try {
        content = await readFile(resolve(dirname(this.#definitionFile), path));
      } catch (error) {
        const written = Object.keys(definition.files).find((name) => nameKey(name) === nameKey(input))!;
        mistakes.add(unreadableFile(`"${path}" for "${input}"`, error, locate(['files', written])));
        continue;
      }
      const hash = createHash('sha256').update(content).digest('base64url');
      this.contents.set(hash, content);
      files.push({ input, hash, filename: path.split(/[\\/]/).at(-1)! });
    }
    return files;
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
      const content = await readFile(resolve(folder, word)).catch(() => undefined);
      if (content) files[word] = createHash('sha256').update(content).digest('base64url');
    }
    return { folder, files };
  }

  contentsOf(): Promise<Contents> {
    return Promise.resolve(this.contents);
  }
}
