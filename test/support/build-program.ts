import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { writeProgram } from '../../scripts/program.ts';
import { PROGRAM } from './program.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const OUTSIDE_DIST = ['package.json', 'src/cli/foray.mjs', 'src/cli/behind-older-node.mjs'];

/** Builds the program that the tests start. Does nothing if the program was already built from the same files. */
export async function buildProgram(): Promise<void> {
  const mark = join(PROGRAM, 'source');
  const hash = hashOfSource();
  if (existsSync(mark) && readFileSync(mark, 'utf8') === hash) return;
  // an interrupted build must leave no mark, and checkouts may share the files of node_modules by hard links
  rmSync(PROGRAM, { recursive: true, force: true });
  for (const file of OUTSIDE_DIST) {
    mkdirSync(dirname(join(PROGRAM, file)), { recursive: true });
    cpSync(join(ROOT, file), join(PROGRAM, file));
  }
  await writeProgram(join(PROGRAM, 'dist'));
  writeFileSync(mark, hash);
}

function hashOfSource(): string {
  const files = globSync(
    ['package-lock.json', 'worker.ts', 'scripts/program.ts', '{src,models,examples,python}/**/*.*'],
    // Python writes compiled files while tests run
    { cwd: ROOT, exclude: ['**/__pycache__'] },
  );
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)));
  return hash.digest('hex');
}
