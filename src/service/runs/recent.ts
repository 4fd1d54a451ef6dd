import { RecentMap } from './recent-map.ts';

/** Most runs that are kept; each takes about a kilobyte. */
const MOST = 10_000;

/**
 * Runs as they were last read, so that what is asked for again and again (the progress of runs under way, runs that many
 * request) costs no query. Whoever changes a run, or adds one, says so here.
 */
export class RecentRuns<Run extends { id: string }> {
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

  /** @param identity - where the run is known to be the one that answers for it */
  note(run: Run, identity?: string): void {
    this.#byId.set(run.id, run);
    if (identity !== undefined) this.#byIdentity.set(identity, run.id);
  }

  /** The run has changed. */
  forget(id: string): void {
    this.#byId.delete(id);
  }

  /** What was noted may never have come to be. */
  clear(): void {
    this.#byId.clear();
    this.#byIdentity.clear();
  }
}
