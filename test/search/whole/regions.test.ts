import { describe, expect, test } from '@jest/globals';
import { regions, search } from '../../../bench/search/regions.ts';

const POINTS = 12;

// "10 ordered inputs" is narrower than "7 ordered inputs"
describe.each(Object.keys(regions).slice(1))('in a narrow region, %s', (name) => {
  test.each(['gp', 'cma', 'direct'] as const)(
    '%s asks for all points, all of them allowed, and a rebuilt course asks for the same',
    async (method) => {
      const { asks } = await search(regions[name]!, method, POINTS, 1).search.toTheEnd(0);
      const { search: again, isAllowed } = search(regions[name]!, method, POINTS, 1);
      const run = asks.filter(({ ordinal }) => ordinal !== null);
      expect(new Set(run.map(({ ordinal }) => ordinal)).size).toBe(POINTS);
      expect(run.every(({ values }) => isAllowed(values))).toBe(true);
      expect(await again.toTheEnd(0.3)).toMatchObject({ asks });
    },
  );
});
