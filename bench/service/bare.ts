import fastify from 'fastify';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/**
 * A bare Fastify service. It shows the minimum cost of any service on Fastify. It parses the same JSON as the model
 * service, and answers the same bytes. The bench sends it the answers over the channel, one for each method. Then the
 * service prints its address.
 */
const [answers] = (await once(process, 'message')) as [Record<'GET' | 'POST', string>];
const app = fastify();
for (const method of ['GET', 'POST'] as const) {
  app.route({
    method,
    url: '/*',
    handler: (_request, reply) => reply.type('application/json; charset=utf-8').send(answers[method]),
  });
}
await app.listen({ host: '127.0.0.1', port: 0 });
console.log(`ready http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
process.once('disconnect', () => process.exit());
