import { DIRECTIONS } from './sobol-directions.ts';
import { type Key, threefry } from './threefry.ts';

const BITS = 32;
/** One counter of random numbers scrambles this many bits. */
const LEVELS = 6;
const dimensions = DIRECTIONS.split(';');

export const MOST_DIMENSIONS = dimensions.length;

/**
 * One input of the Sobol sequence in the order of the Gray code (I. A. Antonov and V. M. Saleev, 1979), with 32 bits.
 * Take 2^m consecutive points that start at a multiple of 2^m: each interval of width 2^-m contains one of them.
 *
 * With a key, the sequence is scrambled by the method of A. B. Owen ("Randomly permuted (t,m,s)-nets and
 * (t,s)-sequences", 1995). Each number is then the middle of its interval of width 2^-32, because a scrambled number
 * also has random digits below 2^-32.
 *
 * @param dimension - at least 0, and below {@link MOST_DIMENSIONS}
 */
export function sobolColumn(dimension: number, key: Key | null): (index: number) => number {
  const directions = directionNumbers(dimension);
  const plain = (index: number): number => {
    let bits = 0;
    for (let gray = index ^ (index >>> 1), at = 0; gray !== 0; gray >>>= 1, at += 1) {
      if (gray & 1) bits ^= directions[at]!;
    }
    return bits >>> 0;
  };
  if (!key) return (index) => plain(index) / 2 ** BITS;
  const scrambled = scrambler(key);
  return (index) => (scrambled(plain(index)) + 0.5) / 2 ** BITS;
}

/**
 * The direction numbers of one dimension, the highest bit first. P. Bratley and B. L. Fox, "Algorithm 659", ACM TOMS 14
 * (1988) 88-100.
 */
function directionNumbers(dimension: number): Uint32Array {
  const [polynomial, ...initial] = dimensions[dimension]!.trim().split(' ').map(Number) as [
    number,
    ...number[],
  ];
  const degree = BITS - 1 - Math.clz32(polynomial);
  const numbers = new Uint32Array(BITS);
  for (let at = 0; at < BITS; at += 1) {
    // the first dimension has a polynomial of degree 0, so all its values are 1
    if (at < initial.length || degree === 0) {
      numbers[at] = (initial[at] ?? 1) << (BITS - 1 - at);
      continue;
    }
    let bits = numbers[at - degree]! ^ (numbers[at - degree]! >>> degree);
    for (let back = 1; back < degree; back += 1) {
      if ((polynomial >>> (degree - back)) & 1) bits ^= numbers[at - back]!;
    }
    numbers[at] = bits;
  }
  return numbers;
}

/**
 * Nested uniform scrambling: whether a bit is flipped depends on the bits above it. The flips come from a hash of the
 * bits above, which needs no tree in memory: B. Burley, "Practical hash-based Owen scrambling", Journal of Computer
 * Graphics Techniques 9(4) (2020). The fast hash in that paper, by Laine and Karras, uses few bits of the key for the
 * upper levels, so that their flips depend on each other. Here each node of a level has its own random bit: one counter
 * gives the bits of six levels, 1 + 2 + 4 + 8 + 16 + 32.
 */
function scrambler(key: Key): (bits: number) => number {
  /** Bit n of these two words says whether node n flips its bit. */
  const flips = new Uint32Array(2);
  return (bits) => {
    let scrambled = 0;
    for (let level = 0; level < BITS; level += LEVELS) {
      threefry(key, level === 0 ? 0 : bits >>> (BITS - level), level, flips);
      const until = Math.min(BITS, level + LEVELS);
      // nodes of the tree of six levels, row by row: 1, 2 and 3, 4 to 7, ...
      for (let at = level, node = 1; at < until; at += 1) {
        const bit = (bits >>> (BITS - 1 - at)) & 1;
        const flip = (flips[node >>> 5]! >>> (node & 31)) & 1;
        scrambled = (scrambled << 1) | (bit ^ flip);
        node = 2 * node + bit;
      }
    }
    return scrambled >>> 0;
  };
}
