import { STATUS_CODES } from 'node:http';
import * as z from 'zod';
import { API_VERSION } from '../../api/constants.ts';
import type { Endpoint } from '../../api/endpoints.ts';
import { allEndpoints, type AnyEndpointName } from '../../api/extensions.ts';
import * as resources from '../../api/resources.ts';
import { type Json, json, openApiDocument, parametersOf, segmentsOf } from '../../http/endpoints/openapi.ts';
import { type ServiceErrorCode, serviceErrors } from '../errors.ts';

/** Errors of an endpoint, except those that all endpoints have or that follow from its path, query and body. */
const particularErrors: Partial<Record<AnyEndpointName, readonly ServiceErrorCode[]>> = {
  getModelByName: ['UNKNOWN_MODEL'],
  getVersionByNumber: ['UNKNOWN_VERSION'],
  requestRun: ['VERSION_RETIRED', 'STORAGE_FULL'],
  stopRun: ['UNKNOWN_RUN', 'STORAGE_FULL'],
  findRun: ['UNKNOWN_RUN'],
  getRunResults: ['UNKNOWN_OUTPUT', 'RESULTS_NOT_FOUND', 'RESULTS_TOO_LARGE'],
  getResults: ['UNKNOWN_OUTPUT', 'RESULTS_NOT_FOUND', 'RESULTS_TOO_LARGE'],
  startAnimation: ['VERSION_RETIRED', 'ANIMATION_FAILED', 'TOO_MANY_ANIMATIONS', 'STORAGE_FULL'],
  getOutputFileUrl: ['UNKNOWN_FILE', 'FILE_DAMAGED'],
  uploadFile: ['STORAGE_FULL'],
  pruneVersions: ['NOT_PERMITTED'],
  pushModel: ['NOT_PERMITTED', 'MODEL_IN_FOLDER', 'MODEL_REFUSED', 'STORAGE_FULL'],
  pushFile: ['NOT_PERMITTED', 'STORAGE_FULL'],
};

/** Segments of paths, by name: the schema of the segment, and the error for an unknown value. */
const segments: Record<string, { schema: Json; error: ServiceErrorCode }> = {
  modelId: { schema: { type: 'string', format: 'uuid' }, error: 'UNKNOWN_MODEL' },
  versionId: { schema: { type: 'string', format: 'uuid' }, error: 'UNKNOWN_VERSION' },
  runId: { schema: { type: 'string', format: 'uuid' }, error: 'UNKNOWN_RUN' },
  number: { schema: { type: 'integer', minimum: 1 }, error: 'UNKNOWN_VERSION' },
};

/**
 * The OpenAPI 3.1 document of the interface. It is made from the endpoint table and from the schemas with which client
 * and service check data. Paths of older versions are left out. The caller adds `servers`, because these depend on the
 * address that the client uses.
 */
export function serviceDocument(): Json {
  const requests = new Schemas('input');
  const responses = new Schemas('output');
  const error = responses.of(resources.ErrorBody);
  return openApiDocument<Endpoint>(allEndpoints, {
    head: {
      info: {
        title: 'Open REST interface of the foray model service',
        version: API_VERSION,
        description: 'Hosts simulation models: their versions, experiments, runs, results and files.',
      },
      security: [{ key: [] }],
    },
    operation(name, endpoint) {
      const parameters = parametersOf(
        endpoint,
        (segment) => segments[segment]!.schema,
        (schema) => requests.of(schema),
      );
      return {
        operationId: name,
        summary: endpoint.summary,
        ...(parameters.length > 0 && { parameters }),
        ...(endpoint.body !== undefined && { requestBody: requestBodyOf(endpoint.body, requests) }),
        responses: {
          200: { description: 'OK', content: json(responses.of(endpoint.response)) },
          ...errorResponses(name as AnyEndpointName, endpoint, error),
        },
      };
    },
    components: () => ({
      securitySchemes: {
        key: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'The API key, raw or after `Bearer`.',
        },
      },
      schemas: { ...responses.used(), ...requests.used() },
    }),
  });
}

function requestBodyOf(body: z.ZodType | 'bytes', requests: Schemas): Json {
  return {
    // an empty file has no body
    required: body !== 'bytes',
    content: body === 'bytes' ? { 'application/octet-stream': {} } : json(requests.of(body)),
  };
}

function errorResponses(name: AnyEndpointName, { path, query, body }: Endpoint, error: Json): Json {
  const takesRun = body === resources.RunRequest || body === resources.ResultsRequest;
  const codes: ServiceErrorCode[] = [
    'BAD_REQUEST',
    'KEY_REFUSED',
    'RATE_LIMITED',
    'INTERNAL',
    'UNAVAILABLE',
    ...segmentsOf(path).map((name) => segments[name]!.error),
    ...(query ? (['INVALID_QUERY'] as const) : []),
    ...(body ? (['TOO_SLOW', 'TOO_LARGE'] as const) : []),
    ...(body && body !== 'bytes' ? (['INVALID_BODY'] as const) : []),
    ...(takesRun ? (['UNKNOWN_INPUT', 'INVALID_VALUE', 'UNSUPPORTED_EXPERIMENT'] as const) : []),
    ...(particularErrors[name] ?? []),
  ];
  const byStatus = Object.groupBy(new Set(codes), (code) => serviceErrors[code].status);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, codes]) => [
      status,
      {
        description: `${STATUS_CODES[status]}: ${codes.map((code) => `\`${code}\`, ${serviceErrors[code].about}`).join('; ')}`,
        ...(['429', '503'].includes(status) && {
          headers: { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } } },
        }),
        content: json(error),
      },
    ]),
  );
}

/** JSON Schemas of requests (`input`) or answers (`output`), with the resources as components. */
class Schemas {
  readonly #io: 'input' | 'output';
  readonly #components: Record<string, Json>;
  readonly #used = new Set<string>();

  constructor(io: 'input' | 'output') {
    this.#io = io;
    this.#components = toJsonSchemas(registerResources(), io);
  }

  /** The JSON Schema for a place with this schema: a reference for a resource, the whole schema for anything else. */
  of(schema: z.ZodType): Json {
    const found = this.#schemaOf(schema);
    this.#use(found);
    return found;
  }

  #schemaOf(schema: z.ZodType): Json {
    const registry = registerResources();
    const known = registry.get(schema);
    if (known) return reference(known.id);
    // beside the resources, so that it refers to them
    registry.add(schema, { id: 'wanted' });
    return toJsonSchemas(registry, this.#io)['wanted']!;
  }

  /** The components to which the document or other components refer. */
  used(): Record<string, Json> {
    return Object.fromEntries([...this.#used].sort().map((id) => [id, this.#components[id]!]));
  }

  /** Notes the components to which a schema refers, and those to which these refer. */
  #use(schema: Json): void {
    for (const [, id] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (this.#used.has(id!)) continue;
      this.#used.add(id!);
      this.#use(this.#components[id!]!);
    }
  }
}

type Registry = ReturnType<typeof registerResources>;

function registerResources() {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(resources)) registry.add(schema as z.ZodType, { id });
  return registry;
}

function reference(id: string): Json {
  return { $ref: `#/components/schemas/${id}` };
}

function toJsonSchemas(registry: Registry, io: 'input' | 'output'): Record<string, Json> {
  const { schemas } = z.toJSONSchema(registry, { io, uri: (id) => reference(id)['$ref'] as string });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $id: _id, $schema: _schema, ...schema }]) => [id, schema]),
  );
}
