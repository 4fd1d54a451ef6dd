import type { FastifyReply, FastifyRequest } from 'fastify';

/** The headers that let a page of any origin read an answer. */
export const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Accept-Ranges, Content-Disposition, Content-Range, Retry-After',
};

/**
 * A hook that accepts web pages of any origin, and answers preflight requests (CORS, in the Fetch standard). This is
 * safe: except for the health check and other public answers, a request needs a key or a secret address, and no browser
 * sends these by itself.
 */
export function allowAnyOrigin({ method }: FastifyRequest, reply: FastifyReply, done: () => void): void {
  void reply.headers(corsHeaders);
  if (method !== 'OPTIONS') return done();
  void reply
    .header('access-control-allow-methods', 'GET, HEAD, POST')
    .header('access-control-allow-headers', 'Authorization, Content-Type, Range')
    .send();
}
