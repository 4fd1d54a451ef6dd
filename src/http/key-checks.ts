import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** How often the keys of requests that are being answered are checked, ms. */
const LOOK = 2_000;

/**
 * Ends answers whose key has been removed meanwhile. A stream or a large download would otherwise go on for hours. The
 * key of a new request is checked before.
 */
export class KeyChecks {
  readonly #open = new Map<ServerResponse, () => boolean>();

  constructor(app: FastifyInstance) {
    const timer = setInterval(() => this.#look(), LOOK).unref();
    app.addHook('onClose', (_app, done) => {
      clearInterval(timer);
      done();
    });
  }

  /** @param isKnown - whether the key of the request still gives access */
  watch(answer: ServerResponse, isKnown: () => boolean): void {
    this.#open.set(answer, isKnown);
    answer.once('close', () => this.#open.delete(answer));
  }

  #look(): void {
    for (const [answer, isKnown] of this.#open) if (!isKnown()) answer.destroy();
  }
}
