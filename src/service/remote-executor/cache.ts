import { lstatSync, mkdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ForayError, messageOf } from '../../errors.ts';
import { type OwnFolder, takeFolder } from '../files/own-folder.ts';

/**
 * Takes a folder in which an executor keeps code and files. It is a subfolder of `base` that no other executor uses.
 * The default of `base` is in the folder for temporary files, because that folder is usually not on a network.
 *
 * @throws ForayError CACHE_UNUSABLE
 */
export function takeCache(base = path.join(os.tmpdir(), `foray-executor-${os.userInfo().uid}`)): OwnFolder {
  try {
    mkdirSync(base, { recursive: true, mode: 0o700 });
    // another user may have made this folder, because anybody can write in the folder for temporary files
    if (lstatSync(base).uid !== os.userInfo().uid && os.userInfo().uid !== -1)
      throw new Error('it belongs to somebody else');
    return takeFolder(base);
  } catch (error) {
    throw new ForayError('CACHE_UNUSABLE', `The cache ${base} cannot be used: ${messageOf(error)}.`, {
      hint: 'Name another folder with --cache.',
    });
  }
}
