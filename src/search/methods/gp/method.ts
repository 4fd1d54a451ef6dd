import { MOST_DIMENSIONS, sobolColumn } from '../../../campaign/sampling/sobol.ts';
import { streamKey } from '../../../campaign/sampling/threefry.ts';
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
    const proposal = (isDesign ? this.ofDesign() : this.ofModel()) ?? this.ofList();
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

  private ofDesign(): Proposal | null {
    for (let tries = 0; tries < DESIGN_TRIES; tries += 1) {
      const index = this.designed;
      this.designed += 1;
      const x = snapped(
        this.problem.dimensions,
        this.columns.map((column) => column(index)),
      );
      if (this.problem.isAllowed(x) && !this.isTaken(x)) return { x, by: 'initial design' };
    }
    return null;
  }

  private ofModel(): Proposal | null {
    this.beliefs = this.beliefs.with([...this.log]);
    const acquisition = this.beliefs.acquisition([...this.open.values()]);
    const around = this.beliefs.ranked().slice(0, AROUND);
    const stream = new Stream(this.problem.seed, `gp ask ${this.asked.length}`);
    const found = maximize(
      this.problem,
      acquisition,
      around.map(({ x }) => x),
      stream,
    ).find((x) => !this.isTaken(x));
    if (!found) return null;
    return { x: found, by: acquisition.objective ? 'expected improvement' : 'chance to meet the requirements' };
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
