/**
 * Items that come in batches. Reading them one by one waits for a promise per item, which takes longer than most work
 * on a row. Code that reads a million items should read the batches.
 */
export class Batched<T> implements AsyncIterable<T> {
  readonly batches: AsyncIterable<readonly T[]>;

  constructor(batches: AsyncIterable<readonly T[]>) {
    this.batches = batches;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    for await (const batch of this.batches) for (const item of batch) yield item;
  }
}

/** The batches of items; items without batches come one by one. */
export function batchesOf<T>(items: AsyncIterable<T>): AsyncIterable<readonly T[]> {
  return items instanceof Batched ? (items as Batched<T>).batches : alone(items);
}

async function* alone<T>(items: AsyncIterable<T>): AsyncGenerator<readonly T[], void, void> {
  for await (const item of items) yield [item];
}
