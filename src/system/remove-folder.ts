import { chmodSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';

/** The longest tick of the clock that a system uses for the times of files, in milliseconds; kernels have 10. */
const TICK = 50;
const options = { recursive: true, force: true, maxRetries: 3 };

/** Removes a folder in which programs of others have worked, also if they have made folders in it read-only. */
export async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, options);
  } catch (error) {
    allowIfRefused(error, folder);
    await rm(folder, options);
  }
}

/**
 * Like {@link removeFolder}, but synchronous.
 *
 * @param names - the entries to remove. @default the folder itself
 */
export function removeFolderSync(folder: string, names: readonly string[] = ['']): void {
  const remove = (): void => {
    for (const name of names) rmSync(path.join(folder, name), options);
  };
  try {
    remove();
  } catch (error) {
    allowIfRefused(error, folder);
    remove();
  }
}

/** A folder that is emptied after each run, although most runs write nothing to it. */
export class ScratchFolder {
  readonly #path: string;
  /** The time of the last change of the empty folder; NaN if a later change may have the same time. */
  #emptySince = NaN;

  constructor(folder: string) {
    this.#path = folder;
  }

  /** Removes what the folder contains, and makes the folder if it is gone. */
  empty(): void {
    const found = statSync(this.#path, { throwIfNoEntry: false });
    // a run may have removed it, and the next one needs it
    if (!found) return void mkdirSync(this.#path, { recursive: true, mode: 0o700 });
    // the time of the last change (ctime), which no program can set
    const { ctimeMs } = found;
    if (ctimeMs === this.#emptySince) return;
    const names = readdirSync(this.#path);
    removeFolderSync(this.#path, names);
    // some file systems know whole seconds only
    const isExact = Date.now() - ctimeMs > TICK && ctimeMs % 1_000 > 0;
    this.#emptySince = names.length === 0 && isExact ? ctimeMs : NaN;
  }
}

/** Allows to remove and to move what is in a folder. */
export function allowRemoval(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) allowRemoval(path.join(folder, entry.name));
}

function allowIfRefused(error: unknown, folder: string): void {
  if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
  allowRemoval(folder);
}
