import { ForayError } from '../errors.ts';
import { type KeyRole, keysOf } from '../keys/file.ts';
import { hashOf } from '../keys/hash.ts';
import { WatchedKeys } from '../keys/watched-keys.ts';

/**
 * The role of a key: `read` may change nothing, `steer` may change campaigns, and `develop` may also push models, whose code runs on
 * the machine of the model service. Each endpoint (api/endpoints.ts) and each route of a page names the role that it needs.
 */
export type Role = Exclude<KeyRole, 'executor'>;

/** Whether a key has at least the role that a route needs. */
export function isAllowed({ role, mayPush }: Access, needed: Role): boolean {
  return needed === 'read' || (role === 'steer' && (needed === 'steer' || mayPush));
}

/** The user of a request. */
export interface Access {
  role: 'read' | 'steer';
  /** Whether the user may also push models. */
  mayPush: boolean;
  name: string;
}

/** The keys of a server. */
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
    this.#access = { role: 'steer', mayPush: true, name };
  }

  of(keyHash: string): Access | null {
    return keyHash === this.#hash ? this.#access : null;
  }
}

/** The permissions that other users of the machine may not have: all. */
const FOR_OTHERS = 0o077;

/** The keys of users in a key file. */
export class KeyFile implements Keys {
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
    const { name, role = 'executor' } = this.#keys.holderOf(keyHash) ?? {};
    if (name === undefined || role === 'executor') return null;
    const mayPush = role === 'develop';
    return { name, role: mayPush ? 'steer' : role, mayPush };
  }
}
