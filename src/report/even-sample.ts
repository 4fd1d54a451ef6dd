const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * Keeps a bounded number of the items that it is shown, spread evenly over all of them, however many come. Which ones is a
 * function of their places alone: multiples of the golden ratio, modulo 1, are spread evenly whatever the number, and
 * never fall into step with a grid. Those below a threshold are kept, and it is halved when they are too many.
 */
export class EvenSample<Item> {
  readonly #most: number;
  #kept: { item: Item; place: number }[] = [];
  #threshold = 1;
  #seen = 0;

  /** @param most - how many are kept at most; when more were shown, a third of it at least */
  constructor(most: number) {
    this.#most = most;
  }

  /** @param make - makes the item, only if it is kept; undefined for what is none, which counts all the same */
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
