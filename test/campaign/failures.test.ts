import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { intolerable } from '../../src/campaign/failures.ts';

test.each([
  [{ rate: 0.1, after: 20 }, { finished: 19, failed: 19 }, undefined],
  [{ rate: 0.1, after: 20 }, { finished: 20, failed: 2 }, undefined],
  [{ rate: 0.1, after: 20 }, { finished: 20, failed: 3 }, '3 of 20 runs failed, more than 10 %'],
  [{ rate: 0.125, after: 1 }, { finished: 4, failed: 1 }, '1 of 4 runs failed, more than 12.5 %'],
  [{ count: 0, after: 20 }, { finished: 1, failed: 0 }, undefined],
  [{ count: 0, after: 20 }, { finished: 1, failed: 1 }, '1 run failed, more than 0'],
  [{ rate: 0.9, count: 5, after: 1 }, { finished: 100, failed: 6 }, '6 runs failed, more than 5'],
] as const)('%j of %j: %s', (limits, counts, why) => {
  expect(intolerable({ ...limits, then: 'pause' }, counts)).toBe(why);
});

test('more failures among as many runs are never more tolerable', () => {
  const policy = fc.record({
    rate: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
    count: fc.option(fc.nat(50), { nil: undefined }),
    after: fc.integer({ min: 1, max: 50 }),
    then: fc.constant('pause' as const),
  });
  fc.assert(
    fc.property(policy, fc.nat(100), fc.nat(100), fc.nat(100), (limits, finished, a, b) => {
      const [less, more] = [Math.min(a, b), Math.max(a, b)];
      if (intolerable(limits, { finished, failed: less }) === undefined) return;
      expect(intolerable(limits, { finished, failed: more })).toBeDefined();
    }),
  );
});
