import { describe, expect, test } from '@jest/globals';
import type { Design } from '../../src/campaign/designs/index.ts';
import type { BaseInput } from '../../src/campaign/designs/input-types.ts';
import type { InputIndices } from '../../src/sensitivity/analysis.ts';
import { analysisSentence } from '../../src/report/analysis/words.ts';
import { analyzed, byName, numericBase, sample, spread } from './campaigns.ts';
import { ISHIGAMI, ishigami } from './functions.ts';
import { uniforms } from '../support/uniforms.ts';

const SEED: BaseInput = { name: '{RANDOM_SEED}', type: 'LONG', units: null, value: '1' };

describe('points for Sobol indices', () => {
  const saltelli: Design = {
    kind: 'saltelli',
    inputs: spread(['A', 'B', 'C']),
    points: 128,
    scrambles: 8,
    secondOrder: true,
    seed: 1,
  };

  test('have first, total and second-order indices with intervals', () => {
    const [found] = analyzed({ design: saltelli }, (values) => ({ Y: ishigami(values) }));
    expect(found).toMatchObject({ method: 'sobol', runs: 8 * 128 * 8, warnings: [] });
    for (const [at, { first, total, firstInterval }] of found!.indices!.entries()) {
      expect(Math.abs(first! - ISHIGAMI.first[at]!)).toBeLessThan(0.03);
      expect(Math.abs(total! - ISHIGAMI.total[at]!)).toBeLessThan(0.03);
      expect(firstInterval![0]).toBeLessThan(first!);
    }
    expect(found!.secondOrder!.map(({ inputs }) => inputs)).toEqual([
      ['A', 'B'],
      ['A', 'C'],
      ['B', 'C'],
    ]);
    expect(analysisSentence(found!)).toMatch(/^All inputs matter for Y: A takes part in 5\d %/);
  });

  test('give the indices of the function even if chance is added, and have a warning', () => {
    const random = uniforms(3);
    // in the means over replications, chance and inputs have equal variance
    const [found] = analyzed({ design: { ...saltelli, points: 256 }, replications: 4 }, ([a]) => ({
      Y: a! + 2 * random(),
    }));
    expect(found!.chance!.ofMeans).toBeCloseTo(0.5, 1);
    const { A, B } = byName(found!.indices);
    expect(Math.abs(A!.total! - 1)).toBeLessThan(0.06);
    expect(Math.abs(B!.total!)).toBeLessThan(0.06);
    expect(Math.abs(A!.first! - 1)).toBeLessThan(0.06);
    expect(found!.warnings.join()).toContain('the indices are corrected for it');
  });

  test('do not show chance as an effect of inputs if each point has one run with its own seed', () => {
    const random = uniforms(3);
    const analysisOf = (played: { seed: number | null; commonRandomNumbers?: boolean }) =>
      analyzed(
        { design: saltelli, base: [...numericBase({ A: 0, B: 0, C: 0 }), SEED], ...played },
        ([a, b]) => ({
          Y: 2 * a! + b! + random(),
        }),
      )[0]!;
    const found = analysisOf({ seed: 1 });
    // the variance of C is 0, and a sixth of the variance is chance
    expect(byName(found.indices).C!.total!).toBeCloseTo(1 / 6, 1);
    expect(found.hasUnknownChance).toBe(true);
    expect(found.warnings.join()).toContain('any effect of chance is a part of the total indices');
    expect(analysisSentence(found)).toMatch(
      /^A and B explain at least 8\d % \(\d+–\d+ %\) of the variance of Y; C cannot be distinguished from chance\.$/,
    );
    // the same seed at all points
    for (const same of [{ seed: null }, { seed: 1, commonRandomNumbers: true }])
      expect(analysisOf(same)).not.toHaveProperty('hasUnknownChance');
  });

  test('say that no effect can be distinguished from chance if all of the output is chance', () => {
    const random = uniforms(3);
    const base = [...numericBase({ A: 0, B: 0, C: 0 }), SEED];
    const [found] = analyzed({ design: saltelli, base, seed: 1 }, () => ({ Y: random() }));
    expect(analysisSentence(found!)).toBe(
      'The effects of all inputs on Y cannot be distinguished from chance.',
    );
  });

  test('have no indices and say why if the output differs at too few points', () => {
    const design = {
      kind: 'saltelli',
      inputs: spread(['A', 'B', 'C']),
      points: 64,
      scrambles: 4,
      seed: 1,
      secondOrder: false,
    } as const;
    const found = analyzed({ design, outputs: ['Y', 'Course'] }, ([a, b]) => {
      const Y = Number(a! < 0.006 && b! > 0.1);
      return { Y, Course: { dataX: [0, 1], dataY: [0, Y] } };
    });
    const warnings = ['The output differs at too few points. More base points are needed.'];
    expect(found).toMatchObject([
      { indices: [], warnings },
      { times: [], warnings },
    ]);
  });

  test('have a warning with the number of base points that are left out', () => {
    let run = 0;
    const [found] = analyzed({ design: saltelli }, ([a]) =>
      (run += 1) % 1_000 === 0 ? undefined : { Y: a },
    );
    expect(found!.warnings.join()).toMatch(/8 of 8,192 runs failed\..*8 of 1,024 base points are left out/);
    expect(analysisSentence(found!)).toBe(
      'A explains 100 % of the variance of Y; B and C have no visible effect.',
    );
  });

  test('give correct indices even if several rows are the same point', () => {
    // the inputs are whole numbers from 1 to 3, so most rows are repeated
    const inputs = spread(['A', 'B']).map((input) => ({
      ...input,
      isWhole: true,
      distribution: { kind: 'uniform' as const, min: 1, max: 3 },
    }));
    const [found] = analyzed({ design: { ...saltelli, inputs } }, ([a, b]) => ({ Y: a! + b! }));
    expect(found!.runs).toBe(9);
    for (const { first, total } of found!.indices!) {
      expect(Math.abs(first! - 0.5)).toBeLessThan(0.05);
      expect(Math.abs(total! - 0.5)).toBeLessThan(0.05);
    }
  });

  describe('of lists, whose rows share points and their chance,', () => {
    const inputs = ['A', 'B', 'C'].map((name) => ({
      name,
      isWhole: false,
      distribution: { kind: 'choice' as const, values: ['0', '1', '2'], weights: [1, 1, 1] },
    }));
    const design = { ...saltelli, inputs, points: 128, scrambles: 1, secondOrder: false };

    test('have intervals with the indices of the function in at least 92 % of campaigns', () => {
      // the variances of the parts are 2/3, 1/6 and 0
      const exact = [0.8, 0.2, 0];
      const [held, of] = [{ first: 0, total: 0 }, 240];
      for (let seed = 0; seed < of / 3; seed += 1) {
        const random = uniforms(seed);
        const [found] = analyzed({ design: { ...design, seed }, replications: 2 }, ([a, b]) => ({
          Y: a! + b! / 2 + 2 * (random() + random() - 1),
        }));
        for (const [at, { firstInterval, totalInterval }] of found!.indices!.entries()) {
          const isIn = ([low, high] = [NaN, NaN]) => low <= exact[at]! && exact[at]! <= high;
          if (isIn(firstInterval)) held.first += 1;
          if (isIn(totalInterval)) held.total += 1;
        }
      }
      expect(held.first / of).toBeGreaterThanOrEqual(0.92);
      expect(held.total / of).toBeGreaterThanOrEqual(0.92);
    });

    test('show no effect if all of the output is chance and each point has one run', () => {
      const base = [...numericBase({ A: 0, B: 0, C: 0 }), SEED];
      const claims = Array.from({ length: 40 }, (_, seed) => {
        const random = uniforms(seed);
        return analyzed({ design: { ...design, seed }, base, seed: 1 }, () => ({ Y: random() }))[0]!;
      }).filter((found) => !analysisSentence(found).startsWith('The effects of all inputs'));
      expect(claims.length).toBeLessThanOrEqual(4);
    });

    test('are less sure if the runs of each point are equal than if there is no chance', () => {
      const of = (replications: number) =>
        analyzed({ design: { ...design, points: 16 }, replications }, ([a, b]) => ({ Y: a! + b! / 2 }))[0]!;
      const [one, two, many] = [1, 2, 20].map(of);
      const width = ({ totalInterval }: InputIndices) => totalInterval![1] - totalInterval![0];
      const widths = [one, two, many].map((found) => width(found!.indices![0]!));
      expect(widths[1]).toBeGreaterThan(1.05 * widths[0]!);
      // 27 points with 20 runs are more than the 300 runs that count as sure
      expect(widths[2]).toBeCloseTo(widths[0]!, 12);
      expect([one, many].map((found) => found!.indices!.map(({ p }) => p))).toEqual(
        Array(2).fill(Array(3).fill(undefined)),
      );
      expect(two!.indices!.map(({ p }) => p! < 0.01)).toEqual([true, true, false]);
    });
  });

  test('of curves have indices at each time', () => {
    const [found] = analyzed(
      { design: { ...saltelli, secondOrder: false }, outputs: ['Course'] },
      ([a, b]) => ({
        Course: { dataX: [0, 10], dataY: [a, b] },
      }),
    );
    expect(found!.times).toHaveLength(2);
    expect(byName(found!.times![0]!.indices).A!.total).toBeCloseTo(1, 1);
    expect(byName(found!.times![1]!.indices).B!.total).toBeCloseTo(1, 1);
  });
});

