import { chmodSync, renameSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { fileStamp } from '../../src/system/file-stamp.ts';
import { until } from '../support/until.ts';
import { testFolder } from '../support/test-folder.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = testFolder();
  file = join(folder, 'file.txt');
  writeFileSync(file, 'one');
});

/** Repeats a change until the clock of the disk has moved on, because it moves in steps of some milliseconds. */
async function changesStamp(change: () => void): Promise<void> {
  const before = fileStamp(file);
  await until('the stamp changes', () => {
    change();
    return fileStamp(file) !== before;
  });
}

test('a stamp stays the same while the file does', () => {
  expect(fileStamp(file)).toBe(fileStamp(file));
});

test('a write in place that restores size and time changes the stamp', async () => {
  const { atime, mtime } = statSync(file);
  await changesStamp(() => {
    writeFileSync(file, 'two');
    utimesSync(file, atime, mtime);
  });
});

test('another mode, and another file of the same size and time, change the stamp', async () => {
  await changesStamp(() => chmodSync(file, 0o600));
  const { atime, mtime } = statSync(file);
  const other = join(folder, 'other.txt');
  const before = fileStamp(file);
  writeFileSync(other, 'two');
  utimesSync(other, atime, mtime);
  renameSync(other, file);
  expect(fileStamp(file)).not.toBe(before);
});

test('the stamp of a link is the stamp of its target', async () => {
  const link = join(folder, 'link');
  symlinkSync(file, link);
  const before = fileStamp(link);
  expect(before).toBe(fileStamp(file));
  await changesStamp(() => writeFileSync(file, 'other'));
  expect(fileStamp(link)).not.toBe(before);
});

test('a path that leads to nothing has no stamp', () => {
  symlinkSync('loop', join(folder, 'loop'));
  for (const name of ['missing', 'loop', 'file.txt/below']) {
    expect(fileStamp(join(folder, name))).toBeUndefined();
  }
});
