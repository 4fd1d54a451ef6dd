import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { ForayError, messageOf } from '../../errors.ts';
import { quoted } from '../executors/kept.ts';
import type { ContentFiles } from '../files/content.ts';

/** How many folders of failed runs are kept; the oldest go first. */
export const MOST_KEPT = 50;

/** A folder of this name is a run's. */
const RUN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The folders of runs that failed, with what repeats each by hand (`foray service --keep-failed`). */
export class KeptRuns {
  readonly #dir: string;
  readonly #files: ContentFiles;

  /** @throws ForayError OUTPUT_UNWRITABLE when the folder cannot be made */
  constructor(dir: string, files: ContentFiles) {
    this.#dir = dir;
    this.#files = files;
    try {
      rmSync(path.join(dir, '.unfinished'), { recursive: true, force: true });
      mkdirSync(path.join(dir, '.unfinished'), { recursive: true, mode: 0o700 });
    } catch (error) {
      throw new ForayError(
        'OUTPUT_UNWRITABLE',
        `The folder ${dir} for failed runs cannot be written: ${messageOf(error)}.`,
        { hint: 'Give --keep-failed another folder.' },
      );
    }
  }

  /** Where the executor puts what repeats a run. */
  folderFor(runId: string): string {
    return path.join(this.#dir, '.unfinished', runId);
  }

  /** Keeps the folder of a run that failed, with its working folder. */
  async keep(runId: string, reason: string): Promise<void> {
    const folder = this.folderFor(runId);
    // its executor never came to it
    if (!existsSync(path.join(folder, 'command'))) return this.drop(runId);
    writeFileSync(path.join(folder, 'reason.txt'), `${reason}\n`);
    const work = this.#files.workPath(runId);
    // the working folder may be on another disk
    if (existsSync(work)) cpSync(work, path.join(folder, 'work'), { recursive: true });
    renameSync(folder, path.join(this.#dir, runId));
    this.#removeOldest();
    await this.#files.removeWork(runId);
  }

  /** Removes what there is of a run that did not fail. */
  async drop(runId: string): Promise<void> {
    rmSync(this.folderFor(runId), { recursive: true, force: true });
    await this.#files.removeWork(runId);
  }

  /** The line for a shell that repeats a run; undefined where it is not kept. */
  commandOf(runId: string): string | undefined {
    const file = path.join(this.#dir, runId, 'command');
    return existsSync(file) ? `sh ${quoted(file)}` : undefined;
  }

  #removeOldest(): void {
    const kept = readdirSync(this.#dir).filter((name) => RUN_ID.test(name));
    const age = new Map(
      kept.map((name) => [name, statSync(path.join(this.#dir, name, 'reason.txt')).mtimeMs]),
    );
    kept.sort((a, b) => age.get(b)! - age.get(a)!);
    for (const name of kept.slice(MOST_KEPT)) {
      rmSync(path.join(this.#dir, name), { recursive: true, force: true });
    }
  }
}
