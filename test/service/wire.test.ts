import { statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { ErrorBody } from '../../src/api/resources.ts';
import {
  KEY,
  outputsOf,
  reach,
  requestRun,
  rows,
  SHIPPED_MODELS,
  simulation,
  startTestService,
  temporaryFolder,
  type TestService,
  until,
  upload,
  writeModel,
} from './support.ts';

/** These tests send requests as raw bytes, because HTTP clients do not send such requests. */

const ROOT = '/api/open/8.5.0';

function open({ running }: TestService): Socket {
  const socket = connect(running.port, '127.0.0.1');
  // the service closes some of these connections
  socket.on('error', () => undefined);
  return socket;
}

/** Sends lines and reads the whole answer. */
async function say(
  service: TestService,
  lines: string[],
  body = '',
): Promise<{ status: number; head: string; body: string }> {
  const socket = open(service);
  socket.write([...lines, 'Connection: close', '', body].join('\r\n'));
  const answer = await text(socket);
  const [head, content] = answer.split('\r\n\r\n', 2) as [string, string];
  return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), body: content };
}

const codeOf = (body: string): unknown => ErrorBody.parse(JSON.parse(body)).code;

describe('a service that closes', () => {
  test.each([
    ['has sent nothing', ''],
    ['has sent half of a head', 'GET /health HT'],
    ['has received its answer', 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['has begun another head', 'GET /health HTTP/1.1\r\nHost: x\r\n\r\nGET /heal'],
  ])('does not wait for a connection that %s', async (_, said) => {
    const service = await startTestService();
    const socket = open(service);
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.write(said);
    if (said.includes('\r\n\r\n')) await new Promise((resolve) => socket.once('data', resolve));
    socket.resume();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await service.close();
    await closed;
  });

  test('completes a request that has begun', async () => {
    const service = await startTestService();
    const socket = open(service);
    socket.write(
      `POST ${ROOT}/upload-file HTTP/1.1\r\nHost: x\r\nAuthorization: ${KEY}\r\nContent-Length: 6\r\n\r\nhal`,
    );
    const { running } = service;
    await until(async () => {
      const answer = await fetch(`${running.url}/check-file?hash=x`, { headers: { Authorization: KEY } });
      return answer.ok || undefined;
    }, 'the answer to a later request');
    const closing = service.close();
    const answer = text(socket);
    socket.write('ves');
    expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
    await closing;
  });
});

test('a request whose body ends too early is answered with 408, so that its client tries again', async () => {
  const service = await startTestService({ modelDirs: [SHIPPED_MODELS] });
  const version = await service.latest('Service System Demo');
  const socket = open(service);
  const head = ['Host: x', `Authorization: ${KEY}`, 'Content-Type: application/json', 'Content-Length: 1000'];
  socket.end([`POST ${ROOT}/versions/${version}/runs HTTP/1.1`, ...head, '', '{"inputs'].join('\r\n'));
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 .*TOO_SLOW/s);
});

describe('the host of a request', () => {
  test('is refused if it is invalid, and no run starts', async () => {
    const service = await startTestService({ modelDirs: [SHIPPED_MODELS] });
    const version = await service.latest('Service System Demo');
    const { body: hash } = await upload(service, 'a file');
    const animated = JSON.stringify(simulation({}));
    for (const host of ['a b', '', '[::1', 'x:99999', 'x:abc', '999.1.1.1', '%00', 'x@y', 'x/y?z', 'a,b']) {
      const head = [`Host: ${host}`, `Authorization: ${KEY}`];
      const asked = await say(service, [`GET ${ROOT}/output-file?hash=${hash}&filename=f HTTP/1.1`, ...head]);
      expect([host, asked.status, codeOf(asked.body)]).toEqual([host, 400, 'BAD_REQUEST']);
      const started = await say(
        service,
        [
          `POST ${ROOT}/versions/${version}/runs/animation HTTP/1.1`,
          ...head,
          `Content-Length: ${animated.length}`,
        ],
        animated,
      );
      expect([host, started.status, codeOf(started.body)]).toEqual([host, 400, 'BAD_REQUEST']);
    }
    expect(rows(service.dataDir, 'SELECT id FROM runs')).toEqual([]);
  });

  test.each(['localhost', 'a-b.example:8080', '127.0.0.1:1', '[::1]:80'])(
    'is the host of the address of a file: %s',
    async (host) => {
      const service = await startTestService();
      const { body: hash } = await upload(service, 'a file');
      const { body } = await say(service, [
        `GET ${ROOT}/output-file?hash=${hash}&filename=f HTTP/1.1`,
        `Host: ${host}`,
        `Authorization: ${KEY}`,
      ]);
      expect(new URL(JSON.parse(body) as string).host).toBe(host.replace(/:80$/, ''));
    },
  );
});

