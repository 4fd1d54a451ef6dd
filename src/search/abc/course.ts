import type { Calibration } from '../../campaign/search/calibration.ts';
import {
  addTold,
  type Ask,
  emptyStep,
  type SearchEvent,
  type SearchLength,
  type SearchLog,
  type SearchStage,
  type SearchStep,
  stageOf,
  type StopReason,
} from '../../campaign/search/log.ts';
import { hasSeed } from '../../campaign/seeds.ts';
import type { CampaignBy } from '../../campaign/types.ts';
import { pointMaker } from '../point-maker.ts';
import type { FinishedPoints } from '../point-value.ts';
import { Distances, type Simulated } from './distance.ts';
import { type Generation, generationsOf, isAccepted, newGeneration, populationOf } from './generations.ts';
import { nextTolerance } from './population.ts';
import { Sampler } from './sampler.ts';
import { turns } from '../../turns.ts';

/**
 * The course of a calibration: sequential Monte Carlo with decreasing tolerances. Each generation draws points near the
 * accepted points of the generation before. It accepts the first points, by number, whose distance from the
 * observations is within the tolerance. The kernel and the weights are from M. A. Beaumont, J.-M. Cornuet, J.-M. Marin
 * and C. P. Robert, "Adaptive approximate Bayesian computation", Biometrika 96 (2009) 983-990. Each tolerance is a
 * quantile of the distances of the generation before, as in P. Del Moral, A. Doucet and A. Jasra, "An adaptive
 * sequential Monte Carlo method for approximate Bayesian computation", Statistics and Computing 22 (2012) 1009-1020. If
 * distances are equal, it is the next lower distance.
 *
 * Each step is a function of the campaign, the log, and the runs that the log waits for, like a step of a search.
 */
export class AbcCourse {
  readonly events: SearchEvent[];
  readonly #asks: Ask[] = [];
  #told: number;
  readonly #calibration: Calibration;
  readonly #sampler: Sampler;
  readonly #distances: Distances;
  readonly #pointOf: ReturnType<typeof pointMaker>;
  readonly #isRandom: boolean;
  #generations: Generation[] = [];
  /** The number of asks of each point, by its values. */
  readonly #asksOf = new Map<string, number>();
  /** For each ask, its number among the asks of its point, counted from 1. */
  readonly #repeats: number[] = [];
  /** By ask: the observed outputs of a finished run whose distance was not told yet; null for a failed run. */
  readonly #known = new Map<number, Simulated | null>();
  #result = emptyStep();
  readonly #turn = turns();

