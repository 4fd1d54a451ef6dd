/** Equal refusals within this time get one line, ms. */
const GATHER = 10_000;

/**
 * Tells an operator what a server refuses. Many refusals of one kind get few lines: the first is told at once, the
 * others as a number after ten seconds.
 */
export class Refusals {
  readonly #tell: (line: string) => void;
  readonly #further = new Map<string, number>();

  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  /** @param what - what was refused, and why. Texts of one kind are equal */
  note(what: string): void {
    const further = this.#further.get(what);
    if (further !== undefined) return void this.#further.set(what, further + 1);
    this.#tell(what);
    this.#further.set(what, 0);
    setTimeout(() => this.#tellFurther(what), GATHER).unref();
  }

  #tellFurther(what: string): void {
    const further = this.#further.get(what)!;
    this.#further.delete(what);
    if (further > 0) this.#tell(`${what} (${further} more in ${GATHER / 1_000} s)`);
  }
}
