import { describe, expect, test } from '@jest/globals';
import type { Design, SpreadInput } from '../../src/campaign/designs/resolved-design.ts';
import type { BaseInput } from '../../src/campaign/types.ts';
import type { InputIndices } from '../../src/sensitivity/analysis.ts';
import { analysisSentence } from '../../src/report/analysis/words.ts';
import { analyzed, numericBase } from './campaigns.ts';
import { ISHIGAMI, ishigami } from './functions.ts';
import { uniforms } from '../support/uniforms.ts';

const spread = (names: readonly string[]): SpreadInput[] =>
  names.map((name) => ({ name, isWhole: false, distribution: { kind: 'uniform', min: 0, max: 1 } }));

const sample: Design = {
  kind: 'sample',
  method: 'lhs',
  points: 200,
  seed: 1,
  scramble: true,
  inputs: spread(['A', 'B', 'C']),
};

const byName = (indices: readonly InputIndices[] = []) =>
  Object.fromEntries(indices.map((one) => [one.input, one]));

const SEED: BaseInput = { name: '{RANDOM_SEED}', type: 'LONG', units: null, value: '1' };

describe('a sample', () => {
  test('is analyzed by regression', () => {
    const [found] = analyzed({ design: sample }, ([a, b]) => ({ Y: 3 * a! + b! }));
    expect(found).toMatchObject({ campaign: 'played', output: 'Y', method: 'regression', runs: 200 });
    expect(found!.r2).toBeCloseTo(1, 9);
    expect(byName(found!.indices).A!.src).toBeCloseTo(Math.sqrt(0.9), 1);
    expect(found!.warnings).toEqual([]);
    expect(analysisSentence(found!)).toBe(
      'A and B explain 100 % of the variance of Y as a linear function; C has no visible effect.',
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

  test('with huge values has a warning that they are too large', () => {
    const found = analyzed({ design: sample, outputs: ['Y', 'Course'] }, ([a]) => {
      const Y = a! * 1e308;
      return { Y, Course: { dataX: [0, 1], dataY: [1, Y] } };
    });
    const warnings = ['The values are too large for an analysis: their variance is not finite.'];
    expect(found).toMatchObject([
      { indices: [], warnings },
      { times: [], warnings },
    ]);
  });

  test('with too few values says how many there are', () => {
    const [found] = analyzed({ design: sample }, ([a]) => ({ Y: a! < 0.01 ? a : null }));
    expect(found!.warnings).toEqual([
      '198 of 200 points are left out, because they have no value.',
      '2 points are too few for a regression.',
    ]);
  });
});

describe('a grid', () => {
  const grid: Design = {
    kind: 'grid',
    inputs: ['A', 'B'],
    values: [
      ['10', '9'],
      ['0', '1', '2'],
    ],
  };

  test('is analyzed by main effects and interactions', () => {
    const [found] = analyzed({ design: grid, replications: 2 }, ([a, b], replication) => ({
      Y: a! * b! + replication / 100,
    }));
    expect(found).toMatchObject({ method: 'factorial', runs: 12 });
    const { A, B } = byName(found!.indices);
    // the levels are ordered as numbers
    expect(A!.effect).toBeCloseTo(1, 9);
    expect(B!.effect).toBeCloseTo(19, 9);
    expect(A!.p).toBeLessThan(1e-6);
    expect(found!.secondOrder![0]!.inputs).toEqual(['A', 'B']);
  });

  test('has a warning and no indices if the output differs only by rounding', () => {
    const [found] = analyzed({ design: grid }, ([a]) => ({ Y: 0.3 + a! * 1e-16 }));
    expect(found!.warnings).toEqual([expect.stringContaining('Y is the same at all points')]);
  });

  test('is analyzed as one grid with the other grid of a product', () => {
    const other: Design = { kind: 'grid', inputs: ['C'], values: [['0', '1']] };
    const [found] = analyzed({ design: { kind: 'product', designs: [grid, other] } }, ([a, , c]) => ({
      Y: a! + c!,
    }));
    expect(found!.indices!.map(({ input }) => input)).toEqual(['A', 'B', 'C']);
    expect(found!.indices!.map(({ first }) => first!.toFixed(2))).toEqual(['0.50', '0.00', '0.50']);
    expect(found!.warnings.join()).toContain('no estimate of the error');
  });
});

test('a oneAtATime design has swings and elasticities', () => {
  const design: Design = {
    kind: 'oneAtATime',
    inputs: ['A', 'B'],
    values: [
      ['8', '10', '12'],
      ['1', '3'],
    ],
  };
  const base = numericBase({ A: 10, B: 2 });
  const [found] = analyzed({ design, base }, ([a, b]) => ({ Y: a! ** 2 * b! }));
  expect(found).toMatchObject({ method: 'one-at-a-time', runs: 5 });
  expect(found!.indices).toEqual([
    { input: 'A', low: 128, high: 288, effect: 160, elasticity: 2 },
    { input: 'B', low: 100, high: 300, effect: 200, elasticity: 1 },
  ]);
});

test('a oneAtATime design with texts has the swing from the lowest to the highest output', () => {
  const base: BaseInput[] = [{ name: 'Rule', type: 'STRING', units: null, value: '2' }];
  // the model reads texts as numbers
  const design: Design = { kind: 'oneAtATime', inputs: ['Rule'], values: [['3', '1']] };
  const [found] = analyzed({ design, base }, ([rule]) => ({ Y: 10 * rule! }));
  expect(found!.indices).toEqual([{ input: 'Rule', low: 10, high: 30, lowAt: '1', highAt: '3', effect: 20 }]);
  expect(analysisSentence(found!)).toBe('Rule changes Y most; from 1 to 3 of Rule, Y changes by 20.');
});

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
      /^A and B explain at least 8\d % of the variance of Y; C cannot be distinguished from chance\.$/,
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
    expect(found!.warnings.join()).toMatch(/8 of 8192 runs failed\..*8 of 1024 base points are left out/);
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
    'At 1 of 3 times, Course has no value at some points. These points are left out there.',
  ]);
});

