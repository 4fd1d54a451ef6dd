import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import Fastify from 'fastify';
import type { Fleet } from '../../src/service/fleet/fleet.ts';
import { EXECUTORS } from '../../src/service/fleet/protocol.ts';
import { addExecutors } from '../../src/service/http/executors.ts';
import { KeylessConnections } from '../../src/service/http/keyless.ts';
import type { Access } from '../../src/service/keys/access.ts';
import { onCleanup } from './support.ts';

const MOST = 3;

async function connected(port: number): Promise<net.Socket> {
  const socket = net.connect(port, '127.0.0.1').on('error', () => undefined);
  onCleanup(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

test.each([
  ['the key of an executor', 'stays open', 'of an executor', true],
  ['a wrong key', 'is closed', 'wrong', false],
])('if there are too many connections without a key, a connection with %s %s', async (_, __, key, stays) => {
  const app = Fastify();
  onCleanup(() => app.close());
  const access = { executorOf: (given: string) => (given === 'of an executor' ? 'one' : undefined) };
  const fleet = { release: () => Promise.resolve() };
  await addExecutors(app, {
    access: access as Access,
    fleet: fleet as unknown as Fleet,
    keyless: new KeylessConnections(app, MOST),
    upload: 1,
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const executor = await connected(port);
  const ended = once(executor, 'close').then(() => 'closed');
  const body = JSON.stringify({ holder: '00000000-0000-4000-8000-000000000000' });
  executor.write(
    `POST ${EXECUTORS}/release HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  const [answer] = (await once(executor, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(stays ? /^HTTP\/1\.1 200/ : /^HTTP\/1\.1 (401|500)/);
  const silent = await Promise.all(Array.from({ length: MOST + 1 }, () => connected(port)));
  // the oldest connection that counts is closed
  const first = silent.map((socket) => once(socket, 'close').then(() => 'another'));
  expect(await Promise.race([ended, ...first])).toBe(stays ? 'another' : 'closed');
});
