import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { ownFile } from '../package/own-files.ts';

/** Adds the route for the Python module. The module always has the version of the server. Anyone may load it. */
export function addPython(app: FastifyInstance): void {
  app.get('/python/foray.py', { config: { role: 'anyone' } }, (_request, reply) =>
    reply.type('text/x-python; charset=utf-8').send(readFileSync(ownFile('python/foray.py'), 'utf8')),
  );
}
