import { chanceFinished, type Flight, isQueued, QUEUED } from './flight.ts';
import { durationsOf, type Durations, type Hazard, learn, newHazard } from './hazard.ts';
import { compare, expectedRunning, newOccupancy, type Occupancy, survivors } from './occupancy.ts';

/**
 * The scheduler of a campaign: which runs to request, which to poll, when to look again. It is pure: no clock and no
 * I/O. The state is plain JSON, so that it can be carried from one workflow execution to the next; times are ms.
 *
 * A run is known by its `seq`, its place in the campaign's order of work. A run that is requested and has not been seen
 * to finish is a flight. The service runs as many as it can and queues the others in the order of request; nobody tells
 * how many it can. What the scheduler keeps is the queue: each tick it tops it up to what will start until the next
 * tick and a reserve (an order-up-to policy), so executors never wait and no more is queued than that. It measures
 * the queue with a few probes spread over the flights that it believes queued, which also tell when each started, and
 * polls a flight when the chance that it has finished since the last look is large enough.
 *
 * The reserve grows with the square root of what starts in a tick, as the noise of it does. Being concave, it also is
 * what makes two campaigns on one service converge to equal shares: the smaller one's reserve is the larger share.
 */
export interface Schedule {
  /** A hard cap, or `auto` to follow what the service runs at once. */
  concurrency: number | 'auto';
  /** Nothing is to be requested for now; what is in flight goes on. */
  isHeld: boolean;
  /** The first seq never requested, and the number of runs. */
  next: number;
  total: number;
  /** Seqs to be requested before those that follow `next`, and not before when. */
  again: number[];
  againAt: number;
  /** Seqs whose attempt failed: to be requested again, each not before its time. */
  postponed: { seq: number; at: number }[];
  /** There is more to request than is known here: what waits in the store after this seq; null if there is not. */
  more: number | null;
  /** A run is given up when it has run for this long, ms; null for never. */
  runTimeout: number | null;
  /** In the order of their request. */
  flights: Flight[];
  hazard: Hazard;
  /** What is shown of the flights goes by it, no decision does. Absent from campaigns of earlier versions. */
  occupancy?: Occupancy;
  /** Flights that start in a second, lately; 0 while nothing is known. */
  startRate: number;
  /** When the queue was last measured. */
  measuredAt: number;
  /** Whether anything was queued then: if not, executors may be idle. */
  isSaturated: boolean;
  /** How many runs to request at once while the service is not saturated. */
  burst: number;
  /** When the next tick is due. */
  tickAt: number;
  /** The wait before requests that got no answer are made again, ms: grows while nothing finishes. */
  patience: number;
}

export interface Decision {
  request: number[];
  poll: number[];
  /** Runs that have taken too long: to be stopped. */
  expire: number[];
}

/** What became of the runs of a tick, as seqs. `failed`: for good. `later`: the service could not be asked properly; ask again. */
export interface Outcomes {
  new: number[];
  reused: number[];
  failed: number[];
  queued: number[];
  running: number[];
  later: number[];
  /** Its attempt failed, and it is to be requested again after a delay, ms. */
  again: [seq: number, delay: number][];
}

export function emptyOutcomes(): Outcomes {
  return { new: [], reused: [], failed: [], queued: [], running: [], later: [], again: [] };
}

/** Where what waits in the store is read from the first seq on. */
const BEGINNING = -1;
const FIRST_BURST = 16;
/** Flights and postponed runs, at most: what a tick passes to activities, and the state to the next execution, stays small. */
const MAX_FLIGHTS = 2_000;
const SHORTEST_TICK = 1_000;
const LONGEST_TICK = 900_000;
/** A flight is polled at this chance of having finished since the last look. */
const CHANCE = 0.45;
/** When nothing is left to request, what finishes last decides: look sooner. */
const CHANCE_AT_THE_END = 0.2;
/** A tick comes later than asked for: timers are coarse, and asking the service takes its time. ms */
const TICK_LATENESS = 500;
/** The reserve in the queue, in standard deviations of what starts in a tick if runs start independently. */
const RESERVE = 4;
/** Probes a tick into the queue. */
const PROBES = 6;
/** Flights that are looked at while no duration is known, and while only a few are. */
const FIRST_SAMPLE = 10;
const SECOND_SAMPLE = 30;
/** A tick costs about a dozen history events: with this many runs finishing in it, a run costs less than one. */
const RUNS_A_TICK = 27;
/** A tick in mean durations, at least and at most: not more events than needed, no more lag than is good. */
const TICK_SHARES = { least: 0.2, most: 0.8, atTheEnd: 0.2 };
const LONGEST_PATIENCE = 60_000;
const PATIENCE_GROWTH = 1.5;

