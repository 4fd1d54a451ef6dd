import type { ResultRow } from '../../store/index.ts';

/** The runs in an interval of time. `from` and `to` are in ms since the epoch. */
export interface Moment {
  from: number;
  to: number;
  /**
   * The average number of outstanding runs in the interval. A run is outstanding from its request until foray sees its
   * end.
   */
  outstanding: number;
  /** For each kind, the number of runs whose end foray saw in the interval. */
  finished: Record<RunKind, number>;
}

export const runKinds = ['new', 'reused', 'failed'] as const;
export type RunKind = (typeof runKinds)[number];

interface TimeBin {
  requested: number;
  ended: number;
  /** The sum over all requests in the bin: the time from the request to the end of the bin. */
  requestedBefore: number;
  /** The sum over all ends of runs in the bin: the time from the end of the run to the end of the bin. */
  endedBefore: number;
  finished: Record<RunKind, number>;
}

/** The maximum number of intervals. A picture shows fewer. */
const MOST_BINS = 256;

/**
 * The requests and ends of runs over time, in bounded memory. The width of the intervals is a power of two in
 * milliseconds. It is doubled when there are too many intervals. Each interval keeps sums of times, so its average
 * number of outstanding runs stays exact. If a run was tried several times, only the request of the last attempt is
 * known. Reused runs never count as outstanding, because this campaign did not start them.
 */
export class Timeline {
  /** The sum of the times from request to end, without reused runs, in ms. */
  outstandingTime = 0;
  readonly counts: Record<RunKind, number> = { new: 0, reused: 0, failed: 0 };
  #width = 1;
  #bins = new Map<number, TimeBin>();
  #first = Infinity;
  #last = -Infinity;

  add({ status, origin, requestedAt, finishedAt }: ResultRow): void {
    const kind = status === 'failed' ? 'failed' : origin === 'reused' ? 'reused' : 'new';
    this.counts[kind] += 1;
    if (requestedAt === null || finishedAt === null) return;
    // the clocks of two workers may differ
    const from = Math.min(requestedAt, finishedAt);
    this.#first = Math.min(this.#first, from);
    this.#last = Math.max(this.#last, finishedAt);
    while (this.#indexOf(this.#last) - this.#indexOf(this.#first) >= MOST_BINS) this.#double();
    const end = this.#binAt(finishedAt);
    end.finished[kind] += 1;
    if (kind === 'reused') return;
    this.outstandingTime += finishedAt - from;
    const begin = this.#binAt(from);
    begin.requested += 1;
    begin.requestedBefore += this.#toEnd(from);
    end.ended += 1;
    end.endedBefore += this.#toEnd(finishedAt);
  }

  /**
   * At most `most` adjacent intervals of one width, from the first request to the last end; none without runs. The
   * timeline keeps this width.
   */
  moments(most: number = MOST_BINS): Moment[] {
    if (this.#bins.size === 0) return [];
    while (this.#indexOf(this.#last) - this.#indexOf(this.#first) >= most) this.#double();
    const first = this.#indexOf(this.#first);
    let open = 0;
    return Array.from({ length: this.#indexOf(this.#last) - first + 1 }, (_, i) => {
      const { requested, ended, requestedBefore, endedBefore, finished } =
        this.#bins.get(first + i) ?? empty();
      const outstanding = open + (requestedBefore - endedBefore) / this.#width;
      open += requested - ended;
      const from = (first + i) * this.#width;
      return { from, to: from + this.#width, outstanding, finished };
    });
  }

  #indexOf(time: number): number {
    return Math.floor(time / this.#width);
  }

  /** The time from here to the end of its bin. */
  #toEnd(time: number): number {
    return (this.#indexOf(time) + 1) * this.#width - time;
  }

  #binAt(time: number): TimeBin {
    const index = this.#indexOf(time);
    let bin = this.#bins.get(index);
    if (!bin) this.#bins.set(index, (bin = empty()));
    return bin;
  }

  #double(): void {
    const bins = new Map<number, TimeBin>();
    for (const [at, bin] of this.#bins) {
      const wide = Math.floor(at / 2);
      // the first of two merged bins now ends later, so its times to the end are longer
      const more = at % 2 === 0 ? this.#width : 0;
      bins.set(wide, joined(bins.get(wide) ?? empty(), bin, more));
    }
    this.#bins = bins;
    this.#width *= 2;
  }
}

function joined(one: TimeBin, other: TimeBin, more: number): TimeBin {
  return {
    requested: one.requested + other.requested,
    ended: one.ended + other.ended,
    requestedBefore: one.requestedBefore + other.requestedBefore + more * other.requested,
    endedBefore: one.endedBefore + other.endedBefore + more * other.ended,
    finished: {
      new: one.finished.new + other.finished.new,
      reused: one.finished.reused + other.finished.reused,
      failed: one.finished.failed + other.finished.failed,
    },
  };
}

function empty(): TimeBin {
  return {
    requested: 0,
    ended: 0,
    requestedBefore: 0,
    endedBefore: 0,
    finished: { new: 0, reused: 0, failed: 0 },
  };
}