  private constructor(campaign: CampaignBy<'calibration'>, log: SearchLog) {
    const { base, strategy, outputs, seed } = campaign;
    this.#calibration = strategy;
    this.#sampler = new Sampler(strategy, base, seed ?? 0);
    this.#distances = new Distances(strategy.observed, outputs);
    this.#pointOf = pointMaker(campaign);
    this.#isRandom = hasSeed(base);
    this.events = [...log.events];
    for (const ask of log.asks) this.#note({ ...ask });
    const open = log.asks.findIndex(({ told }) => told === null);
    this.#told = open < 0 ? log.asks.length : open;
    // an ask without a point has no run, and counts as failed
    for (let ask = this.#told; ask < log.asks.length; ask += 1)
      if (log.asks[ask]!.ordinal === null) this.#known.set(ask, null);
  }

  static async of(campaign: CampaignBy<'calibration'>, log: SearchLog): Promise<AbcCourse> {
    const course = new AbcCourse(campaign, log);
    course.#generations = await generationsOf(course.#calibration, log, course.#sampler);
    return course;
  }

  get stage(): SearchStage {
    return stageOf(this);
  }

  get length(): SearchLength {
    return { asks: this.#asks.length, told: this.#told, events: this.events.length };
  }

  /** Any finished run may lead to further points. */
  get needs(): number {
    return 1;
  }

  get points(): number {
    return this.#asksOf.size;
  }

  /** The points whose runs the next step depends on. */
  awaited(): number[] {
    const open: number[] = [];
    for (let ask = this.#told; ask < this.#asks.length; ask += 1) {
      const { ordinal } = this.#asks[ask]!;
      if (ordinal !== null && !this.#known.has(ask)) open.push(ordinal);
    }
    return [...new Set(open)];
  }

  /** The next step. The caller writes it to the log. If that fails, the course is invalid. */
  async step(finished: FinishedPoints): Promise<SearchStep> {
    this.#result = emptyStep();
    this.#readRuns(finished);
    while (await this.#goOn());
    return this.#result;
  }

  /** Sets the ordinals of the asks of the last step. */
  written(ordinals: readonly (number | null)[]): void {
    const first = this.#asks.length - ordinals.length;
    for (const [at, ordinal] of ordinals.entries()) this.#asks[first + at]!.ordinal = ordinal;
  }

  /** Releases memory. A calibration has no process to end. */
  close(): void {
    this.#known.clear();
  }

  #readRuns(finished: FinishedPoints): void {
    for (let ask = this.#told; ask < this.#asks.length; ask += 1) {
      const { ordinal } = this.#asks[ask]!;
      const runs = ordinal === null ? undefined : finished.get(ordinal);
      const run = runs?.find(({ replication }) => replication === this.#repeats[ask]);
      if (run && !this.#known.has(ask)) this.#known.set(ask, this.#distances.read(run.outputs));
    }
  }

  /**
   * Does a part of a step.
   *
   * @returns false if it can do nothing before more runs have finished, or if the calibration is over
   */
  async #goOn(): Promise<boolean> {
    if (this.stage === 'over') return false;
    if (this.stage === 'finishing') {
      if (this.#told < this.#asks.length) return this.#tellNext();
      this.#say({ kind: 'over' });
      return false;
    }
    const generation = this.#generations.at(-1);
    if (!generation) {
      await this.#begin(null);
      return true;
    }
    if (this.#asks.length < this.#askedBy(generation)) {
      this.#ask(generation);
      await this.#turn();
      return true;
    }
    const at = this.#told;
    if (!this.#tellNext()) return false;
    // an ask of the generation before comes too late
    if (at < generation.first) return true;
    if (isAccepted(generation, this.#asks[at]!)) generation.accepted.push(at);
    await this.#judge(generation);
    return true;
  }

  /**
   * The total number of asks that there should be now. There should be one open ask for each point that the generation
   * still has to accept. After the first generation there should be at least `parallel` open asks, because most points
   * are not accepted. The limits of the calibration can make the number lower. The number depends only on told values,
   * not on time.
   */
  #askedBy({ number, first, accepted }: Generation): number {
    const { particles, parallel, stop } = this.#calibration;
    const lacking = particles - accepted.length;
    // the first generation accepts all points that do not fail
    const open = number === 1 ? lacking : Math.max(parallel, lacking);
    const most = Math.min(first + this.#mostAsks, stop.points);
    return Math.min(most, Math.max(this.#told, first) + open);
  }

  /**
   * The maximum number of asks of a generation. If they are not enough, the share of accepted points is too small to go
   * on.
   */
  get #mostAsks(): number {
    return Math.ceil(this.#calibration.particles / this.#calibration.stop.acceptance);
  }

  #ask({ number, first, kernel }: Generation): void {
    const { values, isAllowed } = this.#sampler.draw(number, this.#asks.length - first, kernel);
    const ask = { values, by: `generation ${number}`, seen: this.#told, told: null };
    const repeat = this.#note({ ...ask, ordinal: null });
    // without chance, repeats of a point share one run, so a later repeat adds none: its runs end before they begin
    const last = this.#isRandom || repeat === 1 ? repeat : 0;
    this.#result.asks.push({
      ...ask,
      point: isAllowed ? { ...this.#pointOf(values), from: repeat, to: last } : null,
    });
    if (!isAllowed) this.#known.set(this.#asks.length - 1, null);
  }

  /** Adds an ask. Returns its number among the asks of its point, counted from 1. */
  #note(ask: Ask): number {
    const key = JSON.stringify(ask.values);
    const repeat = (this.#asksOf.get(key) ?? 0) + 1;
    this.#asksOf.set(key, repeat);
    this.#repeats.push(this.#isRandom ? repeat : 1);
    this.#asks.push(ask);
    return repeat;
  }

  /** Tells the distance of the next ask, if its run has finished. */
  #tellNext(): boolean {
    const at = this.#told;
    const simulated = this.#known.get(at);
    if (simulated === undefined) return false;
    const scales = this.#scales();
    if (!scales) return false;
    const value = simulated && this.#distances.distanceOf(simulated, scales);
    const ask = this.#asks[at]!;
    ask.told = { value, variance: null, runs: ask.ordinal === null ? 0 : 1, excess: [] };
    this.#known.delete(at);
    this.#told += 1;
    addTold(this.#result, this.#asks.length, at, ask.told);
    return true;
  }

  /**
   * The scales of the distances. With several observed outputs, they are undefined until the first `particles` points
   * have finished, because they are computed from these points. The log keeps them.
   */
  #scales(): readonly number[] | undefined {
    const logged = this.events.find((event) => event.kind === 'scales');
    if (logged) return logged.scales;
    const { particles, observed } = this.#calibration;
    const needed = observed.length === 1 ? 0 : particles;
    const first = Array.from({ length: needed }, (_, ask) => this.#known.get(ask));
    if (first.includes(undefined)) return undefined;
    const scales = this.#distances.scalesOf(first.filter((one) => one !== null) as Simulated[]);
    this.#say({ kind: 'scales', scales });
    return scales;
  }

  /** Begins the next generation or ends the calibration, if the generation is complete or a limit is reached. */
  async #judge(generation: Generation): Promise<void> {
    const { particles, stop, quantile } = this.#calibration;
    const { accepted, first, tolerance } = generation;
    if (accepted.length === particles) {
      generation.population = await populationOf(generation, this.#asks, this.#sampler);
      const next = nextTolerance(generation.population, quantile, tolerance);
      if (tolerance !== null && stop.tolerance !== null && tolerance <= stop.tolerance)
        this.#end('tolerance');
      else if (this.#generations.length >= stop.generations) this.#end('generations');
      else if (next === undefined) this.#end('stall');
      else await this.#begin(Math.max(stop.tolerance ?? 0, next));
    } else if (generation.number === 1 && accepted.length === 0 && this.#told >= particles)
      this.#end('failures');
    else if (this.#told - first >= this.#mostAsks) this.#end('acceptance');
    else if (this.#told >= stop.points) this.#end('points');
  }

  async #begin(tolerance: number | null): Promise<void> {
    const first = this.#asks.length;
    this.#generations.push(await newGeneration(this.#generations.at(-1), first, tolerance));
    this.#say({ kind: 'generation', first, tolerance });
  }

  #end(by: StopReason): void {
    this.#say({ kind: 'stopped', by });
  }

  #say(event: SearchEvent): void {
    this.events.push(event);
    this.#result.events.push(event);
  }
}
