/** The finished shares of executing runs, 0 to 1. */
export class Progress {
  readonly #shares = new Map<string, number>();
  /** What other services of the database have heard. */
  #elsewhere: ReadonlyMap<string, number> = new Map();

  /** 0 for a run of which nothing is known. */
  of(runId: string): number {
    return this.#shares.get(runId) ?? this.#elsewhere.get(runId) ?? 0;
  }

  note(runId: string, fraction: number): void {
    this.#shares.set(runId, fraction);
  }

  /** What this service has heard, by run. */
  heard(): ReadonlyMap<string, number> {
    return this.#shares;
  }

  /** What the others have heard now, by run. */
  noteElsewhere(shares: ReadonlyMap<string, number>): void {
    this.#elsewhere = shares;
  }

  /** The execution has ended. */
  end(runId: string): void {
    this.#shares.delete(runId);
  }
}
