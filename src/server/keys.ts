import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { ForayError, isForayError, messageOf } from '../errors.ts';

/**
 * The role of a key: `steer` may do everything, and `read` may change nothing. Each endpoint (api/endpoints.ts) and
 * each route of a page names the role that it needs.
 */
export type Role = 'read' | 'steer';

/** The user of a request. */
export interface Access {
  role: Role;
  name: string;
}

/**
 * The keys of a server. They are looked up by their SHA-256, so that the time of a look-up says nothing about a key.
 */
export interface Keys {
  /** @returns null for an unknown or removed key */
  of(keyHash: string): Access | null;
}

export function hashOf(key: string): string {
  return hash('sha256', key);
}

/** The only key of a server that has one user. */
export class OwnKey implements Keys {
  readonly #hash: string;
  readonly #access: Access;

  constructor(key: string, name: string) {
    this.#hash = hashOf(key);
    this.#access = { role: 'steer', name };
  }

  of(keyHash: string): Access | null {
    return keyHash === this.#hash ? this.#access : null;
  }
}

const NAME = /^[A-Za-z0-9][\w.@-]*$/;
const SHORTEST = 16;
const FOR_OTHERS = 0o077;

/**
 * A file of keys with lines `NAME ROLE KEY`. Empty lines and lines that begin with # have no meaning. The file is read
 * again when it has changed, so a removed key is refused from then on. While the file is invalid, its last valid keys
 * stay.
 */
export class KeyFile implements Keys {
  readonly #file: string;
  readonly #onFault: (line: string) => void;
  #stamp: string | undefined;
  #keys: Map<string, Access>;

  /** @throws ForayError KEYS_INVALID */
  constructor(file: string, onFault: (line: string) => void) {
    this.#file = file;
    this.#onFault = onFault;
    this.#stamp = this.#stampNow();
    this.#keys = readKeys(file);
  }

  of(keyHash: string): Access | null {
    this.#refresh();
    return this.#keys.get(keyHash) ?? null;
  }

  #refresh(): void {
    const stamp = this.#stampNow();
    if (stamp === this.#stamp) return;
    this.#stamp = stamp;
    try {
      this.#keys = readKeys(this.#file);
    } catch (error) {
      this.#onFault(isForayError(error) ? error.toLine() : messageOf(error));
    }
  }

  #stampNow(): string | undefined {
    const stats = statSync(this.#file, { throwIfNoEntry: false });
    return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
  }
}

/** @throws ForayError KEYS_INVALID with the place. Its message never quotes the file, because the text may be a key. */
function readKeys(file: string): Map<string, Access> {
  let text: string;
  let mode: number;
  try {
    text = readFileSync(file, 'utf8');
    ({ mode } = statSync(file));
  } catch (error) {
    throw new ForayError('KEYS_INVALID', `The key file ${file} cannot be read: ${messageOf(error)}.`);
  }
  if (process.platform !== 'win32' && (mode & FOR_OTHERS) !== 0) {
    throw new ForayError('KEYS_INVALID', `Other users have access to the key file ${file}.`, {
      hint: 'Remove their access with chmod 600.',
    });
  }
  const keys = new Map<string, Access>();
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const wrong = (message: string): ForayError =>
      new ForayError('KEYS_INVALID', message, { place: { file, line: index + 1, column: 1 } });
    const [name, role, key, ...more] = line.trim().split(/\s+/);
    if (!name || !key || more.length > 0)
      throw wrong('A line must be NAME ROLE KEY, with no spaces in the name or the key.');
    if (!NAME.test(name))
      throw wrong(
        'The name must have only the characters A-Z a-z 0-9 _ . @ - and begin with a letter or digit.',
      );
    if (role !== 'read' && role !== 'steer') throw wrong('The role, after the name, must be read or steer.');
    if (key.length < SHORTEST) throw wrong(`A key must have at least ${SHORTEST} characters.`);
    if (keys.has(hashOf(key))) throw wrong('The key appears twice.');
    keys.set(hashOf(key), { role, name });
  }
  if (keys.size === 0) throw new ForayError('KEYS_INVALID', `The key file ${file} has no keys.`);
  return keys;
}
