import { beforeEach, describe, expect, test } from '@jest/globals';
import { endpoints } from '../../src/api/endpoints.ts';
import { answers, calls, failure, KEY, request, startServer, type TestServer } from './support.ts';

const runRequest = { ...request, inputs: [...request.inputs] };
let server: TestServer;

beforeEach(async () => {
  server = await startServer();
});

describe('every endpoint', () => {
  test('has exactly one method in the client', () => {
    expect(calls.map(({ name }) => name).toSorted()).toEqual(Object.keys(endpoints).toSorted());
  });

  test.each(calls)(
    '$name sends $method $path and returns the answer',
    async ({ name, call, method, path, body, answer }) => {
      server.say(200, JSON.stringify(answer));
      const value = await call(server.client());
      // the answer to a stop has no content
      expect(value).toEqual(name === 'stopRun' ? undefined : strip(answer, value));
      expect(server.asked).toHaveLength(1);
      const [asked] = server.asked;
      expect([asked!.method, asked!.url]).toEqual([method, `/api/open/8.5.0${path}`]);
      if (name === 'uploadFile') {
        expect([...asked!.body]).toEqual([0, 1, 254, 255]);
        expect(asked!.headers['content-type']).toBe('application/octet-stream');
      } else if (body !== undefined) {
        expect(JSON.parse(asked!.body.toString())).toEqual(body);
        expect(asked!.headers['content-type']).toMatch(/^application\/json/);
      } else {
        expect(asked!.body.length).toBe(0);
      }
    },
  );

  test.each(calls)(
    '$name stops when it is aborted before its request or during its request',
    async ({ call, answer }) => {
      server.say(200, answer);
      const before = AbortSignal.abort(new Error('not wanted'));
      await expect(call(server.client(), before)).rejects.toThrow('not wanted');
      expect(server.asked).toHaveLength(0);

      const during = new AbortController();
      server.answer(() => during.abort(new Error('changed my mind')));
      await expect(call(server.client(), during.signal)).rejects.toThrow('changed my mind');
      expect(server.asked).toHaveLength(1);
    },
  );
});

describe('the key', () => {
  test('goes unchanged into Authorization, without "Bearer"', async () => {
    server.say(200, []);
    await server.client().listModels();
    expect(server.asked[0]!.headers.authorization).toBe(KEY);
  });

  test('goes only into the header that is configured', async () => {
    server.say(200, []);
    await server.client({ keyHeader: 'X-Api-Key' }).listModels();
    expect(server.asked[0]!.headers['x-api-key']).toBe(KEY);
    expect(JSON.stringify(server.asked[0]).split(KEY)).toHaveLength(2);
  });

  test('is refused before any request if a header cannot contain it', async () => {
    for (const options of [{ key: `${KEY}\n` }, { key: 'schlüssel 🔑' }, { keyHeader: 'Api Key' }]) {
      const error = await failure(server.client(options).listModels());
      expect([error.kind, error.isRetryable, error.mayHaveArrived]).toEqual(['unauthorized', false, false]);
    }
    expect(server.asked).toHaveLength(0);
  });
});

describe('addresses', () => {
  test('an address may end with slashes', async () => {
    server.say(200, []);
    await server.client({ url: `${server.url}//` }).listModels();
    expect(server.asked[0]!.url).toBe('/api/open/8.5.0/models');
  });

  test.each(['nonsense', '', 'ftp://127.0.0.1/api', 'http://', 'file:///etc/passwd'])(
    'the address "%s" is refused',
    async (url) => {
      const error = await failure(server.client({ url }).listModels());
      expect([error.kind, error.code]).toEqual(['unreachable', 'SERVICE_UNREACHABLE']);
      expect(error.hint).toMatch(/FORAY_SERVICE_URL/);
    },
  );
});

