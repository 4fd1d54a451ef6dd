/**
 * Items that come in batches. A reader of single items waits for a promise per item, which takes longer than most work
 * on an item. A function that needs batches takes this class, so that nobody can pass it a generator of single items by
 * mistake. Such a generator would be slow with a million rows.
 */
export class Batched<T> implements AsyncIterable<T> {
  readonly #batches: AsyncIterable<readonly T[]>;

  constructor(batches: AsyncIterable<readonly T[]>) {
    this.#batches = batches;
  }

  /** Items that are made one at a time. Each item is a batch of its own, so no item waits for another one. */
  static single<T>(items: AsyncIterable<T>): Batched<T> {
    return new Batched(alone(items));
  }

  /** All items as one batch. */
  static of<T>(items: readonly T[]): Batched<T> {
    return new Batched(once(items));
  }

  get batches(): AsyncIterable<readonly T[]> {
    return this.#batches;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    for await (const batch of this.#batches) for (const item of batch) yield item;
  }

  /** Changes each batch as a whole. */
  mapBatches<To>(change: (batch: readonly T[]) => readonly To[] | Promise<readonly To[]>): Batched<To> {
    return new Batched(changed(this.#batches, change));
  }

  map<To>(change: (item: T) => To): Batched<To> {
    return this.mapBatches((batch) => batch.map(change));
  }

  filter(keep: (item: T) => boolean): Batched<T> {
    return this.mapBatches((batch) => batch.filter(keep));
  }
}

async function* alone<T>(items: AsyncIterable<T>): AsyncGenerator<readonly T[], void, void> {
  for await (const item of items) yield [item];
}

async function* once<T>(items: readonly T[]): AsyncGenerator<readonly T[], void, void> {
  yield await Promise.resolve(items);
}

async function* changed<From, To>(
  batches: AsyncIterable<readonly From[]>,
  change: (batch: readonly From[]) => readonly To[] | Promise<readonly To[]>,
): AsyncGenerator<readonly To[], void, void> {
  for await (const batch of batches) yield await change(batch);
}

/** Yields the items in arrays of at most `size` items. Reads only as many items as the next array needs. */
export function* batches<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