export function newSchedule(
  total: number,
  concurrency: number | 'auto',
  runTimeout: number | null = null,
): Schedule {
  return {
    concurrency,
    isHeld: false,
    next: 0,
    total,
    again: [],
    againAt: 0,
    postponed: [],
    more: null,
    runTimeout,
    flights: [],
    hazard: newHazard(),
    occupancy: newOccupancy(),
    startRate: 0,
    measuredAt: 0,
    isSaturated: false,
    burst: FIRST_BURST,
    tickAt: 0,
    patience: SHORTEST_TICK,
  };
}

/** True when every run has been requested and has finished. */
export function isFinished(schedule: Schedule): boolean {
  const { again, postponed, more, next, total, flights } = schedule;
  const isRequested = again.length === 0 && postponed.length === 0 && more === null && next >= total;
  return isRequested && flights.length === 0;
}

/** Everything that waits in the store is to be requested, in the order of the store: what there is has changed. */
export function startOver(schedule: Schedule, now: number): void {
  schedule.next = schedule.total;
  schedule.postponed = [];
  schedule.more = BEGINNING;
  schedule.tickAt = Math.min(schedule.tickAt, now);
}

/** True when the next page of what waits in the store is needed. */
export function needsWork(schedule: Schedule, now: number): boolean {
  return schedule.more !== null && !schedule.isHeld && schedule.again.length < roomIn(schedule, now);
}

/** Takes in a page of what waits in the store, in the order of seq; an empty one is the last. */
export function takeWork(schedule: Schedule, seqs: readonly number[]): void {
  const known = new Set([
    ...schedule.again,
    ...schedule.postponed.map(({ seq }) => seq),
    ...seqsOf(schedule.flights),
  ]);
  schedule.again.push(...seqs.filter((seq) => !known.has(seq)));
  schedule.more = seqs.at(-1) ?? null;
}

/** Takes in that there are more runs, of which some are told; the others are read from the store. */
export function addWork(
  schedule: Schedule,
  { count, seqs }: { count: number; seqs: readonly number[] },
): void {
  if (count === 0) return;
  const isAllTold = seqs.length === count && schedule.again.length + count <= MAX_FLIGHTS;
  // what is still to be read from the store ends with them
  if (schedule.more === null && isAllTold) schedule.again.push(...seqs);
  else schedule.more ??= BEGINNING;
}

/**
 * How many flights are expected to be RUNNING at the service; the others count as queued. A flight that is believed to
 * run need not: it may have finished since it was last looked at.
 */
export function inFlight(schedule: Schedule, now: number): { running: number; queued: number } {
  const { flights, hazard, measuredAt, occupancy = newOccupancy() } = schedule;
  const durations = durationsOf(hazard);
  const started = flights.filter((flight) => !isQueued(flight));
  const queue = flights.length - started.length - expectedStarts(schedule, measuredAt, now);
  // what starts takes the place of what finishes, while there is a queue
  const unfinished = Math.max(0, queue) + survivors(started, durations, now);
  const running = Math.round(
    Math.min(expectedRunning(occupancy, started, durations, measuredAt), unfinished),
  );
  return { running, queued: flights.length - running };
}

/** How many flights there are to be at the moment. */
export function windowOf(schedule: Schedule, now: number): number {
  return schedule.flights.length + roomIn(schedule, now);
}

/** What to do now: top up the queue, poll what is due, give up what takes too long. */
export function decide(schedule: Schedule, now: number): Decision {
  const request: number[] = [];
  if (schedule.againAt <= now) {
    const room = roomIn(schedule, now);
    const due = schedule.postponed.filter(({ at }) => at <= now).map(({ seq }) => seq);
    request.push(...[...due, ...schedule.again].slice(0, room));
    const last = Math.min(schedule.total, schedule.next + room - request.length);
    for (let seq = schedule.next; seq < last; seq += 1) request.push(seq);
  }
  const expire = seqsOf(schedule.flights.filter((flight) => now >= expiresAt(schedule, flight)));
  const expired = new Set(expire);
  return { request, poll: toPoll(schedule, now).filter((seq) => !expired.has(seq)), expire };
}

