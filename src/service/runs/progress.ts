/** The finished shares of executing runs, 0 to 1. They are only in memory. */
export class Progress {
  readonly #shares = new Map<string, number>();

  /** 0 for a run of which nothing is known. */
  of(runId: string): number {
    return this.#shares.get(runId) ?? 0;
  }

  note(runId: string, fraction: number): void {
    this.#shares.set(runId, fraction);
  }

  /** The execution has ended. */
  end(runId: string): void {
    this.#shares.delete(runId);
  }
}
