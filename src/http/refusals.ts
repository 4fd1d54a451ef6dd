/** The HTTP statuses of errors that are told, because somebody may use too much of the server. */
const IS_TOLD: readonly number[] = [413, 429, 507];
/** Equal refusals within this time get one line, ms. */
const GATHER = 10_000;

/** The error with which a request was refused. `status` is the HTTP status. */
export interface RefusedRequest {
  status: number;
  code: string;
  detail: string;
}

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

  /**
   * Notes a refused request if its status is one of `IS_TOLD`.
   *
   * @param who - the user of the key; undefined without a key
   */
  noteRequest(who: string | undefined, { status, code, detail }: RefusedRequest): void {
    if (IS_TOLD.includes(status))
      this.note(`a request of ${who ?? 'somebody without a key'} was refused (${code}): ${detail}`);
  }

  noteSlowBody(): void {
    this.note('a connection was closed: the body of its request came too slowly');
  }

  #tellFurther(what: string): void {
    const further = this.#further.get(what)!;
    this.#further.delete(what);
    if (further > 0) this.#tell(`${what} (${further} more in ${GATHER / 1_000} s)`);
  }
}
