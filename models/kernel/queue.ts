/** A queue, first in, first out, in a ring buffer that grows by doubling. Both ends have constant cost. */
export class Queue<T> {
  /** Number of items. */
  length = 0;
  #ring: (T | undefined)[] = new Array<undefined>(16);
  #head = 0;

  /** Adds an item at the end. */
  push(item: T): void {
    if (this.length === this.#ring.length) this.#grow();
    this.#ring[(this.#head + this.length) & (this.#ring.length - 1)] = item;
    this.length++;
  }

  /** The first item, which stays in the queue; undefined when the queue is empty. */
  peek(): T | undefined {
    return this.#ring[this.#head];
  }

  /** Removes the first item and returns it; undefined when the queue is empty. */
  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.#ring[this.#head];
    this.#ring[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#ring.length - 1);
    this.length--;
    return item;
  }

  #grow(): void {
    const ring = this.#ring;
    const head = this.#head;
    this.#ring = [...ring.slice(head), ...ring.slice(0, head), ...new Array<undefined>(ring.length)];
    this.#head = 0;
  }
}
