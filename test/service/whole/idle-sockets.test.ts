import net from 'node:net';
import { expect, test } from '@jest/globals';
import type { Model } from '../../../src/api/resources.ts';
import { RemoteSession, startAnimation } from '../animations.ts';
import { startProcess } from '../process.ts';
import { clientOf, onCleanup, outputsOf, temporaryFolder, until, upload } from '../support.ts';

const SOCKETS = 600;
/** How many files the service may open. */
const OPEN_FILES = 150;
/** The texts that the connections send: nothing, a part of a request, a request without a key or with a wrong key. */
const WORDS = [
  '',
  'GET /api/open/8.5.0/mod',
  'GET /health HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /api/open/8.5.0/models HTTP/1.1\r\nHost: x\r\nAuthorization: none\r\n\r\n',
];

test(`${SOCKETS} connections without a key use at most a quarter of the files that the service may open; clients are served`, async () => {
  const { child, url } = await startProcess(temporaryFolder(), undefined, { openFiles: OPEN_FILES });
  const service = { ...clientOf(url), running: { url } as Parameters<typeof upload>[0]['running'] };
  const open = new Set<net.Socket>();
  onCleanup(() => open.forEach((socket) => socket.destroy()));
  let connected = 0;
  for (let at = 0; at < SOCKETS; at += 1) {
    const socket = net.connect(Number(new URL(url).port), '127.0.0.1');
    open.add(socket);
    socket.on('error', () => undefined).resume();
    socket.once('close', () => open.delete(socket));
    socket.once('connect', () => {
      connected += 1;
      socket.write(WORDS[at % WORDS.length]!);
    });
  }
  // the service may disconnect a client before its request, because hundreds of connections start at once; the client
  // then tries again
  const models = await until(
    () => service.get<Model[]>('/models').catch(() => undefined),
    'an answer to a client with a key',
  );
  expect([models.status, models.body.length > 0]).toEqual([200, true]);
  await until(() => connected === SOCKETS || undefined, 'the start of all connections');
  await until(() => open.size <= OPEN_FILES / 4 || undefined, 'the end of most connections');

  const version = await service.latest('Rehearsal');
  // the service starts its two executors only now, for these four runs
  const values = [1, 2, 3, 4];
  const outputs = await Promise.all(values.map((Value) => outputsOf(service, version, { Value })));
  expect(outputs.map((output) => output.size > 0)).toEqual(values.map(() => true));

  // a page with its pictures and a download need no key
  const { body: info } = await startAnimation(service, version, { Seconds: 500 });
  const session = new RemoteSession(service, info);
  expect((await session.raw('/')).status).toBe(200);
  for (let n = 0; n < 5; n += 1) expect((await session.frame()).svg).toContain('<svg');
  const { body: hash } = await upload(service, Buffer.alloc(3_000_000, 'x'));
  const { body: address } = await service.get<string>(`/output-file?hash=${hash}&filename=f`);
  expect((await (await fetch(address)).arrayBuffer()).byteLength).toBe(3_000_000);
  expect([child.exitCode, child.signalCode]).toEqual([null, null]);
});
