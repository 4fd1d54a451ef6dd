import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { cp, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ForayError, messageOf } from '../../errors.ts';
import { removeFolder, removeFolderSync } from '../../system/remove-folder.ts';
import { shellQuoted } from '../../text/shell-quoted.ts';
import type { ContentFiles } from '../files/content.ts';

/** The largest number of kept folders of failed runs. The oldest folders are removed first. */
export const MOST_KEPT = 50;

/** The names of the folders of runs: the ids of the runs. */
const RUN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Keeps the folders of failed runs, so that a person can repeat these runs (`foray service --keep-failed`). */
export class KeptRuns {
  readonly #dir: string;
  readonly #files: ContentFiles;

  /** @throws ForayError OUTPUT_UNWRITABLE if the folder cannot be made */
  constructor(dir: string, files: ContentFiles) {
    this.#dir = dir;
    this.#files = files;
    try {
      removeFolderSync(path.join(dir, '.unfinished'));
      mkdirSync(path.join(dir, '.unfinished'), { recursive: true, mode: 0o700 });
    } catch (error) {
      throw new ForayError(
        'OUTPUT_UNWRITABLE',
        `The folder ${dir} for failed runs cannot be written: ${messageOf(error)}.`,
        { hint: 'Give --keep-failed another folder.' },
      );
    }
  }

  /** The folder in which the executor prepares the repetition of a run. */
  folderFor(runId: string): string {
    return path.join(this.#dir, '.unfinished', runId);
  }

  /** Keeps the folder of a failed run, with its working folder. Removes the oldest kept folders above `MOST_KEPT`. */
  async keep(runId: string, reason: string): Promise<void> {
    const folder = this.folderFor(runId);
    // its executor did not prepare this folder
    if (!existsSync(path.join(folder, 'command'))) return this.drop(runId);
    await writeFile(path.join(folder, 'reason.txt'), `${reason}\n`);
    await moveFolder(this.#files.workPath(runId), path.join(folder, 'work'));
    await rename(folder, path.join(this.#dir, runId));
    await this.#files.removeWork(runId);
    await this.#removeOldest();
  }

  /** Removes the folder of a run that is not kept, and its working folder. */
  async drop(runId: string): Promise<void> {
    await removeFolder(this.folderFor(runId));
    await this.#files.removeWork(runId);
  }

  /** The shell command that repeats a run; undefined if the run is not kept. */
  commandOf(runId: string): string | undefined {
    const file = path.join(this.#dir, runId, 'command');
    return existsSync(file) ? `sh ${shellQuoted(file)}` : undefined;
  }

  async #removeOldest(): Promise<void> {
    const kept = readdirSync(this.#dir)
      .filter((name) => RUN_ID.test(name))
      .map((name) => path.join(this.#dir, name))
      .map((folder) => ({
        folder,
        reason: statSync(path.join(folder, 'reason.txt'), { throwIfNoEntry: false }),
      }))
      // a folder without a reason does not belong to foray
      .filter(({ reason }) => reason !== undefined)
      .sort((a, b) => b.reason!.mtimeMs - a.reason!.mtimeMs);
    for (const { folder } of kept.slice(MOST_KEPT)) await removeFolder(folder);
  }
}

/**
 * Moves a folder, if it exists. A folder that goes to another disk is only copied, so the caller removes the original.
 */
async function moveFolder(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    if (code !== 'EXDEV') throw error;
    await cp(from, to, { recursive: true, verbatimSymlinks: true });
  }
}
