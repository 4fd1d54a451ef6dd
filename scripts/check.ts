/**
 * `npm run check [-- BASE]`: the check before a commit. ESLint and Prettier check the files that differ from BASE
 * (default: main). tsc checks the types of all files. Jest runs the quick tests that changed or that import a changed
 * file directly. `.ci/run` runs everything.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(import.meta.dirname, '..');
const CACHE = 'node_modules/.cache';

/** The files that differ from a base and still exist: committed, changed and new files. Paths start at the root. */
function changedFiles(base: string): string[] {
  const git = (...args: string[]): string[] =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);
  const [start] = git('merge-base', base, 'HEAD');
  const files = [...git('diff', '--name-only', start!), ...git('ls-files', '--others', '--exclude-standard')];
  return [...new Set(files)].filter((file) => existsSync(join(ROOT, file)));
}

/** Folders whose tests take minutes. `.ci/run` runs them. */
const SLOW = /^test\/(e2e|faults)\//;

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

function importsOf(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(ROOT, file), 'utf8'));
  return importedFiles.map(({ fileName }) => relative(ROOT, resolve(ROOT, dirname(file), fileName)));
}

/** Runs a program of node_modules. Returns whether the program succeeds. */
async function run(program: string, args: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, [...flags(program), ...args], { cwd: ROOT, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) console.error(`npm run check: ${program.replace(/^.*\//, '')} failed`);
  return code === 0;
}

function flags(program: string): string[] {
  const path = join('node_modules', program);
  return program.startsWith('jest/')
    ? ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', path]
    : [path];
}

async function check(base: string): Promise<boolean> {
  const changed = changedFiles(base);
  const code = changed.filter((file) => /\.(ts|js|mjs)$/.test(file));
  const tests = testsOf(changed);
  console.error(`${changed.length} files differ from ${base}; ${tests.length} test files to run`);
  const types = ['--incremental', '--tsBuildInfoFile', join(CACHE, 'types.tsbuildinfo')];
  const lint = ['--cache', '--cache-location', join(CACHE, 'eslint'), '--no-warn-ignored'];
  const results = await Promise.all([
    run('typescript/bin/tsc', types),
    (async () => code.length === 0 || (await run('eslint/bin/eslint.js', [...lint, ...code])))(),
    (async () =>
      changed.length === 0 ||
      (await run('prettier/bin/prettier.cjs', [
        '--check',
        '--ignore-unknown',
        '--log-level=warn',
        ...changed,
      ])))(),
  ]);
  if (tests.length > 0) results.push(await run('jest/bin/jest.js', tests));
  return results.every(Boolean);
}

if (import.meta.main) process.exitCode = (await check(process.argv[2] ?? 'main')) ? 0 : 1;
