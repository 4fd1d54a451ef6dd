import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';

/**
 * Gives routes their bodies as text, whatever the Content-Type says. A body that is not UTF-8 is refused: with
 * replacement characters, two different texts could become the same.
 *
 * @param notUtf8 - makes the error for a body that is not UTF-8
 * @param given - makes what the route gets from the bytes of the body. @default its text
 */
export function acceptText(
  scope: FastifyInstance,
  notUtf8: (message: string) => Error,
  given: (body: Buffer) => unknown = String,
): void {
  scope.removeAllContentTypeParsers();
  // The usual type has its own entry. If only "*" matches a request, Fastify searches for a parser again each time.
  const types = ['application/json', '*'];
  scope.addContentTypeParser<Buffer>(types, { parseAs: 'buffer' }, (_request, body, done) => {
    if (isUtf8(body)) done(null, given(body));
    else done(notUtf8('The body is not UTF-8.'));
  });
}
