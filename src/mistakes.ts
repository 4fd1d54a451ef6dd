import { errorCodes, type ForayError, isForayError } from './errors.ts';

/** More mistakes than this are not collected: they have one cause, mostly. */
const MOST = 50;

/** Collects the mistakes in a user's file, so that a person learns of all of them at once. */
export class Mistakes {
  readonly #found: ForayError[] = [];

  get count(): number {
    return this.#found.length;
  }

  add(error: ForayError): void {
    this.#found.push(error);
    if (this.#found.length >= MOST) throw this.#first();
  }

  /** Makes one check. A mistake that it finds is kept, and the result is undefined. */
  attempt<T>(check: () => T): T | undefined {
    try {
      return check();
    } catch (error) {
      this.#take(error);
      return undefined;
    }
  }

  /** As {@link attempt}, for a check that takes time. */
  async attemptAsync<T>(check: () => Promise<T>): Promise<T | undefined> {
    try {
      return await check();
    } catch (error) {
      this.#take(error);
      return undefined;
    }
  }

  /** @throws ForayError the likeliest cause first, with the other mistakes in `others`; nothing where there is none */
  throwAny(): void {
    if (this.#found.length > 0) throw this.#first();
  }

  #take(error: unknown): void {
    // a server that cannot be reached is no mistake in a file
    if (!isForayError(error) || error.place === undefined || errorCodes[error.code].exit !== 2) throw error;
    // one that holds others has been collected already
    if (error.others.length > 0) throw error;
    this.add(error);
  }

  /** Unknown names come first, as they explain others; the rest is in the order of the file. */
  #first(): ForayError {
    const [first, ...others] = this.#found.toSorted((a, b) => rank(a) - rank(b) || compare(a, b));
    return first!.with(others);
  }
}

function rank({ code }: ForayError): number {
  return code.startsWith('UNKNOWN_') ? 0 : 1;
}

function compare({ place: a }: ForayError, { place: b }: ForayError): number {
  if (!a || !b || !('line' in a) || !('line' in b) || a.file !== b.file) return 0;
  return a.line - b.line || a.column - b.column;
}
