import { spawnSync } from 'node:child_process';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { findTemporalCli } from '../../src/dev/temporal-cli.ts';
import { buildProgram } from './build-program.ts';
import { pythonOfTests } from './python.ts';

/**
 * Runs before all tests. Finds or makes what the tests share: the program of Temporal's server, foray's program,
 * and a Python environment if a test needs Python. Otherwise each test file would
 * make these parts again.
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
  const { FORAY_FUZZ, FORAY_ORACLES, FORAY_PYTHON } = process.env;
  if (FORAY_FUZZ || FORAY_ORACLES || FORAY_PYTHON) await pythonOfTests(say);
}
