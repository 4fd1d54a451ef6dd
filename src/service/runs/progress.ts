/** The progress of executing runs: the finished share of each run, from 0 to 1. */
export class Progress {
  readonly #shares = new Map<string, number>();
  /** The finished shares that other services of the database know. */
  #elsewhere: ReadonlyMap<string, number> = new Map();

  /** The finished share of a run; 0 for an unknown run. */
  of(runId: string): number {
    return this.#shares.get(runId) ?? this.#elsewhere.get(runId) ?? 0;
  }

  note(runId: string, fraction: number): void {
    this.#shares.set(runId, fraction);
  }

  /** The finished shares that this service knows, by run. */
  known(): ReadonlyMap<string, number> {
    return this.#shares;
  }

  /** Sets the finished shares that the other services know now, by run. */
  noteElsewhere(shares: ReadonlyMap<string, number>): void {
    this.#elsewhere = shares;
  }

  /** Removes the share of an execution that has ended. */
  end(runId: string): void {
    this.#shares.delete(runId);
  }
}
