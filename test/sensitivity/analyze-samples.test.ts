import { describe, expect, test } from '@jest/globals';
import type { Design } from '../../src/campaign/designs/index.ts';
import type { BaseInput } from '../../src/campaign/designs/input-types.ts';
import { analysisSentence } from '../../src/report/analysis/words.ts';
import { sampledMembers } from '../../src/sensitivity/sampled-rows.ts';
import { analyzed, byName, numericBase, sample, spread } from './campaigns.ts';
import { uniforms } from '../support/uniforms.ts';

const SEED: BaseInput = { name: '{RANDOM_SEED}', type: 'LONG', units: null, value: '1' };

describe('a sample', () => {
  test('is analyzed by regression', () => {
    const [found] = analyzed({ design: sample }, ([a, b]) => ({ Y: 3 * a! + b! }));
    expect(found).toMatchObject({ campaign: 'played', output: 'Y', method: 'regression', runs: 200 });
    expect(found!.r2).toBeCloseTo(1, 9);
    expect(byName(found!.indices).A!.src).toBeCloseTo(Math.sqrt(0.9), 1);
    expect(found!.warnings).toEqual([]);
    expect(analysisSentence(found!)).toBe(
      'A and B explain 100 % of the variance of Y as a linear function; C has no visible linear effect.',
    );
  });

  test('of a nonlinear function has a low R², and a warning', () => {
    const [found] = analyzed({ design: sample }, ([a]) => ({ Y: (a! - 0.5) ** 2 }));
    expect(found!.r2).toBeLessThan(0.2);
    expect(found!.warnings.join()).toContain('R² is 0.0');
  });

  test('of a nonlinear function with chance has an R² without chance in its warning', () => {
    const random = uniforms(1);
    const [found] = analyzed({ design: sample, replications: 2 }, ([a]) => ({
      Y: 12 * (a! - 0.5) ** 2 + random(),
    }));
    expect(found!.warnings.join()).toMatch(
      /R² is 0\.0\d \(0\.0\d without chance\): the output is not a linear/,
    );
  });

  test('of a linear function with chance and one run per point may have a low R² because of chance', () => {
    const random = uniforms(1);
    const base = [...numericBase({ A: 0, B: 0, C: 0 }), SEED];
    const [found] = analyzed({ design: sample, base, seed: 1 }, ([a]) => ({ Y: a! + 2 * random() }));
    expect(found!.warnings.join()).toMatch(
      /^R² is 0\.1\d: much of the output is chance, or the output is not/,
    );
  });

  test('leaves failed runs out, and has a warning', () => {
    const [found] = analyzed({ design: sample }, ([a]) => (a! < 0.1 ? undefined : { Y: a }));
    expect(found).toMatchObject({ runs: 180 });
    expect(found!.warnings).toEqual([
      '20 of 200 runs failed.',
      'Whether a run has a value depends on A, so the runs with a value are not a fair sample.',
      '20 of 200 points are left out, because they have no value.',
    ]);
    expect(found!.r2).toBeCloseTo(1, 9);
  });

  test('with replications separates the variance of chance from the variance of inputs, and has warnings', () => {
    const random = uniforms(1);
    // the variance of the input is 1/12, and the variance of chance is 3/12
    const noisy = { design: sample, replications: 5 };
    const [found] = analyzed(noisy, ([a]) => ({ Y: a! + Math.sqrt(3) * random() }));
    expect(found!.chance!.ofRuns).toBeCloseTo(0.75, 1);
    expect(found!.chance!.ofMeans).toBeCloseTo(0.6 / 1.6, 1);
    expect(found!.r2).toBeLessThan(0.7);
    // the output is a linear function and chance
    expect(found!.warnings.join()).not.toContain('linear');
    expect(found!.warnings.join()).toContain('Chance dominates');
    expect(found!.warnings.join()).toContain("of the variance of the points' means is chance");
  });

  test('of runs with curves has indices at each time at which the values differ', () => {
    const [found] = analyzed({ design: sample, outputs: ['Course'] }, ([a, b]) => ({
      Course: { dataX: [0, 1, 2], dataY: [5, a, 2 * b!] },
    }));
    expect(found).not.toHaveProperty('indices');
    expect(found!.times!.map(({ time }) => time)).toEqual([1, 2]);
    expect(byName(found!.times![0]!.indices).A!.src).toBeCloseTo(1, 9);
    expect(byName(found!.times![1]!.indices).B!.src).toBeCloseTo(1, 9);
  });

  test('has a warning and no indices if the output is the same at all points', () => {
    const [found] = analyzed({ design: sample }, () => ({ Y: 1 }));
    expect(found).toMatchObject({
      indices: [],
      warnings: [expect.stringContaining('the same at all points')],
    });
  });

  test('has the same warning if the output differs only by rounding', () => {
    // the mean of 200 times 0.1 is not exactly 0.1
    const [found] = analyzed({ design: sample }, () => ({ Y: 0.1 }));
    expect(found).toMatchObject({
      indices: [],
      warnings: [expect.stringContaining('Y is the same at all points')],
    });
  });

  const textBase: BaseInput[] = [{ name: 'Rule', type: 'STRING', units: null, value: 'x' }];
  const texts: Design = { kind: 'list', inputs: ['Rule'], rows: [['x'], ['y'], ['z']] };

  test('of texts has no indices, and the only warning is that regression cannot use texts', () => {
    let run = 0;
    const outputs = ['Y', 'Course'];
    const found = analyzed({ design: texts, base: textBase, outputs }, () => ({
      Y: (run += 1),
      Course: { dataX: [0, 1], dataY: [0, run] },
    }));
    const warnings = ['Rule: regression cannot use inputs whose values are texts.'];
    expect(found).toMatchObject([
      { indices: [], warnings },
      { times: [], warnings },
    ]);
  });

  test('without different values of an input has no indices, and the warning names the input', () => {
    let run = 0;
    const base = [...textBase, ...numericBase({ A: 1 })];
    const design: Design = {
      kind: 'product',
      designs: [texts, { kind: 'list', inputs: ['A'], rows: [['1']] }],
    };
    const [found] = analyzed({ design, base }, () => ({ Y: (run += 1) }));
    expect(found!.warnings).toEqual([
      expect.stringContaining('regression cannot use inputs whose values are texts'),
      'A: the value is the same at all points.',
    ]);
  });

  test('has no coefficients for inputs whose effects cannot be separated', () => {
    const rows = [0, 1, 2, 3, 4, 5, 6, 7].map((at) => [at, at % 3, at + (at % 3), at ** 2]);
    const design: Design = {
      kind: 'list',
      inputs: ['A', 'B', 'C', 'D'],
      rows: rows.map((row) => row.map(String)),
    };
    const [found] = analyzed({ design }, ([a, b, , d]) => ({ Y: a! + 2 * b! + 3 * d! }));
    const { A, B, C, D } = byName(found!.indices);
    expect([A, B, C]).toEqual([{ input: 'A' }, { input: 'B' }, { input: 'C' }]);
    expect(D!.p).toBeLessThan(1e-6);
    expect(found!.warnings).toContain(
      'A, B, C: no coefficient, because other inputs determine the value by a linear function at these points.',
    );
  });

  test('with a computed input has the coefficients of the inputs that determine it', () => {
    const derive = [{ name: 'D', type: 'DOUBLE' as const, expression: 'A + B' }];
    const design: Design = { kind: 'refined', design: sample, derive, where: null };
    const base = numericBase({ A: 0, B: 0, C: 0, D: 0 });
    const [found] = analyzed({ design, base }, ([a, b]) => ({ Y: a! + 2 * b! }));
    const { A, D } = byName(found!.indices);
    expect(A!.p).toBeLessThan(1e-6);
    expect(D).toEqual({ input: 'D' });
  });

  test('with huge values has a warning that they are too large', () => {
    const found = analyzed({ design: sample, outputs: ['Y', 'Course'] }, ([a]) => {
      const Y = a! * 1e308;
      return { Y, Course: { dataX: [0, 1], dataY: [1, Y] } };
    });
    const warnings = ['The values are too large for an analysis: their variance is not finite.'];
    expect(found).toMatchObject([
      { indices: [], unknown: 'the values are too large: their variance is not finite', warnings },
      { times: [], warnings },
    ]);
  });

  test('with tiny values has a warning that they differ too little, and does not call them equal', () => {
    const found = analyzed({ design: sample, outputs: ['Y', 'Course'] }, ([a]) => {
      const Y = a! * 1e-200;
      return { Y, Course: { dataX: [0, 1], dataY: [Y, Y] } };
    });
    const why = 'their variance is nearly 0; give the output in other units';
    const warnings = [`The values differ too little for an analysis: ${why}.`];
    expect(found).toMatchObject([
      { indices: [], unknown: `the values differ too little: ${why}`, warnings },
      { times: [], warnings },
    ]);
    const [same] = analyzed({ design: sample }, () => ({ Y: 1e-200 }));
    expect(same!.unknown).toBe('it is the same at all points');
  });

  test('with too few values says how many there are', () => {
    const [found] = analyzed({ design: sample }, ([a]) => ({ Y: a! < 0.01 ? a : null }));
    expect(found!.warnings).toEqual([
      '198 of 200 finished runs have no value of Y. No dependence on the inputs is visible.',
      '198 of 200 points are left out, because they have no value.',
      '2 points are too few for a regression.',
    ]);
  });
});