/** When a flight has run for too long. */
function expiresAt({ runTimeout }: Schedule, flight: Flight): number {
  return runTimeout === null || isQueued(flight) ? Infinity : flight.startedAt + runTimeout;
}

/** Takes in what became of a decision. `retryAfter`: ms that the service asked to be left alone, 0 if it did not. */
export function record(
  schedule: Schedule,
  { request }: Pick<Decision, 'request'>,
  outcomes: Outcomes,
  now: number,
  retryAfter = 0,
): void {
  for (const seq of request) schedule.next = Math.max(schedule.next, seq + 1);
  const asked = new Set(request);
  schedule.again = schedule.again.filter((seq) => !asked.has(seq));
  schedule.postponed = schedule.postponed.filter(({ seq }) => !asked.has(seq));
  for (const [seq, delay] of outcomes.again) schedule.postponed.push({ seq, at: now + delay });

  const wasSaturated = schedule.isSaturated;
  const queue = schedule.flights.filter(isQueued);
  const started = measureQueue(schedule, outcomes, now);
  const looks = {
    queue,
    started: schedule.flights.filter((flight) => !isQueued(flight)),
    ...seenIn(outcomes),
  };
  compare((schedule.occupancy ??= newOccupancy()), looks, durationsOf(schedule.hazard), now);
  const finished = takeInFlights(schedule, outcomes, now);
  const isLate = outcomes.later.length > 0;
  schedule.again.push(...outcomes.later.filter((seq) => asked.has(seq)));

  if (wasSaturated) learnRate(schedule, started, now);
  if (schedule.isSaturated) schedule.burst = FIRST_BURST;
  // Nothing was queued, so there may be idle executors: as many again as are in flight, and twice what ran through.
  else if (schedule.startRate === 0)
    schedule.burst = Math.max(FIRST_BURST, schedule.flights.length + 2 * finished);
  else
    schedule.burst = Math.max(FIRST_BURST, Math.round(queueAim(schedule, now) + schedule.flights.length / 2));
  if (isLate) {
    // The service is in distress: ask for little, and later.
    schedule.startRate /= 2;
    schedule.burst = FIRST_BURST;
  }
  schedule.patience =
    finished > 0 ? SHORTEST_TICK : Math.min(LONGEST_PATIENCE, schedule.patience * PATIENCE_GROWTH);
  if (isLate) schedule.againAt = Math.max(schedule.againAt, now + Math.max(retryAfter, schedule.patience));
  schedule.measuredAt = now;
  schedule.tickAt = Math.max(now + retryAfter, nextTick(schedule, now));
}

/** Milliseconds until the next tick is due; 0 when it is. */
export function wakeIn({ tickAt }: Schedule, now: number): number {
  return Math.max(0, tickAt - now);
}

/** True when there is something to request, as soon as there is room. */
function hasWork({ isHeld, again, postponed, more, next, total }: Schedule, now: number): boolean {
  const isMore = again.length > 0 || more !== null || next < total;
  return !isHeld && (isMore || postponed.some(({ at }) => at <= now));
}

/** How many more flights and postponed runs there may be. What is due is about to fly. */
function capacity({ flights, postponed }: Schedule, now: number): number {
  return Math.max(0, MAX_FLIGHTS - flights.length - postponed.filter(({ at }) => at > now).length);
}

/** How many runs may be requested now. */
function roomIn(schedule: Schedule, now: number): number {
  const { concurrency, flights, measuredAt } = schedule;
  if (schedule.isHeld) return 0;
  const most = capacity(schedule, now);
  if (concurrency !== 'auto') return Math.max(0, Math.min(most, concurrency - flights.length));
  const queued = flights.filter(isQueued).length;
  // Of a burst it is first to be seen what became of it.
  if (!schedule.isSaturated) return queued > 0 ? 0 : Math.max(0, Math.min(most, schedule.burst));
  const left = Math.max(0, queued - expectedStarts(schedule, measuredAt, now));
  return Math.max(0, Math.min(most, Math.round(queueAim(schedule, now) - left)));
}

/** What the queue is to be after a tick: what starts until the next one, and a reserve for the noise of that. */
function queueAim(schedule: Schedule, now: number): number {
  if (schedule.startRate === 0) return 0.4 * schedule.flights.length;
  const tick = tickLength(schedule, now) + TICK_LATENESS;
  const starts = Math.max(expectedStarts(schedule, now, now + tick), (schedule.startRate * tick) / 1_000);
  return starts + RESERVE * (Math.sqrt(starts) + 1);
}

