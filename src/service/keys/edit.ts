import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { ForayError, messageOf } from '../../errors.ts';
import { type FileLock, waitForLock } from '../../system/file-lock.ts';
import { isSystemError } from '../../system/file-system.ts';
import { replaceFile } from '../../system/replace-file.ts';
import { hashOf, idOf } from './hash.ts';
import {
  isUserName,
  type KeyFile,
  type KeyKind,
  keysOf,
  LOCAL_USER,
  parseKeyFile,
  readKeyFile,
} from './file.ts';

/** A key for display: never the key itself. */
export interface ListedKey {
  /** The user, or the executor. */
  user: string;
  kind: 'user' | 'executor';
  /** The first digits of its SHA-256. */
  id: string;
  created: string | undefined;
}

/**
 * Adds a key for a new or existing user, or for an executor on another machine. Makes the file if it does not exist.
 * The key is returned only this once.
 *
 * @throws ForayError USAGE for an invalid name, KEYS_INVALID
 */
export async function addKey(file: string, user: string, kind: KeyKind = 'users'): Promise<string> {
  if (!isUserName(user)) {
    throw new ForayError('USAGE', `"${user}" is not a ${kind === 'users' ? 'user ' : ''}name.`, {
      hint: 'A name has letters, digits and _ . @ - and begins with a letter or digit.',
    });
  }
  const key = randomUUID();
  await edit(file, ({ document }) => {
    const entry = { sha256: hashOf(key), created: new Date().toISOString() };
    const keys = [kind, user, 'keys'];
    if (document.hasIn(keys)) document.addIn(keys, document.createNode(entry));
    else document.setIn(keys, document.createNode([entry]));
  });
  return key;
}

/** @throws ForayError KEYS_INVALID */
export function listKeys(file: string): ListedKey[] {
  return keysOf(readKeyFile(file)).map(({ kind, name, sha256, created }) => ({
    user: name,
    kind: kind === 'users' ? 'user' : 'executor',
    id: idOf(sha256),
    created,
  }));
}

/**
 * Revokes a key. The service refuses it from the next request on. Returns the user or executor of the key.
 *
 * @param id the first digits of the SHA-256 of the key, eight or more
 * @throws ForayError UNKNOWN_KEY if no key or several keys have this id, KEYS_INVALID
 */
export async function revokeKey(file: string, id: string): Promise<string> {
  // this throws if the file is missing; `edit` would make it
  readKeyFile(file);
  let owner = '';
  await edit(file, (content) => {
    const found = keysOf(content).filter(({ sha256 }) => id.length >= 8 && sha256.startsWith(id));
    const [only] = found;
    if (!only || found.length > 1) {
      throw new ForayError(
        'UNKNOWN_KEY',
        `${found.length > 1 ? 'Several keys have' : 'No key has'} the id ${id}.`,
        {
          hint: 'foray service keys list shows the ids.',
        },
      );
    }
    content.document.deleteIn([only.kind, only.name, 'keys', only.index]);
    owner = only.name;
  });
  return owner;
}

/**
 * Adds a key of the local user to a key file that does not exist or has no users. The key is returned only this once;
 * undefined if no key was added.
 *
 * @param finish - the last step of the start. If it fails, the key is removed, because nobody would ever see it.
 * @throws ForayError KEYS_INVALID; errors of `finish`
 */
export async function ensureUserKey(file: string, finish: () => Promise<void>): Promise<string | undefined> {
  const hasUsers = existsSync(file) && readKeyFile(file).document.has('users');
  const key = hasUsers ? undefined : await addKey(file, LOCAL_USER);
  try {
    await finish();
  } catch (error) {
    if (key !== undefined) await edit(file, ({ document }) => document.delete('users'));
    throw error;
  }
  return key;
}

/** How long a change waits for another change, ms. */
const LOCK_TIMEOUT = 10_000;

/** Changes the file completely or not at all. Concurrent changes run one after the other. */
async function edit(file: string, change: (content: KeyFile) => void): Promise<void> {
  const lock = await lockOf(file);
  try {
    const content = existsSync(file) ? readKeyFile(file) : parseKeyFile('', file);
    change(content);
    const text = content.document.toString();
    // content that the service cannot read never replaces the file
    parseKeyFile(text, file);
    await replaceFile(file, text, 0o600);
  } catch (error) {
    if (isSystemError(error)) throw unwritable(file, error);
    throw error;
  } finally {
    lock.release();
  }
}

async function lockOf(file: string): Promise<FileLock> {
  let lock: FileLock | undefined;
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    lock = await waitForLock(`${file}.lock`, LOCK_TIMEOUT);
  } catch (error) {
    throw unwritable(file, error);
  }
  if (lock) return lock;
  throw new ForayError('KEYS_INVALID', `Another process is changing the key file ${file}.`, {
    hint: 'Try again when it has ended.',
  });
}

function unwritable(file: string, error: unknown): ForayError {
  return new ForayError('KEYS_INVALID', `The key file ${file} cannot be written: ${messageOf(error)}.`, {
    hint: 'Check its permissions and the room on its disk. The file has not changed.',
  });
}
