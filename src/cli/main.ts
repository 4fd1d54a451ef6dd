import { CommanderError } from 'commander';
import { errorCodes } from '../error-codes.ts';
import { isForayError, messageOf } from '../errors.ts';
import { handleLostOutput } from './lost-output.ts';
import { printErrorJson, tell, tellError } from './output.ts';
import { createProgram } from './program.ts';
import { endTracing, startTracing } from '../tracing.ts';

handleLostOutput();

// an empty variable counts as not set: shells and compose files write missing values that way
for (const [name, value] of Object.entries(process.env)) {
  if (value === '' && /^(FORAY|TEMPORAL)_/.test(name)) delete process.env[name];
}

// requests to servers on this machine use no proxy, so that no proxy sees their keys. Node and the programs that foray
// starts read no_proxy and NO_PROXY at each request
const direct = [process.env.no_proxy ?? process.env.NO_PROXY, '127.0.0.1', 'localhost', '::1'].filter(
  Boolean,
);
for (const name of ['no_proxy', 'NO_PROXY']) process.env[name] = direct.join(',');

/** The commands that start, change or carry out campaigns. */
const TRACED = ['submit', 'apply', 'retry', 'cancel', 'worker', 'service', 'server', 'ui', 'executor'];
/** Exit code of an error of foray itself. */
const UNEXPECTED = 70;
/** Whether the user wants JSON. It is read from the arguments directly, because commander may fail to parse them. */
const wantsJson = process.argv.includes('--json');

try {
  const [, , command = ''] = process.argv;
  if (TRACED.includes(command)) await startTracing(`foray-${command}`, (line) => tell(line, 'warn'));
  const program = await createProgram(command);
  await program.parseAsync();
} catch (error) {
  process.exitCode = reportError(error);
} finally {
  await endTracing();
}

/** Prints the error, and returns the exit code. */
function reportError(error: unknown): number {
  // commander has printed its own message already
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    const { exit } = errorCodes.USAGE;
    if (wantsJson) printErrorJson({ code: 'USAGE', message: error.message.replace(/^error: /, '') }, exit);
    return exit;
  }
  if (isForayError(error)) {
    const { exit } = errorCodes[error.code];
    tellError(error);
    if (wantsJson) printErrorJson(error, exit);
    return exit;
  }
  tell(`foray: unexpected error: ${messageOf(error)}`, 'error');
  if (process.env.FORAY_DEBUG && error instanceof Error) tell(error.stack ?? '', 'error');
  if (wantsJson) printErrorJson({ code: 'UNEXPECTED', message: messageOf(error) }, UNEXPECTED);
  return UNEXPECTED;
}
