import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, expect, jest, test } from '@jest/globals';
import { NativeConnection } from '@temporalio/worker';
import type { Settings } from '../../../src/client/index.ts';
import { LaneKeeper, type LaneKeeperParts } from '../../../src/service/fleet/lane-keeper.ts';
import { connectError, translated, unreachable } from '../../../src/temporal-errors.ts';
import { Temporal } from '../../../src/client/temporal/index.ts';
import { foray } from '../../support/cli.ts';
import { temporalProcess } from '../../support/temporal.ts';
import { makeCertificate } from '../../support/tls-proxy.ts';
import { sampleRecord } from '../../report/support.ts';
import { withoutServers } from '../../support/without-servers.ts';
import { testFolder } from '../../support/test-folder.ts';

const flu = sampleRecord({ id: 'flu' });

const settings = (temporal: Settings['temporal']): Settings => ({
  ...withoutServers('sqlite::memory:'),
  temporal,
});

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function clientOf(
  server: Server | http2.Http2Server,
): Promise<{ temporal: Temporal; address: string }> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const temporal = new Temporal(settings({ connectionOptions: { address } }));
  ends.push(
    () => server.close(),
    () => temporal.close(),
  );
  return { temporal, address };
}

test('an error names the default address and namespace of Temporal when the settings have none', () => {
  const refused = { code: 7, details: 'Request unauthorized' };
  expect(translated(settings({ connectionOptions: {} }), refused)).toMatchObject({
    code: 'TEMPORAL_REFUSED',
    message:
      'The Temporal server at localhost:7233 refuses the request (namespace "default"): Request unauthorized.',
  });
});

/** A server that answers each request with the refusal of a key. */
function refusing(): http2.Http2Server {
  return http2.createServer().on('stream', (stream) => {
    const status = { 'grpc-status': '7', 'grpc-message': 'Request unauthorized' };
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...status }, { endStream: true });
  });
}

test('a Temporal server that refuses the key answers, and the reason why a campaign cannot continue says so', async () => {
  const { temporal, address } = await clientOf(refusing());
  const why = `The Temporal server at ${address} refuses the request (namespace "default"): Request unauthorized.`;
  await expect(temporal.reach()).rejects.toMatchObject({ code: 'TEMPORAL_REFUSED', message: why });
  expect(await temporal.call('answers')).toBe(true);
  expect(await temporal.call('progressOf', flu)).toEqual({
    progress: undefined,
    why,
    blocks: true,
  });
  expect(await temporal.call('blockedBy', flu)).toBe(why);
});

test('a call waits only for its own time limit when another call is already connecting to a silent server', async () => {
  const sockets: Socket[] = [];
  const { temporal, address } = await clientOf(net.createServer((socket) => sockets.push(socket)));
  ends.push(() => sockets.map((socket) => socket.destroy()));
  let isOver = false;
  const reached = temporal
    .reach()
    .catch((error: unknown) => error)
    .finally(() => (isOver = true));
  expect(await Promise.all([temporal.call('answers'), temporal.call('blockedBy', flu)])).toEqual([
    false,
    `The Temporal server at ${address} cannot be reached.`,
  ]);
  expect(isOver).toBe(false);
  expect(await reached).toMatchObject({ code: 'TEMPORAL_UNREACHABLE' });
});

test('a late answer of a connected Temporal does not block a campaign; a frozen or a stopped Temporal does', async () => {
  // this server answers the question with which a client connects, and no other
  const sessions: http2.Http2Session[] = [];
  const server = http2.createServer();
  server.on('session', (session) => sessions.push(session));
  server.on('stream', (stream, headers) => {
    if (!headers[':path']!.endsWith('/GetSystemInfo')) return;
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(Buffer.alloc(5));
  });
  const { temporal, address } = await clientOf(server);
  ends.push(() => sessions.map((session) => session.destroy()));
  const silent = `The Temporal server at ${address} cannot be reached.`;
  // a question waits only 1.2 s for a connection
  await temporal.reach();
  expect(await Promise.all([temporal.call('progressOf', flu), temporal.call('blockedBy', flu)])).toEqual([
    { progress: undefined, why: 'Temporal answers slowly', blocks: false },
    undefined,
  ]);
  const clock = performance.now.bind(performance);
  const later = jest.spyOn(performance, 'now').mockImplementation(() => clock() + 10_000);
  expect(await temporal.call('blockedBy', flu)).toBe(silent);
  later.mockRestore();
  expect(await temporal.call('answers')).toBe(true);
  server.close();
  for (const session of sessions.splice(0)) session.destroy();
  expect(await temporal.call('blockedBy', flu)).toBe(silent);
});