/**
 * How many runs start between two times while there is a queue: as many as finish. Of what runs now, by its age; what
 * comes and goes within a tick is only known as a rate.
 */
function expectedStarts(schedule: Schedule, from: number, to: number): number {
  const { hazard, flights, startRate } = schedule;
  const durations = durationsOf(hazard);
  if (!durations || durations.mean < to - from) return (startRate * (to - from)) / 1_000;
  let starts = 0;
  for (const flight of flights) {
    if (isQueued(flight)) continue;
    const { lookedAt } = flight;
    starts +=
      chanceFinished(flight, durations, Math.max(lookedAt, to)) -
      chanceFinished(flight, durations, Math.max(lookedAt, from));
  }
  return starts;
}

function toPoll(schedule: Schedule, now: number): number[] {
  // one that was seen to run a moment ago is left alone
  const running = schedule.flights.filter(
    (flight) =>
      !isQueued(flight) && (flight.lookedAt === flight.startedAt || now - flight.lookedAt >= SHORTEST_TICK),
  );
  const probes = spread(schedule.flights.filter(isQueued), PROBES);
  const durations = durationsOf(schedule.hazard);
  if (!durations) {
    const sample = schedule.hazard.finished === 0 ? FIRST_SAMPLE : SECOND_SAMPLE;
    return seqsOf([...spread(running, sample), ...probes]);
  }
  const isDue = (flight: Flight): boolean =>
    hasWork(schedule, now)
      ? chanceFinished(flight, durations, now) >= CHANCE
      : now >= dueAtTheEnd(flight, durations);
  return seqsOf([...running.filter(isDue), ...probes]);
}

/** Up to `count` items at equal distances, the first and the last one among them. */
function spread<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items];
  return Array.from(
    { length: count },
    (_, at) => items[Math.round((at * (items.length - 1)) / (count - 1))]!,
  );
}

function seqsOf(flights: readonly Flight[]): number[] {
  return flights.map(({ seq }) => seq);
}

/**
 * Reads from the probes how far the queue has moved, as services start runs in the order of request: all before the last
 * probe that has started have, too, at equal distances in time. Returns how many started, half of the gap between
 * the last that has and the first that has not included.
 */
function measureQueue(schedule: Schedule, outcomes: Outcomes, now: number): number {
  const queue = schedule.flights.filter(isQueued);
  const indexOf = new Map(queue.map(({ seq }, index) => [seq, index]));
  const indices = (seqs: number[]): number[] => seqs.flatMap((seq) => indexOf.get(seq) ?? []);
  const { running, failed } = outcomes;
  const last = Math.max(
    -1,
    ...indices(running),
    ...indices(outcomes.new),
    ...indices(outcomes.reused),
    ...indices(failed),
    ...indices(seqsAgain(outcomes)),
  );
  const waiting = indices(outcomes.queued).filter((index) => index > last);
  schedule.isSaturated = waiting.length > 0;
  const first = Math.min(queue.length, ...waiting);
  const started = (last + 1 + first) / 2;
  const since = now - schedule.measuredAt;
  for (const [index, flight] of queue.entries()) {
    if (index > last) break;
    flight.startedAt = Math.round(schedule.measuredAt + (since * (index + 0.5)) / Math.max(1, started));
    flight.lookedAt = flight.startedAt;
  }
  return started;
}

/** Removes the flights that have finished, adds those that were requested; returns how many finished. */
function takeInFlights(schedule: Schedule, outcomes: Outcomes, now: number): number {
  const flights = new Map(schedule.flights.map((flight) => [flight.seq, flight]));
  const finished = [...outcomes.new, ...outcomes.reused, ...outcomes.failed, ...seqsAgain(outcomes)];
  for (const seq of finished) {
    const flight = flights.get(seq);
    flights.delete(seq);
    if (!flight || isQueued(flight)) continue;
    // how long a run that was given up would have taken nobody knows
    const isThrough = now < expiresAt(schedule, flight);
    learn(schedule.hazard, flight.lookedAt - flight.startedAt, now - flight.startedAt, isThrough);
  }
  for (const seq of outcomes.running) {
    const flight = flights.get(seq);
    if (!flight) flights.set(seq, { seq, startedAt: now, lookedAt: now });
    else if (!isQueued(flight)) {
      learn(schedule.hazard, flight.lookedAt - flight.startedAt, now - flight.startedAt, false);
      flight.lookedAt = now;
    }
  }
  for (const seq of outcomes.queued) {
    const flight = flights.get(seq);
    if (flight) Object.assign(flight, { startedAt: QUEUED, lookedAt: now });
    else flights.set(seq, { seq, startedAt: QUEUED, lookedAt: now });
  }
  schedule.flights = [...flights.values()];
  return finished.length;
}

