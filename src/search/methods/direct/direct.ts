import { ordered, type OrderedDimension } from '../levels.ts';
import type { Method, Problem, Proposal, Recommendation, Told } from '../method.ts';
import { Ranking, refused } from '../ranking.ts';
import { Stream } from '../../../campaign/sampling/stream.ts';
import { type Cell, type Cut, cutsOf, divide, divisionsOf, wholeBox } from './cell.ts';
import { valuesOf } from './surrogate.ts';

/** After this number of cuts without an allowed point, an ask proposes a point of the region. */
const MOST_CUTS = 100;

/**
 * DIRECT in its locally biased form. It divides the box into ever smaller cells, and evaluates the middle of each cell.
 * Cells with good points are divided first. The method uses no random numbers. Its inputs cannot be choices.
 *
 * D. R. Jones, C. D. Perttunen and B. E. Stuckman (1993), as in {@link potentiallyOptimal}. The local bias is from J. M.
 * Gablonsky and C. T. Kelley, "A locally-biased form of the DIRECT algorithm", Journal of Global Optimization 21 (2001)
 * 27-37: the size of a cell is the size of its longest side, and an iteration divides at most one cell of each size.
 *
 * @throws Error when a dimension is a choice
 */
export function direct(problem: Problem): Method {
  return new Direct(problem);
}

class Direct implements Method {
  readonly #problem: Problem;
  readonly #dimensions: OrderedDimension[];
  readonly #ranking: Ranking;
  /** All cells, in the order in which they were made. */
  readonly #cells: Cell[] = [];
  /** The cells of the current iteration. They are divided when all points of their cuts were told. */
  #dividing: { cell: Cell; cuts: Cut[] }[] = [];
  #iteration = 0;
  /** The cells whose points this iteration proposes. */
  #wanted: Cell[] = [];
  /** The index in `wanted` of the next cell to propose. */
  #next = 0;
  #asked = 0;
  /** The cells whose points have a value, in the order in which the values came. */
  readonly #finished: Cell[] = [];
  readonly #open = new Map<number, Cell>();

  constructor(problem: Problem) {
    this.#problem = problem;
    this.#dimensions = ordered(problem.dimensions, 'direct');
    this.#ranking = new Ranking(problem.requirements);
    const first = wholeBox(this.#dimensions);
    this.#cells.push(first);
    this.#want([first]);
  }

  ask(): Proposal | null | 'exhausted' {
    let cutsMade = 0;
    for (;;) {
      const cell = this.#wanted[this.#next];
      if (cell) {
        this.#next += 1;
        this.#open.set(this.#asked, cell);
        this.#asked += 1;
        return { x: cell.x, by: `iteration ${this.#iteration}` };
      }
      if (this.#open.size > 0) return null;
      if (cutsMade >= MOST_CUTS) return this.#drawn() ?? 'exhausted';
      if (!this.#iterate()) return 'exhausted';
      cutsMade += this.#dividing.reduce((sum, { cuts }) => sum + cuts.length, 0);
    }
  }

  tell(told: Told): void {
    this.#ranking.note(told);
    const cell = told.ask === null ? undefined : this.#open.get(told.ask);
    if (!cell) return;
    this.#open.delete(told.ask!);
    cell.told = told;
    if (told.value !== null) this.#finished.push(cell);
  }

  get lacks(): number {
    return this.#next === this.#wanted.length ? this.#open.size : 0;
  }

  recommend(): Recommendation | null {
    const { best } = this.#ranking;
    return best && { x: [...best.x], value: this.#problem.isNoisy ? null : best.value };
  }

  /** A drawn point of the region, which is the middle of no cell; undefined if the region has no known point. */
  #drawn(): Proposal | undefined {
    const { allowed, dimensions, seed } = this.#problem;
    const stream = new Stream(seed, `direct ask ${this.#asked}`);
    const [x] = allowed?.draws(1, 2 * dimensions.length, stream) ?? [];
    if (!x) return undefined;
    this.#open.set(this.#asked, { ...wholeBox(this.#dimensions), x });
    this.#asked += 1;
    return { x, by: 'a point of the region' };
  }

  /** Ends an iteration: divides its cells, and chooses the next cells to divide. @returns false if there are none */
  #iterate(): boolean {
    const better = (a: Cell, b: Cell): number => this.#ranking.compare(a.told!, b.told!) || a.lack - b.lack;
    const bestOf = ({ cells }: Cut): Cell =>
      cells.reduce((best, cell) => (better(cell, best) < 0 ? cell : best));
    for (const { cell, cuts } of this.#dividing) {
      cuts.sort((a, b) => better(bestOf(a), bestOf(b)));
      this.#cells.push(...divide(cell, cuts));
    }
    this.#dividing = potentiallyOptimal(this.#bestOfEachSize()).map(({ cell }) => ({
      cell,
      cuts: cutsOf(cell, this.#dimensions),
    }));
    this.#want(this.#dividing.flatMap(({ cuts }) => cuts.flatMap(({ cells }) => cells)));
    this.#iteration += 1;
    return this.#dividing.length > 0;
  }

  /** The best cell of each size, the largest first. */
  #bestOfEachSize(): SizedCell[] {
    const values = valuesOf(this.#cells, this.#finished, this.#ranking, this.#dimensions);
    const best = new Map<number, SizedCell>();
    for (const cell of this.#cells) {
      const divisions = divisionsOf(cell);
      const value = values.get(cell)!;
      if (divisions === Infinity || value >= (best.get(divisions)?.value ?? Infinity)) continue;
      best.set(divisions, { cell, size: 3 ** -divisions / 2, value });
    }
    return [...best.values()].sort((a, b) => b.size - a.size);
  }

  /** Sets the cells to propose. Points that are not allowed count as failed, and are not proposed. */
  #want(cells: readonly Cell[]): void {
    this.#wanted = cells.filter((cell) => {
      if (this.#problem.isAllowed(cell.x)) return true;
      cell.told = refused(cell.x);
      cell.lack = this.#problem.lackOf?.(cell.x) ?? 0;
      return false;
    });
    this.#next = 0;
  }
}

interface Sized {
  /** The distance from the middle of the longest side to its end. */
  size: number;
  value: number;
}

interface SizedCell extends Sized {
  cell: Cell;
}

/** A cell must be able to improve the least value by this share (epsilon in section 4 of the source). */
const LEAST_GAIN = 1e-4;

/**
 * The candidates that may be divided. For each of them, there is a Lipschitz constant with which it could have the
 * least value of all cells, and could improve the least value so far by more than a tiny share. D. R. Jones, C. D.
 * Perttunen and B. E. Stuckman, "Lipschitzian optimization without the Lipschitz constant", Journal of Optimization
 * Theory and Applications 79 (1993) 157-181, definition 4.1.
 */
export function potentiallyOptimal<T extends Sized>(candidates: readonly T[]): T[] {
  const least = Math.min(...candidates.map(({ value }) => value));
  const aim = least - LEAST_GAIN * Math.abs(least);
  return candidates.filter(({ size, value }) => {
    const slopes = (others: readonly T[]): number[] =>
      others.map((other) => (other.value - value) / (other.size - size));
    const steepestBelow = Math.max(0, ...slopes(candidates.filter((other) => other.size < size)));
    const flattestAbove = Math.min(Infinity, ...slopes(candidates.filter((other) => other.size > size)));
    if (flattestAbove <= 0 || steepestBelow > flattestAbove) return false;
    return flattestAbove === Infinity || value - flattestAbove * size <= aim;
  });
}
