import { expect, test } from '@jest/globals';
import { Stream } from '../../../src/search/methods/stream.ts';
import { type KnInput, nextOfKn } from '../../../src/search/selection/kn.ts';

/** Normal values of systems, of which the first is the best by the indifference; `shared` is the share of the variance that all have in common. */
function slippage(systems: number, seed: number, { indifference = 1 / Math.sqrt(10), shared = 0 } = {}) {
  const streams = Array.from({ length: systems }, (_, at) => new Stream(seed, `system ${at}`));
  const common = new Stream(seed, 'common');
  const made: number[][] = streams.map(() => []);
  const extend = (replications: number): void => {
    while (made[0]!.length < replications) {
      const z = common.normal();
      for (const [at, stream] of streams.entries()) {
        const mean = at === 0 ? 0 : indifference;
        made[at]!.push(mean + Math.sqrt(shared) * z + Math.sqrt(1 - shared) * stream.normal());
      }
    }
  };
  return { made, extend };
}

/** Runs the procedure to its end: the best system, and the replications of all that it needed. */
function chosen(systems: number, seed: number, shared = 0): { best: number; runs: number } {
  const { made, extend } = slippage(systems, seed, { shared });
  const counts = new Array<number>(systems).fill(10);
  const input: Omit<KnInput, 'values'> = {
    first: 10,
    indifference: 1 / Math.sqrt(10),
    confidence: 0.95,
    most: 100_000,
  };
  for (;;) {
    extend(Math.max(...counts));
    const next = nextOfKn({ ...input, values: made.map((each, at) => each.slice(0, counts[at])) });
    if (next.decided) return { best: next.best, runs: counts.reduce((sum, count) => sum + count, 0) };
    for (const at of next.surviving) counts[at] = next.replications;
  }
}

test('it chooses the best of systems that differ by the indifference as often as it says', () => {
  const REPEATS = 150;
  const right = Array.from({ length: REPEATS }, (_, seed) => chosen(5, seed)).filter(
    ({ best }) => best === 0,
  ).length;
  // two standard errors below 95 %
  expect(right / REPEATS).toBeGreaterThan(0.95 - 2 * Math.sqrt((0.95 * 0.05) / REPEATS));
});

test('common random numbers save replications', () => {
  const total = (shared: number): number =>
    Array.from({ length: 60 }, (_, seed) => chosen(5, seed, shared).runs).reduce(
      (sum, runs) => sum + runs,
      0,
    );
  expect(total(0.5)).toBeLessThan(0.65 * total(0));
});

test('rounds do not change what is chosen', () => {
  for (let seed = 0; seed < 20; seed += 1) {
    const { made, extend } = slippage(4, seed);
    extend(5_000);
    const whole = nextOfKn({ values: made, first: 10, indifference: 0.316, confidence: 0.95, most: 5_000 });
    expect(whole).toMatchObject({ decided: true, best: chosenWith(made) });
  }
  function chosenWith(made: number[][]): number {
    const counts = made.map(() => 10);
    for (;;) {
      const values = made.map((each, at) => each.slice(0, counts[at]));
      const next = nextOfKn({ values, first: 10, indifference: 0.316, confidence: 0.95, most: 5_000 });
      if (next.decided) return next.best;
      for (const at of next.surviving) counts[at] = next.replications;
    }
  }
});

test('failed replications count for no pair, and systems that cannot be compared end at the most', () => {
  const values = [
    [1, null, 1.1, 0.9, 1, 1.05],
    [3, 3.1, null, 3, 2.9, 3.05],
  ];
  const input = { first: 3, indifference: 0.5, confidence: 0.95, most: 20 };
  expect(nextOfKn({ ...input, values })).toMatchObject({ decided: true, best: 0, reached: true });
  const failed = [values[0]!, values[1]!.map(() => null)];
  expect(nextOfKn({ ...input, values: failed })).toMatchObject({ decided: false, surviving: [0, 1] });
  expect(nextOfKn({ ...input, values: failed, most: 6 })).toEqual({ decided: true, best: 0, reached: false });
});

test('one system is the best, and systems without chance need no more', () => {
  const input = { first: 2, indifference: 1, confidence: 0.95, most: 100 };
  expect(nextOfKn({ ...input, values: [[4, 5]] })).toEqual({ decided: true, best: 0, reached: true });
  expect(
    nextOfKn({
      ...input,
      values: [
        [5, 5],
        [4, 4],
      ],
    }),
  ).toEqual({ decided: true, best: 1, reached: true });
});
