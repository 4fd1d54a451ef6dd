import { describe, expect, test } from '@jest/globals';
import { type Design, rowsOf } from '../../src/campaign/designs/index.ts';
import type { BaseInput } from '../../src/campaign/designs/input-types.ts';
import { doubledRanks } from '../../src/sensitivity/ranks.ts';
import { regressionOf } from '../../src/sensitivity/regression.ts';
import { analysisSentence } from '../../src/report/analysis/words.ts';
import { uniforms } from '../support/uniforms.ts';
import fc from '../support/fast-check.ts';
import { analyzed, byName, numericBase, type Played } from './campaigns.ts';

const SEED: BaseInput = { name: '{RANDOM_SEED}', type: 'LONG', units: null, value: '1' };

/** A random sample of inputs with some values each. */
function sampleOf(
  inputs: Record<string, { values: number[]; weights?: number[] }>,
  points: number,
  seed = 0,
) {
  return {
    kind: 'sample',
    method: 'random',
    points,
    seed,
    scramble: true,
    inputs: Object.entries(inputs).map(([name, { values, weights }]) => ({
      name,
      isWhole: false,
      distribution: { kind: 'choice', values: values.map(String), ...(weights && { weights }) },
    })),
  } satisfies Design;
}

/** The numbers of all rows of a design, repeated rows included, by input. */
function columnsOf(design: Design): Float64Array[] {
  const rows = [...rowsOf(design, { base: [], contents: new Map() })];
  return rows[0]!.map((_, at) => Float64Array.from(rows, (row) => Number(row[at])));
}

