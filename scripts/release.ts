/**
 * `npm run release -- VERSION` writes the version, runs `.ci/run`, and makes the commit and the tag of a release
 * (docs/internals/releasing.md). It pushes nothing.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

/**
 * The files that may name the version of foray: all files in Git except the lists of dependencies, the changelog and
 * the tests.
 */
const PATHS = ['.', ':!package-lock.json', ':!docs/site/package-lock.json', ':!CHANGELOG.md', ':!test'];

/** Replaces the version of foray in a text. */
export function withVersion(text: string, from: string, to: string): string {
  const version = from.replaceAll('.', '\\.');
  const named = new RegExp(
    `((?:foray[-:]|version"?\\s*[:=_]*\\s*"|__version__ = "|tag as v)v?)${version}`,
    'g',
  );
  return text.replace(named, (_, before: string) => before + to);
}

/** Moves the unreleased changes of a changelog to a version. */
export function released(changelog: string, version: string, date: string): string {
  const [, changes] = /^## \[Unreleased\]\n([^]*?)(?=^## \[|$(?![^]))/m.exec(changelog) ?? [];
  if (!changes?.trim()) throw new Error('CHANGELOG.md has no unreleased changes.');
  return changelog.replace('## [Unreleased]\n', `## [Unreleased]\n\n## [${version}] - ${date}\n`);
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
}

function edit(file: string, change: (text: string) => string): void {
  const path = join(ROOT, file);
  const before = readFileSync(path, 'utf8');
  const after = change(before);
  if (after !== before) writeFileSync(path, after);
}

function release(version: string | undefined): void {
  if (!version || !/^\d+\.\d+\.\d+$/.test(version))
    throw new Error('Usage: npm run release -- VERSION, such as 1.2.3');
  if (git('status', '--porcelain') !== '') throw new Error('Commit or remove your changes first.');
  if (git('branch', '--show-current') !== 'main') throw new Error('A release is made on the branch main.');
  const { version: from } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    version: string;
  };
  const date = new Date().toISOString().slice(0, 10);
  edit('CHANGELOG.md', (text) => released(text, version, date));
  for (const file of git('grep', '-lF', from, '--', ...PATHS).split('\n')) {
    edit(file, (text) => withVersion(text, from, version));
  }
  execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts'], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  execFileSync('.ci/run', { cwd: ROOT, stdio: 'inherit' });
  git('commit', '--all', '--message', `Version ${version}`);
  git('tag', `v${version}`);
  console.log(`Made the commit and the tag v${version}. Publish it with: git push origin main v${version}`);
}

if (import.meta.main) {
  try {
    release(process.argv[2]);
  } catch (error) {
    console.error(`npm run release: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
