/**
 * Runs Jest in one folder of test/. The arguments before the first option choose files of this folder. So
 * `npm run test:browser -- page` runs one file, whatever the path of the checkout is. Jest gets all other arguments.
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const [folder, ...args] = process.argv.slice(2);
const firstOption = args.findIndex((arg) => arg.startsWith('-'));
const names = firstOption === -1 ? args : args.slice(0, firstOption);
const options = args.slice(names.length);
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/jest/bin/jest.js',
    // --roots is last, because it takes all names that follow it
    ...[...names.map((name) => `/test/${folder}/.*${name}`), ...options, '--roots', `test/${folder}`],
  ],
  { cwd: root, stdio: 'inherit' },
);
process.exit(status ?? 1);