test('trajectories have Morris effects; incomplete trajectories are left out', () => {
  const design: Design = {
    kind: 'morris',
    inputs: spread(['A', 'B', 'C']),
    trajectories: 10,
    levels: 4,
    seed: 1,
  };
  const [found] = analyzed({ design }, ([a, b, c]) => ({ Y: 3 * a! - 2 * b! + 0.5 * c! }));
  expect(found).toMatchObject({ method: 'morris' });
  expect(found!.indices!.map(({ mu }) => mu!.toFixed(9))).toEqual([
    '3.000000000',
    '-2.000000000',
    '0.500000000',
  ]);
  for (const { sigma } of found!.indices!) expect(sigma).toBeCloseTo(0, 9);
  const [failed] = analyzed({ design }, ([a, b, c]) =>
    a === 0 && b === 0 && c! < 0.5 ? undefined : { Y: a },
  );
  expect(failed!.warnings.join()).toMatch(
    /\d of 10 trajectories are left out, because one of their points has no value/,
  );
});

test('lists and whole numbers with few values have the same Morris effects as a range', () => {
  const list = (name: string, values: string[], weights?: number[]): SpreadInput => ({
    ...{ name, isWhole: false },
    distribution: { kind: 'choice', values, ...(weights && { weights }) },
  });
  const inputs: SpreadInput[] = [
    { name: 'Range', isWhole: false, distribution: { kind: 'uniform', min: 0, max: 2 } },
    list('Two', ['0', '2']),
    list('Three', ['2', '0', '1']),
    list('Five', ['0', '0.5', '1', '1.5', '2']),
    list('Weighted', ['0', '1', '2'], [2, 1, 1]),
    { name: 'Whole', isWhole: true, distribution: { kind: 'uniform', min: -0.5, max: 2.5 } },
    list('Text', ['2', '0']),
    list('One', ['1']),
  ];
  const design: Design = { kind: 'morris', inputs, trajectories: 10, levels: 4, seed: 1 };
  const base = inputs.map(({ name }): BaseInput => ({
    name,
    type: name === 'Text' ? 'STRING' : 'DOUBLE',
    units: null,
    value: '0',
  }));
  const [found] = analyzed({ design, base }, (values) => ({ Y: values.reduce((sum, value) => sum + value) }));
  expect(
    found!.indices!.map(({ input, mu, muStar, sigma }) => [
      input,
      ...[mu, muStar, sigma].map((each) => Math.round(1e9 * each!) / 1e9 + 0),
    ]),
  ).toEqual([
    ...['Range', 'Two', 'Three', 'Five', 'Weighted', 'Whole'].map((name) => [name, 2, 2, 0]),
    ['Text', -2, 2, 0], // its first value counts as the lowest one
    ['One', 0, 0, 0],
  ]);
});

