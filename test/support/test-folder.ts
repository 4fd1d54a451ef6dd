import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Makes a folder that is removed after the last test of the file. Nothing may be open in it by then. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'foray-test-'));
  folders.push(folder);
  return folder;
}
