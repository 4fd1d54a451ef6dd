import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { addRoute, type Way } from '../../http/endpoints/add-route.ts';
import { Reader } from '../../http/endpoints/reader.ts';
import { acceptText } from '../../http/text-bodies.ts';
import { ForayError } from '../../errors.ts';
import { schemaError } from '../../yaml/schema-error.ts';
import type { ServerParts } from '../server-parts.ts';
import { shareOfDefinitions } from '../shares.ts';
import { ServerError } from '../problems.ts';
import type { Handlers, OfRequest } from './call.ts';
import { campaignHandlers } from './campaigns.ts';
import type { Endpoint } from './endpoints/endpoint.ts';
import { endpoints } from './endpoints.ts';
import { eventHandlers } from './events.ts';
import { KeptFiles } from './kept-files.ts';
import { serverDocument } from './openapi.ts';
import { reportHandlers } from './reports.ts';
import { resultHandlers } from './results.ts';
import { steeringHandlers } from './steering.ts';

export const API_ROOT = '/api/v1';

/** The largest body with a definition and its files, in bytes. */
const MOST_DEFINITION = 16 * 1024 ** 2;
/** The largest other body, in bytes. */
const MOST_JSON = 64 * 1024;

/** Adds a route for each endpoint. */
export async function addApi(app: FastifyInstance, server: ServerParts): Promise<void> {
  const files = new KeptFiles();
  app.addHook('onClose', () => files.close());
  const handlers: Handlers = {
    health() {
      const { code } = server.foray.whyStoreLost() ?? {};
      // anybody may ask, so the answer does not name the file or the server
      if (code === 'STORE_LOST') throw new ForayError(code, 'The file of the store was removed or replaced.');
      if (code) throw new ForayError(code, 'The store cannot be reached.');
      return { status: 'ok' };
    },
    openApi: () => serverDocument(server.publicUrl()),
    ...campaignHandlers,
    ...steeringHandlers(),
    ...resultHandlers(files),
    ...reportHandlers(files),
    ...eventHandlers,
  };
  await app.register(
    (api, _options, done) => {
      // a definition is YAML or JSON, whatever its Content-Type says
      acceptText(api, (message) => new ServerError('BAD_REQUEST', message));
      for (const [name, endpoint] of Object.entries(endpoints) as [keyof Handlers, Endpoint][]) {
        const handle = handlers[name] as (call: unknown, server: ServerParts) => unknown;
        const { role, needs, body } = endpoint;
        const isDefinition = body === 'definition';
        const handler = async (call: unknown): Promise<unknown> => {
          if (needs) await server.away.needs(...needs);
          // a handler that answers itself returns its reply
          return handle(call, server);
        };
        addRoute(api, endpoint, handler, way, {
          config: { role },
          bodyLimit: isDefinition ? MOST_DEFINITION : MOST_JSON,
          ...(isDefinition && { onRequest: shareOfDefinitions(server.shares) }),
        });
      }
      done();
    },
    { prefix: API_ROOT },
  );
}

const way: Way<OfRequest> = {
  reader: new Reader(({ where, schema, value, error }) => {
    if (!error) return new ServerError('BAD_REQUEST', `The ${where} is not JSON.`);
    const { message, hint } = schemaError(error, schema, value, where);
    return new ServerError('BAD_REQUEST', message, { hint });
  }, expectedText),
  own: (request, reply) => ({ access: request.access!, request, reply }),
  raw: ({ body }) => bytesIn(body),
};

function bytesIn(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  throw new ServerError('BAD_REQUEST', 'The body must be a definition in YAML or JSON.');
}

/** The message for a value of another type, for schemas without a message of their own. */
function expectedText({ expected }: z.core.$ZodRawIssue): string | undefined {
  if (expected === 'string') return 'expected one text';
  return expected === 'object' ? 'expected an object' : undefined;
}
