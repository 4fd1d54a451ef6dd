import { statSync } from 'node:fs';
import type { Model } from '../../api/resources.ts';
import { nameKey } from '../../api/values.ts';
import { ForayError } from '../../errors.ts';
import { type KeyFile, LOCAL_USER, type ModelAccess, readKeyFile } from './file.ts';
import { hashOf } from './hash.ts';

/** Who makes a request. */
export interface Caller {
  user: string;
  /** SHA-256 of the key that it came with. */
  keyHash: string;
}

export interface AccessOptions {
  /** The key file. */
  file: string;
  /** Whether it must be there from the start. */
  required: boolean;
  /** A key of the local user's besides those of the file, for as long as this service runs. */
  localKey: string | undefined;
  /** Names of all models that the service knows at the moment. */
  models: () => readonly string[];
  /** Told when the file has become unusable while the service runs. */
  onFault: (error: unknown) => void;
}

interface Rights {
  users: Map<string, string>;
  models: Map<string, ModelAccess>;
}

/**
 * Keys and permissions (specification 5), as the key file has them at the moment: it is read anew when it has changed,
 * so that a key that is revoked is refused at once. A change that makes it unusable changes nothing until it is mended.
 */
export class Access {
  readonly #options: AccessOptions;
  readonly #localHash: string | undefined;
  #stamp: string | undefined;
  #isFresh = false;
  #rights: Rights = { users: new Map(), models: new Map() };
  /** By key, who has come with one that these rights know: so it is hashed once. */
  readonly #callers = new Map<string, Caller>();

  /** @throws ForayError KEYS_INVALID */
  constructor(options: AccessOptions) {
    this.#options = options;
    this.#localHash = options.localKey === undefined ? undefined : hashOf(options.localKey);
    this.#stamp = this.#stampNow();
    if (this.#stamp !== undefined || options.required) this.#rights = this.#read();
  }

  /** Whose key this is; undefined when it is nobody's. */
  callerOf(key: string): Caller | undefined {
    this.#refresh();
    const known = this.#callers.get(key);
    if (known) return known;
    const keyHash = hashOf(key);
    const user = keyHash === this.#localHash ? LOCAL_USER : this.#rights.users.get(keyHash);
    if (user === undefined) return undefined;
    const caller = { user, keyHash };
    this.#callers.set(key, caller);
    return caller;
  }

  /**
   * A published model is for everybody; any other for its owner and for those with developer or user permission, which
   * differ in nothing that this interface does.
   */
  mayUse(user: string, { name, published }: Model): boolean {
    if (published) return true;
    const { owner, developers, users } = this.#rights.models.get(nameKey(name)) ?? unnamed;
    return user === owner || developers.includes(user) || users.includes(user);
  }

  /** Looks at the file once for all requests that have come in by now. */
  #refresh(): void {
    if (this.#isFresh) return;
    this.#isFresh = true;
    setImmediate(() => (this.#isFresh = false));
    const stamp = this.#stampNow();
    if (stamp === this.#stamp) return;
    this.#stamp = stamp;
    try {
      this.#rights = this.#read();
      this.#callers.clear();
    } catch (error) {
      this.#options.onFault(error);
    }
  }

  /** Tells one state of the file from another; undefined where there is none. */
  #stampNow(): string | undefined {
    const stats = statSync(this.#options.file, { throwIfNoEntry: false });
    return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
  }

  #read(): Rights {
    const content = readKeyFile(this.#options.file);
    this.#checkModels(content);
    const users = Object.entries(content.users).flatMap(([user, { keys }]) =>
      keys.map(({ sha256 }): [string, string] => [sha256, user]),
    );
    const models = Object.entries(content.models).map(([name, access]): [string, ModelAccess] => [
      nameKey(name),
      access,
    ]);
    return { users: new Map(users), models: new Map(models) };
  }

  #checkModels({ models, locate }: KeyFile): void {
    const known = new Set(this.#options.models().map(nameKey));
    const seen = new Set<string>();
    for (const name of Object.keys(models)) {
      const why = !known.has(nameKey(name))
        ? `The service has no model "${name}".`
        : seen.has(nameKey(name)) && `The model "${name}" is there twice.`;
      if (why) throw new ForayError('KEYS_INVALID', why, { place: locate(['models', name]) });
      seen.add(nameKey(name));
    }
  }
}

const unnamed: ModelAccess = { owner: LOCAL_USER, developers: [], users: [] };
