import * as z from 'zod';
import { errorCodes } from '../../error-codes.ts';
import { serverErrors } from '../server-error.ts';
import { version } from '../../package/own-version.ts';
import type { Endpoint } from './endpoints/endpoint.ts';
import { API_ROOT, endpoints } from './endpoints.ts';
import { isOptional, type Json, json, openApiDocument, parametersOf } from '../../http/endpoints/openapi.ts';

export function serverDocument(url: string): Json {
  return openApiDocument<Endpoint>(endpoints, {
    head: {
      info: {
        title: 'foray',
        version,
        description: 'Campaigns of simulation runs: submit, follow, steer, read.',
      },
      servers: [{ url: url + API_ROOT }],
      security: [{ key: [] }, { login: [] }],
    },
    operation,
    components: () => ({
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer' },
        login: { type: 'apiKey', in: 'cookie', name: `foray-${new URL(url).port}` },
      },
      schemas: { Problem: problem },
      responses: {
        Problem: {
          description: 'What is wrong (RFC 9457).',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
    }),
  });
}

const text = { type: 'string' };
const problem: Json = {
  type: 'object',
  required: ['type', 'title', 'status', 'code', 'detail'],
  properties: {
    type: text,
    title: text,
    status: { type: 'integer' },
    code: { type: 'string', enum: [...new Set([...Object.keys(serverErrors), ...Object.keys(errorCodes)])] },
    detail: text,
    hint: text,
    file: text,
    line: { type: 'integer' },
    column: { type: 'integer' },
    path: text,
  },
};

function operation(name: string, endpoint: Endpoint): Json {
  const { role, summary, headers, body, answer } = endpoint;
  const parameters = parametersOf(
    endpoint,
    () => text,
    (schema) => schemaOf(schema, 'input'),
  );
  const inHeaders = Object.entries(headers ?? {}).map(([name, description]) => {
    return { name, in: 'header', required: false, description, schema: text };
  });
  return {
    operationId: name,
    summary,
    ...(role === 'anyone' && { security: [] }),
    'x-role': role,
    parameters: [...parameters, ...inHeaders],
    ...(body && { requestBody: bodyOf(body) }),
    responses: {
      '2XX': {
        description: answer === null ? 'Done.' : summary,
        ...(answer !== null && {
          content: typeof answer === 'string' ? { [answer]: {} } : json(schemaOf(answer, 'output')),
        }),
      },
      default: { $ref: '#/components/responses/Problem' },
    },
  };
}

function bodyOf(body: NonNullable<Endpoint['body']>): Json {
  if (body === 'bytes') return { required: true, content: { 'application/octet-stream': {} } };
  if (body !== 'definition') {
    return { required: !isOptional(body), content: json(schemaOf(body, 'input')) };
  }
  return {
    required: true,
    description:
      'A definition (docs/reference/definition.md), or an object with a definition and the files that it names.',
    content: {
      'application/yaml': { schema: text },
      'application/json': {
        schema: {
          type: 'object',
          properties: {
            definition: { type: ['string', 'object'] },
            files: {
              type: 'object',
              description: 'by name, in Base64',
              additionalProperties: { type: 'string', contentEncoding: 'base64' },
            },
          },
        },
      },
    },
  };
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  return withoutDialect(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));
}

/** Removes the dialect of a schema, because the document names one dialect for all of its schemas. */
function withoutDialect({ $schema: _schema, ...schema }: Json): Json {
  return schema;
}