test('a worker and a service with lanes name a key that Temporal refuses', async () => {
  const { address } = await clientOf(refusing());
  const why = `The Temporal server at ${address} refuses the request (namespace "default"): Request unauthorized.`;
  const lanes = { connectionOptions: { address }, namespace: 'default', heartbeat: 1_000 };
  await expect(
    LaneKeeper.start({} as LaneKeeperParts, { ...lanes, workflowBundle: { code: '' } }),
  ).rejects.toMatchObject({ code: 'TEMPORAL_REFUSED', message: why });
  const folder = testFolder();
  const options = ['--service-url', 'http://127.0.0.1:9', '--api-key', 'none', '--store', 'sqlite:store.db'];
  const worker = await foray(folder, ['worker', ...options], { env: { TEMPORAL_ADDRESS: address } });
  expect([worker.code, worker.stderr]).toEqual([3, expect.stringContaining(why)]);
});

test('a worker, a service with lanes and an executor name a namespace that Temporal does not have, and end', async () => {
  const temporal = await temporalProcess();
  ends.push(() => temporal.kill());
  await temporal.start();
  const { address } = temporal;
  const why = `The Temporal server at ${address} refuses the request (namespace "nowhere"): Namespace nowhere is not found.`;
  const env = { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: 'nowhere' };
  const folder = testFolder();
  const options = ['--service-url', 'http://127.0.0.1:9', '--api-key', 'none', '--store', 'sqlite:store.db'];
  const lanes = ['--data', 'data', '--port', '0', '--temporal', address];
  const service = http.createServer((_request, response) =>
    response.end(JSON.stringify({ namespace: 'nowhere', taskQueue: 'lanes', runTimeout: null })),
  );
  await once(service.listen(0, '127.0.0.1'), 'listening');
  ends.push(() => service.close());
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const executor = ['executor', '--service-url', url, '--cache', 'cache'];
  const keyed = { ...env, FORAY_EXECUTOR_KEY: 'key' };
  const all = await Promise.all([
    foray(folder, ['worker', ...options], { env }),
    foray(folder, ['service', ...lanes], { env }),
    foray(folder, executor, { env: keyed }),
  ]);
  for (const ended of all) expect([ended.code, ended.stderr]).toEqual([3, expect.stringContaining(why)]);
});

test('an error about a connection with TLS points at the certificates, because a server refuses them in silence', () => {
  const { hint } = unreachable(settings({ connectionOptions: { tls: true } }), 'Leave out --temporal.');
  expect(hint).toContain('TEMPORAL_TLS_*');
  expect(hint).toContain('TEMPORAL_TLS_SERVER_CA_CERT_PATH');
  expect(hint).toContain('Leave out --temporal.');
});

test('an error about a native connection says that the certificate of Temporal is refused, and names the setting for the file of its authority', async () => {
  const folder = testFolder();
  const server = http2.createSecureServer(makeCertificate(folder));
  const { address } = await clientOf(server);
  const connectionOptions = { address, tls: true };
  const refused: unknown = await NativeConnection.connect(connectionOptions).catch((error: unknown) => error);
  expect(connectError(settings({ connectionOptions }), refused)).toMatchObject({
    code: 'TEMPORAL_UNREACHABLE',
    message: `The certificate of the Temporal server at ${address} is refused.`,
    hint: expect.stringContaining('TEMPORAL_TLS_SERVER_CA_CERT_PATH'),
  });
});

test('a native connection that breaks counts as an unreachable server; other errors of Temporal are refusals', () => {
  const given = settings({ connectionOptions: {} });
  const native = (text: string) => new Error(`Failed to call GetSystemInfo: code: ${text}`);
  const quote = String.raw`\"no\" key`;
  const refused = connectError(given, native(`'No permission', message: "${quote}"`));
  expect(refused).toMatchObject({ code: 'TEMPORAL_REFUSED', message: expect.stringContaining(quote) });
  expect(connectError(given, native("'Unauthenticated'")).message).toContain('Unauthenticated');
  for (const text of [`'Unknown error', message: "transport error", source: tonic`, "'Unknown error'"])
    expect(connectError(given, native(text)).code).toBe('TEMPORAL_UNREACHABLE');
});
