import { ForayError } from '../errors.ts';
import { keysOf } from '../keys/file.ts';
import { hashOf } from '../keys/hash.ts';
import { type KeyRole, mayDo } from '../keys/roles.ts';
import { WatchedKeys } from '../keys/watched-keys.ts';

/** The role of a key. Each endpoint (api/endpoints.ts) and each route of a page names the role that it needs. */
export type Role = Exclude<KeyRole, 'executor'>;

/** The user of a request. */
export interface Access {
  role: Role;
  name: string;
}

/** Whether the user of a request may start and change campaigns. */
export function maySteer({ access }: { access: Access | null }): boolean {
  return mayDo(access?.role, 'steer');
}

export interface Keys {
  /** @returns null for an unknown or removed key */
  of(keyHash: string): Access | null;
}

/** The only key of a server that has one user. */
export class OwnKey implements Keys {
  readonly #hash: string;
  readonly #access: Access;

  constructor(key: string, name: string) {
    this.#hash = hashOf(key);
    this.#access = { role: 'develop', name };
  }

  of(keyHash: string): Access | null {
    return keyHash === this.#hash ? this.#access : null;
  }
}

/** The permissions that other users of the machine may not have: all. */
const FOR_OTHERS = 0o077;

/** The keys of users in a key file. */
export class KeysOfFile implements Keys {
  readonly #keys: WatchedKeys;

  /**
   * @param onFault - called with a line when the file becomes invalid
   * @throws ForayError KEYS_INVALID
   */
  constructor(file: string, onFault: (line: string) => void) {
    this.#keys = new WatchedKeys({
      file,
      tooOpen: FOR_OTHERS,
      use(content) {
        if (keysOf(content).every(({ role }) => role === 'executor'))
          throw new ForayError('KEYS_INVALID', `The key file ${file} has no key of a user.`, {
            hint: 'foray keys add makes one.',
          });
      },
      onFault,
    });
  }

  of(keyHash: string): Access | null {
    const holder = this.#keys.holderOf(keyHash);
    if (!holder || holder.role === 'executor') return null;
    return { name: holder.name, role: holder.role };
  }
}
