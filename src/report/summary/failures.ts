import { causeOf } from '../../campaign/failures.ts';
import type { ResultRow } from '../../store/index.ts';

/**
 * The failed runs of one cause. The sample is the first of these runs in the design; null for the group of all other
 * causes.
 */
export interface FailureGroup {
  cause: string;
  count: number;
  sample: Pick<ResultRow, 'point' | 'values' | 'reason'> | null;
}

/** The maximum number of causes that are counted one by one. Some services put a different name into every reason. */
const MOST_CAUSES = 1_000;

/** Counts failed runs by cause. A cause is the common part of reasons that differ only in numbers and ids. */
export class Failures {
  /** Groups by cause. `place` is the place of the sample in the design. */
  readonly #groups = new Map<string, FailureGroup & { place: number }>();
  readonly #others: FailureGroup = { cause: 'other causes', count: 0, sample: null };

  /** @param place - the place of the run in the design: later runs have larger numbers */
  add({ reason, point, values }: ResultRow, place: number): void {
    const cause = causeOf(reason ?? 'no reason given');
    const group = this.#groups.get(cause);
    if (!group && this.#groups.size >= MOST_CAUSES) {
      this.#others.count += 1;
      return;
    }
    const sample = { point, values, reason };
    if (!group) {
      this.#groups.set(cause, { cause, count: 1, sample, place });
      return;
    }
    group.count += 1;
    if (place < group.place) Object.assign(group, { sample, place });
  }

  /** At most `most` causes, the most frequent first. All other causes are one group. */
  top(most: number): FailureGroup[] {
    const groups = [...this.#groups.values()]
      .sort((a, b) => b.count - a.count || a.place - b.place)
      .map(({ cause, count, sample }): FailureGroup => ({ cause, count, sample }));
    const rest = groups.slice(most).reduce((sum, { count }) => sum + count, this.#others.count);
    return [...groups.slice(0, most), ...(rest > 0 ? [{ ...this.#others, count: rest }] : [])];
  }
}
