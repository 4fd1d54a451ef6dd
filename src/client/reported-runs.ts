import type { FinishedRow } from '../store/index.ts';

/**
 * Remembers which runs were reported, and which of them as failed. It uses two bits per run: 250 KB for a million runs.
 *
 * A retry resets all failed runs in one statement, and nothing else makes a finished run unfinished. So one failed run,
 * the witness, represents all: while the witness is unchanged, no run was reset.
 */
export class ReportedRuns {
  /** The seq after the last reported one. */
  end = 0;
  private readonly all = new Bits();
  private readonly failed = new Bits();
  private witness: FinishedRow | undefined;
  /** Where the next search for missing seqs begins. */
  private next = 0;

  /** The seqs to look up with each batch, so that {@link add} can see whether failed runs were reset. */
  get witnesses(): number[] {
    return this.witness ? [this.witness.seq] : [];
  }

  /**
   * Adds finished runs. The same statement must have read them and the witness.
   * @returns those that were not reported before
   */
  add(runs: readonly FinishedRow[]): FinishedRow[] {
    const { witness } = this;
    const isThere = ({ seq, row }: FinishedRow): boolean =>
      seq === witness?.seq && row.finishedAt === witness.row.finishedAt;
    if (witness && !runs.some(isThere)) this.forgetFailed();
    const news = runs.filter(({ seq }) => !this.all.has(seq));
    for (const run of news) {
      this.all.add(run.seq);
      this.end = Math.max(this.end, run.seq + 1);
      if (run.row.status !== 'failed') continue;
      this.failed.add(run.seq);
      this.witness ??= run;
    }
    return news;
  }

  /** Up to `most` seqs before the end that were not reported. It continues where the last call ended. */
  *missing(most: number): Generator<number> {
    let found = 0;
    while (this.next < this.end && found < most) {
      const seq = this.next++;
      if (this.all.has(seq)) continue;
      found += 1;
      yield seq;
    }
    if (this.next >= this.end) this.next = 0;
  }

  /** All seqs before the end that were not reported. */
  *allMissing(): Generator<number> {
    this.next = 0;
    yield* this.missing(Infinity);
  }

  private forgetFailed(): void {
    this.all.remove(this.failed);
    this.failed.clear();
    this.witness = undefined;
  }
}

/** A set of small whole numbers. */
class Bits {
  private bytes = new Uint8Array(1_024);

  has(number: number): boolean {
    return ((this.bytes[number >> 3] ?? 0) & (1 << (number & 7))) !== 0;
  }

  add(number: number): void {
    if (number >> 3 >= this.bytes.length) {
      const more = new Uint8Array(Math.max(2 * this.bytes.length, (number >> 3) + 1));
      more.set(this.bytes);
      this.bytes = more;
    }
    this.bytes[number >> 3]! |= 1 << (number & 7);
  }

  remove({ bytes }: Bits): void {
    for (const [at, byte] of bytes.entries()) if (byte !== 0) this.bytes[at]! &= ~byte;
  }

  clear(): void {
    this.bytes.fill(0);
  }
}
