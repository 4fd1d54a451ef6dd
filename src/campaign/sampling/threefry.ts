import { createHash } from 'node:crypto';

const ROUNDS = 20;
const PARITY = 0x1bd11bda;
const ROTATIONS = Uint8Array.of(13, 15, 26, 6, 17, 29, 16, 24);
/** The output of `threefry` for `uniformAt`. A new array for each call would cost time. */
const words = new Uint32Array(2);

/** The key of a stream of random numbers: two signed 32-bit integers. */
export type Key = readonly [number, number];

/** The key of one input's stream, from a SHA-256 of everything that the stream depends on. The seed is a whole number. */
export function streamKey(purpose: string, seed: number, name: string): Key {
  const digest = createHash('sha256')
    .update(JSON.stringify([purpose, seed, name]))
    .digest();
  return [digest.readInt32BE(0), digest.readInt32BE(4)];
}

/**
 * 64 random bits, a function of a key and a counter of two 32-bit integers. Any number of a stream can be computed
 * without the earlier ones, and is the same on every machine.
 *
 * Threefry-2x32 with 20 rounds: J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, "Parallel random numbers: as
 * easy as 1, 2, 3", SC'11 (2011).
 *
 * @param out - receives the two words
 */
export function threefry(key: Key, counter0: number, counter1: number, out: Uint32Array): void {
  // the key is read by index, because destructuring uses iterators, and this is the innermost loop
  let k0 = key[0];
  let k1 = key[1];
  let k2 = PARITY ^ k0 ^ k1;
  let a = (counter0 + k0) | 0;
  let b = (counter1 + k1) | 0;
  for (let round = 0; round < ROUNDS;) {
    const rotation = ROTATIONS[round & 7]!;
    a = (a + b) | 0;
    b = ((b << rotation) | (b >>> (32 - rotation))) ^ a;
    round += 1;
    if ((round & 3) === 0) {
      a = (a + k1) | 0;
      b = (b + k2 + (round >>> 2)) | 0;
      const first = k0;
      k0 = k1;
      k1 = k2;
      k2 = first;
    }
  }
  out[0] = a;
  out[1] = b;
}

/** A number in [0, 1) with 53 bits, from a key and a counter. */
export function uniformAt(key: Key, counter0: number, counter1: number): number {
  threefry(key, counter0, counter1, words);
  return ((words[0]! >>> 5) * 2 ** 26 + (words[1]! >>> 6)) / 2 ** 53;
}
