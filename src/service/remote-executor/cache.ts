import { lstatSync, mkdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ForayError, messageOf } from '../../errors.ts';
import { type FileLock, tryLock } from '../../system/file-lock.ts';

/** The most executors of one user on a machine that share the default folder. */
const MOST = 256;

/** The folder in which an executor keeps code and files. No other process uses it at the same time. */
export interface Cache {
  folder: string;
  /** The number of the executor on this machine, from 0. */
  index: number;
  release(): void;
}

/**
 * Takes the first free folder below `base`. The default is in the folder for temporary files, which is on a disk of
 * this machine.
 *
 * @throws ForayError OUTPUT_UNWRITABLE
 */
export function takeCache(base = path.join(os.tmpdir(), `foray-executor-${os.userInfo().uid}`)): Cache {
  try {
    mkdirSync(base, { recursive: true, mode: 0o700 });
    // another user may have made it in the folder for temporary files
    if (lstatSync(base).uid !== os.userInfo().uid && os.userInfo().uid !== -1)
      throw new Error('it belongs to somebody else');
    for (let index = 0; index < MOST; index += 1) {
      const folder = path.join(base, String(index));
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const lock: FileLock | undefined = tryLock(path.join(folder, 'lock'));
      if (lock) return { folder, index, release: () => lock.release() };
    }
    throw new Error(`${MOST} executors use it already`);
  } catch (error) {
    throw new ForayError('OUTPUT_UNWRITABLE', `The cache ${base} cannot be used: ${messageOf(error)}.`, {
      hint: 'Name another folder with --cache.',
    });
  }
}
