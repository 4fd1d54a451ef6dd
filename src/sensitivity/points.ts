import { isNumericType } from '../api/index.ts';
import type { VariedInput } from '../campaign/types.ts';
import { GrowingArray } from './growing-array.ts';

/**
 * A table of points with a column of numbers for each input. Texts are replaced by numbers in the order of their first
 * appearance. A point has a row for each of its draws.
 */
export class PointTable {
  readonly inputs: readonly VariedInput[];
  readonly #columns: GrowingArray[];
  /** For each row, the number of earlier rows of the same point. */
  readonly #draws: GrowingArray;
  /** For each input that takes texts: the number of each text. */
  readonly #codes: (Map<string, number> | undefined)[];
  /** The hash table of `find`; undefined until it is needed. */
  #slots: Int32Array | undefined;
  /** The numbers of the row that is looked up, and the halves of their bits. */
  readonly #row: Float64Array;
  readonly #bits: Uint32Array;
  /** The number of rows. */
  length = 0;

  /** @param expected - the approximate number of points */
  constructor(inputs: readonly VariedInput[], expected?: number) {
    this.inputs = inputs;
    this.#columns = inputs.map(() => new GrowingArray(expected));
    this.#draws = new GrowingArray(expected);
    this.#codes = inputs.map(({ type }) =>
      isNumericType(type) || type === 'BOOLEAN' ? undefined : new Map<string, number>(),
    );
    this.#row = new Float64Array(inputs.length);
    this.#bits = new Uint32Array(this.#row.buffer);
  }

  /**
   * @param values - canonical, in the order of the inputs
   * @param draw - the number of earlier rows of the same point
   */
  add(values: readonly string[], draw = 0): void {
    this.#draws.push(draw);
    for (const [at, value] of values.entries()) this.#columns[at]!.push(this.#number(at, value, true));
    this.length += 1;
    this.#slots = undefined;
  }

  /** The values of an input. Texts are replaced by their numbers. */
  column(at: number): Float64Array {
    return this.#columns[at]!.values;
  }

  /** For each row, the number of earlier rows of the same point. */
  get draws(): Float64Array {
    return this.#draws.values;
  }

  /** The point of each row, and the number of points. The rows of a point follow each other. */
  pointsOfRows(): { pointOf: Uint32Array; count: number } {
    let count = 0;
    const pointOf = Uint32Array.from(this.draws, (draw) => {
      if (draw === 0) count += 1;
      return count - 1;
    });
    return { pointOf, count };
  }

  /** True for an input that takes texts. */
  isText(at: number): boolean {
    return this.#codes[at] !== undefined;
  }

  /** The number of a value of an input; NaN for a text that no point has. */
  numberOf(at: number, value: string): number {
    return this.#number(at, value, false);
  }

  /** The index of the first row with these values; -1 if there is none. */
  find(values: readonly string[]): number {
    this.#slots ??= this.#hashTable();
    for (const [at, value] of values.entries()) this.#row[at] = this.#number(at, value, false);
    for (let slot = this.#hash(); ; slot += 1) {
      const row = this.#slots[slot & (this.#slots.length - 1)]! - 1;
      if (row < 0 || this.#isAt(row)) return row;
    }
  }

  /** @param mayAdd - whether a text that no point has gets the next number; otherwise NaN */
  #number(at: number, value: string, mayAdd: boolean): number {
    const codes = this.#codes[at];
    if (!codes) return value === 'true' ? 1 : value === 'false' ? 0 : Number(value);
    const code = codes.get(value);
    if (code !== undefined) return code;
    if (!mayAdd) return NaN;
    codes.set(value, codes.size);
    return codes.size - 1;
  }

  /** A hash table of the rows. Half or more of its slots are free. A slot has index + 1 of a row, or 0 if it is free. */
  #hashTable(): Int32Array {
    const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * this.length + 2)));
    const columns = this.#columns.map(({ values }) => values);
    for (let row = 0; row < this.length; row += 1) {
      for (const [at, column] of columns.entries()) this.#row[at] = column[row]!;
      let slot = this.#hash();
      while (slots[slot & (slots.length - 1)] !== 0) slot += 1;
      slots[slot & (slots.length - 1)] = row + 1;
    }
    return slots;
  }

  /** A hash of the row that is looked up, in the manner of MurmurHash3. */
  #hash(): number {
    let hash = 0x9e3779b9;
    for (const half of this.#bits) {
      hash = Math.imul(hash ^ half, 0x85ebca6b);
      hash ^= hash >>> 15;
    }
    return hash >>> 1;
  }

  #isAt(row: number): boolean {
    return this.#columns.every(({ values }, at) => values[row] === this.#row[at]);
  }
}
