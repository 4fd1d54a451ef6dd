import {
  decide,
  isFinished,
  newSchedule,
  type Outcomes,
  record,
  type Schedule,
  wakeIn,
  windowOf,
} from '../../src/campaign/schedule.ts';

/** What a campaign meets in a simulation in virtual time. Times are ms. */
export interface Scenario {
  /** Of each run, in the order of work. */
  runs: { duration: number; ends: 'new' | 'reused' | 'failed' }[];
  executors: number;
  concurrency: number | 'auto';
  /** How long a tick's requests take. */
  latency: number;
  /** The service answers nothing to some of what is asked in these ticks: which share of it, and what it asks for. */
  troubles: { tick: number; share: number; retryAfter: number }[];
}

export interface Tick {
  at: number;
  request: number[];
  poll: number[];
  later: number[];
  /** When the answers were there, and until when the service asked to be left alone. */
  answeredAt: number;
  quietUntil: number;
  /** Flights before and after, the window that was decided with, and what finished. */
  flightsBefore: number[];
  flightsAfter: number;
  window: number;
  finished: number[];
  /** Polled and found RUNNING. */
  running: number[];
}

const START = 1_780_000_000_000;

/** A service with so many executors and a queue: a run's whole life is known when it is requested. */
class Service {
  private readonly scenario: Scenario;
  private readonly freeAt: number[];
  private readonly lives = new Map<number, { start: number; end: number }>();

  constructor(scenario: Scenario) {
    this.scenario = scenario;
    this.freeAt = new Array<number>(scenario.executors).fill(0);
  }

  request(seq: number, now: number): keyof Outcomes {
    const { duration, ends } = this.scenario.runs[seq]!;
    if (ends === 'reused') return 'reused';
    if (!this.lives.has(seq)) {
      const executor = this.freeAt.indexOf(Math.min(...this.freeAt));
      const start = Math.max(now, this.freeAt[executor]!);
      this.freeAt[executor] = start + duration;
      this.lives.set(seq, { start, end: start + duration });
    }
    return this.stateOf(seq, now);
  }

  stateOf(seq: number, now: number): keyof Outcomes {
    const { start, end } = this.lives.get(seq)!;
    return now >= end ? this.scenario.runs[seq]!.ends : now >= start ? 'running' : 'queued';
  }

  get idealEnd(): number {
    return Math.max(...this.freeAt);
  }
}

export interface Simulated {
  ticks: Tick[];
  schedule: Schedule;
  /** From the first request until the last run is seen to have finished. */
  makespan: number;
  /** From the first request until the service had nothing left to do. */
  serviceTime: number;
}

/** Runs a campaign as its workflow does: decide, ask, record, sleep; the state goes through JSON each time. */
export function simulate(scenario: Scenario, mostTicks = 100_000): Simulated {
  const service = new Service(scenario);
  let schedule = newSchedule(scenario.runs.length, scenario.concurrency);
  let now = START;
  const ticks: Tick[] = [];
  for (let tick = 0; !isFinished(schedule); tick += 1) {
    if (tick === mostTicks) throw new Error(`not finished after ${mostTicks} ticks`);
    schedule = throughJson(schedule);
    const decision = decide(schedule, now);
    const flightsBefore = schedule.flights.map(({ seq }) => seq);
    const window = windowOf(schedule, now);
    const at = now;
    const outcomes: Outcomes = { new: [], reused: [], failed: [], queued: [], running: [], later: [] };
    const trouble = scenario.troubles.find((candidate) => candidate.tick === ticks.length);
    const asked = [...decision.request, ...decision.poll];
    const lost = Math.ceil(asked.length * (trouble?.share ?? 0));
    for (const [n, seq] of asked.entries()) {
      // which ones get no answer: those in the middle, so that requests and polls are both among them
      const isLost = n >= (asked.length - lost) / 2 && n < (asked.length + lost) / 2;
      const isPoll = n >= decision.request.length;
      outcomes[isLost ? 'later' : isPoll ? service.stateOf(seq, now) : service.request(seq, now)].push(seq);
    }
    const retryAfter = outcomes.later.length > 0 ? trouble!.retryAfter : 0;
    if (asked.length > 0) now += scenario.latency;
    record(schedule, decision, outcomes, now, retryAfter);
    if (asked.length > 0) {
      ticks.push({
        at,
        ...decision,
        later: outcomes.later,
        answeredAt: now,
        quietUntil: now + retryAfter,
        flightsBefore,
        flightsAfter: schedule.flights.length,
        window,
        finished: [...outcomes.new, ...outcomes.reused, ...outcomes.failed],
        running: outcomes.running,
      });
    }
    const wait = wakeIn(schedule, now);
    if (asked.length === 0 && !(wait > 0)) throw new Error('a tick without work, and no wait after it');
    now += wait;
  }
  return { ticks, schedule, makespan: now - START, serviceTime: service.idealEnd - START };
}

/** What continue-as-new does to the state; fails when something of it does not survive. */
function throughJson(schedule: Schedule): Schedule {
  const copy = JSON.parse(JSON.stringify(schedule)) as Schedule;
  if (JSON.stringify(copy, replacer) !== JSON.stringify(schedule, replacer))
    throw new Error('the state is no JSON');
  return copy;
}

/** Shows what JSON would turn into null. */
function replacer(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}
