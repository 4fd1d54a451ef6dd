import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { takeFolder } from '../../src/service/files/own-folder.ts';
import { temporaryFolder } from './support.ts';

test('a folder has only one user at a time, and the next user gets a released folder with its files', () => {
  const base = path.join(temporaryFolder(), 'caches');
  const [first, second] = [takeFolder(base), takeFolder(base)];
  expect([first.index, second.index]).toEqual([0, 1]);
  writeFileSync(path.join(first.folder, 'copy'), '');
  first.release();
  const next = takeFolder(base);
  expect([next.index, existsSync(path.join(next.folder, 'copy'))]).toEqual([0, true]);
  for (const one of [second, next]) one.release();
});
