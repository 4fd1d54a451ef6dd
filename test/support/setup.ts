import { spawnSync } from 'node:child_process';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { findTemporalCli } from '../../src/dev/temporal-cli.ts';
import { buildProgram } from './build-program.ts';

/**
 * Runs before all tests. Finds or makes what most tests need: the program of Temporal's server, and foray's program. What
 * few tests need, the first of them makes (`madeOnce`).
 */
export default async function setup(): Promise<void> {
  // the tests start a thousand executors and commands, which start in half the time with Node's compile cache
  process.env.NODE_COMPILE_CACHE ||= join(homedir(), '.cache', 'foray', 'compiled');
  // a thousand starts of Python, too, are quicker with compiled files and without the script that pyenv puts before them
  delete process.env.PYTHONDONTWRITEBYTECODE;
  const program = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' });
  if (program.status === 0)
    process.env.PATH = `${dirname(program.stdout.trim())}${delimiter}${process.env.PATH}`;
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  process.env.FORAY_TEMPORAL_CLI = await findTemporalCli(say);
  await buildProgram();
}
