import type { Model } from '../../api/resources.ts';
import { notPermitted, ServiceError } from '../errors.ts';
import type { Access } from '../access.ts';
import type { ModelRegistry } from '../models/registry.ts';

/**
 * The models and versions that a user may use (specification 5). Requests for other models get the same answer as
 * requests for unknown models, so that nobody can detect a private model.
 */
export class ModelAccess {
  readonly #registry: ModelRegistry;
  readonly #access: Access;

  constructor(registry: ModelRegistry, access: Access) {
    this.#registry = registry;
    this.#access = access;
  }

  models(user: string): Model[] {
    return this.#registry.models().filter((model) => this.#access.mayUse(user, model));
  }

  /** Whether a key still gives access to a version, after the key file may have changed. */
  admits(keyHash: string, versionId: string): boolean {
    const client = this.#access.clientOf(keyHash);
    const { modelId } = this.#registry.version(versionId);
    return client !== undefined && this.#access.mayUse(client.name, this.#registry.model(modelId));
  }

  /** Whether a user may add versions to a model of this name. */
  mayChange(user: string, name: string): boolean {
    return this.#access.mayChange(user, { name });
  }

  /** @throws ServiceError NOT_PERMITTED */
  checkMayPush(user: string): void {
    if (!this.#access.mayPush(user))
      throw new ServiceError('NOT_PERMITTED', `${user} is neither the owner nor a developer of any model.`);
  }

  /** @throws ServiceError NOT_PERMITTED */
  checkMayChange(user: string, model: Pick<Model, 'name'>): void {
    if (!this.#access.mayChange(user, model)) throw notPermitted(model.name);
  }

  /** @throws ServiceError UNKNOWN_MODEL */
  modelByName(user: string, name: string): Model {
    const model = this.#registry.modelByName(name);
    if (!this.#access.mayUse(user, model))
      throw new ServiceError('UNKNOWN_MODEL', `There is no model with the name "${name}".`);
    return model;
  }

  /**
   * Checks that the user may use the model and the version in the path of a request. This is enough for runs, results
   * and progress, because they belong to a version, and the version to a model.
   *
   * @throws ServiceError UNKNOWN_MODEL, UNKNOWN_VERSION
   */
  check(user: string, { modelId, versionId }: { modelId?: string; versionId?: string }): void {
    if (modelId !== undefined && !this.#access.mayUse(user, this.#registry.model(modelId))) {
      throw new ServiceError('UNKNOWN_MODEL', `There is no model with the id ${modelId}.`);
    }
    if (versionId === undefined) return;
    const model = this.#registry.model(this.#registry.version(versionId).modelId);
    if (!this.#access.mayUse(user, model)) {
      throw new ServiceError('UNKNOWN_VERSION', `There is no model version with the id ${versionId}.`);
    }
  }
}
