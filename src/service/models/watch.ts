import { findModels, stateOf } from './folder.ts';

/** Least time between two looks at the folders of models, in milliseconds. */
const INTERVAL = 500;
/** Share of the time that looking may take, in folders with very many files. */
const SHARE = 0.02;

/**
 * Calls back when files in the folders of models have changed and then stayed the same from one look to the next: editors and
 * checkouts write more than one. (By the system's events, changes on network disks would be missed.)
 *
 * @returns what ends it
 */
export function watchModels(modelDirs: readonly string[], onChange: () => void): () => void {
  let settled = stateOfAll(modelDirs);
  let last = settled;
  let timer: NodeJS.Timeout;
  const look = (): void => {
    const start = performance.now();
    const state = stateOfAll(modelDirs);
    const hasSettled = state === last && state !== settled;
    last = state;
    if (hasSettled) {
      settled = state;
      onChange();
    }
    lookIn(Math.max(INTERVAL, (performance.now() - start) / SHARE));
  };
  const lookIn = (delay: number): void => {
    timer = setTimeout(look, delay).unref();
  };
  lookIn(INTERVAL);
  return () => clearTimeout(timer);
}

function stateOfAll(modelDirs: readonly string[]): string {
  try {
    return modelDirs.flatMap(findModels).map(stateOf).join('\n');
  } catch (error) {
    // a file or folder that has gone between two looks at it, or a folder that is no model any more
    return String(error);
  }
}
