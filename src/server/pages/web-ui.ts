import type { FastifyRequest } from 'fastify';
import type { Foray } from '../../client/index.ts';

const HERE = /^(localhost|127\.|\[::1\])/;

/**
 * The page of a campaign in Temporal's Web UI. Undefined if the Web UI has an address of the server's machine and the
 * browser is on another machine.
 */
export function webUiOf(
  { headers }: Pick<FastifyRequest, 'headers'>,
  foray: Pick<Foray, 'pageOf'>,
  id: string,
): string | undefined {
  const address = foray.pageOf(id);
  const isHere = HERE.test(URL.parse(address)?.host ?? '');
  return isHere && !HERE.test(headers.host ?? '') ? undefined : address;
}
