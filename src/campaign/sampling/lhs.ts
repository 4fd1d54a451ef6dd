import { permutation } from './permutation.ts';
import { type Key, threefry, uniformAt } from './threefry.ts';

// the second number of a counter: it separates random numbers of different purposes
const ORDER = 0;
const PLACE = 1;

/**
 * One input of a Latin hypercube sample: each of n strata of equal width holds one random point at a random place.
 * Another n gives a different sample.
 *
 * M. D. McKay, R. J. Beckman and W. J. Conover, "A comparison of three methods for selecting values of input
 * variables in the analysis of output from a computer code", Technometrics 21 (1979) 239-245.
 *
 * @param points - n, at most 2^24
 */
export function lhsColumn(points: number, key: Key): (index: number) => number {
  const strata = permutation(points, (from) => uniformAt(key, from, ORDER));
  const words = new Uint32Array(2);
  return (index) => {
    threefry(key, index, PLACE, words);
    // a double holds the 24 bits of the stratum and these 27 bits exactly, and the division never rounds to an end of a
    // stratum
    const place = ((words[0]! >>> 6) + 0.5) / 2 ** 26;
    return (strata[index]! + place) / points;
  };
}
