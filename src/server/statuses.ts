import { setTimeout as delay } from 'node:timers/promises';
import type { CampaignStatus, Foray } from '../client/index.ts';

/** How long viewers share one status, ms. */
const SHARED = 1_000;
/** How old a status of `lately` may be before it is asked for again, ms. */
const LATE = 5_000;
/** How long `lately` keeps the status of a campaign that nobody asks for, ms. */
const KEPT = 50_000;
/** How long a page waits for a status, ms. */
const PATIENCE = 60;

/**
 * The statuses of campaigns. A status costs a request to the campaign's worker, so all viewers share a status for a
 * second.
 */
export class Statuses {
  readonly #foray: Pick<Foray, 'status' | 'storedStatus' | 'hasOpenChange'>;
  readonly #known = new Map<string, { asked: number; status: Promise<CampaignStatus> }>();
  /** The statuses of `lately`; undefined before the first one has come. */
  readonly #late = new Map<string, { asked: number; status: CampaignStatus | undefined }>();
  /** Whether closed campaigns have a change that is not made yet. */
  readonly #changes = new Map<string, { asked: number; isChanging: Promise<boolean> }>();

  constructor(foray: Pick<Foray, 'status' | 'storedStatus' | 'hasOpenChange'>) {
    this.#foray = foray;
  }

  /**
   * Asks for a status now. Later viewers get this status or a newer status.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  now(id: string): Promise<CampaignStatus> {
    dropOld(this.#known, SHARED);
    const status = this.#foray.status(id);
    this.#known.set(id, { asked: performance.now(), status });
    return status;
  }

  /** A status that is at most a second old. @throws ForayError UNKNOWN_CAMPAIGN */
  recent(id: string): Promise<CampaignStatus> {
    const known = this.#known.get(id);
    return known && performance.now() - known.asked < SHARED ? known.status : this.now(id);
  }

  /**
   * A status for a page, which must not wait for a slow worker or model service. Without their answer in time, the status
   * is that of the store, and `isWhole` is false.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async soon(id: string): Promise<{ status: CampaignStatus; isWhole: boolean }> {
    const whole = this.now(id).then((status) => ({ status, isWhole: true }));
    const late = delay(PATIENCE).then(() => undefined);
    // the campaign may be deleted later
    whole.catch(() => undefined);
    const found = await Promise.race([whole, late]);
    return found ?? { status: await this.#foray.storedStatus(id), isWhole: false };
  }

  /**
   * Whether a closed campaign has a change that is not made yet. A page does not wait long for Temporal: without its answer
   * in time, it is false.
   */
  async isChanging(id: string): Promise<boolean> {
    dropOld(this.#changes, SHARED);
    let known = this.#changes.get(id);
    if (!known) {
      // the campaign may have been deleted
      const isChanging = this.#foray.hasOpenChange(id).catch(() => false);
      known = { asked: performance.now(), isChanging };
      this.#changes.set(id, known);
    }
    return Promise.race([known.isChanging, delay(PATIENCE).then(() => false)]);
  }

  /** The last status that this method got, without waiting for another one. It asks again if the status is old. */
  lately(id: string): CampaignStatus | undefined {
    dropOld(this.#late, KEPT);
    const known = this.#late.get(id);
    if (!known || performance.now() - known.asked > LATE) {
      const late = { asked: performance.now(), status: known?.status };
      this.#late.set(id, late);
      this.recent(id).then(
        (status) => (late.status = status),
        // a deleted campaign is no longer asked about
        () => undefined,
      );
    }
    return known?.status;
  }
}

/** Drops the entries that were asked for longer than `age` ago, ms. */
function dropOld(entries: Map<string, { asked: number }>, age: number): void {
  for (const [id, { asked }] of entries) if (performance.now() - asked > age) entries.delete(id);
}
