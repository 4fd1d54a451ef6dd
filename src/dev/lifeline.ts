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

function tell(message: unknown): void {
  // a parent that has ended or is ending receives nothing
  if (process.connected) process.send!(message, () => {});
}
