import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { tryLock } from '../../system/file-lock.ts';

/** The maximum number of processes that have a folder in the same place. */
const MOST = 256;

/** A folder that only this process uses. It stays when the process ends, and the next process may take it. */
export interface OwnFolder {
  folder: string;
  /** Its number among the folders in the same place, from 0. */
  index: number;
  release(): void;
}

/** Takes the first free folder below `base`. @throws Error if no folder can be made, or all are taken */
export function takeFolder(base: string): OwnFolder {
  mkdirSync(base, { recursive: true, mode: 0o700 });
  for (let index = 0; index < MOST; index += 1) {
    const folder = path.join(base, String(index));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const lock = tryLock(path.join(folder, 'lock'));
    if (lock) return { folder, index, release: () => lock.release() };
  }
  throw new Error(`${MOST} processes use it already`);
}
