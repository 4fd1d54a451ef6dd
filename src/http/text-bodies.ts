import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Gives routes their bodies as bytes in UTF-8, whatever the Content-Type says. A body that is not UTF-8 is refused: with
 * replacement characters, two different texts could become the same.
 *
 * @param notUtf8 - makes the error for a body that is not UTF-8
 */
export function acceptText(scope: FastifyInstance, notUtf8: (message: string) => Error): void {
  scope.removeAllContentTypeParsers();
  // The usual type has its own entry. If only "*" matches a request, Fastify searches for a parser again each time.
  const types = ['application/json', '*'];
  scope.addContentTypeParser<Buffer>(types, { parseAs: 'buffer' }, (_request, body, done) => {
    if (isUtf8(body)) done(null, body);
    else done(notUtf8('The body is not UTF-8.'));
  });
}

/** The text of a body that {@link acceptText} has accepted; empty for a request without a body. */
export function textOf({ body }: FastifyRequest): string {
  return body instanceof Uint8Array ? body.toString() : '';
}
