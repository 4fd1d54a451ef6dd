/** Numbers that are added one by one, 8 bytes each. */
export class Growing {
  #numbers = new Float64Array(256);
  length = 0;

  push(value: number): void {
    if (this.length === this.#numbers.length) {
      const larger = new Float64Array(2 * this.length);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[this.length] = value;
    this.length += 1;
  }

  /** The numbers so far; not to be kept while more are added. */
  get values(): Float64Array {
    return this.#numbers.subarray(0, this.length);
  }
}
