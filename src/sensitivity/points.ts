import { isNumericType } from '../api/index.ts';
import type { VariedInput } from '../campaign/types.ts';
import { GrowingArray } from './growing-array.ts';
import type { SampledRows } from './sampled-rows.ts';

/**
 * A table of points with a column of numbers for each input. Texts are replaced by numbers in the order of their first
 * appearance.
 */
export class PointTable {
  readonly inputs: readonly VariedInput[];
  readonly #columns: GrowingArray[];
  /** For each row, the number of earlier rows of the same point. A point has a row for each of its draws. */
  readonly #draws: GrowingArray;
  /** For each input that takes texts: the number of each text. */
  readonly #codes: (Map<string, number> | undefined)[];
  #slots: Int32Array | undefined;
  readonly #row: Float64Array;
  readonly #bits: Uint32Array;
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

  /** The point of each row: rows of the same point follow each other. */
  pointsOfRows(): SampledRows {
    let count = 0;
    const rowOf = Uint32Array.from(this.draws, (draw) => (draw === 0 ? (count += 1) : count) - 1);
    return { rowOf, count };
  }

  /** True for an input that takes texts. */
  isText(at: number): boolean {
    return this.#codes[at] !== undefined;
  }

  /** The number of a value of an input; NaN for a text that no point has. */
  numberOf(at: number, value: string): number {
    return this.#number(at, value, false);
  }

  /** The index of the point with these values; -1 if there is none. */
  find(values: readonly string[]): number {
    this.#slots ??= this.#index();
    for (const [at, value] of values.entries()) this.#row[at] = this.#number(at, value, false);
    for (let slot = this.#hash(); ; slot += 1) {
      const point = this.#slots[slot & (this.#slots.length - 1)]! - 1;
      if (point < 0 || this.#isAt(point)) return point;
    }
  }

  #number(at: number, value: string, isNew: boolean): number {
    const codes = this.#codes[at];
    if (!codes) return value === 'true' ? 1 : value === 'false' ? 0 : Number(value);
    const code = codes.get(value);
    if (code !== undefined) return code;
    if (!isNew) return NaN;
    codes.set(value, codes.size);
    return codes.size - 1;
  }

  /**
   * A hash table of the points. Half or more of its slots are free. A slot has index + 1 of a point, or 0 if it is
   * free.
   */
  #index(): Int32Array {
    const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * this.length + 2)));
    const columns = this.#columns.map(({ values }) => values);
    for (let point = 0; point < this.length; point += 1) {
      for (const [at, column] of columns.entries()) this.#row[at] = column[point]!;
      let slot = this.#hash();
      while (slots[slot & (slots.length - 1)] !== 0) slot += 1;
      slots[slot & (slots.length - 1)] = point + 1;
    }
    return slots;
  }

  #hash(): number {
    let hash = 0x9e3779b9;
    for (const half of this.#bits) {
      hash = Math.imul(hash ^ half, 0x85ebca6b);
      hash ^= hash >>> 15;
    }
    return hash >>> 1;
  }

  #isAt(point: number): boolean {
    return this.#columns.every(({ values }, at) => values[point] === this.#row[at]);
  }
}