describe('the service', () => {
  test.each([
    ['a request without a host', ['GET /health HTTP/1.1'], 'BAD_REQUEST'],
    ['a broken address', ['GET /%zz HTTP/1.1', 'Host: x'], 'BAD_REQUEST'],
    ['a long segment', [`GET ${ROOT}/models/${'a'.repeat(1_001)} HTTP/1.1`, 'Host: x'], 'BAD_REQUEST'],
    ['a large head', ['GET / HTTP/1.1', `X: ${'x'.repeat(20_000)}`], 'BAD_REQUEST'],
    ['a text that is not HTTP', ['HELLO'], 'BAD_REQUEST'],
  ])(
    'answers %s with an error of the common shape, which pages of any origin can read',
    async (_, lines, code) => {
      const { head, body } = await say(await startTestService(), lines);
      expect(codeOf(body)).toBe(code);
      expect(head).toContain('access-control-allow-origin: *');
      expect(body.length).toBeLessThan(3_000);
    },
  );

  test('shortens long texts in errors', async () => {
    const service = await startTestService();
    const { status, body } = await service.post<{ message: string }>('/models/name/', 'x'.repeat(100_000));
    expect(status).toBe(404);
    expect(body.message.length).toBeLessThan(1_100);
    const long = await service.get<{ message: string; path: string }>(`/${'x'.repeat(10_000)}`);
    expect(long.status).toBe(404);
    expect(long.body.path.length).toBeLessThan(1_100);
  });
});

test.each([
  ['an unknown expectation', 'Expect: foo'],
  ['a Content-Type that is not a type', 'Content-Type: garbage'],
  ['an empty Content-Type', 'Content-Type: '],
])('the service accepts a request with %s', async (_, line) => {
  const service = await startTestService();
  const { status, body } = await say(
    service,
    [`POST ${ROOT}/models/name/ HTTP/1.1`, 'Host: x', `Authorization: ${KEY}`, line, 'Content-Length: 9'],
    'Rehearsal',
  );
  expect([status, (JSON.parse(body) as { name?: string }).name]).toEqual([200, 'Rehearsal']);
});

test('only the owner can read the database, because it has a secret', async () => {
  const { dataDir } = await startTestService();
  for (const name of ['service.db', 'service.db-wal']) {
    expect((statSync(path.join(dataDir, name)).mode & 0o777).toString(8)).toBe('600');
  }
});

test('the service checks values of a range and random values before a run starts, like single values', async () => {
  const models = temporaryFolder();
  writeModel(
    models,
    'hungry',
    `export default {
      name: 'Hungry', description: '', published: true,
      inputs: [
        { name: '{MAX_MEMORY_MB}', type: 'INTEGER', default: 64 },
        { name: '{RANDOM_SEED}', type: 'LONG', default: 1 },
        { name: 'Abort', type: 'BOOLEAN', default: false },
      ],
      outputs: [{ name: 'Out', type: 'DOUBLE' }],
      run: ({ inputs }) => (inputs.Abort ? process.abort() : { Out: 1 }),
    };`,
  );
  const service = await startTestService({ modelDirs: [models] });
  const version = await service.latest('Hungry');
  const range = {
    name: '{MAX_MEMORY_MB}',
    type: 'FIXED_RANGE_INTEGER',
    value: '{"min":8,"max":24,"step":8}',
  };
  const chance = { name: '{MAX_MEMORY_MB}', type: 'RANDOM_INTEGER', value: '{"min":1,"max":3}' };
  for (const [experimentType, input] of [
    ['PARAMETER_VARIATION', range],
    ['SIMULATION', chance],
  ] as const) {
    const { status, body } = await service.post<{ message: string }>(`/versions/${version}/runs`, {
      experimentType,
      inputs: [input],
    });
    expect(status).toBe(400);
    expect(body.message).toMatch(/\{MAX_MEMORY_MB\}.*at least 16/);
  }
  expect(rows(service.dataDir, 'SELECT id FROM runs')).toEqual([]);
  expect((await outputsOf(service, version)).get('Out')).toBe('1');

  // an abort by the model itself does not count as a lack of memory
  const { body: run } = await requestRun(service, version, { Abort: true });
  const { message } = await reach(service, run, 'FAILED');
  expect(message).toContain('the model crashed');
});
