import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';

/** In each of these, in milliseconds, a body that is not whole must come on by `LEAST_BYTES`. */
const WINDOW = 20_000;
const LEAST_BYTES = 20_000;

/**
 * A hook against bodies that drip: each would keep a connection for as long as it likes, also one that is not to be
 * let in. Node itself sees to heads, but for bodies it knows only a limit for the whole, and a large file is slow in good faith.
 */
export function requirePace(refuse: (error: ServiceError, socket: Socket) => void) {
  const watch = (raw: IncomingMessage): void => {
    const { socket } = raw;
    let before = socket.bytesRead;
    const timer = setInterval(() => {
      if (raw.complete) return clearInterval(timer);
      if (socket.bytesRead - before < LEAST_BYTES) {
        clearInterval(timer);
        refuse(new ServiceError('TOO_SLOW', 'The body came too slowly.'), socket);
      }
      before = socket.bytesRead;
    }, WINDOW).unref();
    raw.once('close', () => clearInterval(timer));
  };
  // most bodies come with their head, and need no timer
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
