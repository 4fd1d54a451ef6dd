import { homedir } from 'node:os';
import { join } from 'node:path';
import { findTemporalCli } from '../../src/dev/temporal-cli.ts';
import { buildProgram } from './build-program.ts';

/** Runs before all tests. Finds or makes a Temporal server and the program once, so that parallel tests do not each build one. */
export default async function setup(): Promise<void> {
  // the tests start a thousand executors and commands, and with Node's compile cache these start in half the time
  process.env.NODE_COMPILE_CACHE ||= join(homedir(), '.cache', 'foray', 'compiled');
  process.env.FORAY_TEMPORAL_CLI = await findTemporalCli((line) => process.stderr.write(`${line}\n`));
  await buildProgram();
}
