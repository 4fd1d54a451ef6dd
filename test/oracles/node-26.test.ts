import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { fingerprint } from '../models/service-system/support.ts';
import { cacheFolder } from '../support/python.ts';

/** The npm package with the program of Node for this platform. */
const PACKAGE = `node-${process.platform}-${process.arch}`;
const VERSION = '26.10.0';

let node: string;
beforeAll(() => {
  node = nodeOf(VERSION);
});

test('runs give the same bytes in Node 26 as in this version of Node', () => {
  expect(execFileSync(node, ['--version'], { encoding: 'utf8' })).toBe(`v${VERSION}\n`);
  const script = path.resolve(import.meta.dirname, '../models/service-system/fingerprint.ts');
  expect(execFileSync(node, [script], { encoding: 'utf8' })).toBe(fingerprint());
});

/** Returns the path of the program of a Node version in the user's cache. Installs this version if it is missing. */
function nodeOf(version: string): string {
  const folder = path.join(cacheFolder(), `node-${version}`);
  const program = path.join(folder, 'node_modules', PACKAGE, 'bin', 'node');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  try {
    const options = ['--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
    execFileSync('npm', ['install', ...options, `${PACKAGE}@${version}`], { stdio: 'pipe' });
    return program;
  } catch (error) {
    // otherwise, the next test would use an incomplete package
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}
