import { expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import { bestRows, Lowest } from '../../../src/report/summary/best.ts';
import { failedRow, sampleRow, stream } from '../support.ts';

test('Lowest keeps the rows that a stable sort puts first', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9 })), fc.integer({ min: 1, max: 5 }), (scores, size) => {
      const lowest = new Lowest<{ score: number; index: number }>(size);
      const items = scores.map((score, index) => ({ score, index }));
      for (const item of items) lowest.add(item, item.score);
      expect(lowest.items).toEqual(items.toSorted((a, b) => a.score - b.score).slice(0, size));
    }),
  );
});

test('the best rows are the finished rows with the lowest numbers', async () => {
  const withError = (index: number, error: string) => ({
    ...sampleRow(index, ['1', '1']),
    outputs: { 'Fit error': error },
  });
  const rows = [
    withError(0, '30'),
    withError(1, 'null'),
    withError(2, '"-Infinity"'),
    withError(3, '7.5'),
    failedRow(4, ['1', '1'], 'ERROR'),
    withError(5, '1e1'),
  ];
  const best = await bestRows(stream(rows), 'Fit error', 2);
  expect(best).toEqual([rows[3], rows[5]]);
  expect(await bestRows(stream(rows), 'Peak day', 2)).toEqual([]);
});
