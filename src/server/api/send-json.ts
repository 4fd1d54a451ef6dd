import type { FastifyReply } from 'fastify';

/** JSON Lines as a JSON array. The lines stay texts and become no objects, so that a long number keeps all its digits. */
export async function jsonArray(lines: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of lines) text += piece;
  return `[${text.split('\n').filter(Boolean).join(',')}]`;
}

/** Sends a text that is JSON already. */
export function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(text);
}
