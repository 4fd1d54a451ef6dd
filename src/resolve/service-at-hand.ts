import type { Campaign } from '../campaign/types.ts';
import { versionOf } from '../campaign/versions.ts';
import { type CloudClient, isCloudError } from '../cloud/index.ts';

/** For how long a service at an address is taken to be the one that it was, ms. */
const TRUSTED_MS = 10_000;

/** What is known of a campaign at its service, where that is written down. */
export interface Belongings {
  /** A run that the campaign has at its service, if it knows of any. */
  knownRun(id: string): Promise<{ runId: string; version: number | null } | undefined>;
  setService(id: string, serviceId: string): Promise<void>;
}

/** The model service that a client or a worker talks to, and which campaigns are its own. */
export class ServiceAtHand {
  /** Where it is now: its root address. */
  readonly url: string;
  private readonly cloud: CloudClient;
  private known: { identity: string | undefined; until: number } | undefined;
  private asking: Promise<string | undefined> | undefined;

  constructor(cloud: CloudClient, url: string) {
    this.cloud = cloud;
    this.url = url;
  }

  /** The UUID of the service; undefined of a host that tells none, whose identity is its address, and of one that is silent. */
  async identity(): Promise<string | undefined> {
    try {
      return await this.ask();
    } catch (error) {
      if (isCloudError(error)) return undefined;
      throw error;
    }
  }

  /**
   * Whether a campaign belongs to this service.
   *
   * Of an earlier campaign only the address is known. It belongs to what is at that address now, as it always did. It also
   * belongs to a service at another port of this machine that knows a run of it: run ids are random, while models and versions
   * have the same ids on every service. A campaign without a run has nothing at any service, so it may go on at either. From
   * then on the campaign has the identity of the service.
   *
   * A service that does not answer at the address of the campaign is taken for its own: it cannot be harmed.
   *
   * @throws CloudError while the service does not answer at another address
   */
  async has(campaign: Campaign, belongings: Belongings): Promise<boolean> {
    const isHere = this.isAt(campaign);
    const { serviceId } = campaign;
    // nothing is asked where no answer would count
    if (serviceId === undefined && !isHere && !(isLoopback(campaign.service) && isLoopback(this.url)))
      return false;
    let identity: string | undefined;
    try {
      identity = await this.ask();
    } catch (error) {
      if (isHere && isCloudError(error)) return true;
      throw error;
    }
    if (serviceId !== undefined) return serviceId === identity;
    if (identity === undefined) return isHere;
    if (!isHere && !(await this.hasMoved(campaign, belongings))) return false;
    await belongings.setService(campaign.id, identity);
    return true;
  }

  /** Whether this is the address of the campaign, whoever is there now. */
  isAt(campaign: Campaign): boolean {
    return campaign.service === this.url;
  }

  /** While the service is silent it is the one that it was; a CloudError when it has never answered. */
  private async ask(): Promise<string | undefined> {
    if (this.known && performance.now() < this.known.until) return this.known.identity;
    this.asking ??= this.cloud.identity().finally(() => {
      this.asking = undefined;
    });
    try {
      const identity = await this.asking;
      this.known = { identity, until: performance.now() + TRUSTED_MS };
      return identity;
    } catch (error) {
      if (!this.known || !isCloudError(error)) throw error;
      return this.known.identity;
    }
  }

  /** Whether an earlier campaign was at this service while that listened at another port. */
  private async hasMoved(campaign: Campaign, belongings: Belongings): Promise<boolean> {
    const run = await belongings.knownRun(campaign.id);
    if (!run) return true;
    try {
      await this.cloud.getProgress(versionOf(campaign, run.version).versionId, run.runId);
      return true;
    } catch (error) {
      if (isCloudError(error) && (error.kind === 'not-found' || error.kind === 'refused')) return false;
      throw error;
    }
  }
}

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}
