import { expect, test } from '@jest/globals';
import { unusedFiles } from '../../src/client/client.ts';
import { campaign } from '../store/fixtures.ts';

const HOUR = 3_600_000;

test('files that no campaign needs can be removed when they are more than an hour old', () => {
  const now = 10 * HOUR;
  const files = [
    { hash: 'named', putAt: 0, isKept: false },
    { hash: 'kept', putAt: 0, isKept: true },
    { hash: 'old', putAt: now - HOUR - 1, isKept: false },
    { hash: 'young', putAt: now - HOUR, isKept: false },
  ].map((file) => ({ ...file, size: 1 }));
  const named = { ...campaign('flu'), files: [{ input: 'Cases', hash: 'named' }] };
  const record = { campaign: named } as unknown as Parameters<typeof unusedFiles>[1][number];
  const { files: old, young } = unusedFiles(files, [record], now);
  expect([old.map(({ hash }) => hash), young.map(({ hash }) => hash)]).toEqual([['old'], ['young']]);
});
