import { causeOf } from '../campaign/failures.ts';
import type { ResultRow } from '../store/index.ts';

/** Failed runs of one cause, with the first one as a sample. */
export interface FailureGroup {
  cause: string;
  count: number;
  sample: Pick<ResultRow, 'point' | 'values' | 'reason'> | null;
}

/** The most separate causes: some services put a different name into every reason. */
const MOST_CAUSES = 1_000;

/** Counts failed runs by cause: the common part of reasons that differ only in numbers and ids. */
export class Failures {
  readonly #groups = new Map<string, FailureGroup>();
  readonly #others: FailureGroup = { cause: 'other causes', count: 0, sample: null };

  add({ reason, point, values }: ResultRow): void {
    const cause = causeOf(reason ?? 'no reason given');
    let group = this.#groups.get(cause);
    if (!group && this.#groups.size >= MOST_CAUSES) group = this.#others;
    if (!group) this.#groups.set(cause, (group = { cause, count: 0, sample: { point, values, reason } }));
    group.count += 1;
  }

  /** The most frequent causes first, at most `most`; all others are one group. */
  top(most: number): FailureGroup[] {
    const groups = [...this.#groups.values()].sort((a, b) => b.count - a.count);
    const rest = groups.slice(most).reduce((sum, { count }) => sum + count, this.#others.count);
    return [...groups.slice(0, most), ...(rest > 0 ? [{ ...this.#others, count: rest }] : [])];
  }
}
