import { existsSync } from 'node:fs';
import { type ForayError, isForayError, messageOf } from '../errors.ts';
import { fileStamp } from '../system/file-stamp.ts';
import { readGuardedText } from '../system/guarded-text.ts';
import { KEY_FILE, type KeyFile, keysOf, parseKeyFile } from './file.ts';
import type { KeyRole } from './roles.ts';

/**
 * A file with unchanged stamp is read again after this time, ms. Two writes in the same moment may have the same stamp.
 */
const READ_AGAIN = 3_000;

/** Whose key it is, and what it may do. */
export interface Holder {
  name: string;
  role: KeyRole;
}

export interface WatchedKeysOptions {
  file: string;
  /** Whether the file must exist at the start. @default true */
  required?: boolean | undefined;
  /** The permissions that other users of the machine may not have, as bits of the file's mode. */
  tooOpen: number;
  /** Takes the content of a valid file. It throws a ForayError KEYS_INVALID for content that cannot be used. */
  use: (content: KeyFile) => void;
  /** Called with a line when the file becomes invalid. */
  onFault: (line: string) => void;
}

/**
 * The keys of a key file. The file is read again when it has changed, so a revoked key is refused immediately. While the
 * file is invalid, only the keys that are still in it give access, with their earlier roles. If the file is missing,
 * cannot be read, or other users have too much access to it, no key gives access.
 */
export class WatchedKeys {
  readonly #options: WatchedKeysOptions;
  /** Whether the file was checked for the current requests. */
  #isFresh = false;
  #stamp: string | undefined;
  #text = '';
  #readAt = -Infinity;
  /** Holders by the hash of their key, so that the time of a look-up says nothing about a key. */
  #holders = new Map<string, Holder>();

  /** @throws ForayError KEYS_INVALID */
  constructor(options: WatchedKeysOptions) {
    this.#options = options;
    try {
      this.#look();
    } catch (error) {
      if (options.required !== false || existsSync(options.file)) throw error;
    }
  }

  /** The holder of a key; undefined for an unknown or removed key. */
  holderOf(keyHash: string): Holder | undefined {
    this.#refresh();
    return this.#holders.get(keyHash);
  }

  /** The text of the file; empty if it cannot be read, or other users have too much access to it. */
  text(): string {
    this.#refresh();
    return this.#text;
  }

  #refresh(): void {
    if (this.#isFresh) return;
    this.#isFresh = true;
    setImmediate(() => (this.#isFresh = false));
    try {
      this.#look();
    } catch (error) {
      // a key that was put into a comment is removed, too
      const text = this.#text.replaceAll(/#.*/g, '');
      this.#holders = new Map([...this.#holders].filter(([sha256]) => text.includes(sha256)));
      const which = this.#holders.size === 0 ? 'No key gives' : 'Only keys that were valid before give';
      const why = isForayError(error) ? error.toLine() : messageOf(error);
      this.#options.onFault(`${which} access now. ${why}`);
    }
  }

  /**
   * Reads the file, and takes its keys if its content, its permissions or its existence has changed.
   * @throws ForayError KEYS_INVALID if it has changed, and cannot be used
   */
  #look(): void {
    const { file, tooOpen, use } = this.#options;
    const stamp = stampOf(file);
    const now = performance.now();
    if (stamp === this.#stamp && now - this.#readAt < READ_AGAIN) return;
    let text = '';
    let refusal: ForayError | undefined;
    try {
      text = readGuardedText(file, KEY_FILE, tooOpen);
    } catch (error) {
      refusal = error as ForayError;
    }
    const isSame = stamp === this.#stamp && text === this.#text;
    this.#stamp = stamp;
    this.#text = text;
    this.#readAt = now;
    if (isSame) return;
    if (refusal) throw refusal;
    const content = parseKeyFile(text, file);
    use(content);
    this.#holders = new Map(keysOf(content).map(({ sha256, name, role }) => [sha256, { name, role }]));
  }
}

function stampOf(file: string): string {
  try {
    return fileStamp(file) ?? 'missing';
  } catch {
    return 'unreadable';
  }
}
