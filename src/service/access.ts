import type { Model } from '../api/resources.ts';
import { nameKey } from '../api/values.ts';
import { ForayError } from '../errors.ts';
import { type KeyFile, LOCAL_USER, type ModelRights } from '../keys/file.ts';
import { hashOf } from '../keys/hash.ts';
import { mayDo } from '../keys/roles.ts';
import { type Holder, WatchedKeys } from '../keys/watched-keys.ts';

export interface Caller {
  user: string;
  /** SHA-256 of the key in the request. */
  keyHash: string;
}

export interface AccessOptions {
  file: string;
  /** Whether the file must exist at the start. */
  required: boolean;
  /** A further key of the local user, which is not in the file. It is valid while this service runs. */
  localKey: string | undefined;
  /** Names of all models that the service currently knows. */
  models: () => readonly string[];
  /** Called with a line when the file becomes invalid while the service runs. */
  onFault: (line: string) => void;
}

const WRITABLE_FOR_ALL = 0o002;
/** The permissions for a model that the key file does not name. */
const UNNAMED: ModelRights = { owner: LOCAL_USER, developers: [], users: [] };

/** Keys and permissions of the model service (specification 5), from the key file. */
export class Access {
  readonly #localHash: string | undefined;
  readonly #keys: WatchedKeys;
  #models = new Map<string, ModelRights>();

  /** @throws ForayError KEYS_INVALID */
  constructor({ file, required, localKey, models, onFault }: AccessOptions) {
    this.#localHash = localKey === undefined ? undefined : hashOf(localKey);
    const use = (content: KeyFile): void => void (this.#models = rightsIn(content, models()));
    this.#keys = new WatchedKeys({ file, required, tooOpen: WRITABLE_FOR_ALL, use, onFault });
  }

  /** A text that is the same for services with the same content of the key file and the same local key. */
  fingerprint(): string {
    return hashOf(JSON.stringify([this.#keys.text(), this.#localHash ?? null]));
  }

  /** The holder of a key; undefined for an unknown key. */
  holderOf(keyHash: string): Holder | undefined {
    return keyHash === this.#localHash ? { name: LOCAL_USER, role: 'steer' } : this.#keys.holderOf(keyHash);
  }

  /** The holder of a key with which a client may use models; undefined for any other key. */
  clientOf(keyHash: string): Holder | undefined {
    const holder = this.holderOf(keyHash);
    return mayDo(holder?.role, 'steer') ? holder : undefined;
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
    return isOwnerOrDeveloper(user, this.#rightsTo(model));
  }

  /** Whether a user may change at least one model, and so run code of their own on the machine of the service. */
  mayPush(user: string): boolean {
    return (
      user === LOCAL_USER || [...this.#models.values()].some((rights) => isOwnerOrDeveloper(user, rights))
    );
  }

  #rightsTo({ name }: Pick<Model, 'name'>): ModelRights {
    return this.#models.get(nameKey(name)) ?? UNNAMED;
  }
}

function isOwnerOrDeveloper(user: string, { owner, developers }: ModelRights): boolean {
  return user === owner || developers.includes(user);
}

/** The permissions for models, by the key of each name. @throws ForayError KEYS_INVALID */
function rightsIn({ models, locate }: KeyFile, names: readonly string[]): Map<string, ModelRights> {
  const known = new Set(names.map(nameKey));
  const rights = new Map<string, ModelRights>();
  for (const [name, access] of Object.entries(models)) {
    const key = nameKey(name);
    let why: string | undefined;
    if (!known.has(key)) why = 'The service has no model of this name.';
    if (rights.has(key)) why = 'The model appears twice.';
    if (why) throw new ForayError('KEYS_INVALID', why, { place: locate(['models', name], 'key') });
    rights.set(key, access);
  }
  return rights;
}
