import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { textOf } from '../text-bodies.ts';
import type { Endpoint } from './endpoint.ts';
import type { Reader } from './reader.ts';

/** How a server reads the requests of its endpoints, and answers them. */
export interface Serving<Own extends object> {
  reader: Reader;
  /** What a call has besides the parts that the endpoint describes. It may refuse the request. */
  own: (request: FastifyRequest, reply: FastifyReply) => Own;
  /** Reads a body that is not JSON. */
  raw: (request: FastifyRequest) => unknown;
  /** Sends the result of a handler. @default Fastify sends it */
  send?: (reply: FastifyReply, result: unknown) => unknown;
}

/** Adds the routes of an endpoint: one for its path, and one for its older path if it has one. */
export function addRoute<Own extends object>(
  scope: FastifyInstance,
  endpoint: Endpoint,
  handle: (call: unknown) => unknown,
  { reader, own, raw, send = (_reply, result) => result }: Serving<Own>,
  options: RouteShorthandOptions = {},
): void {
  const { method, path, query, body, older } = endpoint;
  const bodyOf = (request: FastifyRequest): unknown => {
    if (body === undefined) return undefined;
    return typeof body === 'string' ? raw(request) : reader.body(body, textOf(request));
  };
  const handler = (request: FastifyRequest, reply: FastifyReply): unknown => {
    const call = {
      ...own(request, reply),
      params: request.params,
      query: query && reader.query(query, request.query),
      body: bodyOf(request),
    };
    return send(reply, handle(call));
  };
  scope.route({ ...options, method, url: path, handler });
  // the older path takes both methods, because the specification of the model service also allows POST
  // /models/name/ with the name in the path
  if (older)
    scope.route({ ...options, method: [...new Set([older.method, method])], url: older.path, handler });
}
