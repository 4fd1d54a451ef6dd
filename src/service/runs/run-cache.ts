import { RecentMap } from './recent-map.ts';

/** The largest number of runs in the cache. Each needs about a kilobyte. */
const MOST = 10_000;

/**
 * A cache of runs, so that frequent requests (the progress of running runs, runs that many clients request) need no
 * query. Code that changes or adds a run must tell the cache. The cache does not keep a run that was read before the
 * last change of any run, because that run may have changed.
 */
export class RunCache<Run extends { id: string }> {
  readonly #byId = new RecentMap<string, Run>(MOST);
  /** The id of the newest run with an identity. */
  readonly #byIdentity = new RecentMap<string, string>(MOST);
  readonly #mayKeep: (run: Run) => boolean;
  #changes = 0;

  /** @param mayKeep - whether no other process can change a run in its current state */
  constructor(mayKeep: (run: Run) => boolean) {
    this.#mayKeep = mayKeep;
  }

  get changes(): number {
    return this.#changes;
  }

  get(id: string): Run | undefined {
    return this.#byId.get(id);
  }

  /** The id of the newest run with an identity, if it is in the cache. */
  newest(identity: string): string | undefined {
    return this.#byIdentity.get(identity);
  }

  /**
   * Keeps a run that was read.
   *
   * @param since - the number of changes before the run was read
   * @param identity - its identity, if the run is known to be the newest with it
   */
  note(run: Run, { since, identity }: { since: number; identity?: string }): void {
    if (since !== this.#changes || !this.#mayKeep(run)) return;
    this.#byId.set(run.id, run);
    if (identity !== undefined) this.#byIdentity.set(identity, run.id);
  }

  forget(id: string): void {
    this.#changes += 1;
    this.#byId.delete(id);
  }

  /** Adds a new run, which is from now on the newest with its identity. */
  add(run: Run, { since, identity }: { since: number; identity: string }): void {
    const isCurrent = since === this.#changes;
    this.#changes += 1;
    if (isCurrent) this.note(run, { since: this.#changes, identity });
    else this.#byIdentity.delete(identity);
  }

  /** Clears the cache, because runs were removed. */
  clear(): void {
    this.#changes += 1;
    this.#byId.clear();
    this.#byIdentity.clear();
  }
}
