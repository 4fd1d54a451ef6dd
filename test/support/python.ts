import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * A Python with packages, in a virtual environment of its own in the user's cache that is made if need be (Python 3.10 or
 * newer with venv, and a package index that pip reaches).
 *
 * @param name - of the environment; other requirements under the same name replace it
 * @param requirements - path of a requirements file
 * @param say - hears when something is installed, for a person who waits
 * @returns the folder of its programs, `python` among them
 */
export async function pythonWith(
  name: string,
  requirements: string,
  say: (line: string) => void = () => undefined,
): Promise<string> {
  const folder = join(cacheFolder(), name);
  const bin = join(folder, 'bin');
  // written last, so that an installation which broke off is made again
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

/** What is made once for all checkouts of a user. */
export function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'foray');
}
