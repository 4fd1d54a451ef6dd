import { expect, test } from '@jest/globals';
import { morrisRows } from '../../src/campaign/sampling/morris.ts';
import {
  chanceOfEffects,
  elementaryEffects,
  morrisIndices,
  type Trajectories,
} from '../../src/sensitivity/morris.ts';
import { analyzed, spread } from './campaigns.ts';
import { ishigami, names } from './functions.ts';

/** Makes trajectories over four levels, with their rows. */
function trajectories(count: number, inputs: number): Trajectories & { rows: number[][] } {
  const own = names(inputs).map((name) => ({ name }));
  const levels = [...morrisRows({ inputs: own, trajectories: count, levels: 4, seed: 1 })];
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
  const error = { variance: 0.015, freedom: 4 };
  const [chance] = chanceOfEffects(design, points, { means, replicates, isPaired: false, error });
  // the variances of the four means are 0.01, 0.04, 0 and 0.01
  expect(chance!.ofEffect).toBeCloseTo((0.05 + 0.01) / 2, 12);
  // each point is in half of the effects, which adds 0.06 / 4 to the mean; the trajectories show 0.03 / 20 of it
  expect(chance!.notShown).toBeCloseTo(0.015 - 0.0015, 12);
  const found = elementaryEffects(
    design,
    Float64Array.from(points, (point) => means[point]!),
  );
  const [wide, narrow] = [chance!, { ...chance!, notShown: 0 }].map(
    (each) => morrisIndices(['A'], found, 0.95, [each])[0]!.muStarInterval!,
  );
  // both parts of the width are about twice a standard deviation; the effects are 1.1 and 0.9
  const wider = Math.sqrt(1 + chance!.notShown / (0.01 / 19));
  expect((wide![1] - wide![0]) / (narrow![1] - narrow![0])).toBeCloseTo(wider, 0);
});

test.each([
  ['are common', true, 3],
  ['are not common', false, 3],
])(
  'equal runs have no interval of zero width if random numbers %s',
  (_, commonRandomNumbers, replications) => {
    const [found] = analyzed(
      {
        design: { kind: 'morris', inputs: spread(['A', 'B']), trajectories: 8, levels: 4, seed: 1 },
        replications,
        commonRandomNumbers,
      },
      ([a, b]) => ({ Y: 2 * a! + b! }),
    );
    for (const { muStar, muStarInterval } of found!.indices!) {
      expect(muStarInterval![0]).toBeLessThan(muStar! - 0.1);
      expect(muStarInterval![1]).toBeGreaterThan(muStar! + 0.1);
    }
  },
);

test('so many equal runs that they count as sure have exact effects', () => {
  const [found] = analyzed(
    {
      design: { kind: 'morris', inputs: spread(['A', 'B']), trajectories: 30, levels: 4, seed: 1 },
      replications: 20,
    },
    ([a, b]) => ({ Y: 2 * a! + 0.1 * b! }),
  );
  const [a, b] = found!.indices!;
  expect(a!.p).toBeUndefined();
  expect(a!.muStarInterval![1] - a!.muStarInterval![0]).toBeLessThan(1e-9);
  expect(b!.muStar).toBeCloseTo(0.1, 12);
});
