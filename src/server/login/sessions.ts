import { randomBytes } from 'node:crypto';
import type { Keys } from '../keys.ts';

/** Maximum number of sessions, and of codes. At the limit, a new session or code replaces the oldest. */
const MOST = 1_000;
/** How long the code of a login address is valid, ms. */
const CODE_MS = 24 * 3_600_000;

/**
 * The logins of browsers. They are in memory, so a restart ends all logins. A login ends when its key is removed.
 */
export class Sessions {
  readonly #keys: Keys;
  /** Hashes of keys by session. */
  readonly #sessions = new Map<string, string>();
  readonly #codes = new Map<string, { keyHash: string; until: number }>();

  constructor(keys: Keys) {
    this.#keys = keys;
  }

  /** Begins a session for a key, and returns the name of the session; null for an unknown key. */
  begin(keyHash: string): string | null {
    if (!this.#keys.of(keyHash)) return null;
    return keep(this.#sessions, keyHash);
  }

  /** Begins a session by a code, and makes the code invalid. Returns null for an invalid code. */
  beginByCode(code: string): string | null {
    const known = this.#codes.get(code);
    this.#codes.delete(code);
    return known && Date.now() < known.until ? this.begin(known.keyHash) : null;
  }

  end(session: string): void {
    this.#sessions.delete(session);
  }

  /** The hash of the key that a session began with. */
  keyOf(session: string): string | undefined {
    return this.#sessions.get(session);
  }

  /** Makes a code for one login with a key. */
  code(keyHash: string): string {
    return keep(this.#codes, { keyHash, until: Date.now() + CODE_MS });
  }
}

/** Stores a value under a new random name. */
function keep<T>(map: Map<string, T>, value: T): string {
  const [oldest] = map.keys();
  if (map.size >= MOST) map.delete(oldest!);
  const name = randomBytes(24).toString('base64url');
  map.set(name, value);
  return name;
}
