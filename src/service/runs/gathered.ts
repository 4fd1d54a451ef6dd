interface Asked<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export interface GatheredParts<Item, Result> {
  /** Does many tasks together. Resolves with their results in the same order. */
  act: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** The largest number of tasks that are done together. */
  most: number;
  /** Whether the error of several tasks together may come from only one of them. */
  mayBeOfOne: (error: unknown) => boolean;
}

/**
 * Does tasks together. The first task is done immediately. Tasks that arrive meanwhile are done together after it. If
 * tasks fail together, and only one of them may be the reason, they are done again, one by one.
 */
export class Gathered<Item, Result> {
  readonly #parts: GatheredParts<Item, Result>;
  readonly #asked: Asked<Item, Result>[] = [];
  #isActing = false;

  constructor(parts: GatheredParts<Item, Result>) {
    this.#parts = parts;
  }

  do(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#asked.push({ item, resolve, reject });
      if (!this.#isActing) void this.#actAll();
    });
  }

  async #actAll(): Promise<void> {
    this.#isActing = true;
    while (this.#asked.length > 0) await this.#act(this.#asked.splice(0, this.#parts.most));
    this.#isActing = false;
  }

  async #act(asked: readonly Asked<Item, Result>[]): Promise<void> {
    const { act, mayBeOfOne } = this.#parts;
    try {
      const results = await act(asked.map(({ item }) => item));
      for (const [at, { resolve }] of asked.entries()) resolve(results[at]!);
    } catch (error) {
      if (asked.length > 1 && mayBeOfOne(error)) {
        for (const one of asked) await this.#act([one]);
      } else {
        for (const { reject } of asked) reject(error);
      }
    }
  }
}
