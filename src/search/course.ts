import { setImmediate as breath } from 'node:timers/promises';
import {
  addTold,
  emptyStep,
  type KnownPoint,
  methodIn,
  type PointValue,
  type SearchEvent,
  type SearchLength,
  type SearchLog,
  type SearchStage,
  type SearchStep,
  stageOf,
  stopOf,
  type StopReason,
} from '../campaign/search/log.ts';
import { orderOf } from '../campaign/expressions/operators.ts';
import type { CampaignBy } from '../campaign/types.ts';
import {
  compareFinalists,
  comparedPoints,
  comparisonOf,
  type Decided,
  finalistsOf,
  isConfirmed,
  reportWinner,
} from './compare-finalists.ts';
import { History } from './history.ts';
import { pointMaker } from './point-maker.ts';
import { isNoisy } from './noise.ts';
import { type FinishedPoints, isFeasible, PointReader } from './point-value.ts';
import { KNOWN, type ProposedPoint, Proposer, RECOMMENDED } from './proposer.ts';
import { Replications } from './replications.ts';
import { isTooLittle, stopReason } from './stop.ts';

/**
 * After this time a step asks for no more points, so that the runs of its points can start. Points that an outside
 * optimiser has already proposed are still asked for.
 */
const LONGEST_STEP_MS = 2_000;
/** After this number of proposals in a row without a new point, the search asks for a point that was left out. */
const MOST_IN_VAIN = 20;
/** The value of a point that was not run. */
const REFUSED: PointValue = { value: null, variance: null, runs: 0, excess: [] };

/**
 * The course of a search. In each step, the search tells its method the values of finished points, and asks for new
 * points. A requested point is called an ask. Each step is a function of the campaign, the log, and the runs that the
 * log waits for. So the course can be rebuilt from the log at any time. A worker keeps the object only because a
 * rebuild takes time.
 */
export class SearchCourse {
  readonly history: History;
  readonly events: SearchEvent[];
  /** The number of asks before the last change that began the method anew. */
  readonly #from: number;
  readonly #campaign: CampaignBy<'search'>;
  readonly #reader: PointReader;
  readonly #replications: Replications;
  readonly #proposer: Proposer;
  readonly #pointOf: ReturnType<typeof pointMaker>;
  /** The points of another campaign with which the search begins. */
  readonly #known: readonly KnownPoint[];
  readonly #hasOptimiser: boolean;
  /** Why the method gives no further point: there is none, it finds none, or it expects too little improvement. */
  #methodEnd: 'all' | 'optimiser' | 'exhausted' | 'gain' | undefined;
  #finished: FinishedPoints = new Map();
  #isClosed = false;
  #result = emptyStep();
  /** Whether no ask has these values. */
  readonly #isNew = (values: readonly string[]): boolean => this.history.firstOf(values) === undefined;

