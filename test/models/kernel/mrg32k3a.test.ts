import { describe, expect, test } from '@jest/globals';
import { Mrg32k3a, randomStream } from '../../../models/kernel/index.ts';

const draw = (generator: Mrg32k3a, count: number) => Array.from({ length: count }, () => generator.next());

type State = [bigint, bigint, bigint, bigint, bigint, bigint];
const [M1, M2] = [4294967087n, 4294944443n];

function generatorAt(state: State): Mrg32k3a {
  const [a, b, c, d, e, f] = state;
  return new Mrg32k3a([Number(a), Number(b), Number(c), Number(d), Number(e), Number(f)]);
}

function exactly([a, b, c, d, e, f]: State): { value: number; state: State } {
  const p1 = modulo(1403580n * b - 810728n * a, M1);
  const p2 = modulo(527612n * f - 1370589n * d, M2);
  const difference = p1 > p2 ? p1 - p2 : p1 - p2 + M1;
  return { value: Number(difference) / Number(M1 + 1n), state: [b, c, p1, e, f, p2] };
}

function modulo(value: bigint, modulus: bigint): bigint {
  return ((value % modulus) + modulus) % modulus;
}

/** The quotient modulo a prime, by Fermat's little theorem. */
function quotient(dividend: bigint, divisor: bigint, prime: bigint): bigint {
  let [inverse, base] = [1n, divisor];
  for (let exponent = prime - 2n; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) inverse = (inverse * base) % prime;
    base = (base * base) % prime;
  }
  return modulo(dividend * inverse, prime);
}

describe('MRG32k3a', () => {
  test('gives the published values for a seed of six times 12345', () => {
    const generator = new Mrg32k3a([12345, 12345, 12345, 12345, 12345, 12345]);
    expect(draw(generator, 3)).toEqual([0.12701112204657714, 0.3185275653967945, 0.3091860155832701]);
  });

  test('equals exact arithmetic with whole numbers', () => {
    let state: State = [M1 - 1n, 1n, M1 - 1n, M2 - 1n, M2 - 1n, 1n];
    const generator = generatorAt(state);
    for (let i = 0; i < 50_000; i++) {
      const next = exactly(state);
      if (generator.next() !== next.value) throw new Error(`number ${i} is not exact`);
      state = next.state;
    }
  });

  test('is exact even if rounding moves a quotient to another whole number', () => {
    for (let i = 1n; i <= 2_000n; i++) {
      for (const rest of [-1n, 0n, 1n]) {
        // with this state, the next value of both parts is `rest`
        const [b, f] = [(i * 2_654_435_761n) % M1, (i * 2_246_822_519n) % M2];
        const a = quotient(1403580n * b - rest, 810728n, M1);
        const d = quotient(527612n * f - rest, 1370589n, M2);
        const state: State = [a, b, 1n, d, 1n, f];
        expect(generatorAt(state).next()).toBe(exactly(state).value);
      }
    }
  });

  test('a million values have the mean and variance of a uniform distribution', () => {
    const generator = new Mrg32k3a([12345, 12345, 12345, 12345, 12345, 12345]);
    const count = 1_000_000;
    let [sum, squares] = [0, 0];
    for (let i = 0; i < count; i++) {
      const u = generator.next() - 0.5;
      sum += u;
      squares += u * u;
    }
    const standardError = Math.sqrt(1 / 12 / count);
    expect(Math.abs(sum / count)).toBeLessThan(4 * standardError);
    // the variance of (u - 1/2)^2 is 1/180
    expect(Math.abs(squares / count - 1 / 12)).toBeLessThan(4 * Math.sqrt(1 / 180 / count));
  });

  test('a seed always gives the same sequence; close, negative and large seeds give different sequences', () => {
    const seeds = [0n, 1n, 2n, 3n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n, 2n ** 53n + 1n];
    const sequences = seeds.map((seed) => draw(Mrg32k3a.fromSeed(seed), 5));
    expect(seeds.map((seed) => draw(Mrg32k3a.fromSeed(seed), 5))).toEqual(sequences);
    expect(new Set(sequences.flat()).size).toBe(seeds.length * 5);
    for (const value of sequences.flat()) {
      expect(value).toBeGreaterThan(0);
      expect(value).toBeLessThan(1);
    }
  });

  test('the first values of successive seeds are uniformly distributed', () => {
    const bins = new Array<number>(20).fill(0);
    const count = 20_000;
    for (let seed = 1; seed <= count; seed++) {
      const bin = Math.floor(Mrg32k3a.fromSeed(BigInt(seed)).next() * bins.length);
      bins[bin] = bins[bin]! + 1;
    }
    const expected = count / bins.length;
    const chiSquare = bins.reduce((sum, hits) => sum + (hits - expected) ** 2 / expected, 0);
    // with 19 degrees of freedom, chi-square exceeds 43.8 once in 1,000 times
    expect(chiSquare).toBeLessThan(43.8);
  });
});

describe('random streams', () => {
  const first = (seed: bigint, replication: number, purpose: string) =>
    draw(randomStream(seed, replication, purpose), 5);

  test('differ between seeds, replications and purposes; the same seed, replication and purpose give the same stream', () => {
    const streams = [
      first(1n, 1, 'arrivals'),
      first(2n, 1, 'arrivals'),
      first(1n, 2, 'arrivals'),
      first(1n, 1, 'services'),
      first(11n, 1, 'arrivals'),
      first(1n, 11, 'arrivals'),
      first(-1n, 1, 'arrivals'),
      first(1n, 1, ''),
    ];
    expect(new Set(streams.flat()).size).toBe(streams.length * 5);
    expect(first(1n, 1, 'arrivals')).toEqual(streams[0]);
  });

  test('are not correlated with each other, and their numbers are not correlated with the numbers before', () => {
    const count = 50_000;
    const correlation = (a: number[], b: number[]) =>
      a.reduce((sum, u, i) => sum + (u - 0.5) * (b[i]! - 0.5), 0) * (12 / Math.sqrt(count));
    const sequences = [1, 2, 3].flatMap((replication) =>
      ['arrivals', 'services'].map((purpose) => draw(randomStream(7n, replication, purpose), count)),
    );
    for (const [i, a] of sequences.entries()) {
      expect(Math.abs(correlation(a.slice(1), a))).toBeLessThan(4);
      for (const b of sequences.slice(i + 1)) expect(Math.abs(correlation(a, b))).toBeLessThan(4);
    }
  });
});
