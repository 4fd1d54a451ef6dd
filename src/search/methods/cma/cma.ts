import { ordered, type OrderedDimension } from '../levels.ts';
import type { Method, Problem, Proposal, Recommendation, Told } from '../method.ts';
import { Ranking, refused } from '../ranking.ts';
import { Stream } from '../../../campaign/sampling/stream.ts';
import { sumOf } from '../../../statistics/sample.ts';
import { defaultPopulation } from './constants.ts';
import { Evolution, type Sample } from './evolution.ts';
import { Progress } from './progress.ts';
import { Restarts, type Start } from './restarts.ts';
import { fromBox, holdMargin, inBox, narrow } from './space.ts';

/** A sample of the current generation. */
interface Member {
  sample: Sample;
  x: number[];
  /** The result of the sample; null until it is known. */
  told: Told | null;
}

interface Run {
  evolution: Evolution;
  progress: Progress;
  points: number;
  /**
   * The value of the median point of the last generation. Infinity before the first generation, and if this point
   * failed or missed a requirement.
   */
  level: number;
}

/**
 * With noisy values, a generation is larger by this factor. More points in a generation reduce the effect of the noise,
 * like more runs per point (N. Hansen et al., "A method for handling uncertainty in evolutionary optimization", IEEE
 * Transactions on Evolutionary Computation 13 (2009) 180-197). This method does not choose the number of runs per
 * point.
 */
const NOISE_FACTOR = 2;
/** After this number of draws without an allowed sample, the last draw is moved towards the mean. */
const TRIES = 100;
/** How often the step of a sample is halved until the sample is allowed. After that it counts as failed. */
const MOST_HALVINGS = 60;
/** The variance of a coordinate in the whole box. */
const BOX_VARIANCE = 1 / 12;
/** A direction in which a region has no width still has this variance, relative to that of the box. */
const LEAST_VARIANCE = 1e-12;
/** After this number of generations in a row without an allowed sample, the method has no further point. */
const MOST_BARREN = 20;

/**
 * CMA-ES with restarts (BIPOP). Its inputs cannot be choices. The distribution is updated with the samples as they were
 * drawn, although the caller may have moved a point onto a step. With moved samples the distribution would lose its
 * width.
 *
 * @throws Error when a dimension is a choice
 */
export function cma(problem: Problem): Method {
  return new Cma(problem);
}

class Cma implements Method {
  readonly #problem: Problem;
  readonly #dimensions: OrderedDimension[];
  readonly #stream: Stream;
  readonly #ranking: Ranking;
  readonly #restarts: Restarts;
  #run: Run | null = null;
  /** The finished run with the lowest level. */
  #lowest: Run | null = null;
  /** The number of the current run, counted from 1. */
  #runs = 0;
  /** The current generation. */
  #members: Member[] = [];
  /** The index of the next member to propose. */
  #next = 0;
  #asked = 0;
  readonly #open = new Map<number, Member>();
  /** The told points, each as a text. */
  readonly #known = new Set<string>();
  /** Whether the current generation has a new point. */
  #hasNews = false;

