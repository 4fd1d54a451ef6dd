import { errorCodes } from '../errors.ts';
import { tell } from './output.ts';

let isServing = false;
let isSaid = false;

/** Says what happens when standard output or standard error cannot be written, such as on a full disk. */
export function handleLostOutput(): void {
  // there is nowhere left to say it
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // a reader that has seen enough (head, less) is no error
    if (error.code === 'EPIPE' && !isServing) process.exit();
    if (!isSaid) tell(`foray: standard output cannot be written: ${error.message}`);
    isSaid = true;
    if (!isServing) process.exit(errorCodes.OUTPUT_UNWRITABLE.exit);
  });
}

/** From now on this process serves others until it is stopped: it goes on without its output. */
export function serveWithoutOutput(): void {
  isServing = true;
}
