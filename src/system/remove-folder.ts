import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';

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
 * Like {@link removeFolder}, but at once.
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
