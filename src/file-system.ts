import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/** An error of the system, which has a code as ENOENT. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException & { code: string } {
  return typeof error === 'object' && error !== null && 'code' in error && 'syscall' in error;
}

/**
 * Makes a folder and those above it, where they are not there. (Node's own way never ends where the system says that a folder is
 * not there and does not let it be made, as under /proc.)
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (isThere(error)) return;
    if (!isSystemError(error) || error.code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path).catch((again: unknown) => {
      // somebody else may have made it meanwhile
      if (!isThere(again)) throw again;
    });
  }
}

function isThere(error: unknown): boolean {
  return isSystemError(error) && error.code === 'EEXIST';
}
