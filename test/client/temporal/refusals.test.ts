import { once } from 'node:events';
import http2 from 'node:http2';
import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import type { Settings } from '../../../src/client/index.ts';
import { translated } from '../../../src/client/temporal/errors.ts';
import { Temporal } from '../../../src/client/temporal/index.ts';

const settings = (temporal: Settings['temporal']): Settings => ({
  service: { url: 'http://127.0.0.1:9/api/open/8.5.0', key: 'none' },
  store: 'sqlite::memory:',
  taskQueue: 'foray',
  owner: 'somebody',
  temporal,
  webUi: 'http://127.0.0.1:9',
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

test('a Temporal server that refuses the key answers, and the reason why a campaign cannot continue says so', async () => {
  const server = http2.createServer().on('stream', (stream) => {
    const status = { 'grpc-status': '7', 'grpc-message': 'Request unauthorized' };
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...status }, { endStream: true });
  });
  const { temporal, address } = await clientOf(server);
  const why = `The Temporal server at ${address} refuses the request (namespace "default"): Request unauthorized.`;
  await expect(temporal.reach()).rejects.toMatchObject({ code: 'TEMPORAL_REFUSED', message: why });
  expect(await temporal.answers()).toBe(true);
  expect(await temporal.progressOf('flu')).toEqual({ progress: undefined, why, blocks: true });
  expect(await temporal.blockedBy('flu')).toBe(why);
});

test('a call waits only for its own time limit when another call is already connecting to a silent server', async () => {
  const sockets: Socket[] = [];
  const { temporal, address } = await clientOf(net.createServer((socket) => sockets.push(socket)));
  ends.push(() => sockets.map((socket) => socket.destroy()));
  const reached = temporal.reach().catch((error: unknown) => error);
  const began = performance.now();
  expect(await Promise.all([temporal.answers(), temporal.blockedBy('flu')])).toEqual([
    false,
    `The Temporal server at ${address} cannot be reached.`,
  ]);
  expect(performance.now() - began).toBeLessThan(3_500);
  expect(await reached).toMatchObject({ code: 'TEMPORAL_UNREACHABLE' });
});
