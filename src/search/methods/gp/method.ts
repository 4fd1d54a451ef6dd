import { MOST_DIMENSIONS, sobolColumn } from '../../../campaign/sampling/sobol.ts';
import { streamKey } from '../../../campaign/sampling/threefry.ts';
import { score } from './acquisition.ts';
import { Beliefs } from './beliefs.ts';
import { allPoints, countOf, snapped } from './levels.ts';
import { maximize } from './maximize.ts';
import type { Method, MethodMaker, Problem, Proposal, Recommendation, Told } from '../method.ts';
import { Stream } from '../stream.ts';

/** How many Sobol points are looked at for one that may be proposed. */
const DESIGN_TRIES = 20_000;
/** How many points a space without real inputs may have so that all of them are looked at. */
const MOST_LISTED = 100_000;
/** Of the best points, near how many the next one is looked for. */
const AROUND = 3;
/**
 * A search has come to its end when so many points, or so many for each dimension, brought no gain. In many dimensions a search that is
 * on its way needs more points between two gains, so an earlier restart would lose it.
 */
const PATIENCE = 10;
const PATIENCE_BY_DIMENSION = 4;
/** How many points a restart begins with. */
const RESTART_DESIGN = 5;
/** How far a restart stays from the best point, in length scales. */
const APART = 0.75;

/**
 * A search by a Gaussian process: after an initial design, the point with the greatest expected improvement over the least mean at a
 * known point. D. R. Jones, M. Schonlau and W. J. Welch, "Efficient global optimization of expensive black-box functions", Journal
 * of Global Optimization 13 (1998) 455-492; with noise as R. B. Gramacy and H. K. H. Lee, "Optimization under unknown constraints"
 * (2011), section 3.
 */
export const gaussianProcess: MethodMaker = (problem) => new GaussianProcess(problem);

/** The number of points that are known before the model chooses. */
export function designSize(dimensions: number): number {
  return Math.max(4, dimensions + 2);
}

class GaussianProcess implements Method {
  private readonly problem: Problem;
  private readonly columns: ((index: number) => number)[];
  private beliefs: Beliefs;
  private readonly log: Told[] = [];
  private readonly asked: number[][] = [];
  private readonly open = new Map<number, number[]>();
  /** How far a proposal was moved at most, in each dimension: half a step. */
  private readonly moved: number[];
  private designed = 0;
  /** A search that starts again without what is known, apart from the best point: null while the search uses all that is known. */
  private restart: { from: number; centre: readonly number[]; beliefs: Beliefs } | null = null;
  /** The number of points that were known when a restart began or ended. */
  private turned = 0;

  constructor(problem: Problem) {
    this.problem = problem;
    this.beliefs = Beliefs.none(problem);
    this.moved = problem.dimensions.map(() => 0);
    this.columns = problem.dimensions.map((_, j) =>
      sobolColumn(j % MOST_DIMENSIONS, streamKey('search', problem.seed, `gp design ${j}`)),
    );
  }

  ask(): Proposal | null | 'exhausted' {
    const isDesign = this.log.length < designSize(this.problem.dimensions.length);
    const proposal = (isDesign ? this.ofDesign() : this.ofModels()) ?? this.ofList();
    if (!proposal) return this.open.size > 0 ? null : 'exhausted';
    this.open.set(this.asked.length, proposal.x);
    this.asked.push(proposal.x);
    return proposal;
  }

  tell(told: Told): void {
    this.log.push(told);
    if (told.ask === null) return;
    this.open.delete(told.ask);
    this.asked[told.ask]?.forEach((value, j) => {
      this.moved[j] = Math.max(this.moved[j]!, Math.abs(value - told.x[j]!));
    });
  }

  recommend(): Recommendation | null {
    // the beliefs of the last ask stay, so that what is asked next does not depend on this
    const beliefs = this.beliefs.with([...this.log]);
    const best = beliefs.ranked()[0];
    if (!best) return null;
    return { x: [...best.x], value: this.problem.isNoisy ? beliefs.expected(best.x) : best.value };
  }

