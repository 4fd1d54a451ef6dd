import { expect, test } from '@jest/globals';
import { draw, seeded } from '../../support/durations.ts';
import { fairness } from '../../../bench/scheduler/fairness.ts';
import { seeds } from '../../support/seeds.ts';

const EXECUTORS = [{ from: 0, executors: 50 }];

/** foray promises that equal campaigns get equal shares within 20 durations of a run, apart from random variation. */
test('two campaigns share one service fairly', () => {
  const cells = seeds(3, 50).flatMap((seed) =>
    [2, 20, 120, 1_800].flatMap((mean) =>
      ([0.3, 1, 'bimodal'] as const).flatMap((cv) =>
        [0, 15].map((late) => {
          const random = seeded(seed);
          const durations = draw(2_300, mean, cv, random);
          // the second window ends 20 durations after the start of the later campaign
          const windows = { window: 10_000 * mean, windows: 2 };
          const [, index] = fairness(durations, EXECUTORS, [0, late * mean * 1_000], windows, random);
          return { seed, mean, cv, late, index: index! };
        }),
      ),
    ),
  );
  expect(cells.filter(({ index }) => index < 0.85)).toEqual([]);
  const unfair = cells.filter(({ index }) => index < 0.95);
  expect(unfair.length).toBeLessThanOrEqual(0.02 * cells.length);
});

test('the measure is low while one campaign has most of the executor time', () => {
  // all runs have an executor, but in the window the second campaign has requested only some of its runs
  const durations = new Array<number>(100).fill(1_000);
  const [index] = fairness(
    durations,
    [{ from: 0, executors: 1_000 }],
    [0, 500],
    { window: 400, windows: 1 },
    () => 0,
  );
  expect(index).toBeLessThan(0.9);
});
