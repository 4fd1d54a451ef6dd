import type { z } from 'zod';

/** A row of a table of endpoints. Routes, checks of requests and the OpenAPI document come from such a table. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path below the root. `:name` stands for any segment. */
  path: string;
  summary: string;
  query?: z.ZodObject;
  /** A schema of JSON, or the name of another kind of body. */
  body?: z.ZodType | string;
  /** The schema of the answer, for handlers whose result is the answer. */
  response?: z.ZodType;
  /** A further method and path of the same request. */
  older?: { method: 'GET' | 'POST'; path: string };
}

/** The `:name` segments of a path. */
type ParamName<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamName<Rest>
  : P extends `${string}:${infer Name}`
    ? Name
    : never;

type PathOf<E> = E extends { path: infer P extends string } ? P : never;
type OlderPathOf<E> = E extends { older: infer Older } ? PathOf<Older> : never;
type QueryOf<E> = E extends { query: infer Q extends z.ZodType } ? z.output<Q> : undefined;
type BodyOf<E, Raw> = E extends { body: infer B } ? (B extends z.ZodType ? z.output<B> : Raw) : undefined;
type AnswerOf<E> = E extends { response: infer R extends z.ZodType }
  ? z.output<R> | Promise<z.output<R>>
  : unknown;

/** A request to one endpoint, checked against its schemas. `Raw` is the type of a body that is not JSON. */
export interface Call<E, Raw> {
  /** The segments of the path. A segment that only the older path has may be absent. */
  params: Record<ParamName<PathOf<E>>, string> & Partial<Record<ParamName<OlderPathOf<E>>, string>>;
  query: QueryOf<E>;
  body: BodyOf<E, Raw>;
}

/**
 * The handler of each endpoint of a table.
 *
 * @typeParam Own - what a server adds to each call, such as the user
 * @typeParam Parts - further arguments, which are the same for all calls
 */
export type Handlers<Endpoints, Names extends keyof Endpoints, Raw, Own, Parts extends unknown[] = []> = {
  [K in Names]: (call: Call<Endpoints[K], Raw> & Own, ...parts: Parts) => AnswerOf<Endpoints[K]>;
};
