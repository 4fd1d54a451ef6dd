import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { ForayError, messageOf } from '../errors.ts';
import { type FileLock, waitForLock } from '../system/file-lock.ts';
import { isSystemError } from '../system/file-system.ts';
import { replaceFile } from '../system/replace-file.ts';
import { hashOf, idOf } from './hash.ts';
import { isUserName, type KeyFile, keysOf, LOCAL_USER, parseKeyFile, readKeyFile } from './file.ts';
import type { KeyRole } from './roles.ts';

/** How long a change waits for another change, ms. */
const LOCK_TIMEOUT = 10_000;

/** A key for display: never the key itself. */
export interface ListedKey {
  /** The user, or the executor. */
  name: string;
  role: KeyRole;
  /** The first digits of its SHA-256. */
  id: string;
  created: string | undefined;
}

/**
 * Adds a key for a new or known name. Makes the file if it does not exist. The key is returned only this once, and the
 * file has only its hash.
 *
 * @throws ForayError USAGE for an invalid name, KEYS_INVALID
 */
export async function addKey(file: string, name: string, role: KeyRole = 'steer'): Promise<string> {
  if (!isUserName(name)) {
    // a person may have written a key at the place of the name, so the text is not repeated
    throw new ForayError('USAGE', 'The name of the key is not valid.', {
      hint: 'A name has letters, digits and _ . @ - and begins with a letter or digit.',
    });
  }
  const key = randomUUID();
  await edit(file, ({ document }) => {
    const entry = { sha256: hashOf(key), role, created: new Date().toISOString() };
    const keys = ['users', name, 'keys'];
    if (document.hasIn(keys)) document.addIn(keys, document.createNode(entry));
    else document.setIn(keys, document.createNode([entry]));
  });
  return key;
}

/** @throws ForayError KEYS_INVALID */
export function listKeys(file: string): ListedKey[] {
  return keysOf(readKeyFile(file)).map(({ name, role, sha256, created }) => ({
    name,
    role,
    id: idOf(sha256),
    created,
  }));
}

/**
 * Revokes the keys with a name. Running servers refuse them from the next request on. Returns their number.
 *
 * @param id - the first eight digits of the SHA-256 of the only key to revoke. @default all keys with the name
 * @throws ForayError UNKNOWN_KEY if there is no such key, KEYS_INVALID
 */
export async function revokeKeys(file: string, name: string, id?: string): Promise<number> {
  // this throws if the file is missing; `edit` would make it
  readKeyFile(file);
  let revoked = 0;
  await edit(file, (content) => {
    const found = keysOf(content).filter(
      (key) => key.name === name && (id === undefined || idOf(key.sha256) === id),
    );
    if (found.length === 0)
      throw new ForayError('UNKNOWN_KEY', 'The key file has no such key.', {
        hint: 'foray keys list shows the names and ids of all keys.',
      });
    // the last one first, because each deletion moves the keys behind it
    for (const { index } of found.toReversed()) content.document.deleteIn(['users', name, 'keys', index]);
    revoked = found.length;
  });
  return revoked;
}

/**
 * Adds a key of the local user to a key file that does not exist or has no key of a user. The key is returned only this
 * once; undefined if no key was added.
 *
 * @param finish - the last step of the start. If it fails, the key is removed, because nobody would ever see it.
 * @throws ForayError KEYS_INVALID; errors of `finish`
 */
export async function ensureUserKey(file: string, finish: () => Promise<void>): Promise<string | undefined> {
  const hasUsers = existsSync(file) && keysOf(readKeyFile(file)).some(({ role }) => role !== 'executor');
  const key = hasUsers ? undefined : await addKey(file, LOCAL_USER);
  try {
    await finish();
  } catch (error) {
    if (key !== undefined) await revokeKeys(file, LOCAL_USER, idOf(hashOf(key)));
    throw error;
  }
  return key;
}

/** Changes the file completely or not at all. Concurrent changes run one after the other. */
async function edit(file: string, change: (content: KeyFile) => void): Promise<void> {
  const lock = await lockOf(file);
  try {
    const content = existsSync(file) ? readKeyFile(file) : parseKeyFile('', file);
    change(content);
    const text = content.document.toString();
    // content that the servers cannot read never replaces the file
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
