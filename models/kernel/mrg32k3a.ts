/**
 * L'Ecuyer's combined multiple recursive generator MRG32k3a: period near 2^191, exact in doubles.
 *
 * P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number generators",
 * Operations Research 47 (1999) 159-164, figure I.
 */
export class Mrg32k3a {
  readonly #state: Float64Array;

  /** The state: three values below 4294967087, not all zero, then three values below 4294944443, not all zero. */
  constructor(state: readonly [number, number, number, number, number, number]) {
    this.#state = Float64Array.from(state);
  }

  /** A generator for a seed of 64 bits. Neighbouring seeds give unrelated sequences. */
  static fromSeed(seed: bigint): Mrg32k3a {
    let mixer = BigInt.asUintN(64, seed);
    return Mrg32k3a.fromWords(() => {
      mixer = BigInt.asUintN(64, mixer + 0x9e3779b97f4a7c15n);
      return splitMix64(mixer);
    });
  }

  /** A generator with the state from six words of 64 random bits. */
  static fromWords(word: () => bigint): Mrg32k3a {
    // the values begin at 1, so they are never all zero
    const below = (modulus: number): number => 1 + Number(word() % BigInt(modulus - 1));
    return new Mrg32k3a([below(M1), below(M1), below(M1), below(M2), below(M2), below(M2)]);
  }

  /** Uniform between 0 and 1, both excluded. */
  next(): number {
    const s = this.#state;
    const p1 = modulo(1403580 * s[1]! - 810728 * s[0]!, M1, 1 / M1);
    const p2 = modulo(527612 * s[5]! - 1370589 * s[3]!, M2, 1 / M2);
    s[0] = s[1]!;
    s[1] = s[2]!;
    s[2] = p1;
    s[3] = s[4]!;
    s[4] = s[5]!;
    s[5] = p2;
    return (p1 > p2 ? p1 - p2 : p1 - p2 + M1) / (M1 + 1);
  }
}

const M1 = 4294967087;
const M2 = 4294944443;

// `floor` is local, because in a context of Node's vm, such as under Jest, each use of a global is a lookup by name
const { floor } = Math;

/**
 * The remainder, at least 0. It is exact while the value and the quotient times the modulus are below 2^53. It is much
 * faster than %, which calls C's fmod.
 */
function modulo(value: number, modulus: number, inverse: number): number {
  const rest = value - floor(value * inverse) * modulus;
  // if the quotient is near a whole number, it may have been rounded to the other side of that number
  if (rest < 0) return rest + modulus;
  return rest < modulus ? rest : rest - modulus;
}

/** The finalizer of Steele, Lea and Flood's SplitMix64 (OOPSLA 2014). */
function splitMix64(value: bigint): bigint {
  const first = BigInt.asUintN(64, (value ^ (value >> 30n)) * 0xbf58476d1ce4e5b9n);
  const second = BigInt.asUintN(64, (first ^ (first >> 27n)) * 0x94d049bb133111ebn);
  return second ^ (second >> 31n);
}
