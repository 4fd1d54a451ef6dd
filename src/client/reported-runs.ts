import type { FinishedRow } from '../store/index.ts';

/**
 * Remembers which runs were reported, by seq (the number of a run in its campaign), and when the failed runs finished.
 * An object of this class needs one bit per run, and one entry of a map per failed run.
 *
 * A retry requests failed runs again. No other finished run becomes unfinished. So reported failures are looked up
 * again from time to time.
 */
export class ReportedRuns {
  /** The seq after the highest reported seq. */
  end = 0;
  readonly #all = new Bits();
  /** The time at which a failed run finished, by seq. The runs that were looked up most recently are last. */
  readonly #failed = new Map<number, number | null>();
  /** Where the next search for missing seqs begins. */
  #next = 0;

  /**
   * Adds finished runs.
   *
   * @param runs - the finished runs among those that were looked up
   * @param seqs - all runs that were looked up
   * @returns the finished runs that were not reported before
   */
  add(runs: readonly FinishedRow[], seqs: readonly number[]): FinishedRow[] {
    this.#forgetRetried(runs, seqs);
    const news = runs.filter(({ seq }) => !this.#all.has(seq));
    for (const { seq, row } of news) {
      this.#all.add(seq);
      this.end = Math.max(this.end, seq + 1);
      if (row.status === 'failed') this.#failed.set(seq, row.finishedAt);
    }
    return news;
  }

  /** Up to `most` seqs that were reported as failed, beginning with those that were looked up longest ago. */
  failures(most: number): number[] {
    return [...this.#failed.keys().take(most)];
  }

  /** Up to `most` seqs below `end` that were not reported. Each call continues where the last call ended. */
  *missing(most: number): Generator<number> {
    let found = 0;
    while (this.#next < this.end && found < most) {
      const seq = this.#next++;
      if (this.#all.has(seq)) continue;
      found += 1;
      yield seq;
    }
    if (this.#next >= this.end) this.#next = 0;
  }

  /** All seqs below `end` that were not reported. */
  *allMissing(): Generator<number> {
    this.#next = 0;
    yield* this.missing(Infinity);
  }

  #forgetRetried(runs: readonly FinishedRow[], seqs: readonly number[]): void {
    const times = new Map(runs.map(({ seq, row }) => [seq, row.finishedAt]));
    for (const seq of seqs) {
      const finishedAt = this.#failed.get(seq);
      if (finishedAt === undefined) continue;
      this.#failed.delete(seq);
      // a run that did not change goes to the end of the map
      if (times.get(seq) === finishedAt) this.#failed.set(seq, finishedAt);
      else this.#all.remove(seq);
    }
  }
}

/** A set of small whole numbers. */
class Bits {
  #bytes = new Uint8Array(1_024);

  has(number: number): boolean {
    return ((this.#bytes[number >> 3] ?? 0) & (1 << (number & 7))) !== 0;
  }

  add(number: number): void {
    if (number >> 3 >= this.#bytes.length) {
      const more = new Uint8Array(Math.max(2 * this.#bytes.length, (number >> 3) + 1));
      more.set(this.#bytes);
      this.#bytes = more;
    }
    this.#bytes[number >> 3]! |= 1 << (number & 7);
  }

  remove(number: number): void {
    this.#bytes[number >> 3]! &= ~(1 << (number & 7));
  }
}
