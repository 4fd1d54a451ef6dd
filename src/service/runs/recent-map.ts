/** A map with a limited number of entries. It drops the oldest ones. */
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
