import { describe, expect, test } from '@jest/globals';
import type { Design } from '../../src/campaign/designs/design.ts';
import type { InputIndices } from '../../src/sensitivity/analysis.ts';
import { analysisSentence } from '../../src/report/analysis/words.ts';
import { analyzed, numericBase } from './campaigns.ts';
import { uniforms } from '../support/uniforms.ts';

const sample: Design = {
  kind: 'sample',
  method: 'lhs',
  points: 200,
  seed: 1,
  scramble: true,
  inputs: ['A', 'B', 'C'].map((name) => ({
    name,
    isWhole: false,
    distribution: { kind: 'uniform', min: 0, max: 1 },
  })),
};

const byName = (indices: readonly InputIndices[] = []) =>
  Object.fromEntries(indices.map((one) => [one.input, one]));

describe('a sample', () => {
  test('is analyzed by regression', () => {
    const [found] = analyzed({ design: sample }, ([a, b]) => ({ Y: 3 * a! + b! }));
    expect(found).toMatchObject({ campaign: 'played', output: 'Y', method: 'regression', runs: 200 });
    expect(found!.r2).toBeCloseTo(1, 9);
    expect(byName(found!.indices).A!.src).toBeCloseTo(Math.sqrt(0.9), 1);
    expect(found!.warnings).toEqual([]);
    expect(analysisSentence(found!)).toBe(
      'A and B explain 100 % of the variance of Y as a linear function; C does nothing that can be seen.',
    );
  });

  test('of what is no linear function has a low R², and says so', () => {
    const [found] = analyzed({ design: sample }, ([a]) => ({ Y: (a! - 0.5) ** 2 }));
    expect(found!.r2).toBeLessThan(0.2);
    expect(found!.warnings.join()).toContain('R² is 0.0');
  });

  test('leaves failed runs out, and says so', () => {
    const [found] = analyzed({ design: sample }, ([a]) => (a! < 0.1 ? undefined : { Y: a }));
    expect(found).toMatchObject({ runs: 180 });
    expect(found!.warnings).toEqual(['20 of 200 runs failed.']);
    expect(found!.r2).toBeCloseTo(1, 9);
  });

  test('with replications tells the variance of chance from that of inputs', () => {
    const random = uniforms(1);
    // variance of the input 1/12, of chance 3/12
    const noisy = { design: sample, replications: 5 };
    const [found] = analyzed(noisy, ([a]) => ({ Y: a! + Math.sqrt(3) * random() }));
    expect(found!.chance!.ofRuns).toBeCloseTo(0.75, 1);
    expect(found!.chance!.ofMeans).toBeCloseTo(0.6 / 1.6, 1);
    expect(found!.warnings.join()).toContain('Chance dominates');
    expect(found!.warnings.join()).toContain("of the variance of the points' means is chance");
  });

  test('of curves has indices at each time', () => {
    const [found] = analyzed({ design: sample, outputs: ['Course'] }, ([a, b]) => ({
      Course: { dataX: [0, 1, 2], dataY: [5, a, 2 * b!] },
    }));
    expect(found).not.toHaveProperty('indices');
    expect(found!.times!.map(({ time }) => time)).toEqual([1, 2]);
    expect(byName(found!.times![0]!.indices).A!.src).toBeCloseTo(1, 9);
    expect(byName(found!.times![1]!.indices).B!.src).toBeCloseTo(1, 9);
  });

  test('without a difference in the output says so', () => {
    const [found] = analyzed({ design: sample }, () => ({ Y: 1 }));
    expect(found).toMatchObject({
      indices: [],
      warnings: [expect.stringContaining('the same at all points')],
    });
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
    // levels are in the order of numbers
    expect(A!.effect).toBeCloseTo(1, 9);
    expect(B!.effect).toBeCloseTo(19, 9);
    expect(A!.p).toBeLessThan(1e-6);
    expect(found!.secondOrder![0]!.inputs).toEqual(['A', 'B']);
  });

  test('that is crossed with another one is one grid', () => {
    const other: Design = { kind: 'grid', inputs: ['C'], values: [['0', '1']] };
    const [found] = analyzed({ design: { kind: 'product', designs: [grid, other] } }, ([a, , c]) => ({
      Y: a! + c!,
    }));
    expect(found!.indices!.map(({ input }) => input)).toEqual(['A', 'B', 'C']);
    expect(found!.indices!.map(({ first }) => first!.toFixed(2))).toEqual(['0.50', '0.00', '0.50']);
    expect(found!.warnings.join()).toContain('no estimate of error');
  });
});

test('one at a time has swings and elasticities', () => {
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