  private ofDesign(apartFrom: readonly number[] | null = null): Proposal | null {
    for (let tries = 0; tries < DESIGN_TRIES; tries += 1) {
      const index = this.designed;
      this.designed += 1;
      const x = snapped(
        this.problem.dimensions,
        this.columns.map((column) => column(index)),
      );
      if (!this.problem.isAllowed(x) || this.isTaken(x) || !this.isApart(x, apartFrom)) continue;
      return { x, by: apartFrom ? 'restart' : 'initial design' };
    }
    return null;
  }

  private ofModels(): Proposal | null {
    this.beliefs = this.beliefs.with([...this.log]);
    // with noise, repeats near the best point are what the search is for
    if (!this.problem.isNoisy) this.turn();
    if (!this.restart) return this.ofModel(this.beliefs);
    const { from, centre } = this.restart;
    if (this.log.length - from < RESTART_DESIGN) return this.ofDesign(centre) ?? this.ofModel(this.beliefs);
    return this.ofModel(this.restart.beliefs, centre) ?? this.ofModel(this.beliefs);
  }

  /** Starts again elsewhere when the search has come to its end, and goes back to the model of all points when that has. */
  private turn(): void {
    const { dimensions, parallel } = this.problem;
    // points that are open at once do not know of each other
    const patience = Math.max(PATIENCE, PATIENCE_BY_DIMENSION * dimensions.length) + parallel - 1;
    const since = this.log.length - this.turned;
    if (this.restart) {
      const { from, centre, beliefs } = this.restart;
      if (since < RESTART_DESIGN) return;
      const own = beliefs.with(this.log.slice(from));
      this.restart = { from, centre, beliefs: own };
      if (own.pointsSinceGain(RESTART_DESIGN) < patience) return;
      this.restart = null;
    } else {
      const best = this.beliefs.ranked()[0];
      if (!best || this.beliefs.pointsSinceGain(this.turned) < patience) return;
      this.restart = { from: this.log.length, centre: best.x, beliefs: Beliefs.none(this.problem) };
    }
    this.turned = this.log.length;
  }

  private ofModel(beliefs: Beliefs, apartFrom: readonly number[] | null = null): Proposal | null {
    const open = [...this.open.values()];
    const { acquisition, around } = beliefs.acquisition(open);
    // a restart forgets how good points are, not where they fail
    if (beliefs !== this.beliefs)
      acquisition.requirements = this.beliefs.acquisition(open).acquisition.requirements;
    const stream = new Stream(this.problem.seed, `gp ask ${this.asked.length}`);
    const isAllowed = (x: readonly number[]): boolean =>
      this.isApart(x, apartFrom) && this.problem.isAllowed(x);
    const found = maximize({ ...this.problem, isAllowed }, acquisition, around.slice(0, AROUND), stream);
    const x = found.find((one) => !this.isTaken(one));
    if (!x) return null;
    const { objective } = acquisition;
    if (!objective) return { x, by: 'chance to meet the requirements' };
    const proposal = { x, by: 'expected improvement' };
    // a restart looks elsewhere on purpose: what it expects says nothing about the end of the search
    if (beliefs !== this.beliefs) return proposal;
    const { warp } = objective.model.fit;
    return { ...proposal, gain: Math.exp(score(acquisition, x)) / warp.slope(warp.value(objective.best)) };
  }

  private isApart(x: readonly number[], centre: readonly number[] | null): boolean {
    return centre === null || (this.beliefs.distance(x, centre) ?? Infinity) > APART;
  }

  /** Any point that is left, where all points can be listed. */
  private ofList(): Proposal | null {
    const { dimensions, isAllowed } = this.problem;
    if (countOf(dimensions) > MOST_LISTED) return null;
    for (const x of allPoints(dimensions)) {
      if (isAllowed(x) && !this.isTaken(x)) return { x, by: 'what is left' };
    }
    return null;
  }

  /** Whether a point is open, or known where a repeat would tell nothing, as it is or as it would be moved. */
  private isTaken(x: readonly number[]): boolean {
    const isHere = (other: readonly number[]): boolean =>
      other.every((value, j) => Math.abs(value - x[j]!) <= Math.max(1e-9, this.moved[j]!));
    if (this.open.values().some(isHere)) return true;
    return !this.problem.isNoisy && this.log.some((told) => isHere(told.x));
  }
}
