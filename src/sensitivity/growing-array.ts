/** Numbers that are added one by one, 8 bytes each. */
export class GrowingArray {
  #numbers: Float64Array;
  length = 0;

  /** @param expected - the approximate final number, for which memory is reserved */
  constructor(expected = 256) {
    this.#numbers = new Float64Array(Math.max(1, expected));
  }

  push(value: number): void {
    if (this.length === this.#numbers.length) {
      const larger = new Float64Array(2 * this.length);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[this.length] = value;
    this.length += 1;
  }

  /** The numbers so far. After a further `push`, the returned array may be out of date. */
  get values(): Float64Array {
    return this.#numbers.subarray(0, this.length);
  }
}
