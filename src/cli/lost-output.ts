import { errorCodes } from '../error-codes.ts';
import { tell } from './output.ts';

let isServing = false;
let hasTold = false;

/** Handles errors of standard output and standard error, such as a full disk. */
export function handleLostOutput(): void {
  // there is no other place for the message
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // it is no error when a reader stops early (head, less)
    if (error.code === 'EPIPE' && !isServing) process.exit();
    if (!hasTold) tell(`foray: standard output cannot be written: ${error.message}`, 'error');
    hasTold = true;
    if (!isServing) process.exit(errorCodes.OUTPUT_UNWRITABLE.exit);
  });
}

/** From now on this process is a server: it continues when its output is lost. */
export function serveWithoutOutput(): void {
  isServing = true;
}
