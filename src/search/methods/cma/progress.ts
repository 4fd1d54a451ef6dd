import type { Told } from '../method.ts';
import type { OrderedDimension } from '../levels.ts';
import type { Evolution } from './evolution.ts';

/** Smaller steps in a coordinate from 0 to 1 count as no step, because no simulation distinguishes them. */
const SMALLEST_STEP = 1e-8;
/**
 * Smaller differences, relative to the size of the values, count as none. Further digits of a simulation's outputs have
 * no meaning.
 */
const SMALLEST_GAIN = 1e-8;
/** If the longest axis is longer than the shortest by a larger factor, rounding decides where the samples are. */
const MOST_ELONGATED = 1e7;

/**
 * Decides whether a run of CMA-ES is over, so that the next run starts. The criteria are from N. Hansen, "Benchmarking
 * a BI-population CMA-ES on the BBOB-2009 function testbed" (2009), section 2: small steps, equal values, a large
 * condition number, and stagnation.
 */
export class Progress {
  readonly #dimensions: readonly OrderedDimension[];
  /** 30·N/λ of the source, for N coordinates and a population of λ: a number of generations. */
  readonly #perSize: number;
  /** A run ends after this number of generations with equal values, or without a step while `holdMargin` holds one. */
  readonly #window: number;
  /** The best value of each generation in which no point failed or missed a requirement. */
  readonly #bests: number[] = [];
  /** The median value of each of these generations. */
  readonly #medians: number[] = [];
  /** The number of generations in a row without a step. */
  #still = 0;

  constructor(dimensions: readonly OrderedDimension[], population: number) {
    this.#dimensions = dimensions;
    this.#perSize = (30 * dimensions.length) / population;
    this.#window = 10 + Math.ceil(this.#perSize);
  }

  /**
   * Adds a generation, best first.
   *
   * @param held - for each coordinate, whether `holdMargin` has changed its distribution
   * @returns whether the run is over
   */
  isOverAfter(evolution: Evolution, ranked: readonly Told[], held: readonly boolean[]): boolean {
    const values = ranked.flatMap(({ value, excess }) =>
      value === null || excess.some((miss) => miss > 0) ? [] : [value],
    );
    if (values.length === ranked.length) {
      this.#bests.push(values[0]!);
      this.#medians.push(values[values.length >> 1]!);
      if (this.#isFlat(values) || this.#stagnates()) return true;
    }
    return this.#standsStill(evolution, held) || evolution.elongation() > MOST_ELONGATED;
  }

  #standsStill(evolution: Evolution, held: readonly boolean[]): boolean {
    const isStill = evolution
      .deviations()
      .every((deviation, i) => deviation < SMALLEST_STEP || held[i]! || levelsOf(this.#dimensions[i]!) === 1);
    this.#still = isStill ? this.#still + 1 : 0;
    // while `holdMargin` changes an integer, the run does not end immediately, because some samples still have other
    // levels of this integer
    return this.#still >= (held.includes(true) ? this.#window : 1);
  }

  #isFlat(values: readonly number[]): boolean {
    if (this.#bests.length < this.#window) return false;
    const recent = [...this.#bests.slice(-this.#window), ...values];
    const [low, high] = [Math.min(...recent), Math.max(...recent)];
    return high - low <= SMALLEST_GAIN * Math.max(Math.abs(low), Math.abs(high));
  }

  /** Whether neither the recent best values nor the recent medians are better than the earlier values. */
  #stagnates(): boolean {
    const count = Math.ceil(0.2 * this.#bests.length + 120 + this.#perSize);
    if (this.#bests.length < count) return false;
    return [this.#bests, this.#medians].every((values) => {
      const recent = values.slice(-count);
      return medianOf(recent.slice(-20)) >= medianOf(recent.slice(0, 20));
    });
  }
}

function levelsOf(dimension: OrderedDimension): number {
  return dimension.kind === 'integer' ? dimension.levels : Infinity;
}

function medianOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}
