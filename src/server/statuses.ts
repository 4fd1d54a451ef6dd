import type { CampaignStatus, Foray } from '../client/index.ts';

/** How long viewers share one status, ms. */
const SHARED = 1_000;

/**
 * The statuses of campaigns. A status costs a request to the campaign's worker, so all viewers share a status for a
 * second.
 */
export class Statuses {
  readonly #foray: Pick<Foray, 'status'>;
  readonly #known = new Map<string, { asked: number; status: Promise<CampaignStatus> }>();

  constructor(foray: Pick<Foray, 'status'>) {
    this.#foray = foray;
  }

  /**
   * Asks for a status now. Later viewers get this status or a newer status.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  now(id: string): Promise<CampaignStatus> {
    for (const [other, { asked }] of this.#known)
      if (performance.now() - asked > SHARED) this.#known.delete(other);
    const status = this.#foray.status(id);
    this.#known.set(id, { asked: performance.now(), status });
    return status;
  }

  /**
   * A status that is at most a second old.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  recent(id: string): Promise<CampaignStatus> {
    const known = this.#known.get(id);
    return known && performance.now() - known.asked < SHARED ? known.status : this.now(id);
  }
}
