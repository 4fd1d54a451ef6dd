import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { madeOnce } from './made-once.ts';

const run = promisify(execFile);

const ROOT = resolve(import.meta.dirname, '../..');
const REQUIREMENTS = [
  'test/oracles/requirements.txt',
  'test/fuzz/requirements.txt',
  'test/python/notebook-requirements.txt',
  'test/python/import-requirements.txt',
  'examples/search/outside/optuna_tpe.requirements.txt',
  'examples/search/outside/pycma.requirements.txt',
].map((file) => join(ROOT, file));

/**
 * The Python of all tests, with all packages that the tests import. The tests share one environment, because each
 * further environment would install NumPy, pandas and others again, which takes longer than most tests.
 *
 * @returns the folder of the environment's programs
 */
export function pythonOfTests(say?: (line: string) => void): Promise<string> {
  return pythonWith('tests', REQUIREMENTS, say);
}

/** The Python of the gallery's simulators. Their packages are many, and only one test needs them. */
export function pythonOfGallery(say?: (line: string) => void): Promise<string> {
  return pythonWith('gallery', join(ROOT, 'examples/gallery/requirements.txt'), say);
}

/**
 * A Python with packages, in a virtual environment in the user's cache. Creates the environment if it is missing, in one
 * process at a time. This needs Python 3.10 or newer with venv, and a package index that pip can reach.
 *
 * @param name - the name of the environment; other requirements under the same name replace it
 * @param requirements - the path of a requirements file, or several paths
 * @param say - is called before an installation, for a person who waits
 * @returns the folder of the environment's programs, such as `python`
 */
export async function pythonWith(
  name: string,
  requirements: string | readonly string[],
  say: (line: string) => void = () => undefined,
): Promise<string> {
  const folder = join(cacheFolder(), name);
  const bin = join(folder, 'bin');
  // this file is written last, so that an interrupted installation is repeated
  const installed = join(folder, 'installed.txt');
  const files = [requirements].flat();
  const wanted = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  return madeOnce(
    folder,
    () => (existsSync(installed) && readFileSync(installed, 'utf8') === wanted ? bin : undefined),
    async () => {
      const packages = wanted.split('\n').filter((line) => /^\w/.test(line));
      say(`Installing ${packages.join(', ')} into ${folder} (once, about a minute)`);
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      await run('python3', ['-m', 'venv', folder]);
      // without --no-compile, pip would compile all modules; Python itself compiles only the few that it imports
      const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-compile'];
      await run(join(bin, 'python'), [...pip, ...files.flatMap((file) => ['--requirement', file])]);
      writeFileSync(installed, wanted);
      return bin;
    },
  );
}

/** The folder for files that all checkouts of a user share. */
export function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'foray');
}
