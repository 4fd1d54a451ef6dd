import { statSync } from 'node:fs';
import type { Model } from '../../api/resources.ts';
import { nameKey } from '../../api/values.ts';
import { ForayError } from '../../errors.ts';
import { WatchedContent } from '../../system/watched-content.ts';
import { type KeyFile, keysOf, LOCAL_USER, type ModelRights, readKeyFile } from './file.ts';
import { hashOf } from './hash.ts';

/** The user behind a request. */
export interface Caller {
  user: string;
  /** SHA-256 of the key in the request. */
  keyHash: string;
}

export interface AccessOptions {
  /** The key file. */
  file: string;
  /** Whether the file must exist at the start. */
  required: boolean;
  /** A further key of the local user, which is not in the file. It is valid while this service runs. */
  localKey: string | undefined;
  /** Names of all models that the service currently knows. */
  models: () => readonly string[];
  /** Called when the file becomes invalid while the service runs. */
  onFault: (error: unknown) => void;
}

interface Rights {
  /** The user of each key, by the hash of the key. */
  users: Map<string, string>;
  executors: Map<string, string>;
  models: Map<string, ModelRights>;
}

/**
 * Keys and permissions (specification 5) from the key file. The file is read again when it has changed, so a revoked
 * key is refused immediately. While the file is invalid, only the keys that are still in it give access, with their
 * earlier permissions. If the file is missing, cannot be read, or other users may change it, no key gives access.
 */
export class Access {
  readonly #options: AccessOptions;
  readonly #localHash: string | undefined;
  readonly #content: WatchedContent;
  #isFresh = false;
  #rights: Rights = nobody;
  /** Known users by key, so that the key of a user is not hashed again at each request. */
  readonly #callers = new Map<string, Caller>();

  /** @throws ForayError KEYS_INVALID */
  constructor(options: AccessOptions) {
    this.#options = options;
    this.#localHash = options.localKey === undefined ? undefined : hashOf(options.localKey);
    this.#content = new WatchedContent(options.file);
    this.#content.hasChanged();
    if (options.required || statSync(options.file, { throwIfNoEntry: false })) this.#rights = this.#read();
  }

  /** A text that is the same for services with the same content of the key file and the same local key. */
  fingerprint(): string {
    this.#refresh();
    return hashOf(JSON.stringify([this.#content.text, this.#localHash ?? null]));
  }

  /** The user with this key; undefined for an unknown key. */
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

  /** The executor with this key; undefined for an unknown key and for a key of a user. */
  executorOf(key: string): string | undefined {
    this.#refresh();
    return this.#rights.executors.get(hashOf(key));
  }

  /**
   * Everybody may use a published model. Only the owner and users with developer or user permission may use any
   * other model.
   */
  mayUse(user: string, model: Model): boolean {
    return model.published || this.mayChange(user, model) || this.#rightsTo(model).users.includes(user);
  }

  /**
   * Whether a user may add and remove versions of a model. Models that the key file does not name belong to the local
   * user. This includes new models.
   */
  mayChange(user: string, model: Pick<Model, 'name'>): boolean {
    const { owner, developers } = this.#rightsTo(model);
    return user === owner || developers.includes(user);
  }

  #rightsTo({ name }: Pick<Model, 'name'>): ModelRights {
    return this.#rights.models.get(nameKey(name)) ?? unnamed;
  }

  /** Checks the file once for all current requests. */
  #refresh(): void {
    if (this.#isFresh) return;
    this.#isFresh = true;
    setImmediate(() => (this.#isFresh = false));
    if (!this.#content.hasChanged()) return;
    this.#callers.clear();
    const { file, onFault } = this.#options;
    try {
      this.#rights = this.#read();
    } catch (error) {
      this.#rights = isOpenToOthers(file) ? nobody : this.#stillThere();
      onFault(error);
    }
  }

  /** The earlier rights of the keys that an invalid file still has, outside of its comments. */
  #stillThere(): Rights {
    const text = this.#content.text.replaceAll(/#.*/g, '');
    const left = (keys: Map<string, string>) =>
      new Map([...keys].filter(([sha256]) => text.includes(sha256)));
    const { users, executors, models } = this.#rights;
    return { users: left(users), executors: left(executors), models };
  }

  #read(): Rights {
    const { file } = this.#options;
    const content = readKeyFile(file);
    if (isOpenToOthers(file))
      throw new ForayError('KEYS_INVALID', `Other users may change the key file ${file}.`, {
        hint: 'Remove their access with chmod 600.',
      });
    this.#checkModels(content);
    const keys = Map.groupBy(keysOf(content), ({ kind }) => kind);
    const [users, executors] = (['users', 'executors'] as const).map(
      (kind) => new Map((keys.get(kind) ?? []).map(({ sha256, name }) => [sha256, name])),
    ) as [Map<string, string>, Map<string, string>];
    const models = Object.entries(content.models).map(([name, access]): [string, ModelRights] => [
      nameKey(name),
      access,
    ]);
    return { users, executors, models: new Map(models) };
  }

  #checkModels({ models, locate }: KeyFile): void {
    const known = new Set(this.#options.models().map(nameKey));
    const seen = new Set<string>();
    for (const name of Object.keys(models)) {
      const why = !known.has(nameKey(name))
        ? 'The service has no model of this name.'
        : seen.has(nameKey(name)) && 'The model appears twice.';
      if (why) throw new ForayError('KEYS_INVALID', why, { place: locate(['models', name], 'key') });
      seen.add(nameKey(name));
    }
  }
}

const nobody: Rights = { users: new Map(), executors: new Map(), models: new Map() };
const unnamed: ModelRights = { owner: LOCAL_USER, developers: [], users: [] };

const WRITABLE_FOR_ALL = 0o002;

/** Whether any user of the machine may change a file. It is true if nobody can know it. */
function isOpenToOthers(file: string): boolean {
  try {
    return process.platform !== 'win32' && (statSync(file).mode & WRITABLE_FOR_ALL) !== 0;
  } catch {
    return true;
  }
}
