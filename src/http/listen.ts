import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ForayError } from '../errors.ts';

/** How many new connections may wait to be accepted. With Node's 511, others wait for a second in a rush. */
const BACKLOG = 4_096;

/** Listens, and returns the port. @throws ForayError PORT_IN_USE */
export async function listen(app: FastifyInstance, host: string, port: number): Promise<number> {
  try {
    await app.listen({ host, port, backlog: BACKLOG });
  } catch (error) {
    throw listenError(error, { host, port }, 'Choose another port, or 0 for a free one.');
  }
  return (app.server.address() as AddressInfo).port;
}

/** The error of a server that cannot listen, as ForayError PORT_IN_USE if that is the reason. */
export function listenError(
  error: unknown,
  { host, port }: { host: string; port: number },
  hint: string,
): unknown {
  if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') return error;
  return new ForayError('PORT_IN_USE', `Something else listens on ${host}:${port} already.`, { hint });
}

/** The host by which this machine reaches a server that listens on `host`. */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
