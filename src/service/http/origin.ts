import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';

/** A name or an address, and perhaps a port. */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i;

/**
 * Scheme, host and port of the service as the client of a request sees them, for addresses in answers.
 *
 * @throws ServiceError BAD_REQUEST when it does not name a host
 */
export function originOf({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>): string {
  const origin = `${protocol}://${host}`;
  if (HOST.test(host) && URL.canParse(origin)) return origin;
  throw new ServiceError('BAD_REQUEST', 'The header Host must name the host that the answer leads to.');
}
