import type { Store } from './store.ts';

/** The time between two looks at the store, ms. */
const LOOK_EVERY = 500;

/**
 * Tells once that a store is away, and once that it is back: within a second if its file was removed or replaced, within
 * seconds if its server cannot be reached. Returns a function that ends this.
 */
export function tellLost(store: Pick<Store, 'whyLost'>, tell: (line: string) => void): () => void {
  let wasLost = false;
  const timer = setInterval(() => {
    const lost = store.whyLost();
    if ((lost !== undefined) === wasLost) return;
    wasLost = lost !== undefined;
    tell(lost?.toLine() ?? 'The store is back.');
  }, LOOK_EVERY).unref();
  return () => clearInterval(timer);
}
