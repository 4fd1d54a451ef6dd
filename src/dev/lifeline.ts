import type { ForayError } from '../errors.ts';

/** The message that detaches a part (a child process of `foray dev`): the part then outlives its parent. */
export const STAY = 'stay';

/**
 * Ends this part with a SIGTERM when `foray dev` ends. This works even if `foray dev` is killed, because the channel
 * between the two then closes. foray's own programs call this function.
 */
export function endWithParent(): void {
  if (!process.connected) return;
  const end = (): void => void process.kill(process.pid, 'SIGTERM');
  process.once('disconnect', end);
  process.on('message', (message) => {
    if (message === STAY) process.off('disconnect', end);
  });
  // without this, the open channel would keep the part alive
  process.channel?.unref();
}

/** Tells a parent `foray dev` that this part is ready. */
export function tellReady(): void {
  tell('ready');
}

/** Sends a line to the terminal of a parent `foray dev`. */
export function tellParent(line: string): void {
  tell({ line });
}

/** What a parent `foray dev` gets of an error. */
export type Failure = Pick<ForayError, 'code' | 'message' | 'hint' | 'place'>;

/** Gives a parent `foray dev` the error with which this part ends, if the user can mend it. */
export function tellFailure({ code, message, hint, place }: ForayError): void {
  tell({ failure: { code, message, hint, place } satisfies Failure });
}

function tell(message: unknown): void {
  // a parent that has ended or is ending receives nothing
  if (process.connected) process.send!(message, () => {});
}
