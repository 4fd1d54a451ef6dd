import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { allEndpoints, AnyEndpointName } from '../../api/extensions.ts';

type Endpoints = typeof allEndpoints;

/** The `:name` segments of a path. */
type ParamName<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamName<Rest>
  : P extends `${string}:${infer Name}`
    ? Name
    : never;

type BodyOf<E> = E extends { body: infer B } ? (B extends z.ZodType ? z.output<B> : Readable) : undefined;
type QueryOf<E> = E extends { query: infer Q extends z.ZodType } ? z.output<Q> : undefined;
type OlderPath<E> = E extends { older: { path: infer P extends string } } ? P : never;

/** A request to one endpoint, checked against the schemas of the endpoint. */
export interface Call<E> {
  /** The segments of the endpoint's path. A segment that only the older path has may be absent. */
  params: Record<E extends { path: infer P extends string } ? ParamName<P> : never, string> &
    Partial<Record<ParamName<OlderPath<E>>, string>>;
  query: QueryOf<E>;
  body: BodyOf<E>;
  /** The user whose key the request has. */
  user: string;
  /**
   * The address at which this client reaches the service, without a final slash. Addresses in answers begin with it.
   */
  root: () => string;
}

/** The handler of each endpoint. It takes a checked request and returns the value that is sent as JSON. */
export type Handlers<N extends AnyEndpointName = AnyEndpointName> = {
  [K in N]: (
    call: Call<Endpoints[K]>,
  ) => z.output<Endpoints[K]['response']> | Promise<z.output<Endpoints[K]['response']>>;
};
