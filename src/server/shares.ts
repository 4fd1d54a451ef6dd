import type { onRequestHookHandler } from 'fastify';
import { whenGone } from './gone.ts';
import { ServerError } from './server-error.ts';

/** The maximum number of each that a key may have at once, and how an error names them. */
const limits = {
  bodies: { most: 16, named: 'definitions and pushed models in work' },
  jobs: { most: 16, named: 'plans, reports and analyses in work' },
  streams: { most: 20, named: 'open streams' },
} as const;

export type Shared = keyof typeof limits;

/** Limits what one key may have at once, so that enough is left for the other keys. */
export class Shares {
  readonly #taken = new Map<string, number>();

  /**
   * Takes one. Returns a function that gives it back; a second call of the function does nothing.
   * @throws ServerError TOO_MANY
   */
  take(what: Shared, keyHash: string): () => void {
    const { most, named } = limits[what];
    const share = `${what} ${keyHash}`;
    const taken = this.#taken.get(share) ?? 0;
    if (taken >= most)
      throw new ServerError('TOO_MANY', `One key may have at most ${most} ${named} at once.`, {
        hint: 'Try again when one of them has ended.',
        headers: { 'retry-after': '1' },
      });
    this.#taken.set(share, taken + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const left = this.#taken.get(share)! - 1;
      if (left === 0) this.#taken.delete(share);
      else this.#taken.set(share, left);
    };
  }
}

/** Returns a hook that limits how many bodies of a key are in work. It runs before a body is read: bodies take memory. */
export function shareOfBodies(shares: Shares): onRequestHookHandler {
  return ({ keyHash }, reply, done) => {
    whenGone(reply, shares.take('bodies', keyHash!));
    done();
  };
}
