import type * as z from 'zod';
import type { Endpoint } from './endpoint.ts';

/** JSON, such as a part of an OpenAPI document. */
export type Json = Record<string, unknown>;

/** The parts of a document that each server has of its own. */
export interface OwnParts<E extends Endpoint> {
  /** The document's parts before its paths: `info` and others. */
  head: Json;
  /** The description of an endpoint (in OpenAPI: Operation Object). */
  operation: (name: string, endpoint: E) => Json;
  /** Made last, because it may depend on the operations. */
  components: () => Json;
}

/** The OpenAPI 3.1 document of a table of endpoints. Older paths are left out. */
export function openApiDocument<E extends Endpoint>(
  endpoints: Record<string, E>,
  { head, operation, components }: OwnParts<E>,
): Json {
  const paths: Record<string, Json> = {};
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(name, endpoint) };
  }
  return { openapi: '3.1.0', ...head, paths, components: components() };
}

/** The parameters of an endpoint in its path and its query. */
export function parametersOf(
  { path, query }: Endpoint,
  schemaOfSegment: (name: string) => Json,
  schemaOf: (schema: z.ZodType) => Json,
): Json[] {
  const inPath = segmentsOf(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: schemaOfSegment(name),
  }));
  const inQuery = Object.entries((query?.shape ?? {}) as Record<string, z.ZodType>).map(([name, given]) => {
    const schema = schemaOf(given);
    return {
      name,
      in: 'query',
      required: !isOptional(given),
      ...(schema['type'] === 'object' && { style: 'deepObject', explode: true }),
      schema,
    };
  });
  return [...inPath, ...inQuery];
}

/** Whether a schema takes an absent value. */
export function isOptional(schema: z.ZodType): boolean {
  return schema.safeParse(undefined).success;
}

/** The content of a body or an answer that is JSON. */
export function json(schema: Json): Json {
  return { 'application/json': { schema } };
}

/** The names of the `:name` segments of a path, in their order. */
export function segmentsOf(path: string): string[] {
  return Array.from(path.matchAll(/:(\w+)/g), ([, name]) => name!);
}
