import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Access } from '../keys.ts';
import type { ServerParts } from '../server-parts.ts';
import type { Endpoint } from './endpoints/endpoint.ts';
import type { endpoints } from './endpoints.ts';

type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;

type ParamName<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamName<Rest>
  : P extends `${string}:${infer Name}`
    ? Name
    : never;

type QueryOf<E> = E extends { query: infer Q extends z.ZodType } ? z.output<Q> : undefined;
type BodyOf<E> = E extends { body: infer B } ? (B extends z.ZodType ? z.output<B> : Uint8Array) : undefined;

/** A request of one endpoint, checked against its schemas. */
export interface Call<E = Endpoint> {
  params: Record<E extends { path: infer P extends string } ? ParamName<P> : never, string>;
  query: QueryOf<E>;
  body: BodyOf<E>;
  /** The user of the request. */
  access: Access;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** The handler of each endpoint. It returns the JSON of the answer, or the reply if it has already sent the answer. */
export type Handlers<N extends EndpointName = EndpointName> = {
  [K in N]: (call: Call<Endpoints[K]>, server: ServerParts) => unknown;
};
