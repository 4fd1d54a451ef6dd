/**
 * The scheduler of a campaign: which runs to request, which to poll, when to look again. It is pure: no clock and no
 * I/O. The state is plain JSON, so that it can be carried from one workflow execution to the next; times are ms.
 *
 * A run is known by its `seq`, its place in the campaign's order of work. A run that is requested and has not finished
 * is a flight. The service queues what it cannot run yet, so the window (how many flights there may be) is kept at
 * about twice what the service runs at once: its executors then never wait for our next tick.
 */

/** A run that was requested and has not been seen to finish. */
export interface Flight {
  seq: number;
  requestedAt: number;
  /** When it was first seen RUNNING; null while it is FRESH. */
  runningSince: number | null;
  /** Not to be polled before this. */
  pollAt: number;
}

export interface Schedule {
  /** A hard cap, or `auto` to follow what the service runs at once. */
  concurrency: number | 'auto';
  /** How many flights there may be. */
  window: number;
  /** The first seq never requested, and the number of runs. */
  next: number;
  total: number;
  /** Seqs to be requested again, and not before when. */
  again: number[];
  againAt: number;
  flights: Flight[];
  /** Seconds from first seen RUNNING (or requested) to seen finished: count and mean. */
  durations: { count: number; mean: number };
  /** The wait between ticks while no duration is known, ms: grows geometrically. */
  patience: number;
}

export interface Decision {
  request: number[];
  poll: number[];
}

/** What became of the runs of a tick, as seqs. `later`: the service could not be asked properly; ask again. */
export interface Outcomes {
  new: number[];
  reused: number[];
  failed: number[];
  queued: number[];
  running: number[];
  later: number[];
}

const FIRST_WINDOW = 16;
const MAX_WINDOW = 1_000;
const SHORTEST_TICK = 1_000;
const LONGEST_TICK = 30_000;
/** Of the mean duration: often enough to see a run finish soon after it did, seldom enough to cost few polls. */
const TICK_SHARE = 0.35;

export function newSchedule(total: number, concurrency: number | 'auto'): Schedule {
  return {
    concurrency,
    window: concurrency === 'auto' ? FIRST_WINDOW : concurrency,
    next: 0,
    total,
    again: [],
    againAt: 0,
    flights: [],
    durations: { count: 0, mean: 0 },
    patience: SHORTEST_TICK,
  };
}

/** True when every run has been requested and has finished. */
export function isFinished(schedule: Schedule): boolean {
  return schedule.next >= schedule.total && schedule.again.length === 0 && schedule.flights.length === 0;
}

/** What to do now: fill the window, poll what is due. */
export function decide(schedule: Schedule, now: number): Decision {
  const poll = schedule.flights.filter(({ pollAt }) => pollAt <= now).map(({ seq }) => seq);
  let room = Math.max(0, schedule.window - schedule.flights.length);
  const request: number[] = [];
  if (schedule.againAt <= now) {
    request.push(...schedule.again.slice(0, room));
    room -= request.length;
    for (let seq = schedule.next; room > 0 && seq < schedule.total; seq += 1, room -= 1) request.push(seq);
  }
  return { request, poll };
}

/**
 * Takes in what became of a decision and sets the window for the next one.
 *
 * @param retryAfter ms that the service asked to be left alone; 0 if it did not
 */
