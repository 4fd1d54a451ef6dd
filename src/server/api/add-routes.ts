import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { acceptText } from '../../http/text-bodies.ts';
import { ForayError } from '../../errors.ts';
import { schemaError } from '../../yaml/schema-error.ts';
import type { ServerParts } from '../server-parts.ts';
import { shareOfDefinitions } from '../shares.ts';
import { ServerError } from '../problems.ts';
import type { Call, Handlers } from './call.ts';
import { campaignHandlers } from './campaigns.ts';
import type { Endpoint } from './endpoints/endpoint.ts';
import { endpoints } from './endpoints.ts';
import { eventHandlers } from './events.ts';
import { KeptFiles } from './kept-files.ts';
import { openApiDocument } from './openapi.ts';
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
      // anybody may ask, so the answer does not name the file
      if (server.foray.whyStoreLost())
        throw new ForayError('STORE_LOST', 'The file of the store was removed or replaced.');
      return { status: 'ok' };
    },
    openApi: () => openApiDocument(server.publicUrl()),
    ...campaignHandlers,
    ...steeringHandlers(),
    ...resultHandlers(files),
    ...reportHandlers(files),
    ...eventHandlers,
  };
  await app.register(
    (api, _options, done) => {
      // a definition is YAML or JSON, whatever its Content-Type says
      acceptText(
        api,
        (message) => new ServerError('BAD_REQUEST', message),
        (bytes) => bytes,
      );
      for (const [name, endpoint] of Object.entries(endpoints) as [keyof Handlers, Endpoint][]) {
        addRoute(api, endpoint, handlers[name] as (call: unknown, server: ServerParts) => unknown, server);
      }
      done();
    },
    { prefix: API_ROOT },
  );
}

function addRoute(
  api: FastifyInstance,
  { method, path, role, needs, query, body }: Endpoint,
  handle: (call: unknown, server: ServerParts) => unknown,
  server: ServerParts,
): void {
  const isDefinition = body === 'definition';
  api.route({
    method,
    url: path,
    config: { role },
    bodyLimit: isDefinition ? MOST_DEFINITION : MOST_JSON,
    ...(isDefinition && { onRequest: shareOfDefinitions(server.shares) }),
    handler: async (request, reply) => {
      const call = {
        params: request.params,
        query: query && parsed(query, withObjects(request.query as Query), 'query'),
        body: isDefinition ? bytesIn(request.body) : body && parsed(body, jsonIn(request.body), 'body'),
        access: request.access!,
        request,
        reply,
      } as Call;
      if (needs) await server.away.needs(...needs);
      // a handler that answers itself returns its reply
      return handle(call, server);
    },
  });
}

type Query = Record<string, unknown>;

/** Parses `name[key]=value` as an entry of the object `name`, like the style deepObject of OpenAPI. */
function withObjects(query: Query): Query {
  const found = new Map<string, unknown>();
  for (const [text, value] of Object.entries(query)) {
    // a schema would silently drop the key __proto__, so such a parameter is refused
    const [, name, key] = /^([a-z]+)\[(?!__proto__\])(.*)\]$/s.exec(text) ?? [];
    if (name === undefined) found.set(text, value);
    else found.set(name, { ...(found.get(name) as object | undefined), [key!]: value });
  }
  return Object.fromEntries(found);
}

function bytesIn(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  throw new ServerError('BAD_REQUEST', 'The body must be a definition in YAML or JSON.');
}

/** The JSON of a body; undefined for an empty body. */
function jsonIn(body: unknown): unknown {
  const text = body instanceof Uint8Array ? body.toString() : '';
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new ServerError('BAD_REQUEST', 'The body is not JSON.');
  }
}

function parsed(schema: z.ZodType, value: unknown, where: 'query' | 'body'): unknown {
  const result = schema.safeParse(value, { error: expectedText });
  if (result.success) return result.data;
  const { message, hint } = schemaError(result.error, schema, value, where);
  throw new ServerError('BAD_REQUEST', message, { hint });
}

/** The message for a value of another type, for schemas without a message of their own. */
function expectedText({ expected }: z.core.$ZodRawIssue): string | undefined {
  if (expected === 'string') return 'expected one text';
  return expected === 'object' ? 'expected an object' : undefined;
}