test('replications of a definition without a seed are independent: the indices are those without chance', () => {
  const names = ['A', 'B'];
  const design: Design = {
    kind: 'saltelli',
    inputs: spread(names),
    points: 512,
    scrambles: 1,
    secondOrder: false,
    seed: 1,
  };
  const [seeds, random] = [new Set<string>(), uniforms(3)];
  const chance = new Map([[SEED.value, Math.sqrt(1 / 12)]]);
  const [found] = analyzed(
    { design, base: [...numericBase({ A: 0, B: 0 }), SEED], replications: 2 },
    ([a, b], _, seed) => {
      seeds.add(seed!);
      if (!chance.has(seed!)) chance.set(seed!, random() - 0.5);
      return { Y: a! + b! + chance.get(seed!)! };
    },
  );
  expect(seeds.size).toBe(found!.runs);
  for (const { first } of found!.indices!) expect(Math.abs(first! - 0.5)).toBeLessThan(0.1);
});

test('curves of different lengths have warnings about times without indices, and about points without values', () => {
  const analysisOf = (endOf: (a: number) => number) => {
    const [found] = analyzed({ design: sample, outputs: ['Course'] }, ([a]) => {
      const end = endOf(a!);
      return { Course: { dataX: [0, 5, end], dataY: [a, a, a! * end] } };
    });
    return found!.warnings;
  };
  let run = 0;
  expect(analysisOf(() => ((run += 1) === 1 ? 8 : 10))).toEqual([
    "Only times of the first run's curve are analyzed, from 0 to 8. The curves of Course together are from 0 to 10.",
  ]);
  run = 0;
  expect(analysisOf(() => ((run += 1) % 4 === 0 ? 8 : 10))).toEqual([
    'At 1 of 3 times, Course has a value in only 150 of the 200 runs that have a curve. No dependence on the inputs is visible.',
    'At 1 of 3 times, Course has no value at some points. These points are left out there.',
  ]);
});

