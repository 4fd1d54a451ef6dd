import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { goInstall } from '../../src/dev/go-install.ts';
import { testFolder } from '../support/test-folder.ts';

const { PATH } = process.env;
let folder: string;
beforeEach(() => {
  folder = testFolder();
  process.env.PATH = folder;
});
afterEach(() => void (process.env.PATH = PATH));

test.each([
  ['echo first >&2; echo "no network" >&2; exit 1', 'no network'],
  ['exit 3', 'Go ended with exit code 3'],
  ['kill -9 $$', 'Go ended with SIGKILL'],
])('a build that fails (%s) has the reason "%s"', async (script, reason) => {
  writeFileSync(join(folder, 'go'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  await expect(goInstall('example.com/program', folder, () => undefined)).rejects.toThrow(new Error(reason));
});

test('a build without Go says that Go is not installed', async () => {
  await expect(goInstall('example.com/program', folder, () => undefined)).rejects.toThrow(
    'Go is not installed',
  );
});
