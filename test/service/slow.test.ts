import { once } from 'node:events';
import net from 'node:net';
import { test } from '@jest/globals';
import { startTestService, upload } from './support.ts';

test('a download that the client does not read does not prevent the service from closing', async () => {
  const service = await startTestService();
  // the file is larger than what the operating system buffers for a client that does not read
  const { body: hash } = await upload(service, Buffer.alloc(50_000_000));
  const { body: signed } = await service.get<string>(`/output-file?hash=${hash}&filename=f`);
  const { pathname, search } = new URL(signed);
  const socket = net.connect(service.running.port, '127.0.0.1');
  socket.on('error', () => undefined).write(`GET ${pathname}${search} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await once(socket, 'data');
  socket.pause();
  await service.close();
  socket.destroy();
});
