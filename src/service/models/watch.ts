import path from 'node:path';
import { Backoff } from '../backoff.ts';
import { placesIn, stateOf } from './folder.ts';

/** The shortest time between two checks of the folders of models, in milliseconds. */
const INTERVAL = 500;
/** The largest share of the time that checks may take, if the folders have very many files. */
const SHARE = 0.02;

export interface ModelWatch {
  /** Reads the folders soon, even if they have not changed. The next check that finds no new change reads them. */
  readSoon(): void;
  end(): void;
}

/**
 * Reads the folders of models after files in them have changed and then stayed the same between two checks, because
 * editors and checkouts write several files. (The system's events would miss changes on network disks.) Unreadable
 * folders are read again until they can be read.
 *
 * @param read - reads the folders; returns whether all could be read
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
    const aside: string[] = [];
    const places = modelDirs.flatMap((dir) =>
      placesIn(
        path.resolve(dir),
        [],
        (_folder, problem) => aside.push(problem.message),
        (sentence) => aside.push(sentence),
      ),
    );
    return [...places.map(stateOf), ...aside].join('\n');
  } catch (error) {
    // a file or folder may disappear during the check
    return String(error);
  }
}
