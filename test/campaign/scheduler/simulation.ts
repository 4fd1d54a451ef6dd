import { nextAttemptIn } from '../../../src/campaign/failures.ts';
import {
  decide,
  emptyOutcomes,
  inFlight,
  isFinished,
  newSchedule,
  type Outcomes,
  applyOutcomes,
  type Schedule,
  wakeIn,
  windowOf,
} from '../../../src/campaign/scheduler/index.ts';
import { type AttemptPolicy, ONE_ATTEMPT } from '../../../src/campaign/types.ts';

/** The conditions of a simulated campaign in virtual time. Times are ms. */
export interface Scenario {
  /** One entry per run, in the order of work. A run has `fails` failed attempts, and then ends as `ends` says. */
  runs: { duration: number; ends: 'new' | 'reused' | 'failed'; fails?: number }[];
  executors: number;
  concurrency: number | 'auto';
  /** The duration of a tick's requests. */
  latency: number;
  /** Ticks in which the service leaves a share of the requests without an answer, and asks for a pause. */
  troubles: { tick: number; share: number; retryAfter: number }[];
  attempts?: AttemptPolicy;
  runTimeout?: number | null;
  mostFlights?: number;
}

export interface Tick {
  at: number;
  request: number[];
  poll: number[];
  expire: number[];
  later: number[];
  /** Failed attempts after which another attempt follows. */
  again: Outcomes['again'];
  /** The time of the answers, and the end of the pause that the service asked for. */
  answeredAt: number;
  quietUntil: number;
  /** The flights before and after the tick, the postponed runs, the window of its decision, and the finished runs. */
  flightsBefore: number[];
  flightsAfter: number;
  postponedAfter: number;
  window: number;
  finished: number[];
  failed: number[];
  /** Runs that a poll found RUNNING. */
  running: number[];
  /** The number of runs shown as running just before the tick, and the number that the service had RUNNING. */
  shown: number;
  executing: number;
}

const START = 1_780_000_000_000;

type SeenState = Exclude<keyof Outcomes, 'again' | 'later'>;

/**
 * A service with a number of executors and a queue. The whole life of a run is known when it is requested. A stopped
 * run still occupies its executor for the planned time.
 */
