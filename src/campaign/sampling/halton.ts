import { permutation } from './permutation.ts';
import { type Key, uniformAt } from './threefry.ts';

/**
 * One input of the Halton sequence: the digits of a point's index in a prime base, mirrored at the radix point. J. H.
 * Halton, Numerische Mathematik 2 (1960) 84-90.
 *
 * With a key, the digits are permuted at random, with a separate permutation for each place. The zeros after the last
 * digit of the index are permuted as well: A. B. Owen, "A randomized Halton algorithm in R" (2017), arXiv:1706.02808.
 *
 * @param dimension - the base is the prime with this index; index 0 is 2
 */
export function haltonColumn(dimension: number, key: Key | null): (index: number) => number {
  const base = prime(dimension);
  // there are as many digits as a double holds exactly, so that only the last division rounds
  let length = 0;
  let whole = 1;
  for (; whole * base <= 2 ** 53; length += 1) whole *= base;
  const digits = Array.from({ length }, (_, place) => {
    if (!key) return Uint32Array.from({ length: base }, (_, digit) => digit);
    return permutation(base, (from) => uniformAt(key, from, place));
  });
  // the sum of the digits that replace the zeros from each place on
  const zeros = new Array<number>(length + 1).fill(0);
  for (let place = length - 1, weight = 1; place >= 0; place -= 1, weight *= base) {
    zeros[place] = zeros[place + 1]! + digits[place]![0]! * weight;
  }
  return (index) => {
    let rest = index;
    let weight = whole;
    let mirrored = 0;
    let place = 0;
    for (; rest > 0; place += 1) {
      const next = Math.floor(rest / base);
      weight /= base;
      mirrored += digits[place]![rest - next * base]! * weight;
      rest = next;
    }
    return (mirrored + zeros[place]!) / whole;
  };
}

/** The prime with an index; index 0 is 2. */
function prime(index: number): number {
  const primes: number[] = [];
  for (let number = 2; primes.length <= index; number += 1) {
    if (primes.every((each) => number % each !== 0)) primes.push(number);
  }
  return primes[index]!;
}
