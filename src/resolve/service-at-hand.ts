import type { Campaign } from '../campaign/types.ts';
import { type CloudClient, CloudError, isCloudError } from '../cloud/index.ts';

/** How long a known identity of the service is trusted, ms. */
const TRUSTED_MS = 10_000;
/**
 * How long the UUID of the service stays known while the answers of `/health` have no UUID, ms. A proxy may answer with
 * a page of its own for a moment.
 */
const KEPT_MS = 30_000;

/** The model service that a client or a worker talks to. It tells which campaigns belong to this service. */
export class ServiceAtHand {
  /** The root address of the service. */
  readonly url: string;
  readonly #cloud: CloudClient;
  #known: { identity: string | undefined; until: number } | undefined;
  /** The time since which the answers have no UUID although one is known. */
  #strangeSince: number | undefined;
  #asking: Promise<string | undefined> | undefined;

  constructor(cloud: CloudClient, url: string) {
    this.#cloud = cloud;
    this.url = url;
  }

  /**
   * The UUID of the service. Undefined for a host without a UUID, whose identity is its address, and for a service that
   * has not answered yet.
   */
  async identity(): Promise<string | undefined> {
    try {
      return await this.#ask();
    } catch (error) {
      if (isCloudError(error)) return undefined;
      throw error;
    }
  }

  /**
   * Whether a campaign belongs to this service: it has the UUID of this service, or, for a host without a UUID, its
   * address.
   *
   * If this service has the campaign's address and has never answered, the campaign counts as belonging to it. This
   * does no harm, because no request succeeds there.
   *
   * @throws CloudError if the campaign has another address than this service, and this service does not answer; or if
   *   the campaign's service has a UUID, and this service answers without one
   */
  async has(campaign: Campaign): Promise<boolean> {
    const isHere = this.isAt(campaign);
    const { serviceId } = campaign;
    if (serviceId === undefined) return isHere;
    let identity: string | undefined;
    try {
      identity = await this.#ask();
    } catch (error) {
      if (isHere && isCloudError(error)) return true;
      throw error;
    }
    if (identity === undefined) throw withoutUuid(this.url);
    return serviceId === identity;
  }

  /** Whether the campaign has this address. Another service may be there now. */
  isAt(campaign: Campaign): boolean {
    return campaign.service === this.url;
  }

  /**
   * Asks for the identity of the service, unless it has answered in the last `TRUSTED_MS`. If the service does not
   * answer, its last known identity is returned; a known UUID is also returned if its answers have had none for less
   * than `KEPT_MS`. Throws a CloudError if the service has never answered.
   */
  async #ask(): Promise<string | undefined> {
    if (this.#known && performance.now() < this.#known.until) return this.#known.identity;
    this.#asking ??= this.#cloud.identity().finally(() => {
      this.#asking = undefined;
    });
    try {
      const identity = await this.#asking;
      const now = performance.now();
      const isStrange = identity === undefined && this.#known?.identity !== undefined;
      this.#strangeSince = isStrange ? (this.#strangeSince ?? now) : undefined;
      if (this.#strangeSince !== undefined && now - this.#strangeSince < KEPT_MS)
        return this.#known?.identity;
      this.#known = { identity, until: now + TRUSTED_MS };
      return identity;
    } catch (error) {
      if (!this.#known || !isCloudError(error)) throw error;
      return this.#known.identity;
    }
  }
}

/** The error for a campaign whose service has a UUID. */
function withoutUuid(url: string): CloudError {
  return new CloudError(
    'malformed',
    `The answer of ${new URL(url).origin}/health has no UUID of a model service, so foray cannot tell whether this is the service of the campaign.`,
    { hint: 'A proxy in front of the service must forward /health.' },
  );
}
