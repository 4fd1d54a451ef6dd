import {
  decide,
  emptyOutcomes,
  isFinished,
  newSchedule,
  applyOutcomes,
  type Schedule,
  wakeIn,
} from '../../src/campaign/scheduler/index.ts';
import { EPOCH, TICK_LATENCY, TIMER_LATENESS } from './drivers.ts';
import { type Capacity, VirtualService } from './service.ts';

/** A campaign that shares a service with others. */
interface Sharer {
  schedule: Schedule;
  /** The number (seq) of its first run at the service. */
  first: number;
  begins: number;
  wakesAt: number;
}

/**
 * Measures how fairly several identical campaigns share the executors of one service. The measure is Jain's fairness
 * index (Jain, Chiu, Hawe, 1984) of their executor time. For n campaigns, 1 means equal shares, and 1/n means that one
 * campaign has all executor time. There is one index for each time window of `window` ms. The first window begins when
 * the last campaign starts.
 *
 * @param begins when each campaign starts, ms
 */
export function fairness(
  durations: readonly number[],
  capacity: Capacity,
  begins: readonly number[],
  { window, windows }: { window: number; windows: number },
  random: () => number,
): number[] {
  const service = new VirtualService(
    begins.flatMap(() => durations),
    capacity,
  );
  const sharers: Sharer[] = begins.map((at, index) => ({
    schedule: newSchedule(durations.length, 'auto'),
    first: index * durations.length,
    begins: at,
    wakesAt: at,
  }));
  const from = Math.max(...begins);
  const indices: number[] = [];
  let before = begins.map(() => 0);
  for (let end = from; indices.length <= windows; end += window) {
    for (;;) {
      const next = sharers.reduce((a, b) => (b.wakesAt < a.wakesAt ? b : a));
      if (next.wakesAt > end) break;
      tick(next, service, random);
    }
    service.advanceTo(end);
    const shares = sharers.map(({ first }) => service.busyTime(first, first + durations.length, end));
    if (end > from) indices.push(jain(shares.map((share, at) => share - before[at]!)));
    before = shares;
    if (indices.length === windows) break;
  }
  return indices;
}

/** One tick of a campaign, the same as in its workflow. */
function tick(sharer: Sharer, service: VirtualService, random: () => number): void {
  const { schedule, first } = sharer;
  let now = sharer.wakesAt;
  service.advanceTo(now);
  const decision = decide(schedule, now + EPOCH);
  const outcomes = emptyOutcomes();
  for (const seq of decision.request) {
    service.request(first + seq);
    outcomes.queued.push(seq);
  }
  for (const seq of decision.poll) {
    const state = service.stateOf(first + seq);
    outcomes[state === 'finished' ? 'new' : state].push(seq);
  }
  now += TICK_LATENCY;
  applyOutcomes(schedule, decision, outcomes, now + EPOCH);
  const wait = wakeIn(schedule, now + EPOCH);
  sharer.wakesAt = isFinished(schedule) ? Infinity : now + wait + (wait > 0 ? random() * TIMER_LATENESS : 0);
}

function jain(shares: readonly number[]): number {
  const sum = shares.reduce((total, share) => total + share, 0);
  const squares = shares.reduce((total, share) => total + share * share, 0);
  return squares === 0 ? 1 : sum ** 2 / (shares.length * squares);
}
