import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { allEndpoints } from '../../src/api/extensions.ts';
import { Foray } from '../../src/client/index.ts';
import type { Endpoint } from '../../src/http/endpoints/endpoint.ts';
import { endpoints } from '../../src/server/api/endpoints.ts';
import { type Server, startServer } from '../../src/server/app.ts';
import { OwnKey } from '../../src/server/keys.ts';
import { type RunningService, startService } from '../../src/service/service.ts';
import { REHEARSAL } from '../service/fixed.ts';
import { withoutServers } from '../support/without-servers.ts';

/** What both servers do with requests, because both have their routes and checks from `src/http/endpoints`. */

const KEY = 'the-key-of-the-test';
const folder = mkdtempSync(join(tmpdir(), 'foray-endpoints-'));
let foray: Foray;
let server: Server;
let service: RunningService;

beforeAll(async () => {
  const settings = withoutServers(`sqlite:${join(folder, 'store.db')}`);
  foray = await Foray.open(settings);
  server = await startServer({ foray, settings, keys: new OwnKey(KEY, 'somebody') });
  const dataDir = join(folder, 'data');
  service = await startService({
    dataDir,
    modelDirs: [REHEARSAL],
    executors: 1,
    apiKey: KEY,
    limits: { body: 65_536 },
  });
});
afterAll(async () => {
  await service.close();
  await server.close();
  await foray.close();
  rmSync(folder, { recursive: true });
});

interface Kind {
  root: () => string;
  table: Record<string, Endpoint>;
  /** An endpoint with a JSON body, a body with a wrong field, and what the error says about the field. */
  body: { path: () => Promise<string>; wrong: unknown; names: string };
  /** An endpoint with a query, a query with a wrong parameter, and its name. */
  query: { path: string; wrong: string; names: string };
  /** An endpoint with a segment, and the text before the segment. */
  segment: string;
  codes: { body: string; query: string };
}

const kinds: Record<string, Kind> = {
  'the model service': {
    root: () => service.url,
    table: allEndpoints,
    body: {
      async path() {
        const { body } = await ask(service.url, '/models/name/', { method: 'POST', body: 'Rehearsal' });
        return `/versions/${(body as { modelVersions: string[] }).modelVersions[0]}/run`;
      },
      wrong: { experimentType: 'SIMULATION', inputs: 'none' },
      names: 'inputs',
    },
    query: { path: '/check-file', wrong: 'hash=', names: 'hash' },
    segment: '/models/',
    codes: { body: 'INVALID_BODY', query: 'INVALID_QUERY' },
  },
  "foray's own server": {
    root: () => `${server.url}/api/v1`,
    table: endpoints,
    body: { path: () => Promise.resolve('/campaigns/flu/pause'), wrong: { reason: 1 }, names: 'reason' },
    query: { path: '/campaigns', wrong: 'limit=none', names: 'limit' },
    segment: '/campaigns/',
    codes: { body: 'BAD_REQUEST', query: 'BAD_REQUEST' },
  },
};

async function ask(root: string, path: string, init: RequestInit = {}) {
  const headers = { authorization: `Bearer ${KEY}`, ...init.headers };
  const response = await fetch(root + path, { ...init, headers });
  const text = await response.text();
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  const { code, message, detail } = (body ?? {}) as Record<string, string>;
  return { status: response.status, headers: response.headers, code, text: message ?? detail ?? '', body };
}

describe.each(Object.entries(kinds))('%s', (_name, { root, table, body, query, segment, codes }) => {
  const send = async (content: string | Uint8Array<ArrayBuffer>, type?: string) =>
    ask(root(), await body.path(), {
      method: 'POST',
      body: content,
      ...(type !== undefined && { headers: { 'content-type': type } }),
    });

  test('refuses a body that is not JSON, not UTF-8, too large, or wrong in a field, and names the field', async () => {
    expect(await send('{')).toMatchObject({ status: 400, code: codes.body, text: 'The body is not JSON.' });
    const latin1 = new Uint8Array([0x22, 0xe9, 0x22]);
    expect(await send(latin1)).toMatchObject({
      status: 400,
      code: codes.body,
      text: 'The body is not UTF-8.',
    });
    expect(await send(JSON.stringify('x'.repeat(65_536)))).toMatchObject({ status: 413, code: 'TOO_LARGE' });
    expect(await send(JSON.stringify(body.wrong))).toMatchObject({
      status: 400,
      code: codes.body,
      text: expect.stringContaining(body.names),
    });
  });

  test('reads a JSON body whatever its Content-Type says', async () => {
    for (const type of [undefined, 'application/json', 'text/plain', 'application/x-www-form-urlencoded'])
      expect((await send(JSON.stringify(body.wrong), type)).text).toContain(body.names);
  });

  test('refuses a wrong and a repeated query parameter, and names it', async () => {
    for (const wrong of [query.wrong, `${query.names}=1&${query.names}=2`, `${query.names}[x]=1`])
      expect([wrong, await ask(root(), `${query.path}?${wrong}`)]).toMatchObject([
        wrong,
        { status: 400, code: codes.query, text: expect.stringContaining(query.names) },
      ]);
  });

  test('decodes the segments of a path', async () => {
    const { status, text } = await ask(root(), `${segment}a%20%2F%C3%A9`);
    expect([status, text]).toEqual([404, expect.stringContaining('a /é')]);
  });

  test('serves each endpoint of its table: a wrong method gets the right ones, and an unknown address 404', async () => {
    for (const { method, path } of Object.values(table)) {
      const { status, headers } = await ask(root(), path.replaceAll(/:\w+/g, 'x'), { method: 'PATCH' });
      expect([path, status]).toEqual([path, 405]);
      expect(headers.get('allow')!.split(', ')).toContain(method);
    }
    expect(await ask(root(), '/nothing')).toMatchObject({ status: 404, code: 'UNKNOWN_ROUTE' });
  });

  test('describes each endpoint of its table in its OpenAPI document, with the segments of its path', async () => {
    const { body } = await ask(root(), '/openapi.json');
    const { paths } = body as {
      paths: Record<
        string,
        Record<string, { operationId: string; parameters?: { name: string; in: string }[] }>
      >;
    };
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, parameters = [] }]) => ({
        operationId,
        at: `${method} ${path}`,
        inPath: parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
      })),
    );
    const expected = Object.entries(table).map(([operationId, { method, path }]) => ({
      operationId,
      at: `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
      inPath: path
        .split('/')
        .filter((part) => part.startsWith(':'))
        .map((part) => part.slice(1)),
    }));
    const byName = <T extends { operationId: string }>(all: T[]): T[] =>
      all.toSorted((a, b) => a.operationId.localeCompare(b.operationId));
    expect(byName(described)).toEqual(byName(expected));
  });
});
