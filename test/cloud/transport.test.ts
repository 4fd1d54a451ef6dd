import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { CloudErrorKind } from '../../src/cloud/index.ts';
import { MAX_RESPONSE_BYTES } from '../../src/cloud/transport.ts';
import { answers, failure, request, startServer, type TestServer } from './support.ts';

const runRequest = { ...request, inputs: [...request.inputs] };
let server: TestServer;

beforeEach(async () => {
  server = await startServer();
});

describe('statuses', () => {
  test.each<[number, CloudErrorKind, boolean, string]>([
    [400, 'refused', false, 'REQUEST_REFUSED'],
    [401, 'unauthorized', false, 'KEY_REFUSED'],
    [403, 'unauthorized', false, 'KEY_REFUSED'],
    [404, 'not-found', false, 'REQUEST_REFUSED'],
    [408, 'timeout', true, 'SERVICE_UNREACHABLE'],
    [409, 'refused', false, 'REQUEST_REFUSED'],
    [413, 'refused', false, 'REQUEST_REFUSED'],
    [429, 'throttled', true, 'SERVICE_FAILED'],
    [500, 'server', true, 'SERVICE_FAILED'],
    [502, 'server', true, 'SERVICE_FAILED'],
    [503, 'server', true, 'SERVICE_FAILED'],
    [507, 'server', true, 'SERVICE_FAILED'],
    [301, 'malformed', true, 'SERVICE_FAILED'],
    [304, 'malformed', true, 'SERVICE_FAILED'],
  ])('an answer with status %d is an error of the kind "%s"', async (status, kind, isRetryable, code) => {
    server.say(
      status,
      { status, message: 'Days is\n  missing' },
      { location: 'http://127.0.0.1:1/?signature=x' },
    );
    const error = await failure(server.client().requestRun('v', runRequest));
    expect([error.kind, error.isRetryable, error.code]).toEqual([kind, isRetryable, code]);
    expect(error.message).toContain(`POST /versions/v/runs`);
    expect(error.message).toContain(String(status));
    if (kind !== 'throttled' && status !== 304) expect(error.message).toMatch(/Days is missing$/);
    expect(error.toLine()).not.toContain('\n');
    expect(server.asked).toHaveLength(1);
  });

  test.each([
    '<html><body><h1>502 Bad Gateway</h1></body></html>',
    '',
    'null',
    '[]',
    '{"message":{"a":1}}',
    '"x"',
    '{',
  ])('an error body with another shape is ignored: %s', async (body) => {
    server.say(502, body, { 'content-type': 'text/html' });
    expect((await failure(server.client().listModels())).message).toBe('GET /models: 502');
  });

  test('too many animated runs are no reason to wait with other requests, or to try again', async () => {
    const body = { code: 'TOO_MANY_ANIMATIONS', message: 'Stop one.' };
    server.say(429, body, { 'retry-after': '60' });
    const client = server.client({ attempts: 3 });
    const error = await failure(client.startAnimation('v', runRequest));
    expect([error.kind, error.code, error.message]).toEqual(['crowded', body.code, body.message]);
    server.say(200, []);
    expect(await client.listModels()).toEqual([]);
    expect(server.asked).toHaveLength(2);
  });

  test.each([
    [
      503,
      "The service's files cannot be reached: ask again later.",
      'The log of the service says more. Try again later.',
    ],
    [429, 'Too many.', 'Lower the request rate with FORAY_SERVICE_RATE.'],
  ])(
    'an answer with status %d and Retry-After has the own message of the service',
    async (status, message, hint) => {
      server.say(status, { status, message }, { 'retry-after': '1' });
      const error = await failure(server.client().listModels());
      expect([error.kind, error.message, error.hint]).toEqual([
        'throttled',
        `GET /models: ${status}: ${message}`,
        hint,
      ]);
    },
  );

  test('an error shortens a very long message', async () => {
    server.say(400, { message: 'x'.repeat(100_000) });
    expect((await failure(server.client().listModels())).message.length).toBeLessThan(600);
  });

  test('an error says whether the service may have received the request', async () => {
    for (const [status, mayHaveArrived] of [
      [401, false],
      [429, false],
      [500, true],
      [502, true],
    ] as const) {
      server.say(status, '');
      expect((await failure(server.client().requestRun('v', runRequest))).mayHaveArrived).toBe(
        mayHaveArrived,
      );
    }
  });
});

