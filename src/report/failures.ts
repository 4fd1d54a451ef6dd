import type { ResultRow } from '../store/index.ts';

/** Failed runs of one reason, with the first one's point as a sample. */
export interface FailureGroup {
  reason: string;
  count: number;
  sample: Pick<ResultRow, 'point' | 'values' | 'replication'> | null;
}

/** Reasons told apart: some services put a number of their own into every one. */
const MOST_REASONS = 1_000;

/** Counts failed runs by reason. */
export class Failures {
  readonly #groups = new Map<string, FailureGroup>();
  readonly #others: FailureGroup = { reason: 'other reasons', count: 0, sample: null };

  add({ reason, point, values, replication }: ResultRow): void {
    const text = reason ?? 'no reason given';
    let group = this.#groups.get(text);
    if (!group && this.#groups.size >= MOST_REASONS) group = this.#others;
    if (!group)
      this.#groups.set(text, (group = { reason: text, count: 0, sample: { point, values, replication } }));
    group.count += 1;
  }

  /** The commonest reasons first, at most `most`; the rest is one group. */
  top(most: number): FailureGroup[] {
    const groups = [...this.#groups.values()].sort((a, b) => b.count - a.count);
    const rest = groups.slice(most).reduce((sum, { count }) => sum + count, this.#others.count);
    return [...groups.slice(0, most), ...(rest > 0 ? [{ ...this.#others, count: rest }] : [])];
  }
}
