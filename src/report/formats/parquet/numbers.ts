import * as typed from '../typed.ts';
import { ColumnValues, type Encoded } from './column-values.ts';

/** Numbers of `width` bytes each, little-endian. */
abstract class Numbers<Value extends number | bigint> extends ColumnValues {
  protected readonly view: DataView;
  readonly #width: number;
  protected min: Value | undefined;
  protected max: Value | undefined;

  constructor(width: number, most: number) {
    super(most);
    this.#width = width;
    this.view = new DataView(new ArrayBuffer(width * most));
  }

  override clear(): void {
    super.clear();
    this.min = this.max = undefined;
  }

  encoded(): Encoded {
    const bounds = {
      ...(this.min !== undefined && { min_value: this.min }),
      ...(this.max !== undefined && { max_value: this.max }),
    };
    return { values: new Uint8Array(this.view.buffer, 0, this.offset), count: this.count, bounds };
  }

  /** The offset of the next value, in bytes. */
  protected get offset(): number {
    return this.count * this.#width;
  }

  protected bound(value: Value): void {
    if (this.min === undefined || value < this.min) this.min = value;
    if (this.max === undefined || value > this.max) this.max = value;
  }
}

export class Doubles extends Numbers<number> {
  #nans = 0;

  constructor(most: number) {
    super(8, most);
  }

  override clear(): void {
    super.clear();
    this.#nans = 0;
  }

  override encoded(): Encoded {
    const { bounds = {}, ...encoded } = super.encoded();
    // the format requires that bounds ignore NaN, and that a bound of zero includes both -0 and +0
    if (this.min === 0) bounds.min_value = -0;
    if (this.max === 0) bounds.max_value = 0;
    return { ...encoded, bounds: { ...bounds, nan_count: BigInt(this.#nans) } };
  }

  protected put(cell: string): boolean {
    const value = typed.doubleIn(cell);
    if (value === undefined) return false;
    this.view.setFloat64(this.offset, value, true);
    if (Number.isNaN(value)) this.#nans++;
    else this.bound(value);
    return true;
  }
}

export class Integers extends Numbers<number> {
  constructor(most: number) {
    super(4, most);
  }

  protected put(cell: string): boolean {
    const value = typed.integerIn(cell);
    if (value === undefined) return false;
    this.view.setInt32(this.offset, value, true);
    this.bound(value);
    return true;
  }
}

export class Longs extends Numbers<bigint> {
  readonly #read: (cell: string) => bigint | undefined;

  constructor(read: (cell: string) => bigint | undefined, most: number) {
    super(8, most);
    this.#read = read;
  }

  protected put(cell: string): boolean {
    const value = this.#read(cell);
    if (value === undefined) return false;
    this.view.setBigInt64(this.offset, value, true);
    this.bound(value);
    return true;
  }
}

/** Booleans as one bit per value, the lowest bit of a byte first. */
export class Booleans extends ColumnValues {
  readonly #bits: Uint8Array;
  #trues = 0;

  constructor(most: number) {
    super(most);
    this.#bits = new Uint8Array(Math.ceil(most / 8));
  }

  override clear(): void {
    super.clear();
    this.#bits.fill(0);
    this.#trues = 0;
  }

  encoded(): Encoded {
    const { count } = this;
    const bounds = { min_value: this.#trues === count, max_value: this.#trues > 0 };
    const values = this.#bits.subarray(0, Math.ceil(count / 8));
    return { values, count, bounds: count === 0 ? {} : bounds };
  }

  protected put(cell: string): boolean {
    const value = typed.booleanIn(cell);
    if (value === undefined) return false;
    if (value) {
      this.#bits[this.count >> 3]! |= 1 << (this.count & 7);
      this.#trues++;
    }
    return true;
  }
}
