import type { FinishedRow } from '../store/index.ts';

/**
 * Which runs were told, and which of them as failed: two bits each, so a million are 250 KB.
 *
 * Failed runs are requested again all at once, in one statement, and nothing else makes of a finished run one that is not. So
 * one of those that were told as failed stands for all of them: while it is what it was, they are.
 */
export class Told {
  /** The seq after the last one that was told. */
  end = 0;
  private readonly all = new Bits();
  private readonly failed = new Bits();
  private witness: FinishedRow | undefined;
  /** Where the next look at those that were not told begins. */
  private next = 0;

  /** What is to be looked up with each question, so that its answer can be judged. */
  get witnesses(): number[] {
    return this.witness ? [this.witness.seq] : [];
  }

  /**
   * Takes in runs that have finished, as they were at one moment, the witness among what was asked for. Returns those that are
   * to be told.
   */
  take(runs: readonly FinishedRow[]): FinishedRow[] {
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

  /** Seqs before the end that were not told, from where the last look at them ended, so many at most. */
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

  /** All of them. */
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
