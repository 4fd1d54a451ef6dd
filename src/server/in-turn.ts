/** How long an answer waits for a worker to make a change, ms. The next changes of the campaign wait for their turn. */
export const CHANGE_MS = 20_000;

export type InTurn = ReturnType<typeof newInTurn>;

/**
 * Returns a function that runs actions with the same name one after the other, and actions with different names in
 * parallel.
 */
export function newInTurn() {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(name: string, act: () => Promise<T>): Promise<T> => {
    const turn = (last.get(name) ?? Promise.resolve()).then(act, act);
    last.set(name, turn);
    try {
      return await turn;
    } finally {
      if (last.get(name) === turn) last.delete(name);
    }
  };
}
