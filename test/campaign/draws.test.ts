import { describe, expect, test } from '@jest/globals';
import { firstReplications, hasRunsPerDraw, limitsAt, replicatedPoints } from '../../src/campaign/draws.ts';
import { countDraws, expand, expandWithPauses } from '../../src/campaign/points.ts';
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
  expect(pauses).toBe(250);
  expect([...expand(campaign, new Map(), result.value)]).toEqual([...expand(campaign)]);
});

/** 100,000 points, of which one meets the condition. */
const sparse = {
  grid: {
    Days: { from: 1, to: 100, step: 1 },
    Population: { from: 1, to: 100, step: 1 },
    'Contact rate': { from: 1, to: 10, step: 1 },
  },
  where: 'Days == 1 and Population == 1 and `Contact rate` == 1',
};

test.each([
  ['a grid', sparse, 5_000],
  ['a product', { product: [sparse, { grid: { 'Recovery rate': [0.1, 0.2] } }] }, 5_000],
  ['a union', { union: [sparse, { grid: { Days: [1, 2] } }] }, 5_000],
  [
    'a sample',
    { random: { points: 2, inputs: { Days: { min: 1, max: 30_000 } } }, where: 'Days == 1' },
    1_000,
  ],
  [
    'a sample from a narrow region',
    {
      random: {
        points: 20,
        inputs: { 'Contact rate': { min: 0, max: 1 }, 'Recovery rate': { min: 0, max: 1 } },
      },
      where: 'abs(`Contact rate` - `Recovery rate`) < 0.0001',
    },
    // 20,000 draws, and then at least 200 questions until a point of the region is found
    1_010,
  ],
])('%s that leaves out almost all rows lets other work go on while it looks at them', (_, design, pauses) => {
  const campaign = checkedDesign(design);
  let counted = 0;
  const counting = countDraws(campaign);
  let result = counting.next();
  for (; !result.done; result = counting.next()) counted += 1;
  expect(counted).toBeGreaterThanOrEqual(pauses);
  const made = [...expandWithPauses(campaign, new Map(), result.value)];
  expect(made.filter((point) => point === undefined).length).toBeGreaterThanOrEqual(pauses);
  expect(made.filter((point) => point !== undefined)).toEqual([...expand(campaign)]);
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