describe('a sample with common random numbers', () => {
  const base = [...numericBase({ A: 0, B: 0, C: 0 }), SEED];
  const paired = { design: sample, base, seed: 1, commonRandomNumbers: true };
  const slopes = [1.2, -0.7, 0.4];

  test('tests an effect by the replications, because the points share their chance', () => {
    const found = (shift: number) =>
      analyzed({ ...paired, replications: 3 }, ([a], replication) => ({
        Y: (shift + slopes[replication - 1]!) * a!,
      }))[0]!;
    // the slopes of the replications have the mean 0.3 and the variance 0.91. Student's t with 2 degrees of freedom has the tails
    // 1 - t / √(t² + 2)
    const pOf = (mean: number): number => {
      const t = mean / Math.sqrt(0.91 / 3);
      return 1 - t / Math.sqrt(t ** 2 + 2);
    };
    const A = byName(found(0).indices).A!;
    expect(A.p).toBeCloseTo(pOf(0.3), 6);
    expect(A.srcInterval![0]).toBeLessThan(0);
    expect(analysisSentence(found(0))).not.toMatch(/explain/);
    expect(byName(found(8).indices).A!.p).toBeCloseTo(pOf(8.3), 6);
    expect(analysisSentence(found(8))).toMatch(/^A explains/);
  });

  test('loses no power to chance that is the same at all points', () => {
    const [found] = analyzed({ ...paired, replications: 2 }, ([a, b], replication) => ({
      Y: a! + b! ** 2 + 100 * slopes[replication - 1]!,
    }));
    expect(analysisSentence(found!)).toMatch(/^(A and B|B and A) explain \d+ % /);
    expect(found!.warnings.join()).not.toContain('same random numbers');
  });

  test('has no test if nothing shows the chance, and a warning with one replication', () => {
    const model = ([a]: readonly number[]) => ({ Y: a! });
    const [quantile] = analyzed({ ...paired, replications: 3, outputs: ['Q(Y, 0.5)'] }, model);
    expect(byName(quantile!.indices).A).not.toHaveProperty('p');
    expect(byName(quantile!.indices).A).not.toHaveProperty('srcInterval');
    expect(analysisSentence(quantile!)).toMatch(/^It is unknown/);
    const [single] = analyzed(paired, model);
    expect(byName(single!.indices).A!.p).toBeLessThan(1e-6);
    expect(single!.warnings).toEqual([
      'Each point has one run with the same random numbers: the effects are those with these numbers.',
    ]);
  });
});

