import { expect, test } from '@jest/globals';
import { Recent } from '../../../src/cli/watch/recent.ts';
import type { ResultCursor } from '../../../src/store/index.ts';
import { failedRow, sampleRow } from '../../report/support.ts';

const PEAK = { name: 'Peak day', type: 'DOUBLE', units: 'DAY' } as const;

test('a run that failed and was requested again is shown once, with its last result', async () => {
  const [one, other] = [sampleRow(1, ['1.2', '0.3']), sampleRow(2, ['1.3', '0.3'])];
  const looks = [[failedRow(1, ['1.2', '0.3'], 'no')], [other], [one]];
  const look: ResultCursor = { open: [], failed: [], last: -1 };
  const recent = new Recent({ recentRows: () => Promise.resolve({ rows: looks.shift()!, look }) }, 'flu', [
    PEAK,
  ]);
  await recent.look();
  await recent.look();
  expect(recent.rows.map(({ status }) => status)).toEqual(['done', 'failed']);
  await recent.look();
  expect(recent.rows).toEqual([one, other]);
  expect(recent.values).toHaveLength(2);
});

test('the values are those of the first output that has values', async () => {
  const error = { name: 'Fit error', type: 'DOUBLE', units: null } as const;
  const row = sampleRow(1, ['1.2', '0.3']);
  const none = { ...row, outputs: { ...row.outputs, 'Fit error': 'null' } };
  const looks = [[failedRow(2, ['1.3', '0.3'], 'no')], [none], [row]];
  const look: ResultCursor = { open: [], failed: [], last: -1 };
  const recent = new Recent({ recentRows: () => Promise.resolve({ rows: looks.shift()!, look }) }, 'flu', [
    error,
    PEAK,
  ]);
  await recent.look();
  expect(recent.output).toBe(error);
  await recent.look();
  expect(recent.output).toBe(PEAK);
  await recent.look();
  expect(recent.output).toBe(PEAK);
  expect(recent.values).toEqual([row, row].map(({ outputs }) => Number(outputs['Peak day'])));
});

test('the values are in the order in which the runs have finished', async () => {
  const row = sampleRow(1, ['1.2', '0.3']);
  const withPeak = (peak: string) => ({ ...row, outputs: { ...row.outputs, 'Peak day': peak } });
  const look: ResultCursor = { open: [], failed: [], last: -1 };
  // a look has the newest run first
  const looks = [[withPeak('2'), withPeak('1')], [withPeak('3')]];
  const recent = new Recent({ recentRows: () => Promise.resolve({ rows: looks.shift()!, look }) }, 'flu', [
    PEAK,
  ]);
  await recent.look();
  await recent.look();
  expect(recent.values).toEqual([1, 2, 3]);
});
