import type { Action } from './calendar.ts';
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
  private readonly simulation: Simulation;
  private readonly line = new Queue<Waiting>();

  /** @throws RangeError when the number of servers is not a positive whole number */
  constructor(simulation: Simulation, servers: number) {
    if (!Number.isInteger(servers) || servers < 1) {
      throw new RangeError(
        `A resource cannot have ${servers} servers: the number must be whole and at least 1`,
      );
    }
    this.simulation = simulation;
    this.servers = servers;
    this.busy = new TimeWeighted(simulation);
    this.waiting = new TimeWeighted(simulation);
  }

  /** Seizes a server as soon as one is free and calls `begin` then: now, or when a server is released. */
  seize<T>(begin: Action<T>, subject: T): void {
    if (this.busy.value < this.servers) {
      this.busy.set(this.busy.value + 1);
      this.waits.add(0);
      begin(subject);
    } else {
      this.line.push({ since: this.simulation.now, begin, subject });
      this.waiting.set(this.line.length);
    }
  }

  /**
   * Releases a server, which goes to the first customer in the line.
   *
   * @throws RangeError when no server is busy
   */
  release(): void {
    if (this.busy.value === 0) throw new RangeError('A server was released, and none was busy');
    const next = this.line.shift();
    if (!next) return this.busy.set(this.busy.value - 1);
    this.waiting.set(this.line.length);
    this.waits.add(this.simulation.now - next.since);
    (next.begin as Action<unknown>)(next.subject);
  }

  /** Resets the statistics. */
  reset(): void {
    this.busy.reset();
    this.waiting.reset();
    this.waits.reset();
  }
}
