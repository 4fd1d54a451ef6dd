import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { ownFile } from '../package/own-files.ts';

/** The module for Python comes from the server itself, so it is never of another version. Anyone may have it. */
export function addPython(app: FastifyInstance): void {
  app.get('/python/foray.py', { config: { role: 'anyone' } }, (_request, reply) =>
    reply.type('text/x-python; charset=utf-8').send(readFileSync(ownFile('python/foray.py'), 'utf8')),
  );
}
