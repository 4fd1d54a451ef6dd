import { RecentMap } from './recent-map.ts';

/** Most runs that are kept; each takes about a kilobyte. */
const MOST = 10_000;

/**
 * A cache of runs, so that frequent requests (the progress of running runs, runs that many clients request) need no
 * query. Code that changes or adds a run must tell the cache.
 */
export class RunCache<Run extends { id: string }> {
  readonly #byId = new RecentMap<string, Run>(MOST);
  /** The id of the run that answers for an identity. */
  readonly #byIdentity = new RecentMap<string, string>(MOST);

  get(id: string): Run | undefined {
    return this.#byId.get(id);
  }

  /** The id of the newest run of an identity. */
  newest(identity: string): string | undefined {
    return this.#byIdentity.get(identity);
  }

  /** @param identity - if the run is known to answer for this identity */
  note(run: Run, identity?: string): void {
    this.#byId.set(run.id, run);
    if (identity !== undefined) this.#byIdentity.set(identity, run.id);
  }

  /** The run has changed. */
  forget(id: string): void {
    this.#byId.delete(id);
  }

  /** Clears the cache, because a noted change may have been rolled back. */
  clear(): void {
    this.#byId.clear();
    this.#byIdentity.clear();
  }
}
