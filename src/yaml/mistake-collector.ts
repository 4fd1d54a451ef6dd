import { errorCodes } from '../error-codes.ts';
import { type ForayError, isForayError } from '../errors.ts';

/** Maximum number of mistakes that are collected. If there are more, they usually have one cause. */
const MOST = 50;

/** Collects the mistakes in a user's file, so that the user sees all of them at once. */
export class Mistakes {
  readonly #found: ForayError[] = [];

  get count(): number {
    return this.#found.length;
  }

  /** @throws ForayError all mistakes, as in {@link throwAny}, if there are now too many */
  add(error: ForayError): void {
    this.#found.push(error);
    if (this.#found.length >= MOST) throw this.#combined();
  }

  /** Runs a check. If it finds a mistake, the mistake is collected and the result is undefined. */
  attempt<T>(check: () => T): T | undefined {
    try {
      return check();
    } catch (error) {
      this.#collect(error);
      return undefined;
    }
  }

  /** Like {@link attempt}, for an asynchronous check. */
  async attemptAsync<T>(check: () => Promise<T>): Promise<T | undefined> {
    try {
      return await check();
    } catch (error) {
      this.#collect(error);
      return undefined;
    }
  }

  /** Runs checks that collect mistakes. `isSound`: they collected none, so that checks of their value make sense. */
  scope<T>(checks: () => T): { value: T; isSound: boolean } {
    const before = this.#found.length;
    const value = checks();
    return { value, isSound: this.#found.length === before };
  }

  /** @throws ForayError the most likely cause, with the other mistakes in `others`; does nothing without mistakes */
  throwAny(): void {
    if (this.#found.length > 0) throw this.#combined();
  }

  #collect(error: unknown): void {
    // an unreachable server is not a mistake in a file
    if (!isForayError(error) || error.place === undefined || errorCodes[error.code].exit !== 2) throw error;
    // with so many mistakes, this is the error that `add` has thrown within the check
    if (this.#found.length >= MOST) throw error;
    for (const one of [error.with([]), ...error.others]) this.add(one);
  }

  /** Unknown names come first, because they explain other mistakes. The rest is in the order of the file. */
  #combined(): ForayError {
    const [first, ...others] = this.#found.toSorted((a, b) => rank(a) - rank(b) || byPlace(a, b));
    return first!.with(others);
  }
}

function rank({ code }: ForayError): number {
  return code.startsWith('UNKNOWN_') ? 0 : 1;
}

function byPlace({ place: a }: ForayError, { place: b }: ForayError): number {
  if (!a || !b || !('line' in a) || !('line' in b) || a.file !== b.file) return 0;
  return a.line - b.line || a.column - b.column;
}
