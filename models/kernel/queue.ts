/** First in, first out, in a ring that grows by doubling: both ends at constant cost. */
export class Queue<T> {
  /** How many are in it. */
  length = 0;
  private ring: (T | undefined)[] = new Array<undefined>(16);
  private head = 0;

  /** Adds one at the end. */
  push(item: T): void {
    if (this.length === this.ring.length) this.grow();
    this.ring[(this.head + this.length) & (this.ring.length - 1)] = item;
    this.length++;
  }

  /** The first one, which stays; undefined when there is none. */
  peek(): T | undefined {
    return this.ring[this.head];
  }

  /** Takes the first one out; undefined when there is none. */
  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.ring[this.head];
    this.ring[this.head] = undefined;
    this.head = (this.head + 1) & (this.ring.length - 1);
    this.length--;
    return item;
  }

  private grow(): void {
    const { ring, head } = this;
    this.ring = [...ring.slice(head), ...ring.slice(0, head), ...new Array<undefined>(ring.length)];
    this.head = 0;
  }
}