  constructor(problem: Problem) {
    this.#problem = problem;
    this.#dimensions = ordered(problem.dimensions, 'cma');
    this.#stream = new Stream(problem.seed, 'cma');
    this.#ranking = new Ranking(problem.requirements);
    const usual = defaultPopulation(this.#dimensions.length) * (problem.isNoisy ? NOISE_FACTOR : 1);
    const population = Math.max(usual, problem.parallel);
    this.#restarts = new Restarts(population, this.#stream);
  }

  ask(): Proposal | null | 'exhausted' {
    if (this.#members.length === 0 && !this.#draw()) return 'exhausted';
    // members that are not allowed were told when they were drawn
    while (this.#members[this.#next]?.told) this.#next += 1;
    const member = this.#members[this.#next];
    if (!member) return null;
    this.#next += 1;
    this.#open.set(this.#asked, member);
    this.#asked += 1;
    const { evolution } = this.#run!;
    return { x: member.x, by: `run ${this.#runs}, generation ${evolution.generation + 1}` };
  }

  tell(told: Told): void {
    this.#ranking.note(told);
    const isNews = this.#noteKnown(told.x);
    const member = told.ask === null ? undefined : this.#open.get(told.ask);
    if (!member) return;
    this.#open.delete(told.ask!);
    member.told = told;
    this.#hasNews ||= isNews;
    if (this.#members.every((one) => one.told)) this.#learn();
  }

  /** When all members are proposed, the next generation waits for every open one. */
  get lacks(): number {
    return this.#members.length > 0 && this.#next === this.#members.length ? this.#open.size : 0;
  }

  recommend(): Recommendation | null {
    const { best } = this.#ranking;
    if (!best) return null;
    const run = lowerOf(this.#lowest, this.#run);
    if (this.#problem.isNoisy && run && run.level < Infinity) {
      const x = inBox(run.evolution.mean, this.#dimensions);
      if (this.#problem.isAllowed(x)) return { x, value: null };
    }
    return { x: [...best.x], value: this.#problem.isNoisy ? null : best.value };
  }

  /**
   * Draws a new generation. Samples that are not allowed count as failed, and are not proposed. Returns whether there
   * is a sample to propose.
   */
  #draw(): boolean {
    if (this.#problem.allowed?.isEmpty) return false;
    this.#run ??= this.#begin(this.#restarts.first(), this.#firstMean());
    for (let barren = 0; barren < MOST_BARREN; barren += 1) {
      this.#members = Array.from({ length: this.#run.evolution.population }, () => this.#member());
      this.#next = 0;
      this.#run.points += this.#members.length;
      if (this.#members.some((member) => !member.told)) return true;
      this.#members = [];
      this.#restart();
    }
    return false;
  }

  #member(): Member {
    for (let tries = 1; ; tries += 1) {
      const sample = this.#run!.evolution.sample(this.#stream);
      const x = inBox(sample.x, this.#dimensions);
      if (this.#problem.isAllowed(x)) return { sample, x, told: null };
      if (tries === TRIES) return this.#shortened(sample);
    }
  }

  /** The longest of the halved steps of a sample that is allowed. */
  #shortened(sample: Sample): Member {
    for (let halvings = 1, share = 0.5; ; halvings += 1, share /= 2) {
      const shorter = this.#run!.evolution.shortened(sample, share);
      const x = inBox(shorter.x, this.#dimensions);
      if (this.#problem.isAllowed(x)) return { sample: shorter, x, told: null };
      if (halvings === MOST_HALVINGS) return { sample, x, told: refused(x) };
    }
  }

  /** Updates the distribution with the current generation. All its members must have been told. */
  #learn(): void {
    const ranked = this.#members.sort((a, b) => this.#ranking.compare(a.told!, b.told!));
    const hasNews = this.#hasNews;
    this.#members = [];
    this.#hasNews = false;
    const { evolution, progress } = this.#run!;
    const middle = ranked[ranked.length >> 1]!.told!;
    const isMet = middle.value !== null && this.#ranking.missOf(middle) === 0;
    this.#run!.level = isMet ? middle.value! : Infinity;
    // a generation gives no information if all its points failed, or if none of them is new. Its points are not new
    // when the distribution is narrower than the steps of the inputs
    if (ranked[0]!.told!.value === null || !hasNews) return this.#restart();
    evolution.update(ranked.map(({ sample }) => sample));
    narrow(evolution);
    const held = holdMargin(evolution, this.#dimensions);
    const results = ranked.map(({ told }) => told!);
    if (progress.isOverAfter(evolution, results, held)) this.#restart();
  }

  /** Notes a point. @returns whether it is new */
  #noteKnown(x: readonly number[]): boolean {
    const before = this.#known.size;
    return this.#known.add(x.join()).size > before;
  }

  #restart(): void {
    this.#lowest = lowerOf(this.#lowest, this.#run);
    this.#run = this.#begin(this.#restarts.next(this.#run!.points), this.#anywhere());
  }

  #begin({ population, sigma }: Start, mean: readonly number[]): Run {
    const dimensions = this.#dimensions;
    const evolution = new Evolution(fromBox(mean, dimensions), sigma, population, this.#shape());
    holdMargin(evolution, this.#dimensions);
    this.#runs += 1;
    return { evolution, progress: new Progress(dimensions, population), points: 0, level: Infinity };
  }

  /** The covariance of a narrow region, relative to that of the box; undefined for other regions. */
  #shape(): number[][] | undefined {
    const { allowed } = this.#problem;
    if (!allowed?.isNarrow) return undefined;
    const points = allowed.pool().map((x) => fromBox(x, this.#dimensions));
    const means = this.#dimensions.map((_, i) => sumOf(points.map((x) => x[i]!)) / points.length);
    return means.map((_, i) =>
      means.map((__, j) => {
        const products = points.map((x) => (x[i]! - means[i]!) * (x[j]! - means[j]!));
        return sumOf(products) / points.length / BOX_VARIANCE + (i === j ? LEAST_VARIANCE : 0);
      }),
    );
  }

  /** The best known point. If there is none, the middle of the box, or a point of a narrow region. */
  #firstMean(): readonly number[] {
    const { allowed } = this.#problem;
    const middle = allowed?.isNarrow ? allowed.pool()[0]! : this.#dimensions.map(() => 0.5);
    return this.#ranking.best?.x ?? middle;
  }

  /** A point of a narrow region. Otherwise the first allowed uniform point of the box, or the last one of `TRIES`. */
  #anywhere(): readonly number[] {
    const { allowed } = this.#problem;
    if (allowed?.isNarrow) return allowed.pool()[this.#stream.below(allowed.pool().length)]!;
    for (let tries = 1; ; tries += 1) {
      const drawn = this.#dimensions.map(() => this.#stream.uniform());
      const x = inBox(drawn, this.#dimensions);
      if (tries === TRIES || this.#problem.isAllowed(x)) return x;
    }
  }
}

/** The run with the lower level; `a` if both levels are equal. */
function lowerOf(a: Run | null, b: Run | null): Run | null {
  return a && b && a.level <= b.level ? a : (b ?? a);
}