describe('answers that are not as specified', () => {
  test.each([
    ['a page', '<!doctype html><title>Welcome</title>'],
    ['cut JSON', '[{"id":"m","name":"Epi'],
    ['two values', '[] []'],
    ['not UTF-8', '[{"id":"\xff'],
    ['NaN', 'NaN'],
    ['nested too deeply', '['.repeat(200_000)],
  ])('an answer is an error if it is %s', async (_, body) => {
    server.say(200, body);
    const error = await failure(server.client().listModels());
    expect([error.kind, error.message]).toEqual(['malformed', 'GET /models: the answer is not JSON']);
  });

  test.each([['null'], ['{}'], ['3'], ['"[]"'], ['[null]'], ['[[]]'], ['[{"id":3}]'], ['{"length":0}']])(
    'JSON of another shape is an error: %s',
    async (body) => {
      server.say(200, body);
      const error = await failure(server.client().listModels());
      expect([error.kind, error.message]).toEqual([
        'malformed',
        expect.stringMatching(/^GET \/models: the answer is not as spec/),
      ]);
    },
  );

  test('a body that does not fit its encoding is an error, and a later attempt may succeed', async () => {
    server.say(200, '[]', { 'content-encoding': 'gzip' });
    expect((await failure(server.client().listModels())).isRetryable).toBe(true);
  });
});

describe('connections', () => {
  test('a connection that is reset in the middle of the body is an error', async () => {
    server.answer((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('[{"id":', () => (response.socket as Socket).resetAndDestroy());
    });
    const error = await failure(server.client().listModels());
    expect([error.kind, error.mayHaveArrived]).toEqual(['unreachable', true]);
  });

  test('a body that ends before its announced length is an error', async () => {
    server.answer((response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('[]', () => response.socket!.end());
    });
    expect((await failure(server.client().listModels())).isRetryable).toBe(true);
  });

  test('a connection that ends without an answer is an error', async () => {
    server.answer((response) => response.destroy());
    const error = await failure(server.client().requestRun('v', runRequest));
    expect([error.kind, error.mayHaveArrived]).toEqual(['unreachable', true]);
  });

  test('a refused connection is an error that says that the request never arrived', async () => {
    const raw = await listen(() => undefined);
    await raw.close();
    const error = await failure(server.client({ url: raw.url }).requestRun('v', runRequest));
    expect([error.kind, error.mayHaveArrived, error.code]).toEqual([
      'unreachable',
      false,
      'SERVICE_UNREACHABLE',
    ]);
    expect(error.message).toBe(
      `The model service at ${new URL(raw.url).origin} cannot be reached (ECONNREFUSED).`,
    );
    expect(error.hint).toMatch(/foray dev/);
  });

  test.each([
    'SSH-2.0-OpenSSH_9.2p1\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n[]',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n[]',
    'HTTP/1.1 2',
  ])('an answer that is not HTTP is an error: %j', async (bytes) => {
    const raw = await listen((socket) => socket.once('data', () => socket.end(bytes, 'latin1')));
    const error = await failure(server.client({ url: raw.url }).listModels());
    expect([error.kind, error.mayHaveArrived]).toEqual(['unreachable', true]);
  });

  test('a request to a silent server ends when the caller aborts it', async () => {
    const abort = new AbortController();
    let closed: () => void;
    const hungUp = new Promise<void>((resolve) => (closed = resolve));
    const raw = await listen((socket) => {
      socket.once('data', () => abort.abort(new Error('had enough')));
      socket.once('close', () => closed());
    });
    await expect(server.client({ url: raw.url }).listModels(abort.signal)).rejects.toThrow('had enough');
    // the client has closed the connection
    await hungUp;
  });
});

