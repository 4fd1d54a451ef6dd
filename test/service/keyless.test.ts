import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import Fastify from 'fastify';
import type { Fleet } from '../../src/service/fleet/fleet.ts';
import { EXECUTORS } from '../../src/service/fleet/protocol.ts';
import { addExecutors } from '../../src/service/http/executors.ts';
import { KeyChecks } from '../../src/http/key-checks.ts';
import { KeylessConnections } from '../../src/http/keyless.ts';
import { Refusals } from '../../src/http/refusals.ts';
import { hashOf } from '../../src/keys/hash.ts';
import type { Access } from '../../src/service/access.ts';
import { onCleanup } from './support.ts';

const MOST = 3;
const KEY = 'the key of an executor';

async function connected(port: number): Promise<net.Socket> {
  const socket = net.connect(port, '127.0.0.1').on('error', () => undefined);
  onCleanup(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** A server with the requests of executors. `arrived` resolves when a request with the right key has arrived. */
async function serverOfTest(): Promise<{ port: number; arrived: Promise<void> }> {
  const app = Fastify({ forceCloseConnections: true });
  onCleanup(() => app.close());
  const { promise: arrived, resolve } = Promise.withResolvers<void>();
  const fleet = {
    version: () => (resolve(), Promise.resolve({})),
    files: { store: (content: Readable) => (resolve(), once(content, 'close')) },
  };
  await addExecutors(app, {
    access: {
      holderOf: (hash) => (hash === hashOf(KEY) ? { name: 'one', role: 'executor' } : undefined),
    } as Access,
    fleet: fleet as unknown as Fleet,
    keyChecks: new KeyChecks(app),
    keyless: new KeylessConnections(app, new Refusals(() => undefined), MOST),
    upload: 100,
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return { port: (app.server.address() as AddressInfo).port, arrived };
}

/**
 * Opens silent connections, and waits until the server closes a connection. Returns true if this is one of the silent
 * connections, and false if it is the earlier connection.
 *
 * @param many - a number that makes the server close exactly one connection. If the server closed two, this test would
 *   not know which one was the first
 */
async function outlasts(earlier: net.Socket, port: number, many: number): Promise<boolean> {
  const ended = once(earlier, 'close').then(() => false);
  const silent = await Promise.all(Array.from({ length: many }, () => connected(port)));
  return Promise.race([ended, ...silent.map((socket) => once(socket, 'close').then(() => true))]);
}

const requestOf = (line: string, key: string, length = 0, body = ''): string =>
  `${line} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-length: ${length}\r\n\r\n${body}`;
const VERSION = `GET ${EXECUTORS}/versions/a`;

describe('if there are too many connections without a key', () => {
  test.each([
    ['a connection after a request', requestOf(VERSION, KEY)],
    ['the connection of an upload', requestOf(`PUT ${EXECUTORS}/files/${'a'.repeat(43)}`, KEY, 90, 'x')],
  ])('%s of an executor stays open', async (_, request) => {
    const { port, arrived } = await serverOfTest();
    const executor = await connected(port);
    executor.write(request);
    await arrived;
    expect(await outlasts(executor, port, MOST + 1)).toBe(true);
  });

  test('a connection with a wrong key is closed first', async () => {
    const { port } = await serverOfTest();
    const stranger = await connected(port);
    stranger.write(requestOf(VERSION, 'wrong'));
    await once(stranger, 'data');
    // the connection of the stranger counts
    expect(await outlasts(stranger, port, MOST)).toBe(false);
  });
});
