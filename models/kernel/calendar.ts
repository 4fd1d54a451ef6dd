/** The action of an event. It gets the subject of the event. */
export type Action<T> = (subject: T) => void;

/** The id of a scheduled event, for {@link Calendar.cancel}. */
export type EventId = number;

/** An id is the generation of a slot times this number, plus the slot. */
const MOST_SLOTS = 2 ** 24;
/** Generations begin at 1, so that no id is 0, and a model can use 0 for no event. */
const FIRST_GENERATION = 1;
/** After this generation, a slot has the first one again. */
const LAST_GENERATION = 2 ** 29 - 1;
const NOWHERE = -1;

/**
 * The future events, in the order of (time, priority, sequence). If two events have the same time, the one with the
 * smaller priority comes first. If they also have the same priority, the one that was scheduled first comes first. The
 * order is total, so it does not depend on the history of the heap.
 *
 * An event has a slot while it waits. The heap consists of typed arrays with slots and their times, so no memory is
 * allocated for an event. When the first event is taken, it leaves a hole at the root. Most events schedule another
 * event, which fills the hole. This costs one way through the heap instead of two. If no event is scheduled, the last
 * event of the heap fills the hole. A node has four children. This halves the depth of the heap, and the children are
 * beside each other in memory.
 *
 * D. B. Johnson, "Priority queues with update and finding minimum spanning trees", Information Processing Letters 4
 * (1975) 53-57.
 */
export class Calendar {
  /** Number of events that wait. */
  size = 0;

  // by index in the heap
  #times = new Float64Array(64);
  #slots = new Int32Array(64);
  #hasHole = false;

  // by slot
  #places = new Int32Array(64).fill(NOWHERE);
  #generations = new Int32Array(64).fill(FIRST_GENERATION);
  #priorities = new Int32Array(64);
  #sequences = new Float64Array(64);
  readonly #actions: (Action<never> | undefined)[] = [];
  readonly #subjects: unknown[] = [];

  readonly #free: number[] = [];
  #sequence = 0;

  /**
   * @param priority - a whole number of 32 bits
   * @throws TypeError when the action is not a function
   * @throws RangeError when the priority is not a whole number of 32 bits, or 2^24 events wait
   */
  add<T>(time: number, action: Action<T>, subject: T, priority: number): EventId {
    if (typeof action !== 'function') throw actionError(action);
    if ((priority | 0) !== priority) throw priorityError(priority);
    const slot = this.#free.pop() ?? this.#newSlot();
    this.#priorities[slot] = priority;
    this.#sequences[slot] = this.#sequence++;
    this.#actions[slot] = action;
    this.#subjects[slot] = subject;
    const place = this.#hasHole ? 0 : this.size;
    this.#times[place] = time;
    this.#slots[place] = slot;
    this.size++;
    if (this.#hasHole) {
      this.#hasHole = false;
      this.#sink(0);
    } else {
      this.#rise(place);
    }
    return this.#generations[slot]! * MOST_SLOTS + slot;
  }

