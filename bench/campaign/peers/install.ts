import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { progress } from '../lab.ts';

/** A Python of the bench's own that has the peers. */
export interface Peers {
  /** The folder with `python` and what the peers install beside it. */
  bin: string;
}

const run = promisify(execFile);
const WANTED = resolve(import.meta.dirname, 'requirements.txt');

/** Makes a virtual environment in the user's cache, once for each list of what is wanted. */
export async function installPeers(): Promise<Peers> {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const folder = join(cache, 'foray', 'bench-peers');
  const bin = join(folder, 'bin');
  // written last, so that an installation which broke off is made again
  const installed = join(folder, 'installed.txt');
  const wanted = readFileSync(WANTED, 'utf8');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === wanted) return { bin };
  const packages = wanted.split('\n').filter((line) => /^\w/.test(line));
  progress(`Installing ${packages.join(', ')} into ${folder} (once, about a minute)`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await run('python3', ['-m', 'venv', folder]);
  await run(join(bin, 'python'), ['-m', 'pip', 'install', '--quiet', '--requirement', WANTED]);
  writeFileSync(installed, wanted);
  return { bin };
}
