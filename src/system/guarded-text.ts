import { readFileSync, statSync } from 'node:fs';
import type { ErrorCode } from '../error-codes.ts';
import { ForayError } from '../errors.ts';
import { isSystemError } from './file-system.ts';
import { whyUnreadable } from './why-unreadable.ts';

/** A file with keys or secrets: its name in messages, such as "key file", and the code of its errors. */
export interface Guarded {
  what: string;
  code: ErrorCode;
  /** What to do if the file is not there. */
  whenMissing?: string;
}

/** The largest file that is read, in bytes. */
const LARGEST = 16 * 1024 ** 2;
/** The permission of a file's owner to read it. Windows has no such permissions. */
const OWNER_READS = 0o400;

/**
 * The text of a guarded file. A pipe or a very large file could hold the process, so they are refused. A file that its
 * owner may not read is refused also if this process belongs to root, who may read every file.
 *
 * @param tooOpen - the permissions that other users of the machine may not have, as bits of the file's mode
 * @throws ForayError with the code of the file
 */
export function readGuardedText(file: string, { what, code, whenMissing }: Guarded, tooOpen = 0): string {
  let text: string;
  let mode: number;
  try {
    const stats = statSync(file);
    mode = process.platform === 'win32' ? OWNER_READS : stats.mode;
    if (!stats.isFile()) throw new Error('it is not a file');
    if (stats.size > LARGEST) throw new Error(`it has more than ${LARGEST} bytes`);
    if ((mode & OWNER_READS) === 0) throw new Error('its permissions do not allow it');
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const hint = isSystemError(error) && error.code === 'ENOENT' ? whenMissing : undefined;
    throw new ForayError(code, `The ${what} ${file} ${whyUnreadable(error)}.`, { hint });
  }
  if ((mode & tooOpen) === 0) return text;
  throw new ForayError(code, `Other users have access to the ${what} ${file}.`, {
    hint: 'Remove their access with chmod 600.',
  });
}
