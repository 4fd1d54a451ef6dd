const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * Keeps a bounded number of items, spread evenly over all items of a stream. The choice depends only on the positions:
 * multiples of the golden ratio, modulo 1, are spread evenly for any number of items, and never match the period of a
 * grid. Items below a threshold are kept, and the threshold is halved when there are too many.
 */
export class EvenSample<Item> {
  readonly #most: number;
  #kept: { item: Item; place: number }[] = [];
  #threshold = 1;
  #seen = 0;

  /** @param most - the most items that are kept; at least a third of them if there were more */
  constructor(most: number) {
    this.#most = most;
  }

  /** @param make - makes the item if it is kept; undefined for no item, which counts as well */
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

  /** In the order in which they came. */
  get items(): Item[] {
    return this.#kept.map(({ item }) => item);
  }

  /** Whether some are not kept. */
  get isPart(): boolean {
    return this.#threshold < 1;
  }
}
