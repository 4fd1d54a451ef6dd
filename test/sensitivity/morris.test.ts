import { expect, test } from '@jest/globals';
import { morrisLevels } from '../../src/campaign/sampling/morris.ts';
import { elementaryEffects, morrisIndices, type Trajectories } from '../../src/sensitivity/morris.ts';
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
