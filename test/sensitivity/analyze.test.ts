import { describe, expect, test } from '@jest/globals';
import { RANDOM_SEED } from '../../src/api/index.ts';
import type { Design } from '../../src/campaign/designs/index.ts';
import type { SpreadInput } from '../../src/campaign/designs/spread-input.ts';
import type { BaseInput } from '../../src/campaign/designs/input-types.ts';
import { analysisSentence } from '../../src/report/analysis/words.ts';
import { analyzed, byName, numericBase, spread } from './campaigns.ts';

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

  test('is not said to be the same at all points if small differences of large values may be true', () => {
    const [found] = analyzed({ design: grid }, ([a]) => ({ Y: 1e12 + a! / 10 }));
    expect(found!.unknown).toBe('it differs by hardly more than rounding');
    expect(found!.warnings).toEqual([
      'Y differs by hardly more than rounding from point to point: let the model subtract a constant from it.',
    ]);
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
    name,
    isWhole: false,
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
    /^A and B matter for Y as a linear function \(all inputs together explain 100 % .*; .* have no visible linear effect/,
  );
  expect(curve!.method).toBe('regression');
  expect(curve!.times!.map(({ indices }) => indices)).toEqual([found!.indices, found!.indices]);

  // if points lack a value only at some times, the curve has effects at the other times
  const [partly] = analyzed({ design, outputs: ['Course'] }, ([a, b, c, d]) => {
    const y = 4 * a! + b!;
    const isLast = a! + b! + c! + d! === 4;
    return { Course: isLast ? { dataX: [0], dataY: [y] } : { dataX: [0, 1, 2], dataY: [y, y, y] } };
  });
  expect(partly!.method).toBe('factorial');
  expect(partly!.times!.map(({ time }) => time)).toEqual([0]);
  expect(partly!.warnings).toContainEqual(expect.stringMatching(/other times are left out/));
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

test('a one-at-a-time design has tests only if the variance of the output is a number', () => {
  const design: Design = { kind: 'onePerInput', inputs: ['A', 'B'], values: [['1'], ['1']] };
  const base = [
    ...numericBase({ A: 0, B: 0 }),
    { name: RANDOM_SEED, type: 'LONG' as const, units: null, value: '1' },
  ];
  for (const [size, why] of [
    [1e300, 'the values are too large: their variance is not finite'],
    [1e-300, 'the values differ too little: their variance is nearly 0; give the output in other units'],
  ] as const) {
    const model = ([a, b]: readonly number[], n = 0) => ({ Y: size * (a! + 2 * b! + 0.1 * n) });
    expect(analyzed({ design, base, replications: 3 }, model)[0]).toMatchObject({
      indices: [],
      unknown: why,
    });
    // without chance, nothing needs a variance
    const [alone] = analyzed({ design, base: numericBase({ A: 0, B: 0 }) }, ([a, b]) => model([a!, b!]));
    expect(alone!.indices!.map(({ effect }) => effect! / size)).toEqual([1, 2]);
  }
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
