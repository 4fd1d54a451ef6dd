import { homedir } from 'node:os';
import { join } from 'node:path';
import { findTemporalCli } from '../../src/dev/temporal-cli.ts';
import { buildProgram } from './build-program.ts';
import { writePackageModules } from './packages.ts';
import { pythonOfTests } from './python.ts';

/**
 * Runs before all tests. Finds or makes a Temporal server, the program, and a Python environment if tests need it. So
 * parallel tests do not each make their own.
 */
export default async function setup(): Promise<void> {
  // the tests start a thousand executors and commands, and with Node's compile cache these start in half the time
  process.env.NODE_COMPILE_CACHE ||= join(homedir(), '.cache', 'foray', 'compiled');
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  process.env.FORAY_TEMPORAL_CLI = await findTemporalCli(say);
  await Promise.all([buildProgram(), writePackageModules()]);
  const { FORAY_FUZZ, FORAY_ORACLES, FORAY_PYTHON } = process.env;
  if (FORAY_FUZZ || FORAY_ORACLES || FORAY_PYTHON) await pythonOfTests(say);
}
