import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Ran } from './cli.ts';

/**
 * Starts a process that runs the text of a module.
 *
 * @param mostBytes - the largest allowed size of a file that the process writes, a multiple of 1024; a test uses it in
 *   place of a full disk
 */
export function startModule(source: string, { mostBytes }: { mostBytes?: number } = {}): ChildProcess {
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', source];
  // `ulimit -f` counts blocks, which are 512 or 1024 bytes in different shells
  return mostBytes === undefined
    ? spawn(process.execPath, args)
    : spawn('sh', ['-c', `ulimit -f ${mostBytes / 1024}; exec "$0" "$@"`, process.execPath, ...args]);
}

/** Runs the text of a module in a process like {@link startModule}, and waits for its end. */
export async function runModule(source: string, options: { mostBytes?: number } = {}): Promise<Ran> {
  const child = startModule(source, options);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}