describe('status values', () => {
  test('ERROR becomes FAILED', async () => {
    const client = server.client();
    server.say(200, { status: 'ERROR', message: 'why' });
    expect(await client.getProgress('v', 'r')).toEqual({ status: 'FAILED', message: 'why' });
    server.say(200, { ...answers.run, status: 'ERROR' });
    expect((await client.requestRun('v', runRequest)).status).toBe('FAILED');
    expect((await client.findRun('v', runRequest)).status).toBe('FAILED');
  });

  test.each(['fresh', 'QUEUED', '', null, 3, ['RUNNING']])('%j is refused', async (status) => {
    server.say(200, { ...answers.run, status });
    const error = await failure(server.client().requestRun('v', runRequest));
    expect([error.kind, error.isRetryable]).toEqual(['malformed', true]);
    expect(error.message).toMatch(
      /^POST \/versions\/:versionId\/runs: the answer is not as specified \(status: /,
    );
  });

  test.each(['FRESH', 'RUNNING', 'COMPLETED', 'FAILED', 'STOPPED'])('%s is accepted', async (status) => {
    server.say(200, { status, message: null });
    expect(await server.client().getProgress('v', 'r')).toEqual({ status, message: null });
  });
});

describe('answers without content', () => {
  test.each<[string, number, string]>([
    ['200 with null', 200, 'null'],
    ['200 without a body', 200, ''],
    ['200 with white space', 200, ' \r\n'],
    ['204', 204, ''],
  ])('stopRun accepts %s', async (_, status, body) => {
    server.say(status, body);
    await server.client().stopRun('v', runRequest);
    expect(server.asked).toHaveLength(1);
  });

  test('listModels does not accept an empty answer', async () => {
    for (const status of [200, 204]) {
      server.say(status, '');
      expect((await failure(server.client().listModels())).kind).toBe('malformed');
    }
  });
});

describe('fields', () => {
  test('are dropped if they are unknown, and get defaults if an older service leaves them out', async () => {
    server.say(200, [{ id: 'm', name: 'Epidemic', modelVersions: [], colour: 'red' }]);
    expect(await server.client().listModels()).toEqual([
      { id: 'm', name: 'Epidemic', description: '', modelVersions: [], published: false },
    ]);
  });
});

describe('a service of an older version', () => {
  const isOlder = (method: string, url: string): boolean =>
    (method === 'GET' && url.includes('/models/name/')) || /\/versions\/v\/runs\/[^/]+$/.test(url);

  function olderInstall(unknown: number): void {
    server.answer((response, { method, url }) => {
      if (!isOlder(method, url)) response.writeHead(unknown).end('{"message":"no such route"}');
      else response.end(JSON.stringify(method === 'GET' ? answers.model : answers.outputs));
    });
  }

  test.each([404, 405, 400])('gets requests at its own paths after one answer with %d', async (status) => {
    olderInstall(status);
    const client = server.client();
    expect((await client.getModelByName('Epidemic & more')).id).toBe('m');
    expect((await client.getModelByName('Epidemic')).id).toBe('m');
    await client.getRunResults('v', 'r', []);
    await client.getRunResults('v', 'r2', []);
    expect(server.asked.map(({ method, url }) => `${method} ${url.slice('/api/open/8.5.0'.length)}`)).toEqual(
      [
        'POST /models/name/',
        'GET /models/name/Epidemic%20%26%20more',
        'GET /models/name/Epidemic',
        'POST /versions/v/results/r',
        'POST /versions/v/runs/r',
        'POST /versions/v/runs/r2',
      ],
    );
    expect(server.asked[1]!.body.length).toBe(0);
    expect(server.asked[4]!.body.toString()).toBe('[]');
  });

  test('gives "not found" if neither path finds the model; the client still sends the next request to the newer path', async () => {
    server.say(404, { message: 'no model of that name' });
    const client = server.client();
    const error = await failure(client.getModelByName('Epidmic'));
    expect([error.kind, error.message]).toEqual([
      'not-found',
      'POST /models/name/: 404: no model of that name',
    ]);
    server.say(200, answers.model);
    await client.getModelByName('Epidemic');
    expect(server.asked.at(-1)!.method).toBe('POST');
  });

  test('does not have a model if its older path answers with a page', async () => {
    server.answer((response, { method }) => {
      if (method === 'POST') response.writeHead(404).end('{}');
      else response.end('<html>an application of one page</html>');
    });
    expect((await failure(server.client().getModelByName('Epidemic'))).kind).toBe('not-found');
  });

  test.each([
    [429, 'throttled'],
    [500, 'server'],
    [503, 'server'],
  ])(
    'gives a temporary error, and not "not found", if the older path fails with %d',
    async (status, kind) => {
      server.answer((response, { method, url }) => {
        response.writeHead(isOlder(method, url) ? status : 404).end('{}');
      });
      const client = server.client();
      const error = await failure(client.getRunResults('v', 'r', []));
      expect([error.kind, error.isRetryable]).toEqual([kind, true]);
      olderInstall(404);
      expect(await client.getRunResults('v', 'r', [])).toHaveLength(1);
    },
  );

  test('gives a connection error, and not "not found", if the connection breaks on the older path', async () => {
    server.answer((response, { method, url }) => {
      if (isOlder(method, url)) response.destroy();
      else response.writeHead(404).end('{}');
    });
    expect((await failure(server.client().getRunResults('v', 'r', []))).kind).toBe('unreachable');
  });

  test('can be aborted during the request to the older path', async () => {
    const abort = new AbortController();
    server.answer((response, { method, url }) => {
      if (isOlder(method, url)) abort.abort(new Error('changed my mind'));
      else response.writeHead(404).end('{}');
    });
    await expect(server.client().getModelByName('Epidemic', abort.signal)).rejects.toThrow('changed my mind');
  });
});

/**
 * If the answer is an object, checks that the value has all fields of the answer, and returns the value, which may have
 * more fields. Otherwise returns the answer.
 */
function strip(answer: unknown, value: unknown): unknown {
  return typeof answer === 'object' && answer !== null
    ? (expect(value).toMatchObject(answer), value)
    : answer;
}
