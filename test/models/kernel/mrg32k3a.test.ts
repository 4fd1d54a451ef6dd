import { describe, expect, test } from '@jest/globals';
import { Mrg32k3a, randomStream } from '../../../models/kernel/index.ts';

const draw = (generator: Mrg32k3a, count: number) => Array.from({ length: count }, () => generator.next());

describe('MRG32k3a', () => {
  test('gives the published values when seeded with six 12345s', () => {
    const generator = new Mrg32k3a([12345, 12345, 12345, 12345, 12345, 12345]);
    expect(draw(generator, 3)).toEqual([0.12701112204657714, 0.3185275653967945, 0.3091860155832701]);
  });

  test('is exact: its numbers are those of whole-number arithmetic', () => {
    const [m1, m2] = [4294967087n, 4294944443n];
    let [a, b, c, d, e, f] = [m1 - 1n, 1n, m1 - 1n, m2 - 1n, m2 - 1n, 1n];
    const generator = new Mrg32k3a([Number(a), 1, Number(c), Number(d), Number(e), 1]);
    for (let i = 0; i < 100_000; i++) {
      const p1 = (((1403580n * b - 810728n * a) % m1) + m1) % m1;
      const p2 = (((527612n * f - 1370589n * d) % m2) + m2) % m2;
      [a, b, c, d, e, f] = [b, c, p1, e, f, p2];
      const difference = p1 > p2 ? p1 - p2 : p1 - p2 + m1;
      if (generator.next() !== Number(difference) / 4294967088) throw new Error(`number ${i} is not exact`);
    }
  });

  test('a million values have the mean and variance of a uniform', () => {
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

  test('a seed gives one sequence; near, negative and large seeds give others', () => {
    const seeds = [0n, 1n, 2n, 3n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n, 2n ** 53n + 1n];
    const sequences = seeds.map((seed) => draw(Mrg32k3a.fromSeed(seed), 5));
    expect(seeds.map((seed) => draw(Mrg32k3a.fromSeed(seed), 5))).toEqual(sequences);
    expect(new Set(sequences.flat()).size).toBe(seeds.length * 5);
    for (const value of sequences.flat()) {
      expect(value).toBeGreaterThan(0);
      expect(value).toBeLessThan(1);
    }
  });

  test('first values of successive seeds are spread like a uniform', () => {
    const bins = new Array<number>(20).fill(0);
    const count = 20_000;
    for (let seed = 1; seed <= count; seed++) {
      const bin = Math.floor(Mrg32k3a.fromSeed(BigInt(seed)).next() * bins.length);
      bins[bin] = bins[bin]! + 1;
    }
    const expected = count / bins.length;
    const chiSquare = bins.reduce((sum, hits) => sum + (hits - expected) ** 2 / expected, 0);
    // 19 degrees of freedom: 43.8 is exceeded once in 1,000
    expect(chiSquare).toBeLessThan(43.8);
  });
});

describe('random streams', () => {
  const first = (seed: bigint, replication: number, purpose: string) =>
    draw(randomStream(seed, replication, purpose), 5);

  test('seed, replication and purpose make a stream, the same each time', () => {
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

  test('streams are not correlated, nor a stream with its own past', () => {
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