describe('time', () => {
  test('a request ends at the time limit, even if its answer comes in small pieces', async () => {
    server.answer((response) => {
      const trickle = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(trickle));
    });
    const error = await failure(server.client({ total: 300 }).listModels());
    expect([error.kind, error.isRetryable]).toEqual(['timeout', true]);
    expect(error.toLine()).toMatch(
      /^The model service at http:\S+ does not answer in time\. The service may/,
    );
  });

  test('an abort does not stop a sent request for a run, because its answer says which run was started', async () => {
    const abort = new AbortController();
    server.answer((response) => {
      abort.abort(new Error('had enough'));
      setImmediate(() => response.end(JSON.stringify(answers.run)));
    });
    expect(await server.client().requestRun('v', runRequest, abort.signal)).toMatchObject({ id: 'r' });
    // after the abort, the client sends no request
    await expect(server.client().requestRun('v', runRequest, abort.signal)).rejects.toThrow('had enough');
    expect(server.asked).toHaveLength(1);
  });
});

describe('size', () => {
  /** Writes pieces until the client disconnects. Returns the number of bytes written. */
  function pourOut(headers: Record<string, string>, most: number): Promise<number> {
    return new Promise((resolve) => {
      server.answer((response) => {
        response.writeHead(200, headers);
        const piece = Buffer.alloc(1024 * 1024, ' ');
        let sent = 0;
        const pour = (): void => {
          if (response.destroyed || sent >= most) return void response.end();
          sent += piece.length;
          response.write(piece, pour);
        };
        response.once('close', () => resolve(sent));
        pour();
      });
    });
  }

  test.each<Record<string, string>>([{}, { 'content-length': String(300 * 1024 * 1024) }])(
    'an answer above the limit is cut off: %j',
    async (headers) => {
      const sent = pourOut(headers, 300 * 1024 * 1024);
      const error = await failure(server.client().listModels());
      expect([error.kind, error.isRetryable]).toEqual(['too-large', false]);
      expect(await sent).toBeLessThan(MAX_RESPONSE_BYTES * 2);
    },
  );

  test('the limit applies to the decompressed size of a compressed answer', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, ' '));
    expect(bomb.length).toBeLessThan(1024 * 1024);
    server.answer((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    expect((await failure(server.client().listModels())).kind).toBe('too-large');
  });

  test('an answer below the limit is read', async () => {
    server.say(200, `[]${' '.repeat(8 * 1024 * 1024)}`);
    expect(await server.client().listModels()).toEqual([]);
  });

  test('a compressed answer is read', async () => {
    server.answer((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('[]')));
    expect(await server.client().listModels()).toEqual([]);
  });
});

describe('attempts', () => {
  test('a request has one attempt by default, because the caller tries again', async () => {
    server.say(500, '');
    await failure(server.client().listModels());
    expect(server.asked).toHaveLength(1);
  });

  test('a request has as many attempts as the caller wants if the errors are temporary', async () => {
    server.answer((response) => {
      if (server.asked.length < 3) response.writeHead(500).end();
      else response.end('[]');
    });
    expect(await server.client({ attempts: 3 }).listModels()).toEqual([]);
    expect(server.asked).toHaveLength(3);
  });

  test.each([400, 401, 404])('a request is not tried again after the permanent error %d', async (status) => {
    server.say(status, '');
    await failure(server.client({ attempts: 3 }).listModels());
    expect(server.asked).toHaveLength(1);
  });

  test('attempts end when the caller aborts', async () => {
    const abort = new AbortController();
    server.answer((response) => {
      response.writeHead(503, { 'retry-after': '3600' }).end();
      response.once('close', () => abort.abort(new Error('had enough')));
    });
    await expect(server.client({ attempts: 3 }).listModels(abort.signal)).rejects.toThrow();
    expect(server.asked).toHaveLength(1);
  });
});

const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const raw of opened.splice(0)) await raw.close();
});

/** A TCP server. Its handler decides what the server sends, so the bytes need not be HTTP. */
async function listen(handle: (socket: Socket) => void): Promise<{ url: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const raw: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    handle(socket);
  });
  await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(raw.address() as AddressInfo).port}/api`;
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    if (raw.listening) await new Promise((resolve) => raw.close(resolve));
  };
  opened.push({ close });
  return { url, close };
}
