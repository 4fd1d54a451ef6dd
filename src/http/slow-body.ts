import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Options of Node's server against slow heads: the longest time for a head, and how often it is checked, ms. */
export const slowHeads = { headersTimeout: 20_000, connectionsCheckingInterval: 5_000 };

/** In each interval of this length, ms, an incomplete body must grow by at least `LEAST_BYTES`. */
const WINDOW = 20_000;
const LEAST_BYTES = 20_000;

/**
 * Returns a hook against very slow bodies. Without it, each of them would hold a connection without limit, even before
 * the key is checked. For bodies, Node has only a limit for the whole body, and a large file may need long.
 *
 * @param refuse - answers on a connection whose body is too slow, and closes it
 */
export function refuseSlowBodies(refuse: (socket: Socket) => void) {
  const watch = (raw: IncomingMessage): void => {
    const { socket } = raw;
    let before = socket.bytesRead;
    const timer = setInterval(() => {
      if (raw.complete) return clearInterval(timer);
      if (socket.bytesRead - before < LEAST_BYTES) {
        clearInterval(timer);
        refuse(socket);
      }
      before = socket.bytesRead;
    }, WINDOW).unref();
    raw.once('close', () => clearInterval(timer));
  };
  // most bodies arrive with their head, and need no timer
  let begun: IncomingMessage[] = [];
  const look = (): void => {
    for (const raw of begun) if (!raw.complete && !raw.destroyed) watch(raw);
    begun = [];
  };
  return ({ raw }: FastifyRequest, _reply: unknown, done: () => void): void => {
    if ('transfer-encoding' in raw.headers || Number(raw.headers['content-length']) > 0) {
      if (begun.push(raw) === 1) setImmediate(look);
    }
    done();
  };
}