describe('a point that a sample drew several times counts as often', () => {
  // the variances of the inputs are 0.0099, 0.25 and 0.0625, so the coefficients are the roots of their shares
  const skewed = { A: { values: [0, 1], weights: [99, 1] }, B: { values: [0, 1] }, C: { values: [0, 0.5] } };

  test('so the coefficients of a skewed input are those of its distribution', () => {
    const [found] = analyzed({ design: sampleOf(skewed, 20_000) }, ([a, b, c]) => ({ Y: a! + b! + c! }));
    const { A, B, C } = byName(found!.indices);
    for (const [one, expected] of [
      [A, 0.175],
      [B, 0.881],
      [C, 0.44],
    ] as const)
      expect(Math.abs(one!.src! - expected)).toBeLessThan(0.01);
    expect(found!.runs).toBe(8);
    expect(found!.warnings).toEqual([]);
  });

  const values = fc.uniqueArray(fc.integer({ min: -9, max: 9 }), { minLength: 2, maxLength: 4 });
  const input = values.chain((list) =>
    fc.record({
      values: fc.constant(list),
      weights: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: list.length, maxLength: list.length }),
    }),
  );

  test('so the analysis is the analysis of all drawn rows', () => {
    const sample = fc.record({ A: input, B: input, C: input });
    fc.assert(
      fc.property(sample, fc.integer({ min: 30, max: 200 }), fc.integer(), (inputs, points, seed) => {
        const design = sampleOf(inputs, points, seed);
        const model = ([a, b, c]: readonly number[]) => a! + 0.5 * b! ** 2 - (a! > 0 ? c! : 0);
        const columns = columnsOf(design);
        const varied = columns.filter((column) => column.some((one) => one !== column[0]));
        const output = columns[0]!.map((_, row) => model(columns.map((column) => column[row]!)));
        fc.pre(varied.length === 3 && output.some((one) => one !== output[0]));
        const [found] = analyzed({ design }, (row) => ({ Y: model(row) }));
        const plain = regressionOf(columns, output, 0.95);
        const ranks = columns.map((column) => doubledRanks(column));
        const ranked = regressionOf(ranks, doubledRanks(output), 0.95);
        expect(found!.r2).toBeCloseTo(plain.r2, 9);
        for (const [at, one] of found!.indices!.entries()) {
          expect(one.src).toBeCloseTo(plain.src[at]!, 9);
          expect(one.srrc).toBeCloseTo(ranked.src[at]!, 9);
          expect(one.srcInterval).toBeDefined();
        }
      }),
      { numRuns: 60 },
    );
  });

  test('so with chance each draw has a run of its own', () => {
    const noise = (replication: number, a: number): number => Math.sin(97 * replication + 13 * a);
    const design = sampleOf({ A: { values: [1, 2, 3] } }, 100);
    const base = [...numericBase({ A: 0 }), SEED];
    const [found] = analyzed({ design, base, seed: 1 }, ([a], replication) => ({
      Y: a! + 2 * noise(replication, a!),
    }));
    expect(found!.runs).toBe(100);
    // the same values by hand: run n of a value belongs to its draw n
    const drawn = new Map<number, number>();
    const [column] = columnsOf(design);
    const output = column!.map((a) => {
      const draw = (drawn.get(a) ?? 0) + 1;
      drawn.set(a, draw);
      return a + 2 * noise(draw, a);
    });
    const plain = regressionOf([column!], output, 0.95);
    expect(found!.r2).toBeCloseTo(plain.r2, 9);
    expect(found!.indices![0]!.src).toBeCloseTo(plain.src[0]!, 9);
    expect(plain.r2).toBeLessThan(0.4);
  });

  test('so with chance and the same runs, all draws of a point are one point for tests', () => {
    const random = uniforms(5);
    const points = Array.from({ length: 24 }, (_, at) => at);
    const one = Float64Array.from(points, () => random());
    const value = Float64Array.from(points, () => random());
    const [plain] = regressionOf([one], value, 0.95).ps;
    const rowOf = Uint32Array.from([...points, ...points, ...points]);
    const threefold = (column: Float64Array) => Float64Array.from(rowOf, (point) => column[point]!);
    // three draws of a point are one row of the sample; the variance of its distribution is unknown
    const sample = { rowOf, count: 24, inputs: 1 };
    const { ps, adjustedR2 } = regressionOf([threefold(one)], threefold(value), 0.95, [sample], [], {
      points: 24,
    });
    expect(ps[0]).toBeCloseTo(plain!, 9);
    expect(adjustedR2).toBeCloseTo(regressionOf([one], value, 0.95).adjustedR2!, 9);
  });

  test('so with common random numbers, a curve has the runs of its own point, also after points without a curve', () => {
    const noise = uniforms(7);
    const chance = [noise(), noise(), noise()];
    const design = sampleOf({ A: { values: [0, 1, 2, 3, 4, 5] } }, 60);
    const base = [...numericBase({ A: 0 }), SEED];
    const first = columnsOf(design)[0]![0];
    const played = { design, base, seed: 1, replications: 3, commonRandomNumbers: true };
    const [output, curve] = analyzed({ ...played, outputs: ['Y', 'Course'] }, ([a], replication) => {
      if (a === first) return undefined;
      const Y = a! ** 2 * (1 + chance[replication - 1]!);
      return { Y, Course: { dataX: [0], dataY: [Y] } };
    });
    const [ofOutput, ofCurve] = [output!.indices![0]!, curve!.times![0]!.indices[0]!];
    expect(ofOutput.srcInterval).toBeDefined();
    expect(ofCurve.srcInterval).toEqual(ofOutput.srcInterval);
    expect(ofCurve.p).toBe(ofOutput.p);
  });

  test('so a selection of a few different points does not name their input by chance', () => {
    const random = uniforms(5);
    const strategy: Played['strategy'] = {
      by: 'selection',
      method: 'kn',
      indifference: 1,
      confidence: 0.95,
      require: [],
      report: 0,
    };
    const design = sampleOf({ A: { values: [1, 2, 3] } }, 100);
    const base = [...numericBase({ A: 0 }), SEED];
    const outputsAt = new Map<number, number[]>();
    const [found] = analyzed({ design, base, replications: 10, strategy }, ([a]) => {
      const Y = random();
      outputsAt.set(a!, [...(outputsAt.get(a!) ?? []), Y]);
      return { Y };
    });
    expect(found!.runs).toBe(30);
    expect(analysisSentence(found!)).not.toMatch(/explain|matter most/);
    // the variance of chance has 27 degrees of freedom, and not those of 100 draws
    const squares = [...outputsAt.values()].flatMap((own) => {
      const mean = own.reduce((sum, y) => sum + y, 0) / own.length;
      return own.map((y) => (y - mean) ** 2);
    });
    const within = squares.reduce((sum, y) => sum + y, 0) / 27;
    const means = [...outputsAt.values()].map((own) => own.reduce((sum, y) => sum + y, 0) / own.length);
    const mean = means.reduce((sum, y) => sum + y, 0) / 3;
    const between = means.reduce((sum, y) => sum + (y - mean) ** 2, 0) / 2;
    expect(found!.chance!.ofMeans).toBeCloseTo(Math.min(1, within / 10 / between), 9);
  });

  test('so a sample within a product has as many rows as it drew', () => {
    const drawn = sampleOf({ B: { values: [0, 1], weights: [9, 1] } }, 40);
    const grid = { kind: 'grid', inputs: ['A'], values: [['0', '1', '2']] } satisfies Design;
    const [found] = analyzed({ design: { kind: 'product', designs: [grid, drawn] } }, ([a, b]) => ({
      Y: a! + 5 * b!,
    }));
    expect(found!.warnings).toEqual([]);
    const { B } = byName(found!.indices);
    const [column] = columnsOf(drawn);
    const all = [0, 1, 2].flatMap((a) => Array.from(column!, (b) => ({ a, b })));
    const [as, bs] = [Float64Array.from(all, ({ a }) => a), Float64Array.from(all, ({ b }) => b)];
    const plain = regressionOf(
      [as, bs],
      as.map((a, row) => a + 5 * bs[row]!),
      0.95,
    );
    expect(B!.src).toBeCloseTo(plain.src[1]!, 9);
    expect(B!.srcInterval![0]).toBeLessThan(B!.src!);
  });
});
