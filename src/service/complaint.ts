/** The longest part of standard error in a message, in characters. */
const LONGEST = 500;

/** Begins the traceback of Python. The error follows after the indented lines. */
const TRACEBACK = /^\s*(?:\+ )?(?:Exception Group )?Traceback \(most recent call last\):$/;
/** Matches lines in which languages report an error that ends the program. */
const ERROR =
  /^(?:(?:fatal |runtime |internal |fortran runtime )?error(?: in\b| at\b|\s*[:([])|fatal:|(?:uncaught|unhandled) |[\w.]*(?:Error|Exception)\s*[:([]|exception in thread|caused by(?: error)?(?: in .*)?:|panic:|thread '.*' panicked|terminate called)/i;
/** A report of an error whose message is on the next line. */
const OPEN = /(?::\s*|panicked at .*:|throwing an instance of .*)$/;
/** Lines that follow an error, and say nothing about it. */
const NOISE =
  /^(?:execution halted|calls: |in addition: |node\.js v\d|note: run with|exit status \d+|stack ?trace:?|\s*at |goroutine \d|#\d+ |error termination)/i;
const WARNING = /\bwarning\b|^sys:\d+:/i;
/** Begins an error that Python reports and ignores, with or without a traceback. */
const IGNORED = /^exception ignored/i;

/**
 * Finds the line of standard error that says why a program failed, while the program prints. A report of an error in the
 * form of a common language counts: the last line of a traceback in Python, "Error in …" in R, "ERROR: …" in Julia, and
 * the like. Otherwise the last line counts that is no warning.
 */
export class Complaint {
  #error = '';
  #last = '';
  #lastWarning = '';
  /** Whether the next line without indentation is the error of a traceback. */
  #isInTraceback = false;
  /** Whether the next error is one that Python ignores. */
  #isIgnored = false;
  /** Whether the next line belongs to the error. */
  #isOpen = false;

  add(text: string): void {
    const line = text.slice(0, LONGEST).trimEnd();
    if (line.trim() === '') return;
    if (this.#isOpen) {
      this.#isOpen = false;
      if (!NOISE.test(line)) this.#error = `${this.#error} ${line.trim()}`.slice(0, LONGEST);
      return;
    }
    if (TRACEBACK.test(line)) {
      this.#isInTraceback = true;
    } else if (IGNORED.test(line)) {
      this.#isIgnored = true;
      this.#lastWarning = line;
    } else if (this.#isIgnored && !/^\s/.test(line)) {
      this.#isIgnored = false;
      this.#isInTraceback = false;
      this.#lastWarning = line;
    } else if (this.#isInTraceback && !/^\s/.test(line)) {
      this.#isInTraceback = false;
      this.#error = line;
    } else if (!this.#isInTraceback && ERROR.test(line) && !WARNING.test(line)) {
      this.#error = line;
      this.#isOpen = OPEN.test(text.trimEnd());
    } else if (WARNING.test(line)) {
      this.#lastWarning = line;
    } else if (!NOISE.test(line)) {
      this.#last = line;
    }
  }

  /** The line that says most about a failure; empty if nothing was printed. */
  text(): string {
    return (this.#error || this.#last || this.#lastWarning).trim();
  }
}
