import { describe, expect, test } from '@jest/globals';
import type { Endpoint } from '../../src/api/endpoints.ts';
import { allEndpoints } from '../../src/api/extensions.ts';
import { ErrorBody } from '../../src/api/resources.ts';
import { KEY, startTestService } from './support.ts';

interface Operation {
  operationId: string;
  summary: string;
  responses: Record<string, { content: unknown; headers?: object }>;
  requestBody?: { content: Record<string, unknown> };
  parameters?: { name: string; in: string; required: boolean }[];
}
interface Document {
  openapi: string;
  servers: { url: string }[];
  security: unknown[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown>; securitySchemes: Record<string, unknown> };
}

async function startAndRead() {
  const { running } = await startTestService();
  const response = await fetch(`${running.url}/openapi.json`);
  return { running, response, document: (await response.json()) as Document };
}

describe('openapi.json', () => {
  test('needs no key, and has the name, path and method of each endpoint', async () => {
    const { running, response, document } = await startAndRead();
    expect([response.status, document.openapi]).toEqual([200, '3.1.0']);
    expect(new URL(document.servers[0]!.url, running.url).href).toBe(running.url);
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [operationId, method, path]),
    );
    const table = Object.entries(allEndpoints as Record<string, Endpoint>).map(([name, { method, path }]) => [
      name,
      method.toLowerCase(),
      path.replaceAll(/:(\w+)/g, '{$1}'),
    ]);
    expect(new Set(described.map(String))).toEqual(new Set(table.map(String)));
    // the sixteen endpoints of the specification, and the extensions, which are marked as extensions
    expect(described).toHaveLength(24);
    expect(document.paths['/versions/{versionId}/runs/{runId}/log']!['get']!).toMatchObject({
      summary: expect.stringMatching(/^Extension of the specification/),
    });
  });

  test('describes parameters, bodies and the common shape of errors', async () => {
    const { document } = await startAndRead();
    const error = { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } } };
    for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
      for (const [status, { content }] of Object.entries(operation.responses)) {
        if (status !== '200')
          expect([operation.operationId, status, content]).toEqual([operation.operationId, status, error]);
      }
      expect(Object.keys(operation.responses)).toEqual(
        expect.arrayContaining(['200', '401', '429', '500', '503']),
      );
      for (const status of ['429', '503'])
        expect(operation.responses[status]!.headers).toHaveProperty('Retry-After');
    }
    const upload = document.paths['/upload-file']!['post']!;
    expect(upload.requestBody!.content).toEqual({ 'application/octet-stream': {} });
    expect(Object.keys(upload.responses)).toEqual(expect.arrayContaining(['413', '507']));
    const run = document.paths['/versions/{versionId}/runs']!['post']!;
    expect(run.requestBody!.content).toEqual({
      'application/json': { schema: { $ref: '#/components/schemas/RunRequest' } },
    });
    const download = document.paths['/output-file']!['get']!;
    expect(download.parameters!.map(({ name, in: where, required }) => [name, where, required])).toEqual([
      ['hash', 'query', true],
      ['filename', 'query', true],
    ]);
  });

  test('has exactly the schemas to which it refers', async () => {
    const { document } = await startAndRead();
    const referred = [...JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g)].map(
      ([, id]) => id!,
    );
    expect(new Set(referred)).toEqual(new Set(Object.keys(document.components.schemas)));
  });
});

describe('the service', () => {
  test('answers a method that an address does not accept with 405 and the accepted methods', async () => {
    const { running } = await startTestService();
    const id = crypto.randomUUID();
    for (const [method, path, allow] of [
      ['DELETE', '/models', 'GET, HEAD, OPTIONS'],
      ['PUT', `/versions/${id}/runs/`, 'POST, OPTIONS'],
      ['GET', `/versions/${id}/runs/stop`, 'POST, OPTIONS'],
      ['GET', '/models/name/', 'POST, OPTIONS'],
      ['POST', '/openapi.json', 'GET, HEAD, OPTIONS'],
      ['PATCH', '/upload-file', 'POST, OPTIONS'],
    ] as const) {
      const response = await fetch(`${running.url}${path}`, {
        method,
        headers: { Authorization: KEY, 'Content-Type': 'application/xml' },
        ...(method !== 'GET' && { body: '<not-json' }),
      });
      const { code } = ErrorBody.parse(await response.json());
      expect([method, path, response.status, code, response.headers.get('allow')]).toEqual([
        method,
        path,
        405,
        'METHOD_NOT_ALLOWED',
        allow,
      ]);
    }
  });

  test('answers HEAD without a body', async () => {
    const { running } = await startTestService();
    const response = await fetch(`${running.url}/models`, {
      method: 'HEAD',
      headers: { Authorization: KEY },
    });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });
});
