import { describe, expect, test } from '@jest/globals';
import { regions, search } from '../../../bench/search/regions.ts';

const POINTS = 12;

describe.each(Object.keys(regions))('in a narrow region, %s', (name) => {
  test.each(['gp', 'cma', 'direct'] as const)(
    '%s asks for all points, all of them allowed, and a rebuilt course asks for the same',
    async (method) => {
      for (const seed of [1, 2]) {
        const { asks } = await search(regions[name]!, method, POINTS, seed).search.toTheEnd(0);
        const { search: again, isAllowed } = search(regions[name]!, method, POINTS, seed);
        const run = asks.filter(({ ordinal }) => ordinal !== null);
        expect(new Set(run.map(({ ordinal }) => ordinal)).size).toBe(POINTS);
        expect(run.every(({ values }) => isAllowed(values))).toBe(true);
        expect(await again.toTheEnd(0.3)).toMatchObject({ asks });
      }
    },
  );
});
