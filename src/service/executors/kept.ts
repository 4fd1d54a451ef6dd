import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { PACKAGE } from '../../package/own-files.ts';
import { shellQuoted } from '../../text/shell-quoted.ts';
import { modelEnvironmentOf } from '../environment.ts';
import type { Job } from './protocol.ts';

/** The most bytes that are kept of standard output, and of standard error. */
const MOST_OUTPUT = 64 * 2 ** 20;
const FORAY = path.join(PACKAGE, 'src/cli/foray.mjs');

/** A file with the content of a stream, up to a limit. */
class StreamFile {
  readonly #file: number;
  #room = MOST_OUTPUT;

  constructor(file: string) {
    this.#file = openSync(file, 'w', 0o600);
  }

  add(chunk: string | Uint8Array): void {
    if (this.#room <= 0) return;
    const bytes = Buffer.from(chunk as Uint8Array).subarray(0, this.#room);
    try {
      this.#room -= writeSync(this.#file, bytes);
    } catch {
      // a full disk must not make the run fail
      this.#room = 0;
    }
  }

  close(): void {
    // later output of the program's child processes is dropped
    this.#room = 0;
    closeSync(this.#file);
  }
}

/**
 * The folder of a run. It is kept if the run fails (docs/guides/models.md). `command` repeats the run, `stdout.txt` and
 * `stderr.txt` contain the output of the run, and the folder `inputs` contains its input files.
 */
export class KeptFolder {
  readonly stdout: StreamFile;
  readonly stderr: StreamFile;
  readonly #folder: string;
  readonly #runId: string;

  constructor({ keepIn, runId }: Job & { keepIn: string }) {
    this.#folder = keepIn;
    this.#runId = runId;
    mkdirSync(path.join(keepIn, 'inputs'), { recursive: true, mode: 0o700 });
    this.stdout = new StreamFile(path.join(keepIn, 'stdout.txt'));
    this.stderr = new StreamFile(path.join(keepIn, 'stderr.txt'));
  }

  /** The path for the copy of an input file, by its name in the run. */
  inputPath(name: string): string {
    return path.join(this.#folder, 'inputs', name);
  }

  /** Writes the script for the program of a command model. The program runs in a new folder, as in the service. */
  writeProgram(words: readonly string[], modelFolder: string, input: string): void {
    const settings = Object.entries(modelEnvironmentOf(modelFolder)).map(
      ([name, value]) => `${name}=${shellQuoted(value)}`,
    );
    this.#write('inputs.json', input);
    this.#writeScript([
      'rm -rf again && mkdir again && cp -R inputs/. again && cd again || exit',
      `${settings.join(' ')} exec ${words.map(shellQuoted).join(' ')} < ../inputs.json`,
    ]);
  }

  /** Writes the script for a model that is a module. It runs `foray models check` with the inputs of the run. */
  writeCheck({ code, template, inputs }: Job): void {
    const options = template.inputs.flatMap(({ name, type }, index) => {
      const value = inputs[name]!;
      if (type !== 'INPUT_FILE') return ['--input', `${name}=${value}`];
      return value === '' ? [] : ['--file', `${name}=inputs/${inputFileName(index)}`];
    });
    const words = [process.execPath, FORAY, 'models', 'check', path.dirname(code.entry), ...options];
    this.#writeScript([`exec ${words.map(shellQuoted).join(' ')}`]);
  }

  /** Copies the output of this process until the returned function is called. */
  copyOwnOutput(): () => void {
    const ends = (['stdout', 'stderr'] as const).map((name) => {
      const stream = process[name];
      const write = stream.write.bind(stream) as (chunk: string | Uint8Array, ...rest: unknown[]) => boolean;
      stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
        this[name].add(chunk);
        return write(chunk, ...rest);
      };
      return () => (stream.write = write as typeof stream.write);
    });
    return () => {
      for (const end of ends) end();
    };
  }

  close(): void {
    this.stdout.close();
    this.stderr.close();
  }

  #writeScript(lines: readonly string[]): void {
    const head = ['#!/bin/sh', `# Repeats the run ${this.#runId}.`, 'cd "$(dirname "$0")" || exit'];
    this.#write('command', `${[...head, ...lines].join('\n')}\n`, 0o700);
  }

  #write(name: string, text: string, mode = 0o600): void {
    try {
      writeFileSync(path.join(this.#folder, name), text, { mode });
    } catch {
      // a full disk must not make the run fail; without a command the folder is not kept
    }
  }
}

/** The file name of an input in a run, by the position of the input in the template. */
export function inputFileName(index: number): string {
  return `input-${index + 1}`;
}
