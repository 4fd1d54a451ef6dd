import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { addRoute, type Serving } from '../../http/endpoints/add-route.ts';
import { Reader } from '../../http/endpoints/reader.ts';
import { acceptText } from '../../http/text-bodies.ts';
import { schemaError } from '../../yaml/schema-error.ts';
import type { ServerParts } from '../server-parts.ts';
import { shareOfBodies } from '../shares.ts';
import { ServerError } from '../server-error.ts';
import type { Handlers, OfRequest } from './call.ts';
import { campaignHandlers } from './campaigns.ts';
import type { Endpoint } from './endpoints/endpoint.ts';
import { API_ROOT, endpoints } from './endpoints.ts';
import { eventHandlers } from './events.ts';
import { KeptFiles } from './kept-files.ts';
import { serverDocument } from './openapi.ts';
import { reportHandlers } from './reports.ts';
import { resultHandlers } from './results.ts';
import { steeringHandlers } from './steering.ts';

/** The largest definition with its files, and the largest file of a model, in bytes. */
const MOST_CONTENT = 16 * 1024 ** 2;
/** The largest other body, in bytes. */
const MOST_JSON = 64 * 1024;

/** Adds a route for each endpoint. */
export async function addApi(app: FastifyInstance, server: ServerParts): Promise<void> {
  const files = new KeptFiles();
  app.addHook('onClose', () => files.close());
  const handlers: Handlers = {
    health() {
      const lost = server.foray.whyStoreLost();
      if (lost) throw lost;
      return { status: 'ok' };
    },
    openApi: () => serverDocument(server.publicUrl()),
    ...campaignHandlers,
    pushModel: ({ body }, { foray }) => foray.pushModel(body),
    pushFile: ({ body }, { foray }) => foray.pushFile(body),
    ...steeringHandlers,
    ...resultHandlers(files),
    ...reportHandlers(files),
    ...eventHandlers,
  };
  const add = (scope: FastifyInstance, name: keyof Handlers, endpoint: Endpoint): void => {
    const { role, needs, body } = endpoint;
    const handle = handlers[name] as (call: unknown, server: ServerParts) => unknown;
    const isContent = body === 'definition' || body === 'bytes';
    const handler = async (call: unknown): Promise<unknown> => {
      if (needs) await server.reachability.waitFor(...needs);
      // a handler that answers itself returns its reply
      return handle(call, server);
    };
    addRoute(scope, endpoint, handler, serving, {
      config: { role },
      bodyLimit: isContent ? MOST_CONTENT : MOST_JSON,
      ...((isContent || role === 'develop') && { onRequest: shareOfBodies(server.shares) }),
    });
  };
  const all = Object.entries(endpoints) as [keyof Handlers, Endpoint][];
  await app.register(
    async (api) => {
      await api.register((scope, _options, done) => {
        // a definition is YAML or JSON, whatever its Content-Type says
        acceptText(scope, (message) => new ServerError('BAD_REQUEST', message));
        for (const [name, endpoint] of all) if (endpoint.body !== 'bytes') add(scope, name, endpoint);
        done();
      });
      await api.register((scope, _options, done) => {
        scope.removeAllContentTypeParsers();
        scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, parsed) =>
          parsed(null, body),
        );
        for (const [name, endpoint] of all) if (endpoint.body === 'bytes') add(scope, name, endpoint);
        done();
      });
    },
    { prefix: API_ROOT },
  );
}

const serving: Serving<OfRequest> = {
  reader: new Reader(({ where, schema, value, error }) => {
    if (!error) return new ServerError('BAD_REQUEST', `The ${where} is not JSON.`);
    const { message, hint } = schemaError(error, schema, value, where);
    return new ServerError('BAD_REQUEST', message, { hint });
  }, expectedText),
  own: (request, reply) => ({ access: request.access!, request, reply }),
  // a request without a body is an empty definition or an empty file
  raw: ({ body }) => (body instanceof Uint8Array ? body : new Uint8Array()),
};

/** The message for a value of another type, for schemas without a message of their own. */
function expectedText({ expected }: z.core.$ZodRawIssue): string | undefined {
  if (expected === 'string') return 'expected one text';
  return expected === 'object' ? 'expected an object' : undefined;
}
