import { expect, test } from '@jest/globals';
import { morrisLevels } from '../../src/campaign/sampling/morris.ts';
import {
  chanceOfEffects,
  elementaryEffects,
  morrisIndices,
  type Trajectories,
} from '../../src/sensitivity/morris.ts';
import { ishigami, names } from './functions.ts';

/** Makes trajectories over four levels, with their rows. */
function trajectories(count: number, inputs: number): Trajectories & { rows: number[][] } {
  const own = names(inputs).map((name) => ({ name }));
  const levels = [...morrisLevels({ inputs: own, trajectories: count, levels: 4, seed: 1 })];
  return {
    inputs: names(inputs),
    changed: Int32Array.from(levels, ({ changed }) => changed ?? -1),
    steps: Float64Array.from(levels, ({ step }) => step),
    rows: levels.map(({ unit }) => unit),
  };
}

test('the effects of a linear function are its coefficients', () => {
  const design = trajectories(10, 3);
  const values = Float64Array.from(design.rows, ([a, b, c]) => 3 * a! - 2 * b! + 0.5 * c!);
  const found = elementaryEffects(design, values);
  expect(found).toMatchObject({ trajectories: 10, leftOut: 0 });
  const indices = morrisIndices(design.inputs, found, 0.95);
  for (const [at, mu] of [3, -2, 0.5].entries()) {
    expect(indices[at]!.mu).toBeCloseTo(mu, 12);
    expect(indices[at]!.muStar).toBeCloseTo(Math.abs(mu), 12);
    expect(indices[at]!.sigma).toBeCloseTo(0, 12);
    expect(indices[at]!.muStarInterval![0]).toBeCloseTo(Math.abs(mu), 12);
  }
});

test('if all steps on four levels are used, the indices of the Ishigami function are exact', () => {
  const grid = [0, 1 / 3, 2 / 3, 1];
  const effects = [0, 1, 2].map((input) =>
    grid.flatMap((one) =>
      grid.flatMap((other) =>
        [0, 1 / 3].flatMap((from) => {
          const start = [one, other].toSpliced(input, 0, from);
          return (ishigami(start.with(input, from + 2 / 3)) - ishigami(start)) / (2 / 3);
        }),
      ),
    ),
  );
  const all = Float64Array.from(effects[0]!.flatMap((_, at) => effects.map((own) => own[at]!)));
  const indices = morrisIndices(names(3), { effects: all, trajectories: 32, leftOut: 0 }, 0.95);
  // the standard deviation of a sample divides by n - 1, and the standard deviation of all steps divides by n
  const ofAll = Math.sqrt(31 / 32);
  expect(indices.map(({ muStar }) => muStar!.toFixed(4))).toEqual(['7.7041', '7.8750', '6.2488']);
  expect(indices.map(({ sigma }) => (sigma! * ofAll).toFixed(4))).toEqual(['6.2488', '7.8750', '8.8371']);
});

test('a trajectory with a missing value is left out as a whole', () => {
  const design = trajectories(5, 3);
  const values = Float64Array.from(design.rows, ([a]) => a!);
  values[6] = NaN;
  expect(elementaryEffects(design, values)).toMatchObject({ trajectories: 4, leftOut: 1 });
});

test('trajectories that meet at a point share its chance, so the interval of μ* is wider', () => {
  const design: Trajectories = {
    inputs: ['A'],
    changed: Int32Array.from({ length: 40 }, (_, row) => (row % 2 === 0 ? -1 : 0)),
    steps: Float64Array.from({ length: 40 }, (_, row) => (row % 2 === 0 ? 0 : 1)),
  };
  // all 20 trajectories are the step from the first to the second point, or from the third to the fourth
  const points = Int32Array.from({ length: 40 }, (_, row) => (row % 2) + 2 * (Math.floor(row / 2) % 2));
  const runs = [
    [0, 0.2],
    [1, 1.4],
    [0.1, 0.1],
    [0.9, 1.1],
  ];
  const means = Float64Array.from(runs, ([a, b]) => (a! + b!) / 2);
  const replicates = (point: number) => runs[point]!.map((value, replication) => ({ replication, value }));
  const [chance] = chanceOfEffects(design, points, { means, replicates, isPaired: false });
  // the variances of the four means are 0.01, 0.04, 0 and 0.01
  expect(chance!.ofEffect).toBeCloseTo((0.05 + 0.01) / 2, 12);
  // each point is in half of the effects
  expect(chance!.ofMean).toBeCloseTo(0.06 / 4, 12);
  const found = elementaryEffects(
    design,
    Float64Array.from(points, (point) => means[point]!),
  );
  const own = { ...chance!, ofMean: 0 };
  const [wide, narrow] = [[chance!], [own]].map(
    (each) => morrisIndices(['A'], found, 0.95, each)[0]!.muStarInterval!,
  );
  // the effects are 1.1 and 0.9, so the variance of their mean is 0.01 / 19; the shared chance adds 0.015 - 0.03 / 20
  const wider = Math.sqrt(1 + (0.015 - 0.0015) / (0.01 / 19));
  expect((wide![1] - wide![0]) / (narrow![1] - narrow![0])).toBeCloseTo(wider, 0);
});
