import type { Foray, ModelAtService } from '../client/index.ts';
import { isForayError } from '../errors.ts';
import type { Reachability } from './reachability.ts';

type Models = Awaited<ReturnType<Foray['models']>>;

/** The models of the service. If the service does not answer, these are the models of its last answer. */
export class KnownModels {
  readonly #foray: Pick<Foray, 'models' | 'model' | 'isAnimated'>;
  readonly #reachability: Reachability;
  /** The last answer for each model, by the name of the model. The entry '' is the last list of all models. */
  readonly #answers = new Map<string, unknown>();

  constructor(foray: Pick<Foray, 'models' | 'model' | 'isAnimated'>, reachability: Reachability) {
    this.#foray = foray;
    this.#reachability = reachability;
  }

  /** @throws ForayError SERVICE_UNREACHABLE if the service has given no answer so far */
  all(): Promise<Models> {
    return this.#known('', () => this.#foray.models());
  }

  /** @throws ForayError UNKNOWN_MODEL; SERVICE_UNREACHABLE if the service has given no answer so far */
  one(name: string): Promise<ModelAtService> {
    return this.#known(name, () => this.#foray.model(name));
  }

  /** Whether the service can animate runs of a version. It is true unless the service says the opposite at once. */
  async canAnimate(versionId: string): Promise<boolean> {
    try {
      const answer = await this.#reachability.whileThere(() => this.#foray.isAnimated(versionId), 0);
      return answer ?? true;
    } catch (error) {
      if (isForayError(error)) return true;
      throw error;
    }
  }

  async #known<T>(what: string, ask: () => Promise<T>): Promise<T> {
    try {
      // if there is an earlier answer, nobody waits for a silent service
      const patience = this.#answers.has(what) ? 0 : undefined;
      const answer = await this.#reachability.whileThere(ask, patience);
      this.#answers.set(what, answer);
      return answer;
    } catch (error) {
      const isSilent = isForayError(error) && error.code === 'SERVICE_UNREACHABLE';
      if (isSilent && this.#answers.has(what)) return this.#answers.get(what) as T;
      throw error;
    }
  }
}
