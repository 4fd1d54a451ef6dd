import type { Store } from './store.ts';

const LOOK = 500;

/**
 * Tells within a second that the file of a store was removed or replaced, and that it is back. Returns a function that
 * ends this.
 */
export function tellLost(store: Pick<Store, 'whyLost'>, tell: (line: string) => void): () => void {
  let wasLost = false;
  const timer = setInterval(() => {
    const lost = store.whyLost();
    if ((lost !== undefined) === wasLost) return;
    wasLost = lost !== undefined;
    tell(lost?.toLine() ?? 'The file of the store is back.');
  }, LOOK).unref();
  return () => clearInterval(timer);
}
