import type { Measure } from '../../campaign/measures.ts';
import type { ResultRow } from '../../store/index.ts';

/** Stands for a replication that has not finished, although a later one has. No output has this number. */
export const UNFINISHED = Infinity;

/** The numbers of a point in one campaign. */
export interface PointNumbers {
  /** The key of the point in its own campaign. */
  point: string;
  /** The values of the inputs that the campaign varies. */
  values: readonly string[];
  /**
   * For each output, the values by replication, beginning with the first. A replication that failed or has no value is
   * NaN, and one that has not finished is {@link UNFINISHED}.
   */
  numbers: number[][];
}

/** Groups a stream of rows into points. Rows come in design order, so the rows of a point are adjacent. */
export async function* numbersOf(
  rows: AsyncIterable<ResultRow>,
  measures: readonly Measure[],
): AsyncIterable<PointNumbers> {
  let current: PointNumbers | undefined;
  for await (const row of rows) {
    if (current?.point !== row.point) {
      if (current) yield current;
      current = { point: row.point, values: row.values, numbers: measures.map(() => []) };
    }
    for (const [at, { read }] of measures.entries()) {
      const column = current.numbers[at]!;
      // a replication that has not finished has no row
      while (column.length < row.replication - 1) column.push(UNFINISHED);
      column.push(read(row.outputs) ?? NaN);
    }
  }
  if (current) yield current;
}

/** Holds the numbers of all points of a campaign, by key. All numbers are in one array, with 8 bytes per number. */
export class HeldNumbers {
  readonly #places = new Map<string, number>();
  readonly #starts: number[] = [];
  readonly #flat: number[] = [];
  readonly #outputs: number;

  constructor(outputs: number) {
    this.#outputs = outputs;
  }

  get size(): number {
    return this.#places.size;
  }

  has(key: string): boolean {
    return this.#places.has(key);
  }

  add(key: string, numbers: readonly number[][]): void {
    this.#places.set(key, this.#starts.length);
    this.#starts.push(this.#flat.length);
    for (const column of numbers) for (const value of column) this.#flat.push(value);
  }

  /** Removes and returns the numbers of a point. At the end, the points that nobody took remain. */
  take(key: string): number[][] | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    this.#places.delete(key);
    const start = this.#starts[place]!;
    const runs = ((this.#starts[place + 1] ?? this.#flat.length) - start) / this.#outputs;
    return Array.from({ length: this.#outputs }, (_, at) =>
      this.#flat.slice(start + at * runs, start + (at + 1) * runs),
    );
  }
}
