const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * Keeps a bounded number of items, spread evenly over all items of a stream. The number of an item in the stream, times
 * the golden ratio, modulo 1, gives values that are spread evenly and never match the period of a grid. Items whose
 * value is below a threshold are kept. The threshold is halved when there are too many items.
 */
export class EvenSample<Item> {
  readonly #most: number;
  #kept: { item: Item; place: number }[] = [];
  #threshold = 1;
  #seen = 0;

  /**
   * @param most - the maximum number of items that are kept. If there are more items, at least a third of this number
   * is kept
   */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * @param make - makes the item, and is called only if the item is kept. If it returns undefined, nothing is kept.
   * Later items get the same numbers as if there were an item
   */
  add(make: () => Item | undefined): void {
    const place = (this.#seen * GOLDEN) % 1;
    this.#seen += 1;
    if (place >= this.#threshold) return;
    const item = make();
    if (item === undefined) return;
    this.#kept.push({ item, place });
    while (this.#kept.length > this.#most) {
      this.#threshold /= 2;
      this.#kept = this.#kept.filter((kept) => kept.place < this.#threshold);
    }
  }

  /** The kept items, in the order in which they came. */
  get items(): Item[] {
    return this.#kept.map(({ item }) => item);
  }

  /** Whether some items were not kept. */
  get isPart(): boolean {
    return this.#threshold < 1;
  }
}
