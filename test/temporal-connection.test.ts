import { expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { connectTemporal } from '../src/temporal-connection.ts';

test('a call that the client repeats after its connection was closed ends with an error', async () => {
  let calls = 0;
  const server = createServer();
  server.on('stream', (stream, headers) => {
    const isInfo = headers[':path']?.endsWith('/GetSystemInfo');
    calls += isInfo ? 0 : 1;
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    // an empty answer to the first call; the others are told to try again
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': isInfo ? '0' : '14' }));
    stream.end(isInfo ? Buffer.alloc(5) : undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const connection = await connectTemporal({ address: `127.0.0.1:${port}` });
    const call = connection.workflowService.listNamespaces({});
    const ended = expect(call).rejects.toMatchObject({ code: 1, details: 'Channel has been shut down' });
    while (calls === 0) await once(server, 'stream');
    await connection.close();
    await ended;
  } finally {
    server.close();
  }
});
