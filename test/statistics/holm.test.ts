import { expect, test } from '@jest/globals';
import { holm } from '../../src/statistics/holm.ts';

test('adjusted p-values are those of statsmodels', () => {
  // statsmodels 0.14: multipletests([0.01, 0.04, 0.03, 0.005, 0.2], method='holm')[1]
  const expected = [0.04, 0.09, 0.09, 0.025, 0.2];
  for (const [at, p] of holm([0.01, 0.04, 0.03, 0.005, 0.2]).entries())
    expect(p).toBeCloseTo(expected[at]!, 12);
  expect(holm([0.6, 0.9])).toEqual([1, 1]);
  expect(holm([])).toEqual([]);
});
