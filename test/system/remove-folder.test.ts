import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { removeFolder, removeFolderSync } from '../../src/system/remove-folder.ts';

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
