import type { ResultRow } from '../../store/index.ts';
import { numberIn } from '../../api/index.ts';
import { isLower } from '../../statistics/chance.ts';

/**
 * Keeps the items with the lowest scores, the lowest first. If scores are equal except for rounding, it keeps the
 * items that were added first.
 */
export class Lowest<Item> {
  readonly #kept: { item: Item; score: number }[] = [];
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  add(item: Item, score: number): void {
    const isFull = this.#kept.length >= this.#size;
    // the usual case: the score is not among the lowest
    if (isFull && !isLower(score, this.#kept.at(-1)?.score ?? -Infinity)) return;
    const next = this.#kept.findIndex((kept) => isLower(score, kept.score));
    this.#kept.splice(next < 0 ? this.#kept.length : next, 0, { item, score });
    this.#kept.length = Math.min(this.#kept.length, this.#size);
  }

  get items(): Item[] {
    return this.#kept.map(({ item }) => item);
  }
}

/** Finds the `count` runs with the lowest values of an output, the lowest first. Runs without a value are left out. */
export async function bestRows(
  rows: AsyncIterable<ResultRow>,
  output: string,
  count: number,
): Promise<ResultRow[]> {
  const lowest = new Lowest<ResultRow>(count);
  for await (const row of rows) {
    const value = row.status === 'done' ? numberIn(row.outputs[output]) : undefined;
    if (value !== undefined) lowest.add(row, value);
  }
  return lowest.items;
}
