import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { pythonOfTests } from '../support/python.ts';

/**
 * A Python process that runs scripts. The import of SciPy or pandas takes two CPU seconds, so the tests of a file share
 * a process.
 */
export class PythonProcess {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #answers: AsyncIterator<string>;

  private constructor(process: ChildProcessByStdio<Writable, Readable, null>) {
    this.#process = process;
    this.#answers = createInterface({ input: process.stdout })[Symbol.asyncIterator]();
  }

  /** Starts a Python process in a folder. Scripts can import the modules in the folder of this file. */
  static async start(folder: string = import.meta.dirname): Promise<PythonProcess> {
    const python = join(await pythonOfTests(), 'python');
    const script = join(import.meta.dirname, 'run_scripts.py');
    return new PythonProcess(spawn(python, [script], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] }));
  }

  /** Runs a script that can use the variable `given`. Returns the text that the script prints. */
  async run(script: string, given: unknown = null): Promise<string> {
    this.#process.stdin.write(`${JSON.stringify({ script, given })}\n`);
    const answer = await this.#answers.next();
    if (answer.done === true) throw new Error('the Python process has ended');
    const { printed, error } = JSON.parse(answer.value) as { printed: string; error: string | null };
    if (error !== null) throw new Error(error);
    return printed;
  }

  async end(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.stdin.end();
    await ended;
  }
}
