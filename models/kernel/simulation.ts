import { type Action, Calendar, type EventId } from './calendar.ts';

/**
 * A local name for Infinity. In a context of Node's vm, such as under Jest, each use of a global is a lookup by name.
 */
const FOREVER = Infinity;

/**
 * A clock and the events that move it. Times are numbers in the unit of the model. An event is a callback and,
 * optionally, its subject: so one function serves all customers, instead of one closure per customer.
 */
export class Simulation {
  #time: number;
  readonly #calendar = new Calendar();

  /** @throws RangeError when the start is not a finite number */
  constructor(start = 0) {
    if (!Number.isFinite(start)) throw new RangeError(`A simulation cannot start at ${start}`);
    this.#time = start;
  }

  get now(): number {
    return this.#time;
  }

  /** Number of scheduled events. */
  get pending(): number {
    return this.#calendar.size;
  }

  /**
   * Schedules an event after a delay.
   *
   * @param priority - a whole number of 32 bits; among events at the same time, the smallest priority is first, and
   * then the event that was scheduled first
   * @throws RangeError when the delay is negative or not a finite number, or the priority is not a whole number of
   *   32 bits
   * @throws TypeError when the action is not a function
   */
  schedule(delay: number, action: Action<undefined>, subject?: undefined, priority?: number): EventId;
  schedule<T>(delay: number, action: Action<T>, subject: T, priority?: number): EventId;
  schedule<T>(delay: number, action: Action<T>, subject: T, priority = 0): EventId {
    if (!(delay >= 0 && delay < FOREVER)) {
      throw new RangeError(
        `An event cannot happen ${delay} from now: the delay must be finite and not negative`,
      );
    }
    return this.#calendar.add(this.#time + delay, action, subject, priority);
  }

  /**
   * Schedules an event at a time.
   *
   * @throws RangeError when the time is past or not a finite number, or the priority is not a whole number of 32 bits
   * @throws TypeError when the action is not a function
   */
  scheduleAt(time: number, action: Action<undefined>, subject?: undefined, priority?: number): EventId;
  scheduleAt<T>(time: number, action: Action<T>, subject: T, priority?: number): EventId;
  scheduleAt<T>(time: number, action: Action<T>, subject: T, priority = 0): EventId {
    if (!(time >= this.#time && time < FOREVER)) {
      throw new RangeError(
        `An event cannot happen at ${time}: the time must be finite and not before ${this.#time}`,
      );
    }
    return this.#calendar.add(time, action, subject, priority);
  }

  /**
   * Cancels a scheduled event. An id is never 0, and to cancel 0 changes nothing.
   *
   * @returns whether it was still scheduled
   */
  cancel(event: EventId): boolean {
    return this.#calendar.cancel(event);
  }

  /**
   * Carries out all events until a time, including those at this time, and sets the clock to it. Without a time, it
   * runs until there are no events left. Another call continues from there. Several calls give the same result as one
   * call.
   *
   * @throws RangeError when the time is NaN
   */
  run(until = FOREVER): void {
    if (Number.isNaN(until))
      throw new RangeError('A simulation cannot run until NaN: the time must be a number');
    const calendar = this.#calendar;
    while (calendar.size > 0) {
      const next = calendar.firstTime();
      if (next > until) break;
      this.#time = next;
      calendar.happen();
    }
    if (until > this.#time && until < FOREVER) this.#time = until;
  }
}
