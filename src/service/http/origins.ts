import type { FastifyReply, FastifyRequest } from 'fastify';

/** What lets a page of any origin read an answer. */
export const forPages = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Retry-After, Content-Disposition',
};

/**
 * A hook that lets web pages of any origin in, and answers what browsers ask beforehand (CORS, of the Fetch standard).
 * There is nothing to guard: what opens the service is a key that no browser sends by itself.
 */
export function openToPages({ method }: FastifyRequest, reply: FastifyReply, done: () => void): void {
  void reply.headers(forPages);
  if (method !== 'OPTIONS') return done();
  void reply
    .header('access-control-allow-methods', 'GET, HEAD, POST')
    .header('access-control-allow-headers', 'Authorization, Content-Type')
    .send();
}
