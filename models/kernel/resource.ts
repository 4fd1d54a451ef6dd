import { type Action, actionError } from './calendar.ts';
import { Queue } from './queue.ts';
import type { Simulation } from './simulation.ts';
import { Tally } from './tally.ts';
import { TimeWeighted } from './time-weighted.ts';

interface Waiting {
  since: number;
  begin: Action<never>;
  subject: unknown;
}

/** Identical servers, and the line in front of them: first come, first served. */
export class Resource {
  readonly servers: number;
  /** Number of busy servers. */
  readonly busy: TimeWeighted;
  /** Number of customers in the line, without those in service. */
  readonly waiting: TimeWeighted;
  /** The waiting times of the customers that have got a server. A customer that need not wait counts as 0. */
  readonly waits = new Tally();
  readonly #simulation: Simulation;
  readonly #line = new Queue<Waiting>();
  /** Whether `release` is giving servers to the line. */
  #isServingLine = false;

  /** @throws RangeError when the number of servers is not a positive whole number */
  constructor(simulation: Simulation, servers: number) {
    if (!Number.isInteger(servers) || servers < 1) {
      throw new RangeError(
        `A resource cannot have ${servers} servers: the number must be whole and at least 1`,
      );
    }
    this.#simulation = simulation;
    this.servers = servers;
    this.busy = new TimeWeighted(simulation);
    this.waiting = new TimeWeighted(simulation);
  }

  /**
   * Seizes a server as soon as one is free and calls `begin` then: now, or when a server is released.
   *
   * @throws TypeError when `begin` is not a function
   */
  seize(begin: Action<undefined>): void;
  seize<T>(begin: Action<T>, subject: T): void;
  seize<T>(begin: Action<T>, subject?: T): void {
    if (typeof begin !== 'function') throw actionError(begin);
    // a customer waits behind the line while free servers are being given to it
    if (this.busy.value < this.servers && !(this.#isServingLine && this.#line.length > 0)) {
      this.busy.set(this.busy.value + 1);
      this.waits.add(0);
      begin(subject as T);
    } else {
      this.#line.push({ since: this.#simulation.now, begin, subject });
      this.waiting.set(this.#line.length);
    }
  }

  /**
   * Releases a server, which goes to the first customer in the line. If the `begin` of
   * this customer releases a server, the next customer begins after this `begin` has returned.
   *
   * @throws RangeError when no server is busy
   */
  release(): void {
    const { busy } = this;
    const line = this.#line;
    if (busy.value === 0) throw new RangeError('A server was released, and none was busy');
    // the loop below gives the server to the line: calls inside calls would overflow the stack
    if (line.length === 0 || this.#isServingLine) return busy.set(busy.value - 1);
    this.#isServingLine = true;
    try {
      this.#serveNext();
      while (line.length > 0 && busy.value < this.servers) {
        busy.set(busy.value + 1);
        this.#serveNext();
      }
    } finally {
      this.#isServingLine = false;
    }
  }

  #serveNext(): void {
    const next = this.#line.shift()!;
    this.waiting.set(this.#line.length);
    this.waits.add(this.#simulation.now - next.since);
    (next.begin as Action<unknown>)(next.subject);
  }

  /** Resets the statistics. */
  reset(): void {
    this.busy.reset();
    this.waiting.reset();
    this.waits.reset();
  }
}
