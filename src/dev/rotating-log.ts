import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../errors.ts';

/** A log has at most so many files of at most so many bytes: `worker.log`, and before it `worker.log.1`, `worker.log.2`. */
export const MOST_BYTES = 10 * 1024 ** 2;
export const MOST_FILES = 3;

/** A log file that is bounded, and whose faults stop nobody: what cannot be written is lost. */
export class RotatingLog {
  private readonly file: string;
  private readonly onFault: (line: string) => void;
  private hasFailed = false;

  /** @param onFault takes one line, the first time that something cannot be written */
  constructor(file: string, onFault: (line: string) => void) {
    this.file = file;
    this.onFault = onFault;
  }

  write(chunk: string | Uint8Array): void {
    try {
      mkdirSync(dirname(this.file), { recursive: true });
      rotate(this.file, chunk.length);
      appendFileSync(this.file, chunk);
    } catch (error) {
      if (!this.hasFailed) this.onFault(`the log ${this.file} cannot be written: ${messageOf(error)}`);
      this.hasFailed = true;
    }
  }
}

/**
 * Moves a log out of the way that has no room for so many more bytes, and drops the oldest.
 * @throws the system's error
 */
export function rotate(file: string, more = 0): void {
  // what is no plain file, such as /dev/null, has no size and stays
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size + more <= MOST_BYTES) return;
  for (let at = MOST_FILES - 1; at > 0; at--) {
    const older = at > 1 ? `${file}.${at - 1}` : file;
    if (statSync(older, { throwIfNoEntry: false })) renameSync(older, `${file}.${at}`);
  }
}
