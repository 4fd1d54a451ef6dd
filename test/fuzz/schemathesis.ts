import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';

const VERSION = '4.32.5';

/**
 * Schemathesis in a Python environment of its own in the user's cache, made if need be (Python 3.10 or newer with venv, and
 * a package index that pip reaches).
 *
 * @returns path of its program
 */
export function findSchemathesis(): string {
  const cache = process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache');
  const folder = path.join(cache, 'foray', `schemathesis-${VERSION}`);
  const program = path.join(folder, 'bin', 'schemathesis');
  if (existsSync(program)) return program;
  mkdirSync(path.dirname(folder), { recursive: true });
  try {
    execFileSync('python3', ['-m', 'venv', '--clear', folder], { stdio: 'pipe' });
    const pip = path.join(folder, 'bin', 'pip');
    execFileSync(pip, ['install', '--quiet', '--disable-pip-version-check', `schemathesis==${VERSION}`], {
      stdio: 'pipe',
    });
    return program;
  } catch (error) {
    // half an environment would be taken for a whole one
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Runs it to its end, in a folder that takes what it keeps. */
export async function runSchemathesis(
  folder: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(findSchemathesis(), args, {
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
