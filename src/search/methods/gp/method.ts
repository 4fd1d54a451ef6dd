import { MOST_DIMENSIONS, sobolColumn } from '../../../campaign/sampling/sobol.ts';
import { streamKey } from '../../../campaign/sampling/threefry.ts';
import { score } from './acquisition.ts';
import { allPoints, countOf, snapped } from './levels.ts';
import { maximize } from './maximize.ts';
import { Part } from './part.ts';
import type { Method, MethodMaker, Problem, Proposal, Recommendation, Told } from '../method.ts';
import { Stream } from '../../../campaign/sampling/stream.ts';

/** After this number of Sobol points that may not be proposed, the initial design has no further point. */
const DESIGN_TRIES = 2_000;
/** A space without real inputs and with at most this many points is searched point by point in the end. */
const MOST_LISTED = 100_000;
/** The number of best points around which the method looks for the next point. */
const AROUND = 3;
/**
 * A model goes on while it expects at least this improvement times (dimensions - 1), in warped units (warp.ts). When it
 * expects less, the method may look elsewhere. A search in few dimensions ends soon anyway. In many dimensions, a look
 * elsewhere needs more points. So the limit grows with the number of dimensions, and the look elsewhere begins earlier.
 */
const LITTLE = 0.00125;
/**
 * A region is excluded when the model of all points has expected less improvement than `LITTLE` demands for this number
 * of proposals in a row. A single low expectation may come from a bad fit.
 */
const LITTLE_IN_A_ROW = 3;
/** The maximum number of minima that are excluded. */
const MOST_EXCLUDED = 3;
/** The smallest number of told points outside the excluded regions with which a model chooses. */
const LEAST_KNOWN = 5;

/**
 * A search with a Gaussian process. After an initial design, it proposes the point with the greatest expected
 * improvement over the least mean at a known point. D. R. Jones, M. Schonlau and W. J. Welch, "Efficient global
 * optimization of expensive black-box functions", Journal of Global Optimization 13 (1998) 455-492; for noise: R. B.
 * Gramacy and H. K. H. Lee, "Optimization under unknown constraints" (2011), section 3.
 *
 * An input that matters little near one minimum may matter much near another minimum. A model that has learned the
 * first minimum is then sure that there is no other minimum. So when the model expects little improvement, the region
 * around the best point is excluded, and a model of the other points alone chooses. If this model expects little as
 * well, the region around its best point is also excluded.
 */
export const gaussianProcess: MethodMaker = (problem) => new GaussianProcess(problem);

/** A point that a model proposes, and the improvement that it expects there in warped units. */
interface Found {
  proposal: Proposal;
  improvement: number;
}

class GaussianProcess implements Method {
  readonly #problem: Problem;
  /** By dimension: the coordinates of the initial design, by the index of its points. */
  readonly #columns: ((index: number) => number)[];
  readonly #log: Told[] = [];
  readonly #asked: number[][] = [];
  readonly #open = new Map<number, number[]>();
  /** By dimension: the largest distance by which the caller has moved a proposal onto a step. */
  readonly #moved: number[];
  /** The number of points of the initial design that were looked at. */
  #designed = 0;
  /** The whole space, then the space without the region of one minimum, of two minima, and so on. */
  readonly #parts: Part[];
  /** The number of proposals in a row for which the model of all points has expected little. */
  #little = 0;
  /** The number of minima that are excluded now. */
  #excluded = 0;
  /** The least expected improvement with which a model goes on, in warped units. */
  readonly #enough: number;

