import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { ForayError, messageOf } from '../../errors.ts';
import { hashOf, idOf } from './hash.ts';
import { isUserName, type KeyFile, LOCAL_USER, parseKeyFile, readKeyFile } from './file.ts';

/** A key as it is shown: never the key itself. */
export interface ListedKey {
  user: string;
  /** The first digits of its SHA-256. */
  id: string;
  created: string | undefined;
}

/**
 * Gives a user, who need not be there yet, a key more; makes the file if need be. The key is returned this once.
 *
 * @throws ForayError USAGE for what is no user name, KEYS_INVALID
 */
export function addKey(file: string, user: string): string {
  if (!isUserName(user)) {
    throw new ForayError('USAGE', `"${user}" is not a user name.`, {
      hint: 'A user name has letters, digits and _ . @ - and begins with a letter or digit.',
    });
  }
  const key = randomUUID();
  edit(file, ({ document }) => {
    const entry = { sha256: hashOf(key), created: new Date().toISOString() };
    const keys = ['users', user, 'keys'];
    if (document.hasIn(keys)) document.addIn(keys, document.createNode(entry));
    else document.setIn(keys, document.createNode([entry]));
  });
  return key;
}

/** @throws ForayError KEYS_INVALID */
export function listKeys(file: string): ListedKey[] {
  return Object.entries(readKeyFile(file).users).flatMap(([user, { keys }]) =>
    keys.map(({ sha256, created }) => ({ user, id: idOf(sha256), created })),
  );
}

/**
 * Takes a key away, from the next request on; returns whose it was.
 *
 * @param id the first digits of its SHA-256, eight or more
 * @throws ForayError UNKNOWN_KEY, KEYS_INVALID
 */
export function revokeKey(file: string, id: string): string {
  // a missing file is said to be missing, rather than made
  readKeyFile(file);
  let owner = '';
  edit(file, ({ document, users }) => {
    const found = Object.entries(users).flatMap(([user, { keys }]) =>
      keys.flatMap(({ sha256 }, at) => (id.length >= 8 && sha256.startsWith(id) ? [{ user, at }] : [])),
    );
    const [only] = found;
    if (!only || found.length > 1) {
      throw new ForayError('UNKNOWN_KEY', `There is no one key with the id ${id}.`, {
        hint: 'foray service keys list shows the ids.',
      });
    }
    document.deleteIn(['users', only.user, 'keys', only.at]);
    owner = only.user;
  });
  return owner;
}

/** Where there is no key file yet, makes one with a key of the local user, which is returned this once. */
export function ensureKeyFile(file: string): string | undefined {
  return existsSync(file) ? undefined : addKey(file, LOCAL_USER);
}

/** Changes the file whole or not at all. The unfinished one keeps a second change out until the first is done. */
function edit(file: string, change: (content: KeyFile) => void): void {
  const unfinished = `${file}.new`;
  let descriptor: number;
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    descriptor = openSync(unfinished, 'wx', 0o600);
  } catch (error) {
    throw new ForayError('KEYS_INVALID', `The key file ${file} cannot be written: ${messageOf(error)}.`, {
      hint: `If nothing else changes it, remove ${unfinished}.`,
    });
  }
  try {
    const content = parseKeyFile(existsSync(file) ? readFileSync(file, 'utf8') : '', file);
    change(content);
    writeSync(descriptor, content.document.toString());
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}