test('the warnings about a curve with another axis than time tell of places', () => {
  let run = 0;
  const [found] = analyzed(
    { design: sample, outputs: ['Course'], axis: { name: 'Frequency', units: 'Hz' } },
    ([a]) => {
      run += 1;
      const end = run === 1 || run % 4 === 0 ? 8 : a! > 0.9 ? 2 : 10;
      return { Course: { dataX: [0, 5, 8, 10].filter((x) => x <= end), dataY: [a, a, 2 * a!, 3 * a!] } };
    },
  );
  expect(found!.warnings).toEqual([
    "Only places of the first run's curve are analyzed, from 0 to 8. The curves of Course together are from 0 to 10.",
    expect.stringMatching(/^At 2 of 3 places, .* Whether a run has a value at all places depends on A,/),
    'At 2 of 3 places, Course has no value at some points. These points are left out there.',
  ]);
});

test('runs without a curve and curves that end early are counted, with the inputs on which they depend', () => {
  const analysisOf = (endOf: (a: number, run: number) => number | null) => {
    const [found] = analyzed(
      { design: sample, replications: 2, outputs: ['Course'] },
      ([a, b], replication) => {
        const end = endOf(a!, replication);
        return end === null
          ? {}
          : { Course: { dataX: [0, 5, 10].filter((x) => x <= end), dataY: [a, b, a! * b!] } };
      },
    );
    return found!.warnings.filter((warning) => !warning.includes('some points'));
  };
  // one of two replications: the means of all points are known, and yet half of the runs are missing
  expect(analysisOf((_, replication) => (replication === 1 ? 10 : null))).toContain(
    '200 of 400 finished runs have no value of Course. No dependence on the inputs is visible.',
  );
  let run = 0;
  const [warning] = analysisOf((a) => ((run += 1) === 1 || a < 0.6 ? 10 : a < 0.8 ? 7 : 2));
  expect(warning).toMatch(
    /^At 2 of 3 times, Course has a value in only 24\d to 32\d of the 400 runs that have a curve\. Whether a run has a value at all times depends on A, so the runs with a value are not a fair sample\.$/,
  );
});
