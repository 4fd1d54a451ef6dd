import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pythonOfTests } from '../support/python.ts';

/** Installs Schemathesis if it is missing. Returns the path of its program. */
export async function findSchemathesis(): Promise<string> {
  return path.join(await pythonOfTests(), 'schemathesis');
}

/**
 * Schemathesis uses one thread. In several threads, Python 3.11 fails with a SystemError, because it counts the depth
 * of its parser for all threads together.
 */
const COMMON = ['--workers', '1', '--no-color', '--suppress-health-check', 'all', '--warnings', 'off'];

/** Runs Schemathesis to its end. Schemathesis writes its files to the folder. */
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
