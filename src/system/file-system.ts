import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Whether an error comes from the system. It then has a code such as ENOENT. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException & { code: string } {
  return typeof error === 'object' && error !== null && 'code' in error && 'syscall' in error;
}

/**
 * Creates a folder and its missing parents. (Node's own function never ends when the system reports a missing folder
 * and does not allow creating it, as under /proc.)
 *
 * @param mode - the permissions of each new folder
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (isAlreadyThere(error)) return;
    if (!isSystemError(error) || error.code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path), mode);
    await mkdir(path, { mode }).catch((again: unknown) => {
      // another process may have created it in the meantime
      if (!isAlreadyThere(again)) throw again;
    });
  }
}

function isAlreadyThere(error: unknown): boolean {
  return isSystemError(error) && error.code === 'EEXIST';
}
