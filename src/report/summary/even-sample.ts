const GOLDEN = (Math.sqrt(5) - 1) / 2;
/** No stream has so many items that the threshold is halved more often. */
const MOST_HALVINGS = 52;

/**
 * Keeps a bounded number of items, spread evenly over all items of a stream. The number of an item in the stream, times
 * the golden ratio, modulo 1, gives values that are spread evenly and never match the period of a grid. Items whose
 * value is below a threshold are kept. The threshold is halved when there are too many items.
 */
export class EvenSample<Item> {
  readonly #most: number;
  #kept: { item: Item; place: number }[] = [];
  #halvings = 0;
  #seen = 0;
  /** How many places had no item. Entry n counts the places that n halvings of the threshold keep, and n + 1 do not. */
  readonly #empty: number[] = [];

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
    if (item === undefined) {
      // the first place is 0, which all halvings keep
      const halvings = Math.min(MOST_HALVINGS, Math.ceil(-Math.log2(place)) - 1);
      this.#empty[halvings] = (this.#empty[halvings] ?? 0) + 1;
      return;
    }
    this.#kept.push({ item, place });
    while (this.#kept.length > this.#most) {
      this.#halvings += 1;
      this.#kept = this.#kept.filter((kept) => kept.place < this.#threshold);
    }
  }

  get #threshold(): number {
    return 2 ** -this.#halvings;
  }

  /** The kept items, in the order in which they came. */
  get items(): Item[] {
    return this.#kept.map(({ item }) => item);
  }

  /** How many items are missing among the kept ones, because `make` gave none. */
  get without(): number {
    return this.#empty.slice(this.#halvings).reduce((sum, count) => sum + count, 0);
  }

  /** Whether some items were not kept. */
  get isPart(): boolean {
    return this.#halvings > 0;
  }
}
