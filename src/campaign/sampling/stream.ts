import { type Key, streamKey, uniformAt } from './threefry.ts';

/**
 * A sequence of random numbers for the points of searches and calibrations. It depends only on the seed and a name.
 * Uniform numbers are the same on every machine. Normal numbers use `Math.log`, whose last bits may differ between
 * machines.
 */
export class Stream {
  readonly #key: Key;
  /** How many uniform numbers were drawn. */
  #drawn = 0;
  /** The polar method makes two normal numbers at once. This is the second one. */
  #spare: number | null = null;

  constructor(seed: number, name: string) {
    this.#key = streamKey('search', seed, name);
  }

  /** Draws a uniform number in (0, 1). */
  uniform(): number {
    const counter = this.#drawn;
    this.#drawn += 1;
    const number = uniformAt(this.#key, counter | 0, Math.floor(counter / 2 ** 32));
    return number === 0 ? 2 ** -54 : number;
  }

  /** Draws a whole number from 0 to n − 1. */
  below(n: number): number {
    return Math.min(n - 1, Math.floor(this.uniform() * n));
  }

  /**
   * Draws a standard normal number, by the polar method of G. Marsaglia and T. A. Bray, SIAM Review 6 (1964) 260-264.
   */
  normal(): number {
    if (this.#spare !== null) {
      const spare = this.#spare;
      this.#spare = null;
      return spare;
    }
    for (;;) {
      const u = 2 * this.uniform() - 1;
      const v = 2 * this.uniform() - 1;
      const s = u * u + v * v;
      if (s >= 1 || s === 0) continue;
      const factor = Math.sqrt((-2 * Math.log(s)) / s);
      this.#spare = v * factor;
      return u * factor;
    }
  }
}
