import { Backoff } from '../backoff.ts';
import { findModels, stateOf } from './folder.ts';

/** Least time between two looks at the folders of models, in milliseconds. */
const INTERVAL = 500;
/** Share of the time that looking may take, in folders with very many files. */
const SHARE = 0.02;

export interface ModelWatch {
  /** Has the folders read at the next look, changed or not. */
  readSoon(): void;
  end(): void;
}

/**
 * Has the folders of models read when files in them have changed and then stayed the same from one look to the next: editors and
 * checkouts write more than one. (By the system's events, changes on network disks would be missed.) What could not be read is
 * read again until it can.
 *
 * @param read - reads the folders; tells whether all could be read
 */
export function watchModels(modelDirs: readonly string[], read: () => Promise<boolean>): ModelWatch {
  let settled = stateOfAll(modelDirs);
  let last = settled;
  let dueAt = Infinity;
  let timer: NodeJS.Timeout;
  const backoff = new Backoff();
  const look = async (): Promise<void> => {
    const start = performance.now();
    const state = stateOfAll(modelDirs);
    const isDue = state !== settled || start >= dueAt;
    const isStill = state === last;
    last = state;
    const took = performance.now() - start;
    if (isDue && isStill) {
      settled = state;
      dueAt = Infinity;
      if (await read()) backoff.reset();
      else dueAt = Math.min(dueAt, performance.now() + backoff.next());
    }
    lookIn(Math.max(INTERVAL, took / SHARE));
  };
  let isOpen = true;
  const lookIn = (delay: number): void => {
    if (isOpen) timer = setTimeout(() => void look(), delay).unref();
  };
  lookIn(INTERVAL);
  return {
    readSoon: () => (dueAt = 0),
    end() {
      isOpen = false;
      clearTimeout(timer);
    },
  };
}

function stateOfAll(modelDirs: readonly string[]): string {
  try {
    return modelDirs.flatMap(findModels).map(stateOf).join('\n');
  } catch (error) {
    // a file or folder that has gone between two looks at it, or a folder that is no model any more
    return String(error);
  }
}