  constructor(problem: Problem) {
    this.#problem = problem;
    this.#parts = [Part.whole(problem)];
    this.#enough = LITTLE * (problem.dimensions.length - 1);
    this.#moved = problem.dimensions.map(() => 0);
    this.#columns = problem.dimensions.map((_, j) =>
      sobolColumn(j % MOST_DIMENSIONS, streamKey('search', problem.seed, `gp design ${j}`)),
    );
  }

  ask(): Proposal | null | 'exhausted' {
    const designed = this.#designed;
    const little = this.#little;
    const excluded = this.#excluded;
    const parts = [...this.#parts];
    const isDesign = this.#log.length < designSize(this.#problem.dimensions.length);
    const proposal = (isDesign ? this.#ofDesign(parts[0]!) : this.#ofModels()) ?? this.#ofList();
    if (!proposal) {
      // the log of a search has no trace of this call, so later proposals must not depend on it
      this.#designed = designed;
      this.#little = little;
      this.#excluded = excluded;
      this.#parts.splice(0, Infinity, ...parts);
      return this.#open.size > 0 ? null : 'exhausted';
    }
    this.#open.set(this.#asked.length, proposal.x);
    this.#asked.push(proposal.x);
    return proposal;
  }

  tell(told: Told): void {
    this.#log.push(told);
    if (told.ask === null) return;
    this.#open.delete(told.ask);
    this.#asked[told.ask]?.forEach((value, j) => {
      this.#moved[j] = Math.max(this.#moved[j]!, Math.abs(value - told.x[j]!));
    });
  }

  recommend(): Recommendation | null {
    // this fit uses only the log: the stored models also depend on proposals that the search did not ask for, and the
    // log does not have these proposals
    const { beliefs } = Part.whole(this.#problem).with(this.#log);
    const best = beliefs.ranked()[0];
    if (!best) return null;
    return { x: [...best.x], value: this.#problem.isNoisy ? beliefs.expected(best.x) : best.value };
  }

  /** The next point of the initial design that lies in a part; null if none is found. */
  #ofDesign(part: Part): Proposal | null {
    const { allowed } = this.#problem;
    const isNarrow = allowed?.isNarrow ?? false;
    const pool = isNarrow ? allowed!.pool() : [];
    for (let tries = 0; tries < DESIGN_TRIES; tries += 1) {
      const index = this.#designed;
      this.#designed += 1;
      const drawn = isNarrow ? pool[index] : this.#columns.map((column) => column(index));
      if (!drawn) return null;
      const x = snapped(this.#problem.dimensions, drawn);
      if (!this.#problem.isAllowed(x) || this.#isTaken(x) || !part.has(x)) continue;
      return { x, by: part.isWhole ? 'initial design' : 'a look elsewhere' };
    }
    return null;
  }

  #ofModels(): Proposal | null {
    this.#parts[0] = this.#parts[0]!.with(this.#log);
    // a search elsewhere goes on until its own model expects little, even if the model of all points expects more again
    const elsewhere = this.#excluded > 0 ? this.#ofPart(this.#excluded) : null;
    // without its gain, which is not a gain over the best of all points
    if (elsewhere && elsewhere.improvement >= this.#enough)
      return { x: elsewhere.proposal.x, by: elsewhere.proposal.by };
    this.#excluded = 0;
    const ofAll = this.#ofModel(this.#parts[0]);
    // with noise, repeats near the best point are useful, so the search never looks elsewhere
    if (!ofAll || this.#problem.isNoisy) return ofAll?.proposal ?? null;
    this.#little = ofAll.improvement < this.#enough ? this.#little + 1 : 0;
    if (this.#little < LITTLE_IN_A_ROW) return ofAll.proposal;
    let found: Found | null = ofAll;
    while (found && found.improvement < this.#enough && this.#excluded < MOST_EXCLUDED) {
      this.#excluded += 1;
      this.#exclude(this.#excluded);
      found = this.#ofPart(this.#excluded);
    }
    if (found && found.improvement >= this.#enough) return { ...found.proposal, gain: ofAll.proposal.gain! };
    this.#excluded = 0;
    return ofAll.proposal;
  }

  /**
   * Sets part `count`: the part before it, without the region around its best point. An earlier part `count` stays if
   * this point lies in the region that it excludes.
   */
  #exclude(count: number): void {
    const above = this.#parts[count - 1]!;
    const best = above.beliefs.ranked()[0]!;
    if (!this.#parts[count]?.isBeside(best.x)) this.#parts.splice(count, Infinity, above.without(best.x));
  }

  /** The proposal for the part without `count` minima. */
  #ofPart(count: number): Found | null {
    const part = this.#parts[count]!.with(this.#log);
    this.#parts[count] = part;
    if (part.beliefs.log.length >= LEAST_KNOWN) return this.#ofModel(part);
    const proposal = this.#ofDesign(part);
    return proposal && { proposal, improvement: Infinity };
  }

  #ofModel(part: Part): Found | null {
    const { acquisition, around } = part.beliefs.acquisition([...this.#open.values()]);
    const stream = new Stream(this.#problem.seed, `gp ask ${this.#asked.length}`);
    const isAllowed = (x: readonly number[]): boolean => part.has(x) && this.#problem.isAllowed(x);
    const found = maximize({ ...this.#problem, isAllowed }, acquisition, around.slice(0, AROUND), stream);
    const x = found.find((one) => !this.#isTaken(one));
    if (!x) return null;
    const { objective } = acquisition;
    if (!objective)
      return part.isWhole
        ? { proposal: { x, by: 'chance to meet the requirements' }, improvement: Infinity }
        : null;
    const improvement = Math.exp(score(acquisition, x));
    const by = part.isWhole ? 'expected improvement' : 'expected improvement elsewhere';
    const { warp } = objective.model.fit;
    return {
      proposal: { x, by, gain: improvement / warp.slope(warp.value(objective.best)) },
      improvement,
    };
  }

  /** The first point that is still free, if the space is small enough to list all points. */
  #ofList(): Proposal | null {
    const { dimensions, isAllowed } = this.#problem;
    if (countOf(dimensions) > MOST_LISTED) return null;
    for (const x of allPoints(dimensions)) {
      if (isAllowed(x) && !this.#isTaken(x)) return { x, by: 'what is left' };
    }
    return null;
  }

  /**
   * Whether a point is taken: it is open, or, without noise, already known. A point is also taken if the caller could
   * move it onto a taken point.
   */
  #isTaken(x: readonly number[]): boolean {
    const isHere = (other: readonly number[]): boolean =>
      other.every((value, j) => Math.abs(value - x[j]!) <= Math.max(1e-9, this.#moved[j]!));
    if (this.#open.values().some(isHere)) return true;
    return !this.#problem.isNoisy && this.#log.some((told) => isHere(told.x));
  }
}

/** The number of points that must be told before the model chooses. */
function designSize(dimensions: number): number {
  return Math.max(4, dimensions + 2);
}
