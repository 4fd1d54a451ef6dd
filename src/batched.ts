/**
 * Items that come many at a time. Whoever takes them one by one waits for a promise each, which takes longer than most
 * things that are done with a row; what sees a million of them takes the batches.
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

/** Items as they come: many at a time, or each by itself. */
export function batchesOf<T>(items: AsyncIterable<T>): AsyncIterable<readonly T[]> {
  return items instanceof Batched ? (items as Batched<T>).batches : alone(items);
}

async function* alone<T>(items: AsyncIterable<T>): AsyncGenerator<readonly T[], void, void> {
  for await (const item of items) yield [item];
}