describe('a product with a sample', () => {
  const sampled = (points: number, seed: number, names: string[]): Design => ({
    kind: 'sample',
    method: 'lhs',
    scramble: true,
    points,
    seed,
    inputs: spread(names),
  });
  const grid: Design = {
    kind: 'grid',
    inputs: ['C'],
    values: [Array.from({ length: 20 }, (_, at) => `${at}`)],
  };
  const file: Design = { kind: 'file', inputs: ['F'], path: 'f.csv', hash: 'f', count: 9 };
  const curved = ([a, b, c = 0]: readonly number[]) => ({
    Y: (4 * a! - 1) ** 2 + (4 * b! - 2) ** 2 + 5 * a! * b! + 0.2 * c,
  });
  // the coefficient of B in the regression of 80,000 points
  const TRUTH = 0.2;
  const product = (...designs: Design[]): Design => ({ kind: 'product', designs });

  test.each([
    ['8 points and a grid', (seed: number) => product(sampled(8, seed, ['A', 'B']), grid)],
    ['15 points and a grid', (seed: number) => product(sampled(15, seed, ['A', 'B']), grid)],
    ['two samples', (seed: number) => product(sampled(9, seed, ['A']), sampled(12, 99 + seed, ['B']))],
  ])('of %s has intervals that contain the coefficient of many points', (_, designOf) => {
    const held = Array.from({ length: 30 }, (_one, seed) => {
      const [found] = analyzed({ design: designOf(seed) }, curved);
      const [low, high] = byName(found!.indices).B!.srcInterval!;
      return low <= TRUTH && TRUTH <= high;
    });
    expect(held.filter(Boolean).length).toBeGreaterThanOrEqual(28);
  });

  test('has a warning if the sample has few points with a value', () => {
    const found = [0, 0.3].map(
      (least) =>
        analyzed({ design: product(sampled(15, 1, ['A', 'B']), grid) }, (values) =>
          values[0]! < least ? undefined : curved(values),
        )[0]!,
    );
    expect(found[0]!.warnings.join()).not.toContain('few');
    expect(found[1]!.warnings).toContain(
      '10 points are few for the sample of A, B: the intervals are rough or missing.',
    );
  });

  test('has the samples of its members, or the files if no member is a sample', () => {
    const own = product(sampled(8, 1, ['A', 'B']), grid);
    expect(sampledMembers(sampled(8, 1, ['A']))).toEqual([]);
    expect(sampledMembers(product(own, file))).toEqual([['A', 'B']]);
    expect(sampledMembers(product(grid, file))).toEqual([['F']]);
    expect(sampledMembers(product(own, sampled(8, 1, ['D'])))).toEqual([['A', 'B'], ['D']]);
    expect(sampledMembers({ kind: 'union', designs: [own, own, grid] })).toEqual([['A', 'B']]);
  });
});
