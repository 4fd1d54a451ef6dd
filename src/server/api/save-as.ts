import type { FastifyReply } from 'fastify';

/**
 * Lets browsers save an answer under the name of its campaign, such as `flu-results.csv`.
 *
 * @param id - of an existing campaign, so it has only characters that a file name may have
 */
export function saveAs(reply: FastifyReply, id: string, name: string): FastifyReply {
  return reply.header('content-disposition', `attachment; filename="${id}-${name}"`);
}
