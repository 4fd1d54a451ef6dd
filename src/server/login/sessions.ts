import { randomBytes } from 'node:crypto';
import type { Refusals } from '../../http/refusals.ts';
import type { Keys } from '../keys.ts';

/** Maximum number of sessions, and of codes, of one key. A further one replaces the oldest of the same key. */
const MOST = 50;
/** How long the code of a login address is valid, ms. */
const CODE_MS = 24 * 3_600_000;

/**
 * The logins of browsers. They are in memory, so a restart ends all logins. A login has only the hash of its key. The guard
 * looks for the key at each request, so a login ends when its key is removed.
 */
export class Sessions {
  readonly #keys: Keys;
  /** Hashes of keys by session. */
  readonly #sessions = new Map<string, { keyHash: string }>();
  readonly #codes = new Map<string, { keyHash: string; until: number }>();
  readonly #refusals: Refusals | undefined;

  constructor(keys: Keys, refusals?: Refusals) {
    this.#keys = keys;
    this.#refusals = refusals;
  }

  /** Begins a session for a key, and returns the random name of the session; null for an unknown key. */
  begin(keyHash: string): string | null {
    if (!this.#keys.of(keyHash)) return null;
    return this.#keep(this.#sessions, { keyHash });
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
  keyHashOf(session: string): string | undefined {
    return this.#sessions.get(session)?.keyHash;
  }

  /** Makes a code for one login with a key. */
  code(keyHash: string): string {
    return this.#keep(this.#codes, { keyHash, until: Date.now() + CODE_MS });
  }

  /** Stores a value under a new random name. */
  #keep<T extends { keyHash: string }>(map: Map<string, T>, value: T): string {
    const ofKey = [...map].filter(([, { keyHash }]) => keyHash === value.keyHash);
    if (ofKey.length >= MOST) {
      map.delete(ofKey[0]![0]);
      const name = this.#keys.of(value.keyHash)?.name;
      this.#refusals?.note(`the oldest login of ${name} ended: a key may have at most ${MOST}`);
    }
    const name = randomBytes(24).toString('base64url');
    map.set(name, value);
    return name;
  }
}