  private constructor(campaign: CampaignBy<'search'>, log: SearchLog) {
    this.#campaign = campaign;
    this.history = new History(log.asks);
    this.events = [...log.events];
    this.#reader = new PointReader(campaign);
    this.#replications = new Replications(campaign, this.history, this.#reader);
    const { id, strategy, goal, base, seed } = campaign;
    this.#known = log.events.find((event) => event.kind === 'known')?.points ?? [];
    this.#hasOptimiser = typeof strategy.method === 'object';
    const { from, parallel } = methodIn(log, strategy.parallel);
    this.#from = from;
    this.#proposer = new Proposer({
      id,
      search: { ...strategy, parallel },
      from,
      goal: goal!,
      base,
      seed: seed ?? 0,
      isNoisy: isNoisy(campaign),
      known: this.#known,
    });
    this.#pointOf = pointMaker(campaign);
  }

  static async of(campaign: CampaignBy<'search'>, log: SearchLog): Promise<SearchCourse> {
    const course = new SearchCourse(campaign, log);
    await course.#proposer.catchUp(log.asks);
    return course;
  }

  get stage(): SearchStage {
    return stageOf(this);
  }

  get length(): SearchLength {
    const { asks, told } = this.history;
    return { asks: asks.length, told, events: this.events.length };
  }

  get points(): number {
    return this.history.points;
  }

  /**
   * A lower bound for the number of runs that must finish before a step can do more than tell values. The bound counts
   * each unfinished point once. It is valid only after a step that did nothing.
   */
  get needs(): number {
    const { asks, told } = this.history;
    const { most, order, parallel } = this.#campaign.strategy;
    // any run may lead to further replications, and in free order to the next point
    if (most !== null || order === 'free') return 1;
    const isSearching = this.stage === 'searching';
    const tells = isSearching ? Math.max(asks.length - parallel + 1 - told, this.#proposer.lacks) : Infinity;
    const awaited = asks.slice(told, told + tells).flatMap(({ ordinal }) => ordinal ?? []);
    return [...new Set(awaited)].filter((ordinal) => !this.#finished.has(ordinal)).length;
  }

  /** The ordinals of the points whose runs the next step depends on. */
  awaited(): number[] {
    const { asks, told } = this.history;
    if (this.stage === 'over') return [];
    if (this.stage === 'comparing' || this.stage === 'reporting') return comparedPoints(this);
    const open = asks.slice(told).flatMap(({ ordinal }) => ordinal ?? []);
    const rivals =
      this.#campaign.strategy.most === null
        ? []
        : asks.slice(told).flatMap((ask) => this.#replications.rivalOf(ask)?.ordinal ?? []);
    return [...new Set([...open, ...rivals])];
  }

  /**
   * The next step. The caller writes it to the log. If that fails, the course is invalid. A method may compute for a
   * second, so the event loop can do other work after each ask.
   */
  async step(finished: FinishedPoints): Promise<SearchStep> {
    this.#finished = finished;
    this.#result = emptyStep();
    const { stage } = this;
    if (stage === 'searching' || stage === 'finishing') await this.#search();
    else if (stage !== 'over') this.#result = { ...this.#result, ...this.#compare(stage) };
    this.events.push(...this.#result.events);
    return this.#result;
  }

  /** Ends the step that is under way, whose result then has no use, and the process of an outside optimiser. */
  close(): void {
    this.#isClosed = true;
    this.#proposer.close();
  }

  /** Sets the ordinals of the asks of the last step. */
  written(ordinals: readonly (number | null)[]): void {
    const { asks } = this.history;
    const first = asks.length - ordinals.length;
    for (const [at, ordinal] of ordinals.entries()) asks[first + at]!.ordinal = ordinal;
  }

  #compare(stage: 'comparing' | 'reporting'): Decided {
    const rule = comparisonOf(this.#campaign, this.#reader);
    if (stage === 'reporting') return reportWinner(rule, this.events, this.#finished, this.#reader);
    const { report } = this.#campaign.strategy.confirm!;
    return compareFinalists({ rule, report }, this.events, this.#finished, this.#reader);
  }

  async #search(): Promise<void> {
    this.#result.replications.push(...this.#replications.further(this.#finished));
    const begun = performance.now();
    while (!this.#isClosed && (await this.#askNext())) {
      await breath();
      // points that an optimiser has proposed together are written together
      if (performance.now() - begun > LONGEST_STEP_MS && !this.#proposer.hasMore) break;
    }
    const stop = this.#stopped();
    if (!stop) return;
    if (this.stage === 'searching') this.#result.events.push({ kind: 'stopped', by: stop });
    while (this.#tellNext());
    if (this.history.told < this.history.asks.length || (await this.#askRecommended())) return;
    await this.#finish();
  }

  /** The value of an ask; undefined until all of its runs have finished. */
  #valueOf(at: number): PointValue | undefined {
    const ask = this.history.asks[at]!;
    const first = this.history.firstOf(ask.values)!;
    // a point that was asked before keeps its earlier value
    if (first < at) return this.history.asks[first]!.told ?? undefined;
    const runs = this.#replications.whole(ask, this.#finished);
    return runs && this.#reader.valueOf(runs);
  }

  /** Tells the method the value of the next ask, if its runs have finished. */
  #tellNext(): boolean {
    const { told: at, asks } = this.history;
    if (at === asks.length) return false;
    const told = this.#isRefused(at) ? REFUSED : this.#valueOf(at);
    if (!told) return false;
    this.history.tell(told);
    this.#proposer.tell(told);
    addTold(this.#result, asks.length, at, told);
    return true;
  }

  /**
   * Whether an ask has no run because it does not meet the condition `where`. Such an ask was written without a point,
   * in this step or earlier.
   */
  #isRefused(at: number): boolean {
    const { asks } = this.history;
    const first = asks.length - this.#result.asks.length;
    return at < first ? asks[at]!.ordinal === null : this.#result.asks[at - first]!.point === null;
  }

  /** Asks for one more point, if everything that it depends on is known. */
  async #askNext(): Promise<boolean> {
    const { history } = this;
    const { order, parallel } = this.#campaign.strategy;
    if (order === 'free') {
      // a finished point behind a slow one is not told yet, and does not count as unfinished
      while (this.#tellNext());
      if (this.#unfinished() >= parallel) return false;
    } else {
      // each ask knows the values of all earlier asks except at most the last `parallel` - 1, so asks do not depend on
      // time
      while (history.told < history.asks.length - parallel + 1) if (!this.#tellNext()) return false;
    }
    if (history.asks.length === 0 && this.#askKnown()) return true;
    while (!this.#stopped()) {
      // a method that repeats points may need many proposals until it finds a new one
      const onlyRepeats = history.inVain >= MOST_IN_VAIN && !this.#hasOptimiser;
      const proposed = onlyRepeats ? 'exhausted' : await this.#proposer.next();
      if (proposed === 'exhausted') {
        const left = this.#left();
        if (left) return this.#add(left, false);
        this.#methodEnd = this.#whyExhausted();
      } else if (proposed === null) {
        if (!this.#tellNext()) return false;
      } else if (isTooLittle(this.#campaign.strategy.stop, proposed.gain)) this.#methodEnd = 'gain';
      else return this.#add(proposed, true);
    }
    return false;
  }

  /**
   * If the search begins with the points of another campaign, asks first for the best of them, so that it can be the
   * best point of this search too. Returns whether it has asked for a point.
   */
  #askKnown(): boolean {
    const candidates = this.#known.flatMap(({ values, told }) => {
      const moved = this.#proposer.moved(values);
      return moved && told.value !== null && isFeasible(told) ? [{ values: moved, value: told.value }] : [];
    });
    const [best] = candidates.toSorted((a, b) => orderOf(a.value, b.value));
    if (!best || !this.#proposer.isAllowed(best.values)) return false;
    return this.#add({ values: best.values, by: KNOWN, isAllowed: true }, false);
  }

  /** A point that a built-in method has left out. An outside optimiser may end its search when it wants. */
  #left(): ProposedPoint | undefined {
    return this.#hasOptimiser ? undefined : this.#proposer.left(this.#isNew);
  }

  #whyExhausted(): 'all' | 'optimiser' | 'exhausted' {
    if (this.#proposer.isAll(this.#isNew)) return 'all';
    return this.#hasOptimiser ? 'optimiser' : 'exhausted';
  }

  /** How many points have no value yet. */
  #unfinished(): number {
    const { told, asks } = this.history;
    let count = 0;
    for (let at = told; at < asks.length; at += 1) if (this.#isOpen(at)) count += 1;
    return count;
  }

  /** Whether an ask is the first of its point, and the point has no value yet. */
  #isOpen(at: number): boolean {
    const isFirst = this.history.firstOf(this.history.asks[at]!.values) === at;
    return isFirst && !this.#isRefused(at) && this.#valueOf(at) === undefined;
  }

  /** Asks for a point. @returns true, because the search has asked */
  #add({ values, by, isAllowed }: Omit<ProposedPoint, 'gain'>, isProposed: boolean): true {
    this.#proposer.note(values, isProposed);
    // a point that was asked for before has its runs already
    const to = this.#isNew(values) ? this.#campaign.replications : 0;
    const point = isAllowed ? { ...this.#pointOf(values), from: 1, to } : null;
    const seen = this.history.told;
    this.#result.asks.push({ point, values, by, seen, told: null });
    this.history.add({ ordinal: null, values, by, seen, told: null }, isAllowed);
    return true;
  }

  #stopped(): StopReason | undefined {
    const known = stopOf(this) ?? this.#methodEnd;
    if (known) return known;
    const { strategy, replications } = this.#campaign;
    const { value } = strategy.stop;
    const target = value === null ? null : this.#reader.signed(value);
    return stopReason(strategy.stop, this.history, { target, replications, from: this.#from });
  }

  /** Asks for the point that the method recommends, if the search ends with a comparison and has not asked for it. */
  async #askRecommended(): Promise<boolean> {
    const values = isConfirmed(this.#campaign) ? await this.#proposer.recommend() : null;
    if (!values || !this.#isNew(values) || !this.#proposer.isAllowed(values)) return false;
    return this.#add({ values, by: RECOMMENDED, isAllowed: true }, false);
  }

  /** Begins the comparison of the best points, or ends the search. All asks must have been told. */
  async #finish(): Promise<void> {
    const { events, replications } = this.#result;
    if (!isConfirmed(this.#campaign) || !this.history.bestOf()) {
      events.push({ kind: 'over' });
      return;
    }
    const { ordinals, after } = finalistsOf(this.#campaign, this.history, await this.#proposer.recommend());
    const last = after + this.#campaign.strategy.confirm!.replications;
    events.push({ kind: 'finalists', ordinals, after });
    for (const ordinal of ordinals) replications.push({ ordinal, from: after + 1, to: last });
  }
}
