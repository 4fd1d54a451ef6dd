import type { FastifyReply, FastifyRequest } from 'fastify';
import type * as kit from '../../http/endpoints/endpoint.ts';
import type { Access } from '../keys.ts';
import type { ServerParts } from '../server-parts.ts';
import type { endpoints } from './endpoints.ts';

type Endpoints = typeof endpoints;

/** What a call has besides the parts that its endpoint describes. */
export interface OfRequest {
  /** The user of the request. */
  access: Access;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** A request of one endpoint. A definition is the bytes of the body. */
export type Call<E> = kit.Call<E, Uint8Array> & OfRequest;

/** The handler of each endpoint. It returns the JSON of the answer, or the reply if it has already sent the answer. */
export type Handlers = kit.Handlers<Endpoints, keyof Endpoints, Uint8Array, OfRequest, [ServerParts]>;
