import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pythonOfTests } from '../support/python.ts';

/** @returns path of its program */
export async function findSchemathesis(): Promise<string> {
  return path.join(await pythonOfTests(), 'schemathesis');
}

/**
 * In one thread: Python 3.11 counts the depth of its parser for all threads together, and then fails with a
 * SystemError.
 */
const COMMON = ['--workers', '1', '--no-color', '--suppress-health-check', 'all', '--warnings', 'off'];

/** Runs Schemathesis to its end, in a folder for its files. */
export async function runSchemathesis(
  folder: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; output: string }> {
  const child = spawn(await findSchemathesis(), [...args, ...COMMON], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, output: stdout + stderr };
}
