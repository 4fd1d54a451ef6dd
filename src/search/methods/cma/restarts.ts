import type { Stream } from '../../../campaign/sampling/stream.ts';

/** The start of a run of CMA-ES. */
export interface Start {
  population: number;
  sigma: number;
}

/** The first step size: a fifth of the box, as in the paper that `Restarts` cites. */
const FIRST_SIGMA = 0.2;

/**
 * Chooses the start of each run. After the first run there are two kinds: runs whose population doubles, and runs with
 * a small population and step size. They alternate so that both kinds use about the same number of points. N. Hansen,
 * "Benchmarking a BI-population CMA-ES on the BBOB-2009 function testbed", GECCO (2009) 2389-2395, section 2.
 */
export class Restarts {
  readonly #stream: Stream;
  readonly #population: number;
  #regime: 'first' | 'large' | 'small' = 'first';
  #doublings = 0;
  /** The number of points in the runs of each kind. */
  readonly #used = { first: 0, large: 0, small: 0 };

  constructor(population: number, stream: Stream) {
    this.#population = population;
    this.#stream = stream;
  }

  first(): Start {
    return { population: this.#population, sigma: FIRST_SIGMA };
  }

  /** @param points - the number of points of the run before */
  next(points: number): Start {
    this.#used[this.#regime] += points;
    this.#regime = this.#used.large <= this.#used.small ? 'large' : 'small';
    if (this.#regime === 'large') {
      this.#doublings += 1;
      return { population: this.#population * 2 ** this.#doublings, sigma: FIRST_SIGMA };
    }
    const halfOfLarge = 2 ** (this.#doublings - 1);
    return {
      population: Math.floor(this.#population * halfOfLarge ** (this.#stream.uniform() ** 2)),
      sigma: FIRST_SIGMA * 10 ** (-2 * this.#stream.uniform()),
    };
  }
}
