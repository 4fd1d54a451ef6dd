/**
 * `npm run check [-- BASE]`: the check before a commit. oxlint and oxfmt check all files, and oxlint checks types as
 * well. Jest runs the quick test files that differ from BASE (default: main), or that directly import a file that
 * differs. `.ci/run` runs everything.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { importsOf } from './imports.ts';

const ROOT = resolve(import.meta.dirname, '..');

/** The files that differ from a base and still exist: committed, changed and new files. Paths start at the root. */
function changedFiles(base: string): string[] {
  const git = (...args: string[]): string[] =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);
  const [start] = git('merge-base', base, 'HEAD');
  const files = [...git('diff', '--name-only', start!), ...git('ls-files', '--others', '--exclude-standard')];
  return [...new Set(files)].filter((file) => existsSync(join(ROOT, file)));
}

/** Folders whose tests take minutes. `.ci/run` runs them. */
const SLOW = /^test\/(e2e|faults|([a-z]+\/)+whole)\//;

/** The quick test files that changed or that import a changed file directly. A changed page adds test/docs.test.ts. */
export function testsOf(changed: readonly string[]): string[] {
  const isChanged = new Set(changed);
  const hasPages = changed.some((file) => file.endsWith('.md'));
  const tests = globSync('test/**/*.test.ts', { cwd: ROOT }).filter((test) => !SLOW.test(test));
  return tests.filter(
    (test) =>
      isChanged.has(test) ||
      (hasPages && test === 'test/docs.test.ts') ||
      importsOf(test).some((file) => isChanged.has(file)),
  );
}

/** Runs a program of node_modules. Returns whether the program succeeds. */
async function run(program: string, args: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, [join('node_modules', program), ...args], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) console.error(`npm run check: ${program.replace(/^.*\//, '')} failed`);
  return code === 0;
}

async function check(base: string): Promise<boolean> {
  const changed = changedFiles(base);
  const tests = testsOf(changed);
  console.error(`${changed.length} files differ from ${base}; ${tests.length} test files to run`);
  const results = await Promise.all([run('oxlint/bin/oxlint', []), run('oxfmt/bin/oxfmt', ['--check'])]);
  if (tests.length > 0) results.push(await run('jest/bin/jest.js', tests));
  return results.every(Boolean);
}

if (import.meta.main) process.exitCode = (await check(process.argv[2] ?? 'main')) ? 0 : 1;
