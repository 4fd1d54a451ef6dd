import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../errors.ts';

/** The largest size of a log file, in bytes. */
export const MOST_BYTES = 10 * 1024 ** 2;
/** The maximum number of files of a log. `worker.log.1` is older than `worker.log`. */
export const MOST_FILES = 3;

/** A log of limited size. Output that cannot be written is lost, and the process continues. */
export class RotatingLog {
  readonly #file: string;
  readonly #onFault: (line: string) => void;
  #hasFailed = false;

  /** @param onFault - receives one line when a write fails for the first time */
  constructor(file: string, onFault: (line: string) => void) {
    this.#file = file;
    this.#onFault = onFault;
  }

  write(chunk: string | Uint8Array): void {
    try {
      mkdirSync(dirname(this.#file), { recursive: true });
      rotate(this.#file, chunk.length);
      appendFileSync(this.#file, chunk);
    } catch (error) {
      if (!this.#hasFailed) this.#onFault(`the log ${this.#file} cannot be written: ${messageOf(error)}`);
      this.#hasFailed = true;
    }
  }
}

/**
 * Renames the files of a log if `more` bytes would make the newest file too large. The oldest file is then lost.
 * @throws the error of the system
 */
export function rotate(file: string, more = 0): void {
  // a device such as /dev/null has size 0, so it is never renamed
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size + more <= MOST_BYTES) return;
  for (let at = MOST_FILES - 1; at > 0; at--) {
    const older = at > 1 ? `${file}.${at - 1}` : file;
    if (statSync(older, { throwIfNoEntry: false })) renameSync(older, `${file}.${at}`);
  }
}