export function record(
  schedule: Schedule,
  { request, poll }: Decision,
  outcomes: Outcomes,
  now: number,
  retryAfter = 0,
): void {
  const flights = new Map(schedule.flights.map((flight) => [flight.seq, flight]));
  for (const seq of request) schedule.next = Math.max(schedule.next, seq + 1);
  const asked = new Set(request);
  schedule.again = schedule.again.filter((seq) => !asked.has(seq));

  for (const seq of [...outcomes.new, ...outcomes.failed]) {
    const flight = flights.get(seq);
    if (flight) learnDuration(schedule, (now - (flight.runningSince ?? flight.requestedAt)) / 1_000);
  }
  for (const seq of [...outcomes.new, ...outcomes.reused, ...outcomes.failed]) flights.delete(seq);
  for (const seq of outcomes.queued) {
    flights.set(seq, { requestedAt: now, ...flights.get(seq), seq, runningSince: null, pollAt: 0 });
  }
  for (const seq of outcomes.running) {
    const known = flights.get(seq);
    flights.set(seq, {
      requestedAt: now,
      ...known,
      seq,
      runningSince: known?.runningSince ?? now,
      pollAt: 0,
    });
  }
  // A poll that got no answer is simply due again; a request that got none is to be made again.
  const lost = outcomes.later.filter((seq) => !flights.has(seq));
  schedule.again.push(...lost);
  schedule.flights = [...flights.values()];

  const finished = outcomes.new.length + outcomes.reused.length + outcomes.failed.length;
  schedule.patience = finished > 0 ? SHORTEST_TICK : Math.min(LONGEST_TICK, schedule.patience * 1.5);
  if (outcomes.later.length > 0) {
    schedule.againAt = Math.max(schedule.againAt, now + Math.max(retryAfter, schedule.patience));
  }
  const tick = tickLength(schedule);
  for (const flight of schedule.flights) {
    // Also one that fell due meanwhile: polls that come together cost one tick.
    if (flight.pollAt <= now) flight.pollAt = now + tick;
    flight.pollAt = Math.max(flight.pollAt, now + retryAfter);
  }
  if (schedule.concurrency === 'auto') schedule.window = nextWindow(schedule, outcomes, poll.length);
}

/** Milliseconds until there is something to do; 0 when there is already. */
export function wakeIn(schedule: Schedule, now: number): number {
  const hasWork = schedule.again.length > 0 || schedule.next < schedule.total;
  const hasRoom = schedule.flights.length < schedule.window;
  const firstPoll = schedule.flights.reduce((first, { pollAt }) => Math.min(first, pollAt), Infinity);
  const first = hasWork && hasRoom ? Math.min(schedule.againAt, firstPoll) : firstPoll;
  return Math.max(0, first === Infinity ? 0 : first - now);
}

/** Counts of the flights as last seen. */
export function inFlight(schedule: Schedule): { running: number; queued: number } {
  const running = schedule.flights.filter(({ runningSince }) => runningSince !== null).length;
  return { running, queued: schedule.flights.length - running };
}

function learnDuration(schedule: Schedule, seconds: number): void {
  const { durations } = schedule;
  durations.count += 1;
  // the last hundred or so count, so that a change of the service is followed
  durations.mean += (seconds - durations.mean) / Math.min(durations.count, 100);
}

function tickLength(schedule: Schedule): number {
  const { durations, patience } = schedule;
  if (durations.count === 0) return patience;
  return Math.min(LONGEST_TICK, Math.max(SHORTEST_TICK, durations.mean * 1_000 * TICK_SHARE));
}

/**
 * When nothing is FRESH at the service its capacity may be larger than the window: double it. When something is, what
 * is RUNNING is the capacity: keep twice that. Until something runs there is nothing to learn.
 */
function nextWindow(schedule: Schedule, outcomes: Outcomes, polled: number): number {
  const { running, queued } = inFlight(schedule);
  if (outcomes.later.length > 0) return Math.max(FIRST_WINDOW, Math.floor(schedule.window / 2));
  const finishedInTick = outcomes.new.length + outcomes.failed.length;
  const full = schedule.flights.length + finishedInTick + outcomes.reused.length >= schedule.window;
  if (queued === 0 && (polled > 0 || outcomes.reused.length > 0) && full) {
    return Math.min(MAX_WINDOW, schedule.window * 2);
  }
  if (queued === 0 || running + finishedInTick === 0) return schedule.window;
  return Math.min(MAX_WINDOW, Math.max(FIRST_WINDOW, 2 * running, 2 * running + finishedInTick));
}
