import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Endpoint } from '../../api/endpoints.ts';
import { allEndpoints, type AnyEndpointName } from '../../api/extensions.ts';
import { addRoute, type Serving } from '../../http/endpoints/add-route.ts';
import { acceptText } from '../../http/text-bodies.ts';
import { acceptBytes, notUtf8, reader } from './body.ts';
import type { Handlers, OfCaller } from './call.ts';
import type { Limits } from './limits.ts';
import type { ModelAccess } from './model-access.ts';
import type { PublicAddress } from './public-address.ts';

interface RouteContext {
  modelAccess: ModelAccess;
  publicAddress: PublicAddress;
}

/** Adds a route for every row of the endpoint table, and one for the older path of the row if it has one. */
export async function addRoutes(
  api: FastifyInstance,
  limits: Limits,
  { modelAccess, publicAddress }: RouteContext,
  handlers: Handlers,
): Promise<void> {
  const serving: Serving<OfCaller> = {
    reader,
    // without a body, Fastify parses nothing, and the raw request is an empty stream
    raw: (request) => request.body ?? request.raw,
    own(request) {
      const { user, keyHash } = request.caller!;
      modelAccess.check(user, request.params as { modelId?: string; versionId?: string });
      return { user, keyHash, root: () => publicAddress.root(request) };
    },
    send,
  };
  const addThose = (scope: FastifyInstance, isWanted: (endpoint: Endpoint) => boolean): void => {
    for (const [name, endpoint] of Object.entries(allEndpoints) as [AnyEndpointName, Endpoint][])
      if (isWanted(endpoint))
        addRoute(scope, endpoint, handlers[name] as (call: unknown) => unknown, serving);
  };
  await api.register((scope, _options, done) => {
    // bodies may have any Content-Type or none, because existing clients do not always send this header
    acceptText(scope, notUtf8);
    // the limit is at each route and not at the parser, so that the error can name it
    scope.addHook('onRoute', (route) => void (route.bodyLimit = limits.body));
    addThose(scope, ({ body }) => body !== 'bytes');
    done();
  });
  await api.register((scope, _options, done) => {
    acceptBytes(scope, limits.upload);
    addThose(scope, ({ body }) => body === 'bytes');
    done();
  });
}

/** Sends a result as JSON. Existing clients parse every body as JSON, and accept only the status 200 as a success. */
function send(reply: FastifyReply, result: unknown): unknown {
  const sendLater = (value: unknown) => {
    const text = JSON.stringify(value);
    atEndOfTurn(() => void reply.type('application/json; charset=utf-8').send(text));
  };
  // the answer is sent later, so only a failure is passed to Fastify
  if (result instanceof Promise)
    return new Promise<never>((_, reject) => void result.then(sendLater).catch(reject));
  sendLater(result);
  return undefined;
}

/** What is done at the end of the current turn. */
let acts: (() => void)[] = [];

/**
 * Delays an action to the end of the current turn of the event loop. Writing an answer wakes the waiting client. If the
 * client is on the same machine, this costs more than the rest of the request. If the answers of one turn are written
 * together, only the first one has this cost.
 */
function atEndOfTurn(act: () => void): void {
  if (acts.push(act) === 1) setImmediate(doAll);
}

function doAll(): void {
  const all = acts;
  acts = [];
  for (const act of all) act();
}
