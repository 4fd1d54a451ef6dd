/** How many runs a service runs at once, over time (ms): a list of steps. */
export type Capacity = readonly { from: number; executors: number }[];

/**
 * A model service in virtual time: it runs what was requested in the order of request, as many at once as its capacity
 * allows at the moment. What runs when the capacity falls runs on. Times are ms.
 */
export class VirtualService {
  readonly finishedAt = new Map<number, number>();
  /** Runs outstanding (queued and running) and capacity, each integrated over time until now. */
  outstandingTime = 0;
  capacityTime = 0;
  private readonly durations: readonly number[];
  private readonly capacity: Capacity;
  private readonly queue: number[] = [];
  private head = 0;
  private readonly running = new Map<number, number>();
  private now = 0;

  constructor(durations: readonly number[], capacity: Capacity) {
    this.durations = durations;
    this.capacity = capacity;
  }

  request(seq: number): void {
    this.queue.push(seq);
    this.fill();
  }

  stateOf(seq: number): 'queued' | 'running' | 'finished' {
    if (this.finishedAt.has(seq)) return 'finished';
    return this.running.has(seq) ? 'running' : 'queued';
  }

  /** Executor time that the runs of a range of seqs have had until a time that was reached, ms. */
  busyTime(from: number, to: number, now: number): number {
    let busy = 0;
    for (const [seq, ends] of [...this.finishedAt, ...this.running])
      if (seq >= from && seq < to) busy += Math.min(now, ends) - (ends - this.durations[seq]!);
    return busy;
  }

  advanceTo(time: number): void {
    for (;;) {
      const [seq, ends] = this.nextToFinish();
      const step = this.capacity.find(({ from }) => from > this.now)?.from ?? Infinity;
      const to = Math.min(time, ends, step);
      this.outstandingTime += (this.queue.length - this.head + this.running.size) * (to - this.now);
      this.capacityTime += this.executors() * (to - this.now);
      this.now = to;
      if (ends <= to && this.running.delete(seq)) this.finishedAt.set(seq, ends);
      this.fill();
      if (to === time && ends > time) return;
    }
  }

  private executors(): number {
    return this.capacity.findLast(({ from }) => from <= this.now)!.executors;
  }

  private fill(): void {
    while (this.running.size < this.executors() && this.head < this.queue.length) {
      const seq = this.queue[this.head++]!;
      this.running.set(seq, this.now + this.durations[seq]!);
    }
  }

  private nextToFinish(): [seq: number, ends: number] {
    let next: [number, number] = [-1, Infinity];
    for (const entry of this.running) if (entry[1] < next[1]) next = entry;
    return next;
  }
}

/** When list scheduling in the same order is through: everything is queued at once, and nobody has to look. */
export function listScheduling(durations: readonly number[], capacity: Capacity): number {
  const service = new VirtualService(durations, capacity);
  for (const seq of durations.keys()) service.request(seq);
  service.advanceTo(Number.MAX_SAFE_INTEGER);
  return Math.max(...service.finishedAt.values());
}