function seenIn(outcomes: Outcomes): { polled: Set<number>; running: Set<number> } {
  const { running, queued, reused, failed } = outcomes;
  return {
    polled: new Set([...running, ...queued, ...outcomes.new, ...reused, ...failed, ...seqsAgain(outcomes)]),
    running: new Set(running),
  };
}

function seqsAgain({ again }: Outcomes): number[] {
  return again.map(([seq]) => seq);
}

function learnRate(schedule: Schedule, started: number, now: number): void {
  const seconds = (now - schedule.measuredAt) / 1_000;
  if (seconds <= 0) return;
  const rate = started / seconds;
  // When the queue ran dry in between, the service could have started more than it did.
  if (!schedule.isSaturated && rate < schedule.startRate) return;
  schedule.startRate += (rate - schedule.startRate) * (schedule.startRate === 0 ? 1 : 0.3);
}

function tickLength({ hazard, flights }: Schedule, now: number): number {
  const durations = durationsOf(hazard);
  if (!durations) {
    // as long again, half, as the oldest has run: a few looks whatever the durations are
    const oldest = flights.find((flight) => !isQueued(flight))?.startedAt ?? now;
    return Math.min(LONGEST_TICK, Math.max(SHORTEST_TICK, (now - oldest) / 2));
  }
  const { least, most } = TICK_SHARES;
  const runsAtOnce = flights.length - flights.filter(isQueued).length;
  const share = Math.min(most, Math.max(least, RUNS_A_TICK / Math.max(1, runsAtOnce)));
  return Math.min(LONGEST_TICK, Math.max(SHORTEST_TICK, durations.mean * share));
}

/** When to look again: when there is something to request, to poll or to give up. */
function nextTick(schedule: Schedule, now: number): number {
  const due = schedule.isHeld ? [] : schedule.postponed.filter(({ at }) => at > now);
  const expiries = schedule.flights.map((flight) => expiresAt(schedule, flight));
  const asked = due.map(({ at }) => Math.max(at, schedule.againAt));
  const earliest = Math.min(Infinity, ...asked, ...expiries);
  const isIdle = schedule.flights.length === 0 && !hasWork(schedule, now);
  if (isIdle && earliest < Infinity) return earliest;
  return Math.min(nextLook(schedule, now), Math.max(earliest, now + SHORTEST_TICK));
}

function nextLook(schedule: Schedule, now: number): number {
  const { concurrency, flights, hazard } = schedule;
  if (flights.length === 0 && !hasWork(schedule, now)) return now;
  if (hasWork(schedule, now)) {
    const looks = now + tickLength(schedule, now);
    // what is postponed has to fall due first
    if (capacity(schedule, now) === 0) return flights.length === 0 ? Infinity : looks;
    const isHungry = concurrency === 'auto' && !schedule.isSaturated;
    if (schedule.againAt > now)
      return flights.length === 0 ? schedule.againAt : Math.min(schedule.againAt, looks);
    return isHungry || flights.length === 0 ? now : looks;
  }
  const durations = durationsOf(hazard);
  if (!durations || flights.some(isQueued)) return now + tickLength(schedule, now);
  // Only the last ones are out: look when the first of them is due.
  const first = Math.min(...flights.map((flight) => dueAtTheEnd(flight, durations)));
  return Math.max(first, now + Math.max(SHORTEST_TICK, durations.mean * TICK_SHARES.atTheEnd));
}

/** When nothing is left to request: the time at which a flight is worth a look, at most two ticks after the last one. */
function dueAtTheEnd(flight: Flight, durations: Durations): number {
  const { lookedAt } = flight;
  const shortest = Math.max(SHORTEST_TICK, durations.mean * TICK_SHARES.atTheEnd);
  const longest = Math.min(LONGEST_TICK, 2 * shortest);
  let [low, high] = [0, longest];
  for (let step = 0; step < 16; step += 1) {
    const middle = (low + high) / 2;
    if (chanceFinished(flight, durations, lookedAt + middle) >= CHANCE_AT_THE_END) high = middle;
    else low = middle;
  }
  return lookedAt + high;
}
