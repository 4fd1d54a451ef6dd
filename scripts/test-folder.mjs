/**
 * Runs Jest in one folder of test/. Other arguments are Jest's own; files among them choose from this folder, so that
 * `npm run test:browser -- page` runs one file.
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const [folder, ...args] = process.argv.slice(2);
const { status } = spawnSync(
  process.execPath,
  [
    ...[
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      'node_modules/jest/bin/jest.js',
    ],
    // at the end: --roots takes all names that follow it
    ...[...args, '--roots', `test/${folder}`],
  ],
  { cwd: root, stdio: 'inherit' },
);
process.exit(status ?? 1);
