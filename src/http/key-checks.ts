import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** How often the keys of requests that are being answered are checked, ms. */
const LOOK = 2_000;

interface Watched {
  answer: ServerResponse;
  isKnown: () => boolean;
}

/**
 * Ends answers whose key is removed while they are sent. A stream or a large download would otherwise go on for hours.
 * The guard of a server checks the key before the answer begins.
 */
export class KeyChecks {
  /**
   * The answers of each connection that may still be open, in the order of the requests. One map of all answers would
   * change with each request, and make each collection of garbage look at all of it.
   */
  readonly #connections = new Map<Socket, Watched[]>();

  constructor(app: FastifyInstance) {
    const timer = setInterval(() => this.#look(), LOOK).unref();
    app.addHook('onClose', (_app, done) => {
      clearInterval(timer);
      done();
    });
  }

  /** @param isKnown - whether the key of the request still gives access */
  watch(answer: ServerResponse, isKnown: () => boolean): void {
    const { socket } = answer.req;
    if (socket.destroyed) return;
    let answers = this.#connections.get(socket);
    if (!answers) {
      answers = [];
      this.#connections.set(socket, answers);
      socket.once('close', () => this.#connections.delete(socket));
    }
    while (answers[0]?.answer.writableFinished) answers.shift();
    answers.push({ answer, isKnown });
  }

  #look(): void {
    for (const answers of this.#connections.values()) {
      for (const { answer, isKnown } of answers) if (!answer.writableFinished && !isKnown()) answer.destroy();
    }
  }
}
