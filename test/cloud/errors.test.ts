import { inspect } from 'node:util';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { type CloudError, isCloudError } from '../../src/cloud/index.ts';
import { CloudError as CloudErrorClass } from '../../src/cloud/errors.ts';
import { ForayError, isForayError } from '../../src/errors.ts';
import { makeCertificate, startTlsProxy } from '../support/tls-proxy.ts';
import { calls, failure, request, startServer, type TestServer } from './support.ts';
import { testFolder } from '../support/test-folder.ts';

/** Texts that no error may contain, in any of the forms that a log may have. */
const KEY = 'canary/key+5f2b~77';
const SIGNATURE = 'canarysignature77';
const HASH = 'canaryhash+88/=';
const FILENAME = 'canary file 99.csv';
const forms = [KEY, SIGNATURE, HASH, FILENAME].flatMap((secret) => [
  secret,
  encodeURIComponent(secret),
  new URLSearchParams({ '': secret }).toString().slice(1),
  Buffer.from(secret).toString('base64'),
  Buffer.from(secret).toString('base64url'),
  Buffer.from(secret).toString('hex'),
]);

function everythingIn(error: CloudError): string {
  const options = { depth: 10, showHidden: true, getters: true, maxStringLength: null } as const;
  return [
    error.message,
    error.toLine(),
    error.stack,
    String(error),
    JSON.stringify(error),
    JSON.stringify(error, Object.getOwnPropertyNames(error)),
    inspect(error, options),
    inspect(error.cause, options),
  ].join('\n');
}

let server: TestServer;

beforeEach(async () => {
  server = await startServer();
});

/** Wrong answers of a service. Most of them contain secret texts, because some services repeat the request. */
const troubles: [string, (server: TestServer) => void][] = [
  ...[400, 401, 403, 404, 429, 500, 503].map((status): [string, (server: TestServer) => void] => [
    `${status} that repeats the request`,
    (on) =>
      on.answer((response, { url, headers }) => {
        const said = `Refused: "${String(headers.authorization)}" for ${url}, see http://127.0.0.1/f?signature=${SIGNATURE}&x=1 or <http://h/?sig=${SIGNATURE}>.`;
        response.writeHead(status, {
          'retry-after': '0',
          location: `/?signature=${SIGNATURE}`,
          'x-key': KEY,
        });
        response.end(JSON.stringify({ status, message: said, error: said, path: url }));
      }),
  ]),
  ['a redirect', (on) => on.say(302, '', { location: `http://127.0.0.1:1/?signature=${SIGNATURE}` })],
  ['a page', (on) => on.say(200, `<html>${KEY} ${SIGNATURE}</html>`)],
  ['a page with an error', (on) => on.say(500, `<html>${KEY} ${SIGNATURE}</html>`)],
  ['cut JSON', (on) => on.say(200, `{"url":"http://h/?signature=${SIGNATURE}`)],
  [
    'an object with other fields',
    (on) => on.say(200, { [KEY]: KEY, status: SIGNATURE, id: [SIGNATURE], name: { [KEY]: 1 } }),
  ],
  [
    'a list of objects with other fields',
    (on) => on.say(200, [{ [KEY]: KEY, type: SIGNATURE, aggregationType: KEY }]),
  ],
  ['a broken connection', (on) => on.answer((response) => response.destroy())],
  [
    'a connection that breaks in the middle of the answer',
    (on) =>
      on.answer((response) => {
        response.writeHead(200);
        response.write(`["${KEY}${SIGNATURE}`, () => response.destroy());
      }),
  ],
  ['a wrong encoding', (on) => on.say(200, `${KEY}${SIGNATURE}`, { 'content-encoding': 'gzip' })],
];

describe.each(troubles)('%s', (_, cause) => {
  test('leaves no secret in an error of any endpoint', async () => {
    cause(server);
    const client = server.client({ key: KEY });
    let failures = 0;
    for (const { name, call } of [
      ...calls,
      { name: 'file', call: () => client.getOutputFileUrl(HASH, FILENAME) },
      { name: 'check', call: () => client.checkFile(HASH) },
    ]) {
      const settled = await call(client).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (settled === undefined) continue;
      if (!isCloudError(settled)) throw new Error(`${name}: not a CloudError`, { cause: settled });
      failures += 1;
      const text = everythingIn(settled);
      for (const form of forms) if (text.includes(form)) throw new Error(`${name}: ${form} in ${text}`);
    }
    expect(failures).toBe(calls.length + 2);
  });
});

describe('the key', () => {
  test('is in no error, even if the key begins with "Bearer" or the service repeats it encoded or cut off', async () => {
    const message = `key=${encodeURIComponent(KEY)} ${KEY} ${'x'.repeat(480)}`;
    server.say(400, { message: `${message}${KEY}` });
    for (const key of [KEY, `Bearer ${KEY}`]) {
      const text = everythingIn(await failure(server.client({ key }).listModels()));
      for (const form of forms) expect(text).not.toContain(form);
    }
  });

  test('changes no message if it is empty', async () => {
    server.say(400, { message: 'Days is missing. Did you mean "Day"?' });
    const error = await failure(server.client({ key: '' }).listModels());
    expect(error.message).toBe('GET /models: 400: Days is missing. Did you mean "Day"?');
  });

  test('is in no connection error, and such an error does not contain a password of the address', async () => {
    server.answer((response) => response.destroy());
    const url = server.url.replace('http://', `http://user:${SIGNATURE}@`);
    const text = everythingIn(await failure(server.client({ url, key: KEY }).listModels()));
    for (const form of forms) expect(text).not.toContain(form);
  });

  test('is in no error if a header cannot contain it', async () => {
    const text = everythingIn(await failure(server.client({ key: `${KEY}\n` }).listModels()));
    for (const form of forms) expect(text).not.toContain(form);
  });
});

describe('CloudError', () => {
  test('is recognized as a CloudError and as a ForayError', () => {
    const error = new CloudErrorClass('timeout', 'no answer');
    expect([isCloudError(error), isForayError(error), error instanceof ForayError]).toEqual([
      true,
      true,
      true,
    ]);
    expect([isCloudError(new Error('no answer')), isCloudError(undefined)]).toEqual([false, false]);
    expect(error.code).toBe('SERVICE_UNREACHABLE');
  });

  test('is one line if the message has control characters', async () => {
    server.say(400, { message: 'a\r\nb\u001b[2J\u0000c' });
    expect((await failure(server.client().listModels())).toLine()).toBe('GET /models: 400: a b [2J c');
  });
});

test('a refused certificate is an error that names it and the setting for the file of its authority', async () => {
  const folder = testFolder();
  const proxy = await startTlsProxy(makeCertificate(folder), '');
  try {
    const error = await failure(
      server
        .client({ url: `${proxy.origin}/api` })
        .requestRun('v', { ...request, inputs: [...request.inputs] }),
    );
    expect([error.code, error.isRetryable, error.mayHaveArrived]).toEqual([
      'SERVICE_UNREACHABLE',
      true,
      false,
    ]);
    expect(error.message).toBe(
      `The certificate of the model service at ${proxy.origin} is refused (DEPTH_ZERO_SELF_SIGNED_CERT).`,
    );
    expect(error.hint).toContain('NODE_EXTRA_CA_CERTS');
  } finally {
    await proxy.close();
  }
});
