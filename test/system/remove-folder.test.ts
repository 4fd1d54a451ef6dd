import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { until } from '../support/until.ts';
import { removeFolder, removeFolderSync, ScratchFolder } from '../../src/system/remove-folder.ts';

const NOBODY = 65_534;

// root may remove everything
const isRoot = process.getuid!() === 0;
beforeAll(() => void (isRoot && process.seteuid!(NOBODY)));
afterAll(() => void (isRoot && process.seteuid!(0)));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'foray-test-'));
  mkdirSync(path.join(folder, 'made/inner'), { recursive: true });
  writeFileSync(path.join(folder, 'made/inner/file'), '');
  for (const name of ['made/inner', 'made', '.']) chmodSync(path.join(folder, name), 0o555);
});

test('a folder with read-only folders in it is removed', async () => {
  await removeFolder(folder);
  expect(existsSync(folder)).toBe(false);
});

test('it is also removed at once, as a whole or an entry of it', () => {
  removeFolderSync(folder, ['made']);
  expect(readdirSync(folder)).toEqual([]);
  removeFolderSync(folder);
  expect(existsSync(folder)).toBe(false);
  removeFolderSync(folder);
});

test('a scratch folder is emptied of each file, however soon after another emptying a program writes it', async () => {
  const scratch = new ScratchFolder(folder);
  scratch.empty();
  const settled = statSync(folder).ctimeMs;
  await until('the time of the last change is long past', () => Date.now() - settled > 1_000);
  for (let turn = 0; turn < 1_000; turn++) {
    scratch.empty();
    const before = statSync(folder);
    if (turn % 3 > 0) writeFileSync(path.join(folder, 'file'), '');
    // a program may set the time of the content back
    if (turn % 3 > 1) utimesSync(folder, before.atime, before.mtime);
    scratch.empty();
    expect(readdirSync(folder)).toEqual([]);
  }
});

test('a scratch folder that a program has removed is made again', () => {
  const scratch = new ScratchFolder(folder);
  scratch.empty();
  removeFolderSync(folder);
  scratch.empty();
  expect(readdirSync(folder)).toEqual([]);
  writeFileSync(path.join(folder, 'file'), '');
  scratch.empty();
  expect(readdirSync(folder)).toEqual([]);
});
