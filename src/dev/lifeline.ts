import { spawn } from 'node:child_process';

/** The message by which a parent lets go of a part: it then stays when the parent ends. */
export const STAY = 'stay';

/**
 * A part of `foray dev` must not outlive it, also when it is killed: the channel between them then closes.
 * Called by the parts that are our own programs; it ends them as a SIGTERM would.
 */
export function endWithParent(): void {
  if (!process.connected) return;
  const end = (): void => void process.kill(process.pid, 'SIGTERM');
  process.once('disconnect', end);
  process.on('message', (message) => {
    if (message === STAY) process.off('disconnect', end);
  });
  // the channel alone does not keep the part from ending
  process.channel?.unref();
}

/** Tells `foray dev`, if it is the parent, that this part works. */
export function tellReady(): void {
  tell('ready');
}

/** Tells whoever looks at `foray dev`, if it is the parent, a line. */
export function tellParent(line: string): void {
  tell({ line });
}

function tell(message: unknown): void {
  // a parent that has gone, or goes now, hears nothing
  if (process.connected) process.send!(message, () => {});
}

/** Run as a program: runs another one (its arguments) that knows nothing of this, and ends it with the parent. */
if (import.meta.main) {
  const [command, ...args] = process.argv.slice(2);
  const child = spawn(command!, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  child.once('error', () => process.exit(1));
  child.once('exit', (code) => process.exit(code ?? 1));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  endWithParent();
}
