import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Endpoint } from '../../api/endpoints.ts';
import { allEndpoints, type AnyEndpointName } from '../../api/extensions.ts';
import { acceptText } from '../../http/text-bodies.ts';
import { readBody, readQuery, acceptBytes, notUtf8 } from './body.ts';
import type { Handlers } from './call.ts';
import type { Limits } from './limits.ts';
import type { PublicAddress } from './public-address.ts';
import { atEndOfTurn } from './reply-batching.ts';
import type { ModelAccess } from './model-access.ts';

interface RouteContext {
  modelAccess: ModelAccess;
  publicAddress: PublicAddress;
}

/** Adds a route for every row of the endpoint table, and one for the older path of the row if it has one. */
export async function addRoutes(
  api: FastifyInstance,
  limits: Limits,
  context: RouteContext,
  handlers: Handlers,
): Promise<void> {
  const names = Object.keys(allEndpoints) as AnyEndpointName[];
  const isBytes = (name: AnyEndpointName) => (allEndpoints[name] as Endpoint).body === 'bytes';

  await api.register((scope, _options, done) => {
    // bodies may have any Content-Type or none, because existing clients do not always send this header
    acceptText(scope, notUtf8);
    // each route has the limit, and not the parser, so that the error can name it
    scope.addHook('onRoute', (route) => void (route.bodyLimit = limits.body));
    for (const name of names) if (!isBytes(name)) addRoute(scope, name, context, handlers);
    done();
  });
  await api.register((scope, _options, done) => {
    acceptBytes(scope, limits.upload);
    for (const name of names) if (isBytes(name)) addRoute(scope, name, context, handlers);
    done();
  });
}

function addRoute(
  scope: FastifyInstance,
  name: AnyEndpointName,
  { modelAccess, publicAddress }: RouteContext,
  handlers: Handlers,
): void {
  const endpoint: Endpoint = allEndpoints[name];
  const handle = handlers[name] as (call: unknown) => unknown;
  const bodyOf = bodyOfRequest(endpoint);

  const answer = (request: FastifyRequest, reply: FastifyReply) => {
    const { user } = request.caller!;
    modelAccess.check(user, request.params as { modelId?: string; versionId?: string });
    const result = handle({
      params: request.params,
      query: endpoint.query && readQuery(endpoint.query, request.query),
      body: bodyOf(request),
      user,
      root: () => publicAddress.root(request),
    });
    // existing clients parse every body as JSON, and accept only the status 200 as a success
    const send = (text: string) => reply.type('application/json; charset=utf-8').send(text);
    const sendLater = (value: unknown) => {
      const text = JSON.stringify(value);
      atEndOfTurn(() => void send(text));
    };
    // the answer is sent later, so only a failure is passed to Fastify
    if (result instanceof Promise)
      return new Promise<never>((_, reject) => void result.then(sendLater).catch(reject));
    sendLater(result);
    return undefined;
  };
  scope.route({ method: endpoint.method, url: endpoint.path, handler: answer });
  const { older } = endpoint;
  if (older) {
    // the older path takes both methods, because the specification also allows POST /models/name/ with the name in the
    // path
    scope.route({ method: [...new Set([older.method, endpoint.method])], url: older.path, handler: answer });
  }
}

function bodyOfRequest({ body }: Endpoint): (request: FastifyRequest) => unknown {
  if (body === undefined) return () => undefined;
  // without a body, Fastify parses nothing, and the raw request is an empty stream
  if (body === 'bytes') return (request) => request.body ?? request.raw;
  return (request) => readBody(body, request.body as string | undefined);
}
