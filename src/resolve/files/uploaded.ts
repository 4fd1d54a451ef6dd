import { join } from 'node:path';
import type { PointCheck, PointFile } from '../../campaign/designs/table.ts';
import type { ReadDefinition } from '../../campaign/read.ts';
import type { CampaignFile } from '../../campaign/types.ts';
import { ForayError, type Place } from '../../errors.ts';
import { FilesOnDisk } from './on-disk.ts';

/**
 * The files of a definition that came over HTTP. The uploaded files are in their own folder. The last part of a path in
 * the definition selects a file. So the definition stays unchanged, and no path leads out of the folder.
 */
export class UploadedFiles extends FilesOnDisk {
  constructor(folder: string) {
    super(join(folder, 'definition'));
  }

  override find(read: ReadDefinition, paths: Record<string, string>): Promise<CampaignFile[]> {
    return super.find(
      read,
      Object.fromEntries(Object.entries(paths).map(([input, path]) => [input, nameIn(path)])),
    );
  }

  override async findPoints(path: string, place: Place, check: PointCheck): Promise<PointFile> {
    const file = await super.findPoints(nameIn(path), place, check);
    this.points[path] = file;
    return file;
  }

  override findProgram(): Promise<never> {
    throw new ForayError('DEFINITION_INVALID', 'A definition that comes over HTTP cannot start a program.', {
      hint: 'Submit it with "foray submit" on the machine of the worker.',
    });
  }
}

/** The last name in a path. For a path without a name: the folder itself, which cannot be read as a file. */
function nameIn(path: string): string {
  return path.split(/[\\/]/).findLast((part) => !['', '.', '..'].includes(part)) ?? '.';
}
