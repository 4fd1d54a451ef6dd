import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { ForayError, isForayError, messageOf } from '../errors.ts';
import { readSmallFile, WatchedContent } from '../system/watched-content.ts';

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
 * again when it has changed, so a removed key is refused from then on. A wrong line gives no access. If the file is
 * missing, cannot be read, or other users have access to it, no key gives access.
 */
export class KeyFile implements Keys {
  readonly #file: string;
  readonly #onFault: (line: string) => void;
  readonly #content: WatchedContent;
  #keys: Map<string, Access>;

  /** @throws ForayError KEYS_INVALID */
  constructor(file: string, onFault: (line: string) => void) {
    this.#file = file;
    this.#onFault = onFault;
    this.#content = new WatchedContent(file);
    this.#content.hasChanged();
    const { keys, mistakes } = readKeys(file);
    if (mistakes.length > 0) throw mistakes[0]!;
    this.#keys = keys;
  }

  of(keyHash: string): Access | null {
    if (this.#content.hasChanged()) this.#read();
    return this.#keys.get(keyHash) ?? null;
  }

  #read(): void {
    // whatever happens below, an earlier key gives no access
    this.#keys = new Map();
    try {
      const { keys, mistakes } = readKeys(this.#file);
      this.#keys = keys;
      for (const mistake of mistakes) this.#onFault(mistake.toLine());
    } catch (error) {
      const why = isForayError(error) ? error.toLine() : messageOf(error);
      this.#onFault(`No key gives access now. ${why}`);
    }
  }
}

interface ReadKeys {
  keys: Map<string, Access>;
  /** Mistakes with their places. They never quote the file, because the text may be a key. */
  mistakes: ForayError[];
}

/** @throws ForayError KEYS_INVALID if no key of the file may be used */
function readKeys(file: string): ReadKeys {
  let text: string;
  let mode: number;
  try {
    text = readSmallFile(file);
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
  const repeated = new Set<string>();
  const mistakes: ForayError[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const wrong = (message: string): void =>
      void mistakes.push(
        new ForayError('KEYS_INVALID', message, { place: { file, line: index + 1, column: 1 } }),
      );
    const [name, role, key, ...more] = line.trim().split(/\s+/);
    if (!name || !key || more.length > 0)
      wrong('A line must be NAME ROLE KEY, with no spaces in the name or the key.');
    else if (!NAME.test(name))
      wrong('The name must have only the characters A-Z a-z 0-9 _ . @ - and begin with a letter or digit.');
    else if (role !== 'read' && role !== 'steer') wrong('The role, after the name, must be read or steer.');
    else if (key.length < SHORTEST) wrong(`A key must have at least ${SHORTEST} characters.`);
    else if (keys.has(hashOf(key))) {
      wrong('The key appears twice.');
      repeated.add(hashOf(key));
    } else keys.set(hashOf(key), { role, name });
  }
  // nobody knows which of its lines is meant
  for (const keyHash of repeated) keys.delete(keyHash);
  if (keys.size === 0 && mistakes.length === 0)
    throw new ForayError('KEYS_INVALID', `The key file ${file} has no keys.`);
  return { keys, mistakes };
}
