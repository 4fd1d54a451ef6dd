import { describe, expect, test } from '@jest/globals';
import { firstReplications, hasRunsPerDraw, limitsAt, replicatedPoints } from '../../src/campaign/draws.ts';
import { countDraws, expand } from '../../src/campaign/points.ts';
import { checkedDesign, pointsOf } from './designs/support.ts';

/** Epidemic has a seed. */
const drawn = { random: { points: 100, inputs: { Days: { min: 1, max: 3 } } } };

test('a design has each different point once, with the number of its draws', () => {
  const points = pointsOf(drawn);
  expect(points.map(({ values, ordinal }) => [ordinal, values.length])).toEqual([
    [0, 1],
    [1, 1],
    [2, 1],
  ]);
  expect(points.reduce((sum, { draws = 1 }) => sum + draws, 0)).toBe(100);
  expect(pointsOf({ grid: { Days: [1, 2] } }).every((point) => !('draws' in point))).toBe(true);
});

test('a count of many draws lets other work go on', () => {
  const campaign = checkedDesign({ random: { points: 5_000, inputs: { Days: { min: 1, max: 3 } } } });
  const counting = countDraws(campaign);
  let pauses = 0;
  let result = counting.next();
  while (!result.done) {
    pauses += 1;
    result = counting.next();
  }
  expect(pauses).toBe(5);
  expect([...expand(campaign, new Map(), result.value)]).toEqual([...expand(campaign)]);
});

describe('each draw of a point has replications of its own', () => {
  test.each([
    ['with a seed', { seed: 1 }, 3],
    ['with replications', { replications: 2 }, 6],
    ['until points are precise', { replications: { min: 4, max: 9, output: 'Peak day', absolute: 1 } }, 12],
    ['with new seeds', { fresh: true }, 3],
  ])('%s', (_, rest, expected) => {
    const campaign = checkedDesign(drawn, rest);
    expect(hasRunsPerDraw(campaign)).toBe(true);
    expect(firstReplications(campaign, { draws: 3 })).toBe(expected);
    expect(replicatedPoints({ ...campaign, repeats: 97 }, 3)).toBe(100);
    if (campaign.precision)
      expect(limitsAt(campaign, campaign.precision, 3)).toMatchObject({ min: 12, max: 27 });
  });

  test.each([
    ['all runs have the same seed', drawn, {}],
    ['all points have the same seeds', drawn, { seed: 1, commonRandomNumbers: true }],
    [
      'the design is made of rows that share points',
      { saltelli: { points: 8, inputs: { Days: { min: 1, max: 3 } } } },
      { seed: 1 },
    ],
  ])('but not if %s', (_, design, rest) => {
    const campaign = checkedDesign(design, rest);
    expect(hasRunsPerDraw(campaign)).toBe(false);
    expect(replicatedPoints({ ...campaign, repeats: 97 }, 3)).toBe(3);
  });
});
