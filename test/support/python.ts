import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * A Python with packages, in a virtual environment in the user's cache. It is created when needed (this needs Python
 * 3.10 or newer with venv, and a package index that pip can reach).
 *
 * @param name - name of the environment; other requirements under the same name replace it
 * @param requirements - path of a requirements file
 * @param say - called when something is installed, for a person who waits
 * @returns the folder of its programs, `python` among them
 */
export async function pythonWith(
  name: string,
  requirements: string,
  say: (line: string) => void = () => undefined,
): Promise<string> {
  const folder = join(cacheFolder(), name);
  const bin = join(folder, 'bin');
  // written last, so that an interrupted installation is repeated
  const installed = join(folder, 'installed.txt');
  const wanted = readFileSync(requirements, 'utf8');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === wanted) return bin;
  const packages = wanted.split('\n').filter((line) => /^\w/.test(line));
  say(`Installing ${packages.join(', ')} into ${folder} (once, about a minute)`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await run('python3', ['-m', 'venv', folder]);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  await run(join(bin, 'python'), [...pip, '--requirement', requirements]);
  writeFileSync(installed, wanted);
  return bin;
}

/** The folder for files that all checkouts of a user share. */
export function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'foray');
}
