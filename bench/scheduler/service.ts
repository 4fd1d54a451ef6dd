/** The number of runs that a service executes at once, as steps over time (ms). */
export type Capacity = readonly { from: number; executors: number }[];

/**
 * A model service in virtual time. It executes runs in the order of requests, as many at once as its current capacity
 * allows. When the capacity falls, started runs continue. Times are ms.
 */
export class VirtualService {
  readonly finishedAt = new Map<number, number>();
  /** The number of outstanding runs (queued and running), integrated over time until now. */
  outstandingTime = 0;
  /** The capacity, integrated over time until now. */
  capacityTime = 0;
  readonly #durations: readonly number[];
  readonly #capacity: Capacity;
  readonly #queue: number[] = [];
  #head = 0;
  readonly #running = new Map<number, number>();
  #now = 0;

  constructor(durations: readonly number[], capacity: Capacity) {
    this.#durations = durations;
    this.#capacity = capacity;
  }

  request(seq: number): void {
    this.#queue.push(seq);
    this.#fill();
  }

  stateOf(seq: number): 'queued' | 'running' | 'finished' {
    if (this.finishedAt.has(seq)) return 'finished';
    return this.#running.has(seq) ? 'running' : 'queued';
  }

  /** Executor time of the runs whose numbers (seq) are in a range, until `now`, ms. */
  busyTime(from: number, to: number, now: number): number {
    let busy = 0;
    for (const [seq, ends] of [...this.finishedAt, ...this.#running])
      if (seq >= from && seq < to) busy += Math.min(now, ends) - (ends - this.#durations[seq]!);
    return busy;
  }

  advanceTo(time: number): void {
    for (;;) {
      const [seq, ends] = this.#nextToFinish();
      const step = this.#capacity.find(({ from }) => from > this.#now)?.from ?? Infinity;
      const to = Math.min(time, ends, step);
      this.outstandingTime += (this.#queue.length - this.#head + this.#running.size) * (to - this.#now);
      this.capacityTime += this.#executors() * (to - this.#now);
      this.#now = to;
      if (ends <= to && this.#running.delete(seq)) this.finishedAt.set(seq, ends);
      this.#fill();
      if (to === time && ends > time) return;
    }
  }

  #executors(): number {
    return this.#capacity.findLast(({ from }) => from <= this.#now)!.executors;
  }

  #fill(): void {
    while (this.#running.size < this.#executors() && this.#head < this.#queue.length) {
      const seq = this.#queue[this.#head++]!;
      this.#running.set(seq, this.#now + this.#durations[seq]!);
    }
  }

  #nextToFinish(): [seq: number, ends: number] {
    let next: [number, number] = [-1, Infinity];
    for (const entry of this.#running) if (entry[1] < next[1]) next = entry;
    return next;
  }
}

/**
 * The time at which all runs have finished if list scheduling executes them in this order. List scheduling queues all
 * runs at once, and needs no polls.
 */
export function listScheduling(durations: readonly number[], capacity: Capacity): number {
  const service = new VirtualService(durations, capacity);
  for (const seq of durations.keys()) service.request(seq);
  service.advanceTo(Number.MAX_SAFE_INTEGER);
  return service.finishedAt.values().reduce((latest, at) => Math.max(latest, at), 0);
}