test('the analysis of a fraction names the effects that it cannot distinguish', () => {
  const design: Design = {
    kind: 'factorial',
    inputs: ['A', 'B', 'C'],
    values: [
      ['0', '1'],
      ['0', '1'],
      ['0', '1'],
    ],
    generators: [null, null, { of: [0, 1], sign: 1 }],
  };
  const [found] = analyzed({ design, replications: 3 }, ([a, b], replication) => ({
    Y: 4 * a! + b! + replication / 10,
  }));
  expect(found).toMatchObject({ method: 'factorial', runs: 12 });
  expect(byName(found!.indices).A).toMatchObject({ aliases: ['B × C'] });
  expect(byName(found!.indices).A!.effect).toBeCloseTo(4, 9);
  expect(byName(found!.indices).A).not.toHaveProperty('total');
  expect(found!.secondOrder![0]).toMatchObject({ inputs: ['A', 'B'], aliases: ['C'] });
});

test('a fraction in which points have no value is analyzed by regression', () => {
  const inputs = ['A', 'B', 'C', 'D', 'E'];
  const design: Design = {
    kind: 'factorial',
    inputs,
    values: inputs.map(() => ['0', '1']),
    generators: [null, null, null, null, { of: [0, 1, 2, 3], sign: 1 }],
  };
  const outputs = ['Y', 'Course'];
  const [found, curve] = analyzed({ design, outputs, replications: 2 }, ([a, b, c, d], replication) => {
    const y = 4 * a! + b! + replication / 10;
    return a! + b! + c! + d! === 4 ? undefined : { Y: y, Course: { dataX: [0, 1], dataY: [y, y] } };
  });
  expect(found).toMatchObject({ method: 'regression' });
  expect(found!.warnings).toContainEqual(expect.stringMatching(/fraction with missing points .* regression/));
  expect(analysisSentence(found!)).toMatch(
    /^A and B explain 100 % .* as a linear function; .* have no visible effect/,
  );
  expect(curve!.method).toBe('regression');
  expect(curve!.times!.map(({ indices }) => indices)).toEqual([found!.indices, found!.indices]);
});

test('the analysis of a fraction orders levels as numbers, and other levels as the definition does', () => {
  const base = [
    ...numericBase({ A: 2, B: 0 }),
    { name: 'On', type: 'BOOLEAN', units: null, value: 'true' } as BaseInput,
  ];
  const design: Design = {
    kind: 'factorial',
    inputs: ['A', 'B', 'On'],
    values: [
      ['10', '2'],
      ['0', '1'],
      ['true', 'false'],
    ],
    generators: [null, null, { of: [0, 1], sign: 1 }],
  };
  const [found] = analyzed({ design, base }, ([a, b]) => ({ Y: a! + 100 * b! }));
  const { A, B, On } = byName(found!.indices);
  // On is true at 10, 1 and at 2, 0
  expect(A).toMatchObject({ low: 52, high: 60, effect: 8, aliases: ['−B × On'] });
  expect(B).toMatchObject({ low: 6, high: 106, effect: 100, aliases: ['−A × On'] });
  expect(On).toMatchObject({ effect: 0, aliases: ['−A × B'] });
  expect(found!.secondOrder!.find(({ inputs }) => inputs.join() === 'A,On')!.effect).toBeCloseTo(-100, 9);
});

test('a onePerInput design has elasticities', () => {
  const design: Design = {
    kind: 'onePerInput',
    inputs: ['A', 'B'],
    values: [
      ['9', '11'],
      ['1.8', '2.2'],
    ],
  };
  const base = numericBase({ A: 10, B: 2 });
  const [found] = analyzed({ design, base }, ([a, b]) => ({ Y: a! ** 2 * b! }));
  expect(found!.indices!.map(({ elasticity }) => elasticity!.toFixed(9))).toEqual([
    '2.000000000',
    '1.000000000',
  ]);
});
