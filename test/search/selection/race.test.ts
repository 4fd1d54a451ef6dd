import { expect, test } from '@jest/globals';
import { finalists, shrunkenMeans } from '../../../src/search/selection/finalists.ts';
import { nextOfRace } from '../../../src/search/selection/race.ts';
import fc from '../../support/fast-check.ts';

const rules = { isPaired: false, isShare: false, min: 3, max: 12, confidence: 0.95 };

test('a clearly worse point gets no more replications, an unclear point gets more, and a better point gets as many as the best point', () => {
  const rival = [1, 1.1, 0.9, 1, 1.05, 0.95];
  expect(nextOfRace({ ...rules, values: [5, 5.1, 4.9], rival })).toBe(3);
  expect(nextOfRace({ ...rules, values: [1.2, 0.8, 1.1], rival })).toBe(5);
  expect(nextOfRace({ ...rules, values: [0.1, 0.2, 0.15], rival })).toBe(6);
  expect(nextOfRace({ ...rules, values: [1], rival })).toBe(3);
  expect(nextOfRace({ ...rules, values: [1, 2, 3], rival: null })).toBe(3);
});

test('paired values show a difference that unpaired values do not show', () => {
  const noise = [0, 30, -20, 11, -5];
  const values = noise.map((each, at) => each + 1 + 0.01 * at);
  expect(nextOfRace({ ...rules, values, rival: noise })).toBe(8);
  expect(nextOfRace({ ...rules, values, rival: noise, isPaired: true })).toBe(5);
});

test('the race never asks for fewer replications than exist or more than the maximum', () => {
  const values = fc.array(fc.option(fc.double({ min: -9, max: 9, noNaN: true })), { maxLength: 12 });
  fc.assert(
    fc.property(values, fc.option(values), fc.boolean(), (own, rival, isPaired) => {
      const wanted = nextOfRace({ ...rules, values: own, rival, isPaired });
      expect(wanted).toBeGreaterThanOrEqual(Math.min(own.length, 12));
      expect(wanted).toBeLessThanOrEqual(12);
    }),
  );
});

test('equal values do not end the race before the maximum, because a rare value may be missing', () => {
  expect(nextOfRace({ ...rules, values: [4, 4, 4], rival: [4, 4, 4] })).toBe(5);
  expect(nextOfRace({ ...rules, values: [0, 0, 0], rival: [0, 40, 0, 0, 40] })).toBe(5);
  expect(nextOfRace({ ...rules, values: new Array<number>(12).fill(4), rival: [4, 4, 4] })).toBe(12);
});

test('the value of a lucky single run moves towards the others, and the mean of many runs does not', () => {
  const points = [
    { mean: 0, variance: null, runs: 1 },
    { mean: 1, variance: 0.01, runs: 100 },
    ...[3, 4, 5, 6].map((mean) => ({ mean, variance: 0.2, runs: 5 })),
  ];
  const [lucky, known] = shrunkenMeans(points);
  expect(lucky).toBeGreaterThan(0.4);
  expect(known).toBeCloseTo(1, 1);
  expect(finalists(points, 2, 5)).toHaveLength(3);
  expect(finalists(points, 2, -1)).toHaveLength(2);
  expect(shrunkenMeans([{ mean: 1, variance: null, runs: 1 }])).toEqual([1]);
});

test('equal zeros or ones do not show that a point has no chance', () => {
  const shares = { ...rules, isShare: true };
  const eight = (value: number): number[] => Array.from({ length: 8 }, () => value);
  for (const isPaired of [false, true]) {
    expect(nextOfRace({ ...shares, isPaired, values: [0, 0, 0], rival: [0, 0, 0] })).toBe(5);
    expect(nextOfRace({ ...shares, isPaired, values: [0, 0, 0], rival: [0, 1, 0, 0, 1, 0] })).toBe(5);
    expect(nextOfRace({ ...shares, isPaired, values: [1, 1, 1], rival: eight(0) })).toBe(3);
    expect(nextOfRace({ ...shares, isPaired, values: [-1, -1, -1], rival: eight(0) })).toBe(8);
  }
});
