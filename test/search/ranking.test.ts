import { expect, test } from '@jest/globals';
import { Ranking } from '../../src/search/methods/ranking.ts';
import fc from '../support/fast-check.ts';

type Excess = [number, number];

const excess = fc.integer({ min: -2, max: 3 });
const points = fc.array(
  fc.record({ value: fc.option(fc.integer({ min: 0, max: 3 })), excess: fc.tuple(excess, excess) }),
  { minLength: 1, maxLength: 12 },
);
const growing: Excess[] = [
  [1, 0],
  [0, 1],
  [0, 2],
];

test('no point is better than the best one, although a larger miss changes how far all points miss', () => {
  fc.assert(
    fc.property(points, (all) => {
      const ranking = new Ranking(2);
      const told = all.map((point, ask) => ({ ...point, ask, x: [], variance: null, runs: 1 }));
      for (const each of told) ranking.note(each);
      const noted = told.filter(({ value }) => value !== null);
      expect(ranking.best !== null).toBe(noted.length > 0);
      for (const each of noted) expect(ranking.compare(each, ranking.best!)).toBeGreaterThanOrEqual(0);
    }),
    { examples: [[growing.map((each) => ({ value: 0, excess: each }))]] },
  );
});