class Service {
  readonly #scenario: Scenario;
  readonly #freeAt: number[];
  readonly #lives = new Map<number, { start: number; end: number }>();
  readonly #failures = new Map<number, number>();

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    this.#freeAt = new Array<number>(scenario.executors).fill(0);
  }

  request(seq: number, now: number): SeenState {
    const { duration, ends, fails = 0 } = this.#scenario.runs[seq]!;
    if (ends === 'reused' && this.#failuresOf(seq) >= fails) return 'reused';
    if (!this.#lives.has(seq)) {
      const executor = this.#freeAt.indexOf(Math.min(...this.#freeAt));
      const start = Math.max(now, this.#freeAt[executor]!);
      this.#freeAt[executor] = start + duration;
      this.#lives.set(seq, { start, end: start + duration });
    }
    return this.stateOf(seq, now);
  }

  stateOf(seq: number, now: number): SeenState {
    const { start, end } = this.#lives.get(seq)!;
    if (now < start) return 'queued';
    if (now < end) return 'running';
    const { ends, fails = 0 } = this.#scenario.runs[seq]!;
    return this.#failuresOf(seq) < fails ? 'failed' : ends;
  }

  /** The number of runs that are RUNNING. */
  runningAt(now: number): number {
    return [...this.#lives.values()].filter(({ start, end }) => start <= now && now < end).length;
  }

  /** The state of a run after a request to stop it. */
  stop(seq: number, now: number): SeenState {
    const state = this.stateOf(seq, now);
    return state === 'queued' || state === 'running' ? 'failed' : state;
  }

  /**
   * Records that the campaign has seen a failed attempt, so that the next request is a new attempt. Returns the number
   * of failed attempts.
   */
  fail(seq: number): number {
    this.#lives.delete(seq);
    this.#failures.set(seq, this.#failuresOf(seq) + 1);
    return this.#failuresOf(seq);
  }

  #failuresOf(seq: number): number {
    return this.#failures.get(seq) ?? 0;
  }

  get idealEnd(): number {
    return Math.max(...this.#freeAt);
  }
}

export interface Simulated {
  ticks: Tick[];
  schedule: Schedule;
  /** The time from the first request until the campaign sees the end of the last run. */
  makespan: number;
  /** The time from the first request until the service has no more work. */
  serviceTime: number;
}

/**
 * Runs a campaign as its workflow does: decide, send requests, applyOutcomes, sleep. The state passes through JSON in
 * each tick.
 */
export function simulate(scenario: Scenario, mostTicks = 100_000): Simulated {
  const service = new Service(scenario);
  const { attempts = ONE_ATTEMPT, runTimeout = null } = scenario;
  let schedule = newSchedule(scenario.runs.length, scenario.concurrency, runTimeout);
  if (scenario.mostFlights !== undefined) schedule.mostFlights = scenario.mostFlights;
  let now = START;
  const ticks: Tick[] = [];
  for (let tick = 0; !isFinished(schedule); tick += 1) {
    if (tick === mostTicks) throw new Error(`not finished after ${mostTicks} ticks`);
    schedule = throughJson(schedule);
    const decision = decide(schedule, now);
    const flightsBefore = schedule.flights.map(({ seq }) => seq);
    const window = windowOf(schedule, now);
    const at = now;
    const { running: shown } = inFlight(schedule, now);
    const executing = service.runningAt(now);
    const outcomes: Outcomes = emptyOutcomes();
    const trouble = scenario.troubles.find((candidate) => candidate.tick === ticks.length);
    const asked = [...decision.request, ...decision.poll, ...decision.expire];
    const lost = Math.ceil(asked.length * (trouble?.share ?? 0));
    for (const [n, seq] of asked.entries()) {
      // the middle of the list gets no answer, because it has both requests and polls
      const isLost = n >= (asked.length - lost) / 2 && n < (asked.length + lost) / 2;
      const ask =
        n < decision.request.length ? 'request' : decision.expire.includes(seq) ? 'stop' : 'stateOf';
      const state = isLost ? 'later' : service[ask](seq, now);
      const delay = state === 'failed' ? nextAttemptIn(attempts, service.fail(seq)) : undefined;
      if (delay === undefined) outcomes[state].push(seq);
      else outcomes.again.push([seq, delay]);
    }
    const retryAfter = outcomes.later.length > 0 ? trouble!.retryAfter : 0;
    if (asked.length > 0) now += scenario.latency;
    applyOutcomes(schedule, decision, outcomes, now, retryAfter);
    if (asked.length > 0) {
      const polled = new Set(decision.poll);
      ticks.push({
        at,
        ...decision,
        later: outcomes.later,
        again: outcomes.again,
        answeredAt: now,
        quietUntil: now + retryAfter,
        flightsBefore,
        flightsAfter: schedule.flights.length,
        postponedAfter: schedule.postponed.length,
        window,
        finished: [...outcomes.new, ...outcomes.reused, ...outcomes.failed],
        failed: outcomes.failed,
        running: outcomes.running.filter((seq) => polled.has(seq)),
        shown,
        executing,
      });
    }
    const wait = wakeIn(schedule, now);
    if (asked.length === 0 && !(wait > 0)) throw new Error('a tick has no work, and no wait follows it');
    now += wait;
  }
  return { ticks, schedule, makespan: now - START, serviceTime: service.idealEnd - START };
}

/** Passes the state through JSON, as continue-as-new does. Throws if JSON changes a part of the state. */
function throughJson(schedule: Schedule): Schedule {
  const copy = JSON.parse(JSON.stringify(schedule)) as Schedule;
  if (JSON.stringify(copy, replacer) !== JSON.stringify(schedule, replacer))
    throw new Error('JSON changes the state');
  return copy;
}

/** Turns values that JSON would replace with null into texts, so that a comparison finds a change of these values. */
function replacer(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}
