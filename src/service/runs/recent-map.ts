/** A map that keeps a number of entries at most, and forgets those that were set first. */
export class RecentMap<K, V> extends Map<K, V> {
  readonly #most: number;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  override set(key: K, value: V): this {
    if (this.size >= this.#most && !this.has(key)) this.delete(this.keys().next().value!);
    return super.set(key, value);
  }
}