  /** Time of the first event. There must be one. */
  firstTime(): number {
    if (this.#hasHole) this.#closeHole();
    return this.#times[0]!;
  }

  /** Removes the first event from the calendar and carries it out. There must be one. */
  happen(): void {
    if (this.#hasHole) this.#closeHole();
    const slot = this.#slots[0]!;
    const action = this.#actions[slot] as Action<unknown>;
    const subject = this.#subjects[slot];
    this.size--;
    this.#hasHole = true;
    this.#leave(slot);
    action(subject);
  }

  /** @returns whether the event was still to come */
  cancel(id: EventId): boolean {
    const slot = id % MOST_SLOTS;
    if (this.#generations[slot] !== Math.floor(id / MOST_SLOTS) || this.#places[slot] === NOWHERE)
      return false;
    if (this.#hasHole) this.#closeHole();
    const place = this.#places[slot]!;
    this.#leave(slot);
    const last = --this.size;
    if (place < last) {
      const moved = this.#slots[last]!;
      this.#times[place] = this.#times[last]!;
      this.#slots[place] = moved;
      // the last event may belong above or below its new place
      this.#rise(place);
      this.#sink(this.#places[moved]!);
    }
    return true;
  }

  /** Puts the last event at the place of the first one. */
  #closeHole(): void {
    this.#hasHole = false;
    // the hole is not counted, so the last event is just after the counted ones
    const last = this.size;
    if (last === 0) return;
    this.#times[0] = this.#times[last]!;
    this.#slots[0] = this.#slots[last]!;
    this.#sink(0);
  }

  /**
   * Moves the event at a place above its parents as long as it is earlier than they are. Its time is no argument,
   * because V8 may allocate memory for a number that is passed.
   */
  #rise(place: number): void {
    const times = this.#times;
    const slots = this.#slots;
    const places = this.#places;
    const time = times[place]!;
    const slot = slots[place]!;
    let at = place;
    while (at > 0) {
      const parent = (at - 1) >> 2;
      const parentTime = times[parent]!;
      const parentSlot = slots[parent]!;
      if (parentTime < time || (parentTime === time && this.#ranksBefore(parentSlot, slot))) break;
      times[at] = parentTime;
      slots[at] = parentSlot;
      places[parentSlot] = at;
      at = parent;
    }
    times[at] = time;
    slots[at] = slot;
    places[slot] = at;
  }

  /** Moves the event at a place below its children as long as they are earlier. */
  #sink(place: number): void {
    const { size } = this;
    const times = this.#times;
    const slots = this.#slots;
    const places = this.#places;
    const time = times[place]!;
    const slot = slots[place]!;
    let at = place;
    for (let first = 4 * at + 1; first < size; first = 4 * at + 1) {
      const end = first + 4 < size ? first + 4 : size;
      let least = first;
      let leastTime = times[first]!;
      for (let child = first + 1; child < end; child++) {
        const childTime = times[child]!;
        // slots are compared only if the times are equal
        if (childTime > leastTime) continue;
        if (childTime < leastTime || this.#ranksBefore(slots[child]!, slots[least]!)) {
          least = child;
          leastTime = childTime;
        }
      }
      const leastSlot = slots[least]!;
      if (time < leastTime || (time === leastTime && this.#ranksBefore(slot, leastSlot))) break;
      times[at] = leastTime;
      slots[at] = leastSlot;
      places[leastSlot] = at;
      at = least;
    }
    times[at] = time;
    slots[at] = slot;
    places[slot] = at;
  }

  /** The order of two events at the same time. */
  #ranksBefore(slot: number, otherSlot: number): boolean {
    const difference = this.#priorities[slot]! - this.#priorities[otherSlot]!;
    return difference < 0 || (difference === 0 && this.#sequences[slot]! < this.#sequences[otherSlot]!);
  }

  #leave(slot: number): void {
    this.#places[slot] = NOWHERE;
    const generation = this.#generations[slot]!;
    this.#generations[slot] = generation === LAST_GENERATION ? FIRST_GENERATION : generation + 1;
    this.#actions[slot] = undefined;
    this.#subjects[slot] = undefined;
    this.#free.push(slot);
  }

  #newSlot(): number {
    const slot = this.#actions.length;
    if (slot === MOST_SLOTS) throw new RangeError(`${MOST_SLOTS} events wait, and there is no room for more`);
    if (slot === this.#places.length) this.#grow();
    this.#actions.push(undefined);
    this.#subjects.push(undefined);
    return slot;
  }

  #grow(): void {
    this.#times = enlarged(this.#times, Float64Array);
    this.#slots = enlarged(this.#slots, Int32Array);
    this.#places = enlarged(this.#places, Int32Array, NOWHERE);
    this.#generations = enlarged(this.#generations, Int32Array, FIRST_GENERATION);
    this.#priorities = enlarged(this.#priorities, Int32Array);
    this.#sequences = enlarged(this.#sequences, Float64Array);
  }
}

/** The error of a callback that is not a function. It is thrown where the callback is passed, and not at its call. */
export function actionError(action: unknown): TypeError {
  return new TypeError(
    `An action must be a function, and not ${String(action)}: pass arrive or () => arrive(1), and not arrive()`,
  );
}

function priorityError(priority: number): RangeError {
  return new RangeError(`A priority cannot be ${priority}: it must be a whole number of 32 bits`);
}

function enlarged<A extends Float64Array | Int32Array>(
  array: A,
  Kind: new (length: number) => A,
  filler = 0,
): A {
  const larger = new Kind(2 * array.length);
  larger.fill(filler, array.length);
  larger.set(array);
  return larger;
}
